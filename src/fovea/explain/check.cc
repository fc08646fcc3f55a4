#include "fovea/explain/check.h"

#include <algorithm>

#include "fovea/explain/rank_correlation.h"

namespace fovea {

TranslationCheck::TranslationCheck(const TranslationModel& model, const CheckOptions& options)
    : model_(model),
      options_(options),
      random_(make_translation_model(model.options, model.source, model.target, model.joint,
                                     options.weights)) {}

void TranslationCheck::operator()(const Said& said, std::vector<Trace::Method>& methods,
                                  const std::optional<GoldWords>& gold) const {
  std::vector<Tensor> maps;
  std::vector<std::string> names;
  for (const Trace::Method& method : methods) {
    maps.push_back(method.weights);
    names.push_back(method.name);
  }
  const SpelledWords source = gold ? gold->source : model_.source.words(said.source());
  const Removal removal = remove_words(said, source, maps, options_.removal);
  const Said by_chance(*random_.net, said.source(), said.target());
  const std::vector<Trace::Method> others = explain(by_chance, names, options_.methods);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    std::vector<Trace::Figure>& figures = methods[m].figures;
    figures.push_back({"deletion", removal.maps[m].deletion_area(),
                       "mean probability of the output while its words go: lower is better"});
    figures.push_back({"deletion_random", removal.random.deletion_area(),
                       "the same in random order: what deletion has to be below"});
    figures.push_back({"insertion", removal.maps[m].insertion_area(),
                       "mean probability of the output while its words come: higher is better"});
    figures.push_back({"insertion_random", removal.random.insertion_area(),
                       "the same in random order: what insertion has to be above"});
    if (gold) {
      figures.push_back({"agreement", agreement(methods[m].weights, *gold),
                         "share of output words whose largest weight is a true link"});
    }
    figures.push_back({"randomised", rank_correlation(methods[m].weights, others[m].weights),
                       "rank correlation with the map of new random weights: near 0 is good"});
  }
}

double agreement(const Tensor& map, const GoldWords& gold) {
  const Alignment found = align(map, gold.source, gold.target).links();
  if (found.empty()) return 0;
  const auto right = std::count_if(found.begin(), found.end(), [&](const Link& link) {
    return std::any_of(gold.links.begin(), gold.links.end(), [&](const Link& true_link) {
      return true_link.source == link.source && true_link.target == link.target;
    });
  });
  return static_cast<double>(right) / static_cast<double>(found.size());
}

std::vector<Trace::Method> mean_figures(std::span<const std::vector<Trace::Method>> translations) {
  std::vector<Trace::Method> means;
  if (translations.empty()) return means;
  for (std::size_t m = 0; m < translations[0].size(); ++m) {
    Trace::Method mean = translations[0][m];
    mean.weights = Tensor();
    for (const std::vector<Trace::Method>& methods : translations) {
      for (const Trace::Figure& one : methods[m].figures) {
        const auto known = std::find_if(mean.figures.begin(), mean.figures.end(),
                                        [&](const auto& f) { return f.name == one.name; });
        if (known == mean.figures.end()) mean.figures.push_back(one);
      }
    }
    for (Trace::Figure& figure : mean.figures) {
      double total = 0, count = 0;
      for (const std::vector<Trace::Method>& methods : translations) {
        for (const Trace::Figure& one : methods[m].figures) {
          if (one.name != figure.name) continue;
          total += one.value;
          ++count;
        }
      }
      figure.value = total / count;
    }
    means.push_back(std::move(mean));
  }
  return means;
}

}  // namespace fovea
