#include "fovea/serve/picturing.h"

#include <gmock/gmock.h>

#include "fovea/io/base64.h"
#include "fovea/io/image_file.h"
#include "fovea/io/png.h"
#include "fovea/serve/reply.h"
#include "fovea/serve/serve_test_tools.h"

namespace fovea {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

const Service& service() {
  static const Service all(all_models(), 100);
  return all;
}

json run(const json& body) {
  Effort effort;
  return json::parse(service().run(body.dump(), effort));
}
json explained(const json& body) {
  Effort effort;
  return json::parse(service().explain(body.dump(), effort));
}
std::string refusal(const json& body, int status = 400) {
  Effort effort;
  try {
    service().run(body.dump(), effort);
  } catch (const Refusal& refused) {
    EXPECT_EQ(refused.status(), status) << refused.what();
    return refused.what();
  }
  return "";
}

std::string png_of(Index width, Index height) {
  Image image{.width = width, .height = height, .channels = 3};
  image.pixels.assign(static_cast<std::size_t>(3 * width * height), 200);
  return encode_png(image);
}

json axis(const json& trace, const std::string& name) {
  for (const json& one : trace["axes"]) {
    if (one["name"] == name) return one;
  }
  return {};
}

TEST(Picturing, ListsWhatModelsOfPicturesTake) {
  const json models = json::parse(service().models())["models"];
  ASSERT_EQ(models.size(), 4u);
  EXPECT_FALSE(models[0].contains("image"));
  const json& answer = models[2];
  EXPECT_EQ(answer["task"], "answer");
  EXPECT_EQ(answer["model"], "pretended");
  EXPECT_EQ(answer["parameters"], 15);
  EXPECT_EQ(answer["attends"], true);
  EXPECT_EQ(answer["layers"], 1);
  EXPECT_EQ(answer["image"], json({{"width", 64}, {"height", 64}, {"channels", 3}}));
  EXPECT_EQ(answer["asks"], true);
  EXPECT_EQ(answer["world"], "scene");
  EXPECT_EQ(models[3]["world"], "digit");
  EXPECT_EQ(models[3]["asks"], false);
}

TEST(Picturing, SaysWhatTheModelSaysOfBuiltInAndSentPictures) {
  const json caption = run({{"model", "caption"}, {"image", "scene:17"}});
  EXPECT_EQ(caption["model"], "caption");
  EXPECT_EQ(caption["text"], "64 x 64 x 3");
  EXPECT_EQ(caption["choices"][0], json({{"text", "bright"}, {"probability", 0.75}}));
  EXPECT_GT(caption["seconds"], 0);
  const std::string sent = to_base64(png_of(100, 40));
  EXPECT_EQ(run({{"model", "caption"}, {"image", sent}})["text"], "64 x 64 x 3");
  EXPECT_EQ(run({{"model", "caption"}, {"image", "data:image/png;base64," + sent}})["text"],
            "64 x 64 x 3");
  EXPECT_EQ(run({{"model", "glimpse"}, {"image", "digit:5"}})["text"], "60 x 60 x 1");
  EXPECT_EQ(run({{"model", "glimpse"}, {"image", sent}})["text"], "100 x 40 x 1");
  const json answer =
      run({{"model", "answer"}, {"image", "scene:17"}, {"question", "where is the ball"}});
  EXPECT_EQ(answer["question"], "where is the ball");
}

TEST(Picturing, LargePicturesOfModelsThatTakeAnySizeAreReduced) {
  EXPECT_EQ(run({{"model", "glimpse"}, {"image", to_base64(png_of(2400, 1200))}})["text"],
            "240 x 120 x 1");
}

TEST(Picturing, ExplainsWithThePictureAndWhatIsTrueOfIt) {
  const json trace = explained({{"model", "caption"}, {"image", "scene:17"}});
  EXPECT_EQ(trace["format"], "fovea.trace");
  EXPECT_EQ(trace["task"], "caption");
  const auto picture = world_picture("scene:17", 64);
  EXPECT_EQ(trace["image"]["png"], to_base64(encode_png(picture->image)));
  const json truth = axis(trace, "truth")["labels"];
  ASSERT_EQ(truth.size(), picture->truth.size());
  EXPECT_THAT(truth.back()["text"].get<std::string>(), testing::EndsWith(" ball"));
  EXPECT_FLOAT_EQ(truth.back()["box"][0].get<float>(), picture->truth.back().box.left);
  EXPECT_TRUE(axis(explained({{"model", "caption"}, {"image", to_base64(png_of(8, 8))}}), "truth")
                  .is_null());
}

TEST(Picturing, KnowsTheTrueAnswersOfBuiltInQuestionsHoweverTheyAreTyped) {
  const auto picture = world_picture("scene:17", 64);
  const auto truth = [](const std::string& question) {
    return axis(explained({{"model", "answer"}, {"image", "scene:17"}, {"question", question}}),
                "truth")["labels"];
  };
  for (const WorldQuestion& question : picture->questions) {
    const json known = truth(question.text);
    ASSERT_EQ(known.size(), std::max<std::size_t>(1, question.boxes.size())) << question.text;
    EXPECT_EQ(known[0]["text"], question.answer);
    EXPECT_EQ(known[0].contains("box"), !question.boxes.empty());
  }
  EXPECT_EQ(truth(" How many  players are there?"), truth("how many players are there"));
  EXPECT_FALSE(truth("How many players are there?").empty());
  EXPECT_TRUE(truth("is it raining").empty());
}

TEST(Picturing, ExplainsByMethodsAndChecksThem) {
  const json body = {{"model", "answer"}, {"image", "scene:17"}, {"question", "where is the ball"}};
  EXPECT_TRUE(explained(body)["methods"].empty());
  json some = body;
  some["methods"] = {"occlusion", "saliency", "occlusion"};
  const json two = explained(some);
  ASSERT_EQ(two["methods"].size(), 2u);
  EXPECT_EQ(two["methods"][0]["name"], "occlusion");
  EXPECT_EQ(two["methods"][1]["keys"], "pixels");
  EXPECT_EQ(two["methods"][1]["weights"][0].size(), axis(two, "pixels")["labels"].size());
  EXPECT_TRUE(two["methods"][0]["figures"].empty());
  some["check"] = true;
  const json checked = explained(some);
  EXPECT_EQ(checked["methods"][0]["figures"].back()["name"], "pointing");
  some["methods"] = json::array();
  EXPECT_EQ(explained(some)["methods"][0]["name"], "saliency");
  some["methods"] = {"all"};
  const json models = json::parse(service().models())["models"];
  EXPECT_EQ(explained(some)["methods"].size(), models[2]["methods"].size());
  EXPECT_TRUE(models[1]["methods"].empty());  // a caption is no class
}

TEST(Picturing, SaysWhichMethodsThereAre) {
  const auto refused = [](const json& body) { return error_of([&] { explained(body); }); };
  const json body = {{"model", "answer"}, {"image", "scene:17"}, {"question", "where is the ball"}};
  json guess = body;
  guess["methods"] = {"guess"};
  EXPECT_THAT(refused(guess), StartsWith("/api/explain: there is no method 'guess' for 'answer'; "
                                         "there are saliency, "));
  EXPECT_EQ(refused({{"model", "caption"}, {"image", "scene:1"}, {"methods", {"saliency"}}}),
            "/api/explain: there is no method 'saliency' for 'caption'; there are none");
  EXPECT_EQ(refused({{"model", "caption"}, {"image", "scene:1"}, {"check", true}}),
            "/api/explain: 'caption' has no methods to check");
  std::vector<ServedModel> models;
  models.push_back(picture_model("answer", {.width = 300, .height = 300, .channels = 3}));
  const Service large(std::move(models), 100);
  Effort effort;
  guess["methods"] = {"saliency"};
  EXPECT_EQ(error_of([&] { large.explain(guess.dump(), effort); }),
            "/api/explain: 'methods' take up to 65536 pixels, but the picture has 90000; make it "
            "smaller, or use fovea explain");
}

TEST(Picturing, SaysWhatIsWrongWithAPicture) {
  const auto sent = [](const std::string& bytes) {
    return refusal({{"model", "caption"}, {"image", to_base64(bytes)}});
  };
  EXPECT_EQ(refusal({{"model", "caption"}, {"image", "cat.png"}}),
            "/api/run: 'image' is 'cat.png', but the name of a built-in picture (scene:17, "
            "digit:5), or a PNG or JPEG in base64 is needed");
  EXPECT_EQ(sent("GIF89a........"),
            "/api/run: 'image': its format is GIF; PNG and JPEG can be read, convert it to one of "
            "them");
  EXPECT_EQ(sent("hello, world"),
            "/api/run: 'image': is not a picture: it begins neither as a PNG nor as a JPEG");
  EXPECT_EQ(sent(""), "/api/run: 'image': is empty, not a picture");
  const std::string good = png_of(20, 20);
  EXPECT_THAT(sent(good.substr(0, good.size() / 2)),
              HasSubstr("within the picture; is the file complete?"));
  std::string huge = good;
  huge[16] = 0, huge[17] = 1;  // 65,556 pixels wide
  huge[22] = 1;                // 276 high
  EXPECT_THAT(sent(huge), HasSubstr("up to 16 million can be read, make it smaller"));
}

TEST(Picturing, SaysWhatIsMissingOrHasNoMeaning) {
  EXPECT_THAT(refusal({{"model", "caption"}}), StartsWith("/api/run: 'image' is missing; give it"));
  EXPECT_EQ(refusal({{"model", "caption"}, {"input", "a"}}),
            "/api/run: 'input' has no meaning for 'caption', which looks at pictures; send "
            "'image'");
  EXPECT_EQ(refusal({{"model", "caption"}, {"image", "scene:1"}, {"question", "why"}}),
            "/api/run: 'question' has no meaning for 'caption', which is not asked; leave it out");
  EXPECT_EQ(refusal({{"model", "caption"}, {"image", "scene:1"}, {"best", 1}}),
            "/api/run: 'beams' and 'best' are for translators; leave them out for 'caption'");
  for (const char* question : {"", "  ", "?"}) {
    EXPECT_EQ(refusal({{"model", "answer"}, {"image", "scene:1"}, {"question", question}}),
              "/api/run: 'question' is missing; ask 'answer' something about the picture");
  }
  EXPECT_EQ(
      refusal({{"model", "answer"}, {"image", "scene:1"}, {"question", std::string(2000, 'a')}},
              413),
      "/api/run: 'question' has 2000 bytes, but at most 1000 are taken");
}

TEST(Picturing, HandsOutTheBuiltInPictures) {
  const json answer = json::parse(
      service().pictures(R"({"world":"scene","size":80,"first":16,"count":2})"))["pictures"];
  ASSERT_EQ(answer.size(), 2u);
  const auto picture = world_picture("scene:17", 80);
  EXPECT_EQ(answer[1]["name"], "scene:17");
  EXPECT_EQ(answer[1]["width"], 80);
  EXPECT_EQ(decode_image(*from_base64(answer[1]["png"].get<std::string>()), "png"), picture->image);
  EXPECT_EQ(answer[1]["about"], picture->about);
  EXPECT_EQ(answer[1]["questions"].size(), 8u);
  EXPECT_EQ(answer[1]["questions"][0], picture->questions[0].text);
  EXPECT_EQ(answer[1]["boxes"].size(), picture->truth.size());
  const json digits =
      json::parse(service().pictures(R"({"world":"digit","size":60,"count":1})"))["pictures"];
  EXPECT_EQ(digits[0]["about"], "0");
  EXPECT_TRUE(digits[0]["questions"].empty());
}

}  // namespace
}  // namespace fovea
