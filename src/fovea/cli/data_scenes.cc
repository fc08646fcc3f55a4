// fovea data scenes: pictures of football players, captions, questions, and where all of it is.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "fovea/base/files.h"
#include "fovea/cli/data.h"
#include "fovea/cli/text.h"
#include "fovea/data/scene_world.h"
#include "fovea/io/png.h"

namespace fovea::cli {
namespace {

using football::GroundedWord;
using football::Player;
using football::Scene;
using football::SceneCaption;
using football::SceneQuestion;
using Json = nlohmann::ordered_json;

struct ScenesOptions {
  std::string out, as = "tar", split = "all";
  Index count = 10'000, size = 64, captions = 5, questions = 5;
  std::uint64_t seed = 1;
};

// A picture with all that is written about it.
struct ScenePage {
  std::string name, png, captions{}, questions{}, boxes{};
};

Json box_json(const Box& box) {
  const auto rounded = [](float x) { return std::round(100.0 * x) / 100; };
  return {rounded(box.left), rounded(box.top), rounded(box.right), rounded(box.bottom)};
}

Json boxes_json(const std::vector<Box>& boxes) {
  Json all = Json::array();
  for (const Box& box : boxes) all.push_back(box_json(box));
  return all;
}

Json players_json(const Scene& scene) {
  Json all = Json::array();
  for (const Player& player : scene.players) {
    const auto place = static_cast<std::size_t>(place_of(scene, player.box));
    all.push_back({{"shirt", football::kDyeNames[static_cast<std::size_t>(player.shirt)]},
                   {"action", football::kActionNames[static_cast<std::size_t>(player.action)]},
                   {"place", football::kPlaceNames[place]},
                   {"box", box_json(player.box)}});
  }
  return all;
}

Json words_json(const SceneCaption& caption) {
  Json words = Json::array();
  for (const GroundedWord& word : caption.words) {
    words.push_back({{"text", word.text}, {"boxes", boxes_json(word.boxes)}});
  }
  return words;
}

// So many different ones, or fewer where there are no more.
template <class Sample>
auto different(Index count, const Sample& sample) {
  std::vector<decltype(sample().first)> all;
  std::set<std::string> texts;
  for (Index tries = 0; tries < 20 * count && std::ssize(all) < count; ++tries) {
    auto [one, text] = sample();
    if (texts.insert(text).second) all.push_back(std::move(one));
  }
  return all;
}

ScenePage scene_page(const ScenesOptions& o, Split split, Index i) {
  const auto number = static_cast<std::uint64_t>(i);
  const Scene scene = football::world_scene(o.seed, split, number, o.size);
  const Random random = football::scene_random(o.seed, split, number);
  Random texts = random.split(3);
  ScenePage page{.name = fmt::format("{:06}.png", i),
                 .png = encode_png(draw(scene, random.split(2)))};
  Json truth = {{"image", page.name},
                {"players", players_json(scene)},
                {"ball",
                 {{"colour", football::kDyeNames[static_cast<std::size_t>(scene.ball_dye)]},
                  {"box", box_json(scene.ball)}}}};
  truth["captions"] = Json::array();
  truth["questions"] = Json::array();
  const auto captions = different(o.captions, [&] {
    SceneCaption caption = sample_caption(scene, texts);
    return std::pair(caption, caption.text());
  });
  for (const SceneCaption& caption : captions) {
    page.captions += fmt::format("{}\t{}\n", page.name, caption.text());
    truth["captions"].push_back(words_json(caption));
  }
  const auto questions = different(o.questions, [&] {
    SceneQuestion question = sample_question(scene, texts);
    return std::pair(question, question.text);
  });
  for (const SceneQuestion& q : questions) {
    page.questions += fmt::format("{}\t{}\t{}\n", page.name, q.text, q.answer);
    truth["questions"].push_back(
        {{"kind", football::kQuestionKindNames[static_cast<std::size_t>(q.kind)]},
         {"text", q.text},
         {"answer", q.answer},
         {"boxes", boxes_json(q.boxes)}});
  }
  page.boxes = truth.dump() + '\n';
  return page;
}

void write_scenes_part(const ScenesOptions& o, const DataPart& part, std::ostream& out) {
  const std::string stem = (std::filesystem::path(o.out) / part.name).string();
  std::string captions = "image\tcaption\n", questions = "image\tquestion\tanswer\n", boxes;
  const std::string pictures = write_pictures(stem, o.as, [&](const PictureSink& sink) {
    const auto make = [&](Index i) { return scene_page(o, part.split, i); };
    for_each_in_order(part.count, make, [&](Index, const ScenePage& page) {
      sink(page.name, page.png);
      captions += page.captions;
      questions += page.questions;
      boxes += page.boxes;
    });
  });
  const auto lines = [](const std::string& text) {
    return static_cast<Index>(std::count(text.begin(), text.end(), '\n'));
  };
  out << fmt::format("{}: {} of {} x {} pixels\n", printable(pictures),
                     counted(part.count, "picture"), o.size, o.size);
  const auto write = [&](const char* end, const std::string& text, const std::string& what) {
    write_file(stem + end, text);
    out << fmt::format("{}: {}\n", printable(stem + end), what);
  };
  if (o.captions > 0) write(".captions.tsv", captions, counted(lines(captions) - 1, "caption"));
  if (o.questions > 0)
    write(".questions.tsv", questions, counted(lines(questions) - 1, "question"));
  write(".boxes.jsonl", boxes, "where all that is said is to be seen");
}

Work define_scenes(Arguments& app) {
  const auto o = std::make_shared<ScenesOptions>();
  app.add_option("--out", o->out, "folder for the files; made if it is not there")
      ->required()
      ->type_name("DIR");
  app.add_option("--count", o->count,
                 "training pictures (10,000); a tenth, at most 1,000, to validate and test")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  app.add_option("--size", o->size, "pixels each way (64)")
      ->check(whole_number(32, 1024))
      ->type_name("P");
  app.add_option("--captions", o->captions, "of a picture, all different (5)")
      ->check(whole_number(0, 20))
      ->type_name("N");
  app.add_option("--questions", o->questions, "of a picture, all different (5)")
      ->check(whole_number(0, 20))
      ->type_name("N");
  app.add_option("--split", o->split, "all (the default), or only train, valid or test")
      ->check(one_of({"all", "train", "valid", "test"}))
      ->type_name("S");
  app.add_option("--as", o->as, "pictures in a tar archive (the default) or a folder")
      ->check(one_of({"tar", "folder"}))
      ->type_name("KIND");
  app.add_option("--seed", o->seed, "another seed, other pictures (1)")->type_name("S");
  return [o](std::ostream& out, std::ostream&) {
    make_folder(o->out);
    const Index held_out = std::clamp<Index>(o->count / 10, 1, 1000);
    for (const DataPart& part : data_parts(o->count, held_out, o->split)) {
      write_scenes_part(*o, part, out);
    }
  };
}

}  // namespace

Verb data_scenes_verb() {
  return {
      .name = "scenes",
      .usage = "--out DIR [options]",
      .summary = "football players in pictures, with captions, questions and true boxes",
      .about =
          R"(Two to five little players on a field, one of them kicking the ball. Writes, for each of train,
valid and test, the pictures (train.tar, PNG inside), train.captions.tsv (image, a tab, caption),
train.questions.tsv (image, question, answer: of colour, action, count, place and relation), and
train.boxes.jsonl, a JSON object a picture with the box of each player, of each word of a caption
and of each answer, in pixels: left, top, right, bottom.)",
      .examples = {{"fovea data scenes --out scenes", "10,000 pictures to train on"},
                   {"fovea data scenes --out look --count 20 --size 256 --as folder",
                    "a few large ones, to look at"}},
      .define = define_scenes};
}

}  // namespace fovea::cli
