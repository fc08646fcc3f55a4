// fovea data translation: English sentences, their French translations and word alignments.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "fovea/base/files.h"
#include "fovea/cli/data.h"
#include "fovea/cli/text.h"
#include "fovea/data/translation_world.h"
#include "fovea/training/alignment.h"

namespace fovea::cli {
namespace {

struct TranslationOptions {
  std::string out;
  Index count = 50'000;
  std::uint64_t seed = 1;
  WorldLengths lengths;
};

void write_part(const TranslationOptions& o, const DataPart& part, std::ostream& out) {
  const std::filesystem::path folder(o.out);
  const std::string text = folder / (part.name + ".tsv");
  const std::string links = folder / (part.name + ".align");
  std::string alignments;
  write_file(text, [&](const FileSink& sink) {
    const auto make = [&](Index i) {
      return world_pair(o.seed, part.split, static_cast<std::uint64_t>(i), o.lengths);
    };
    for_each_in_order(part.count, make, [&](Index, const WorldPair& pair) {
      sink(pair.source + '\t' + pair.target + '\n');
      if (part.split != Split::kTrain) alignments += to_pharaoh(pair.links) + '\n';
    });
  });
  out << fmt::format("{}: {}\n", printable(text), counted(part.count, "sentence pair"));
  if (part.split == Split::kTrain) return;
  write_file(links, alignments);
  out << fmt::format("{}: their word alignments\n", printable(links));
}

void write_translation(const TranslationOptions& o, std::ostream& out) {
  const WorldPair example = world_pair(o.seed, Split::kValid, 0, o.lengths);  // refuses bad lengths
  const Index held_out = std::clamp<Index>(o.count / 50, 1, 2000);
  make_folder(o.out);
  for (const DataPart& part : data_parts(o.count, held_out)) write_part(o, part, out);
  out << fmt::format("for example: {}\n             {}\n             {}\n", example.source,
                     example.target, to_pharaoh(example.links));
}

Work define_translation(Arguments& app) {
  const auto o = std::make_shared<TranslationOptions>();
  app.add_option("--out", o->out, "folder for the files; made if it is not there")
      ->required()
      ->type_name("DIR");
  app.add_option("--count", o->count, "training pairs (50,000); a 50th of it to validate and test")
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  app.add_option("--seed", o->seed, "another seed, other sentences (1)")->type_name("S");
  app.add_option("--shortest", o->lengths.shortest,
                 "English words at least, full stop included (3)")
      ->type_name("A");
  app.add_option("--longest", o->lengths.longest, "English words at most, up to 60 (20)")
      ->type_name("B");
  return [o](std::ostream& out, std::ostream&) {
    const WorldLengths l = o->lengths, limits = kWorldLimits;
    if (l.shortest < limits.shortest || l.longest > limits.longest || l.shortest > l.longest) {
      throw UsageError(fmt::format(
          "--shortest {} --longest {}: sentences have {} to {} words, and the shortest comes first",
          l.shortest, l.longest, limits.shortest, limits.longest));
    }
    write_translation(*o, out);
  };
}

}  // namespace

Verb data_translation_verb() {
  return {.name = "translation",
          .usage = "--out DIR [options]",
          .summary = "English sentences with French translations and word alignments",
          .about =
              R"(English sentences with their French translations, from a grammar that knows
agreement, elision, negation and the rest. Each English sentence has exactly one translation.
Writes train.tsv, valid.tsv and test.tsv (English, a tab, French), and for the last two the
true word alignments as valid.align and test.align: 0-1 says that English word 0 is French word
1, 0?1 that they depend on each other. Words are split at spaces, before punctuation and after
an apostrophe. No sentence of one file is in another. Same seed, same files.)",
          .examples = {{"fovea data translation --out corpus", "50,000 pairs of up to 20 words"},
                       {"fovea data translation --out long --count 5000 --shortest 40 --longest 60",
                        "long sentences only"}},
          .define = define_translation};
}

}  // namespace fovea::cli
