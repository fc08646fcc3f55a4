#include "fovea/models/translation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/base_test_tools.h"
#include "fovea/io/reader_test_tools.h"
#include "fovea/io/safetensors.h"
#include "fovea/models/translation_trace.h"

namespace fovea {
namespace {

const std::vector<std::string> kLines = {"the cat sees the old house", "a dog", "",
                                         "the old dog sees a cat and the house"};

Tokenizer words_of(const std::vector<std::string>& lines) {
  return train_tokenizer(lines, {.pieces = Pieces::kWords, .vocab_size = 100});
}

TranslationModel some_model(std::uint64_t seed = 4) {
  const Tokenizer words = words_of(kLines);
  const RecurrentTranslatorOptions options{
      .embedding_dim = 12, .hidden = 16, .attention_dim = 8, .readout_dim = 12};
  return make_translation_model(options, words, words, true, {.seed = seed});
}

std::vector<std::string> texts(const TranslationModel& model,
                               const TranslateOptions& options = {}) {
  const TranslationModel* models[] = {&model};
  std::vector<std::string> texts;
  for (const auto& line : translate(models, kLines, options)) {
    for (const Translation& t : line) texts.push_back(t.text);
  }
  return texts;
}

TEST(Translate, KeepsTheOrderOfLinesAndTheEmptyOnes) {
  const TranslationModel model = some_model();
  const std::vector<std::string> all = texts(model);
  ASSERT_EQ(all.size(), kLines.size());
  EXPECT_EQ(all[2], "");
  const TranslationModel* models[] = {&model};
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    EXPECT_EQ(translate(models, std::span(&kLines[i], 1), {})[0][0].text, all[i]);
  }
}

void expect_found_by_any_threads(const TranslationModel& model) {
  const Translator* models[] = {model.net.get()};
  const SearchOptions options{.n_best = 2, .longest_more = 4};
  Random random{.seed = 3};
  std::vector<Words> source(700);  // several batches
  for (Words& words : source) {
    for (Index n = random.below(9); n >= 0; --n) {
      words.push_back(static_cast<std::int32_t>(4 + random.below(6)));
    }
  }
  std::vector<std::vector<std::vector<Hypothesis>>> found;
  for (const int count : {1, 2, 3}) {
    const UseThreads guard(count);
    found.push_back(search_all(models, source, options));
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto alone = search(models, std::span(&source[i], 1), options);
    for (std::size_t n = 0; n < 2; ++n) {
      const Hypothesis& one = found[0][i].at(n);
      EXPECT_EQ(one.words, alone[0].at(n).words) << i;
      for (const auto& other : {found[1], found[2]}) {
        EXPECT_EQ(other[i].at(n).words, one.words) << i;
        EXPECT_EQ(other[i].at(n).score, one.score) << i;
      }
    }
  }
}

TEST(SearchAll, FindsTheSameWhicheverThreadsSearch) {
  expect_found_by_any_threads(some_model());
  const Tokenizer words = words_of(kLines);
  const TransformerOptions options{
      .model_dim = 16, .heads = 2, .inner_dim = 16, .encoder_layers = 1, .decoder_layers = 1};
  expect_found_by_any_threads(make_translation_model(options, words, words, true, {.seed = 4}));
}

TEST(SearchAll, RefusesNoBeams) {
  const TranslationModel model = some_model();
  const Translator* models[] = {model.net.get()};
  const std::vector<Words> source(3, Words{4, 5});
  for (const Index beams : {0, -5000}) {
    EXPECT_EQ(
        error_of([&] { search_all(models, source, {.beams = beams}); }),
        fmt::format("search: 1 of {} beams were asked for; take 1 <= n_best <= beams", beams));
  }
}

TEST(Translate, SaysWhichLineIsTooLong) {
  const TranslationModel model = some_model();
  EXPECT_EQ(error_of([&] { texts(model, {.longest = 5}); }),
            "line 1: 6 pieces, but at most 5 are translated; split the line or pass --longest");
}

TEST(Translate, SamplesTheSameForTheSameSeed) {
  const TranslationModel model = some_model();
  const TranslateOptions one{.search = {.temperature = 1, .seed = 7}},
      two{.search = {.temperature = 1, .seed = 8}};
  EXPECT_EQ(texts(model, one), texts(model, one));
  EXPECT_NE(texts(model, one), texts(model, two));
}

TEST(Translate, AnEnsembleOfTheSameModelIsThatModel) {
  const TranslationModel model = some_model(), other = some_model(9);
  const TranslationModel *same[] = {&model, &model, &model}, *different[] = {&model, &other};
  EXPECT_EQ(translate(same, kLines, {})[0][0].text, texts(model)[0]);
  const double alone = translate(std::span(same, 1), kLines, {})[3][0].score;
  EXPECT_NEAR(translate(same, kLines, {})[3][0].score, alone, 1e-4);
  EXPECT_NE(translate(different, kLines, {})[3][0].score, alone);
}

TEST(Translate, RefusesAnEnsembleOfDifferentVocabularies) {
  const TranslationModel model = some_model();
  TranslationModel other = some_model();
  other.target = words_of({"something else"});
  const TranslationModel* models[] = {&model, &other};
  EXPECT_EQ(error_of([&] { translate(models, kLines, {}); }),
            "translate: models of an ensemble need the same vocabularies; train them from the same "
            "pairs with the same --pieces and --vocab-size");
}

TEST(Translate, AlignsEveryWordItSays) {
  const TranslationModel model = some_model();
  const TranslationModel* models[] = {&model};
  for (const auto& line : translate(models, kLines, {.align = true})) {
    const SoftAlignment& a = line[0].alignment;
    EXPECT_EQ(a.links().size(), a.target.size());
    for (Index t = 0; a.weights && t < a.weights.shape(0); ++t) {
      float sum = 0;
      for (Index s = 0; s < a.weights.shape(1); ++s)
        sum += a.weights.data()[t * a.weights.shape(1) + s];
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

TEST(TranslationModel, SavedAndLoadedTranslatesTheSame) {
  const ScratchFolder folder;
  const std::string path = folder / "model.safetensors";
  TranslationModel model = some_model();
  model.training["seed"] = "4";
  save(model, path);
  const TranslationModel again = load_translation_model(path);
  EXPECT_EQ(texts(again), texts(model));
  EXPECT_EQ(again.training, model.training);
  save(again, folder / "again.safetensors");
  EXPECT_EQ(folder.read("model.safetensors"), folder.read("again.safetensors"));
}

TEST(TranslationModel, SaysWhatIsWrongWithAFile) {
  const ScratchFolder folder;
  const std::string path = folder / "m.safetensors";
  const auto complaint = [&](const std::function<void(ModelFile&)>& damage) {
    save(some_model(), path);
    ModelFile file = read_safetensors(path);
    damage(file);
    write_safetensors(path, file);
    return error_of([&] { load_translation_model(path); }).substr(path.size());
  };
  EXPECT_EQ(complaint([](ModelFile& f) { f.metadata["fovea.task"] = "caption"; }),
            ": a model of task 'caption', but 'translate' is needed");
  EXPECT_EQ(complaint([](ModelFile& f) { f.metadata["fovea.version"] = "2"; }),
            ": a model of version '2', but this program reads version 1; use a newer fovea");
  EXPECT_EQ(complaint([](ModelFile& f) { f.metadata.clear(); }),
            ": 'fovea.task' is missing; is it a model that fovea train has written?");
  EXPECT_EQ(complaint([](ModelFile& f) { f.metadata["fovea.model"] = "{"; }),
            ": the model's options are not readable; is the file damaged?");
  EXPECT_EQ(complaint([](ModelFile& f) { f.tensors.erase("word.weight"); }),
            ": tensor 'word.weight' is missing; is it a file of another model?");
  const auto option = [&](const std::string& from, const std::string& to) {
    return complaint([&](ModelFile& f) {
      std::string& text = f.metadata["fovea.model"];
      text.replace(text.find(from), from.size(), to);
    });
  };
  EXPECT_EQ(option("\"gru\"", "\"rnn\""),
            ": option 'cell' is 'rnn', which this version does not know");
  EXPECT_EQ(option("\"hidden\":16", "\"hidden\":-1"),
            ": option 'hidden' is -1, not a size from 1 to 16777216");
  EXPECT_EQ(option("\"reach\":10", "\"reached\":10"),
            ": option 'reach' is missing; is the file damaged?");
}

TEST(TranslatorOptions, AreTheSameAfterBeingText) {
  const TranslatorOptions options[] = {
      RecurrentTranslatorOptions{.reading = RecurrentTranslatorOptions::Reading::kLuong,
                                 .source_vocab = 5,
                                 .target_vocab = 6,
                                 .word_dropout = 0.3f,
                                 .luong_view = LuongView::kPredictive},
      TransformerOptions{.source_vocab = 5,
                         .target_vocab = 6,
                         .dropout = 0.1f,
                         .branch_dropout = 0.2f,
                         .norm_first = true}};
  for (const TranslatorOptions& o : options) {
    EXPECT_EQ(to_text(parse_translator_options(to_text(o), "here")), to_text(o));
  }
  EXPECT_NE(to_text(options[0]).find("\"word_dropout\":0.3,"), std::string::npos)
      << to_text(options[0]);
}

TEST(SoftAlignment, AddsSourcePiecesAndAveragesTargetPieces) {
  const Tensor pieces({4, 4}, std::vector<float>{.1f, .2f, .3f, .4f, .5f, .1f, .1f, .3f,  //
                                                 .2f, .2f, .2f, .4f, 1, 0, 0, 0});
  const SpelledWords source{{"a", "b"}, {0, 1, 1}}, target{{"x", "y"}, {0, 0, 1}};
  const SoftAlignment a = align(pieces, source, target);
  const std::vector<float> expected = {.3f, .35f, .35f, .2f, .4f, .4f};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(a.weights.values()[i], expected[i], 1e-6);
  ASSERT_EQ(a.links().size(), 2u);  // </s> has more than any word of the last row, and gets no link
  EXPECT_EQ(a.links()[1].source, 1);
}

TEST(Spelling, FollowsGivenWordsLetterByLetter) {
  const Tokenizer letters =
      train_tokenizer(kLines, {.pieces = Pieces::kCharacters, .vocab_size = 100});
  const std::vector<std::string> words = {"a", "do", "g"};
  const auto found = spelling(letters, letters.encode("a dog"), {}, words);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->word_of, (std::vector<Index>{0, 1, 1, 1, 2}));
  const std::vector<std::string> cat = {"a", "cat"}, strange = {"a", "d\u00f8g"};
  EXPECT_FALSE(spelling(letters, letters.encode("a dog"), {}, cat));
  const Words unknown = letters.encode("a d\u00f8g");
  EXPECT_FALSE(spelling(letters, unknown, {}, strange));
  EXPECT_TRUE(spelling(letters, unknown, letters.unknowns("a d\u00f8g"), strange));
}

TEST(TraceTranslation, TellsEveryStepUntilTheEnd) {
  const TranslationModel model = some_model();
  const TranslationModel* models[] = {&model};
  const Translation t = translate(models, kLines, {})[0][0];
  const Trace trace = trace_translation(model, t, {.choices = 3, .states = true});
  EXPECT_EQ(trace.input, kLines[0]);
  ASSERT_EQ(trace.axes.size(), 2u);
  EXPECT_EQ(trace.labels("source").size(), 7u);
  EXPECT_EQ(trace.labels("source").back().text, "</s>");
  EXPECT_EQ(trace.axes[0].states.shape(), (Shape{7, 32}));
  ASSERT_EQ(trace.steps.size(), t.target.size() + 1);
  EXPECT_EQ(trace.labels("target").size(), trace.steps.size());
  ASSERT_EQ(trace.heads.size(), 1u);
  EXPECT_EQ(trace.heads[0].weights.shape(0), static_cast<Index>(trace.steps.size()));
  for (const Trace::Step& step : trace.steps) {
    ASSERT_EQ(step.choices.size(), 3u);
    EXPECT_GE(step.choices[0].probability, step.choices[1].probability);
    EXPECT_EQ(step.context.size(), 32);
  }
  EXPECT_FALSE(trace_translation(model, t).axes[0].states);
}

TEST(TraceTranslation, SpeaksOfTheWordsThatWereGiven) {
  const TranslationModel model = some_model();
  const TranslationModel* models[] = {&model};
  const std::vector<std::string> strange = {"the \u732b sat"};
  const Translation t = translate(models, strange, {.align = true})[0][0];
  EXPECT_EQ(t.alignment.source, (std::vector<std::string>{"the", "\u732b", "sat"}));
  const Trace trace = trace_translation(model, t);
  EXPECT_EQ(trace.input, strange[0]);
}

TEST(TraceTranslation, ReadsTheContextFromTheStates) {
  for (const bool reversed : {false, true}) {
    const Tokenizer words = words_of(kLines);
    const RecurrentTranslatorOptions options{.embedding_dim = 12,
                                             .hidden = 16,
                                             .attention_dim = 8,
                                             .readout_dim = 12,
                                             .reverse_source = reversed};
    const TranslationModel model = make_translation_model(options, words, words, true, {.seed = 4});
    Translation t{.source = words.encode(kLines[0]), .target = words.encode(kLines[1])};
    const Trace trace = trace_translation(model, t, {.states = true});
    const Tensor states = trace.axes[0].states.packed(), weights = trace.heads[0].weights;
    for (Index d = 0; d < states.shape(1); ++d) {
      float sum = 0;
      for (Index k = 0; k < 7; ++k) {
        sum += weights.data()[k] * states.data()[k * states.shape(1) + d];
      }
      EXPECT_NEAR(trace.steps[0].context.packed().data()[d], sum, 1e-5f);
    }
  }
}

TEST(TraceTranslation, HasStatesInTheOrderOfTheSourceWhateverWayItIsRead) {
  const Tokenizer words = words_of(kLines);
  const auto states = [&](bool reversed, const std::vector<Words>& source) {
    const RecurrentTranslatorOptions options{.embedding_dim = 12,
                                             .hidden = 16,
                                             .attention_dim = 8,
                                             .readout_dim = 12,
                                             .reverse_source = reversed};
    const TranslationModel model = make_translation_model(options, words, words, true, {.seed = 4});
    TranslationBatch pair = translation_batch(source, source);
    pair.source = side_by_side(source);
    fovea::Run run;
    Insight inside;
    model.net->logits(pair, run, &inside);
    return inside.states.value().values();
  };
  const std::vector<float> backwards = states(true, {{4, 5, 6}}),
                           forwards = states(false, {{6, 5, 4}});
  const auto dim = static_cast<std::ptrdiff_t>(backwards.size() / 3);
  for (std::ptrdiff_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(std::equal(backwards.begin() + k * dim, backwards.begin() + (k + 1) * dim,
                           forwards.begin() + (2 - k) * dim));
  }
}

TEST(TraceTranslation, HasTheSelfAttentionOfATransformer) {
  const Tokenizer words = words_of(kLines);
  const TransformerOptions options{
      .model_dim = 16, .heads = 2, .inner_dim = 16, .encoder_layers = 3, .decoder_layers = 2};
  const TranslationModel model = make_translation_model(options, words, words, true, {.seed = 4});
  const Translation t{.source = words.encode(kLines[0]), .target = words.encode(kLines[1])};
  const Trace trace = trace_translation(model, t, {.states = true});
  ASSERT_EQ(trace.heads.size(), 2 * (3 + 2 + 2u));
  EXPECT_EQ(trace.axes[0].states.shape(), (Shape{7, 16}));
  ASSERT_EQ(trace.labels("said").size(), 3u);
  EXPECT_EQ(trace.labels("said")[0].text, "<s>");
  EXPECT_EQ(trace.labels("said")[1].text, "a");
  for (const Trace::Head& head : trace.heads) {
    EXPECT_EQ(head.weights.shape(), (Shape{static_cast<Index>(trace.labels(head.queries).size()),
                                           static_cast<Index>(trace.labels(head.keys).size())}));
    const std::vector<float> weights = head.weights.values();
    if (head.kind == "decoder") {  // the second word looks back at <s> and itself only
      EXPECT_NEAR(weights[3] + weights[4], 1, 1e-5f);
      EXPECT_EQ(weights[5], 0);
    }
  }
  EXPECT_EQ(trace_translation(model, t, {.self = false}).heads.size(), 4u);
}

}  // namespace
}  // namespace fovea
