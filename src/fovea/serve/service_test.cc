#include "fovea/serve/service.h"

#include <gmock/gmock.h>

#include <cmath>

#include "fovea/base/version.h"
#include "fovea/data/translation_world.h"
#include "fovea/models/translation.h"
#include "fovea/serve/attending.h"
#include "fovea/serve/reply.h"
#include "fovea/serve/request.h"
#include "fovea/serve/serve_test_tools.h"

namespace fovea {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json attended(const std::string& body) {
  return json::parse(attend_answer(parse_attend_request(body)));
}
std::string attend_error(const std::string& body) {
  return error_of([&] { attended(body); });
}

// One query along the first axis; two keys along the axes.
const std::string kPlane = R"("query":[[1,0]],"key":[[1,0],[0,1]],"value":[[10,0],[0,20]])";

TEST(Service, NamesModelsAfterTheirFilesAndMakesThemUnique) {
  EXPECT_THAT(served_names({"a/en-fr.safetensors", "b/en-fr.safetensors", "de.safetensors",
                            "c/en-fr.safetensors"}),
              ElementsAre("en-fr", "en-fr-2", "de", "en-fr-3"));
  EXPECT_THAT(served_names({"m.safetensors", "x/m.safetensors", "m-2.safetensors"}),
              ElementsAre("m", "m-2", "m-2-2"));
}

TEST(Service, ListsItsModels) {
  const Service service(small_models({"one", "two"}), 100);
  const json list = json::parse(service.models());
  EXPECT_EQ(list["version"], version());
  ASSERT_EQ(list["models"].size(), 2u);
  const json& model = list["models"][1];
  EXPECT_EQ(model["name"], "two");
  EXPECT_EQ(model["task"], "translate");
  EXPECT_EQ(model["model"], "bahdanau");
  EXPECT_GT(model["parameters"], 1000);
  EXPECT_EQ(model["attends"], true);
  EXPECT_EQ(model["layers"], 1);
  EXPECT_EQ(model["heads"], 1);
  EXPECT_TRUE(model["examples"].empty());  // it does not know the words of the built-in world
}

TEST(Service, OffersSentencesOfTheBuiltInWorldToModelsThatKnowItsWords) {
  std::vector<std::string> lines;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    lines.push_back(world_pair(1, Split::kTrain, i).source);
  }
  const Tokenizer pieces = train_tokenizer(lines, {.vocab_size = 400});
  std::vector<ServedModel> models;
  models.push_back(
      {"world", make_translation_model(
                    RecurrentTranslatorOptions{
                        .embedding_dim = 8, .hidden = 8, .attention_dim = 8, .readout_dim = 8},
                    pieces, pieces, true, {.seed = 1})});
  const json list = json::parse(Service(std::move(models), 100).models());
  EXPECT_EQ(list["models"][0]["examples"].size(), 6u);
}

TEST(Service, TranslatesAsTheLibraryDoes) {
  const auto models = small_models();
  const Service service(small_models({"a", "b"}), 100);
  const TranslationModel* const model[] = {&std::get<TranslationModel>(models[0].model)};
  for (const std::string& sentence : kSentences) {
    const auto expected = translate(model, std::span(&sentence, 1), {.search = {.n_best = 2}});
    Effort effort;
    const json answer = json::parse(
        service.run(json{{"model", "b"}, {"input", sentence}, {"best", 2}}.dump(), effort));
    EXPECT_EQ(answer["model"], "b");
    EXPECT_EQ(answer["input"], sentence);
    EXPECT_GT(answer["seconds"], 0);
    ASSERT_EQ(answer["translations"].size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(answer["translations"][i]["text"], expected[0][i].text);
      EXPECT_EQ(answer["translations"][i]["score"], expected[0][i].score);
    }
    EXPECT_EQ(effort.input_pieces, static_cast<Index>(expected[0][0].source.size()));
    EXPECT_GE(effort.output_pieces, static_cast<Index>(expected[0][0].target.size()));
  }
}

TEST(Service, ExplainsWithATrace) {
  const Service service(small_models(), 100);
  Effort effort;
  const json trace = json::parse(service.explain(R"({"input":"a dog"})", effort));
  EXPECT_EQ(trace["format"], "fovea.trace");
  EXPECT_EQ(trace["input"], "a dog");
  EXPECT_EQ(trace["output"], "a dog");
  ASSERT_EQ(trace["heads"].size(), 1u);
  EXPECT_EQ(trace["heads"][0]["weights"].size(), 3u);  // a dog </s>
}

TEST(Service, ExplainsByMethodsAndChecksThem) {
  const Service service(small_models(), 1000);
  const auto explained = [&](const std::string& body) {
    Effort effort;
    return json::parse(service.explain(body, effort));
  };
  const json plain = explained(R"({"input":"a dog"})");
  EXPECT_TRUE(plain["methods"].empty());
  EXPECT_TRUE(plain["axes"][0]["states"].empty());
  EXPECT_FALSE(explained(R"({"input":"a dog","states":true})")["axes"][0]["states"].empty());
  const json two = explained(R"({"input":"a dog","methods":["saliency","attention","saliency"]})");
  ASSERT_EQ(two["methods"].size(), 2u);
  EXPECT_EQ(two["methods"][0]["name"], "saliency");
  EXPECT_EQ(two["methods"][1]["weights"].size(), 3u);
  EXPECT_EQ(two["correlation"].size(), 2u);
  EXPECT_TRUE(two["methods"][0]["figures"].empty());
  const json all = explained(R"({"input":"a dog","methods":["all"],"check":true})");
  EXPECT_EQ(all["methods"].size(), json::parse(service.models())["models"][0]["methods"].size());
  for (const json& method : all["methods"]) EXPECT_GE(method["figures"].size(), 5u);
  const json checked = explained(R"({"input":"a dog","check":true})");
  ASSERT_EQ(checked["methods"].size(), 1u);
  EXPECT_EQ(checked["methods"][0]["name"], "attention");
  Effort effort;
  EXPECT_THAT(error_of([&] { service.explain(R"({"input":"a","methods":["guess"]})", effort); }),
              HasSubstr("there is no method 'guess'; there are attention"));
  std::string words = "a";
  for (int i = 0; i < 150; ++i) words += " a";
  EXPECT_THAT(
      error_of([&] {
        service.explain(json{{"input", words}, {"methods", {"saliency"}}}.dump(), effort);
      }),
      HasSubstr("/api/explain: 'methods' take up to 128 pieces in and out, but there are "));
}

TEST(Service, NothingToTranslateIsNoError) {
  const Service service(small_models(), 100);
  Effort effort;
  EXPECT_EQ(json::parse(service.run(R"({"input":""})", effort))["translations"][0]["text"], "");
  EXPECT_EQ(json::parse(service.explain(R"({"input":" \n\u0000 "})", effort))["output"], "");
}

TEST(Service, RefusesWhatItCannotDo) {
  const Service service(small_models({"en-fr", "fr-en"}), 5);
  Effort effort;
  EXPECT_EQ(error_of([&] { service.run(R"({"model":"de","input":"a"})", effort); }),
            "there is no model 'de'; GET /api/models lists them: en-fr, fr-en");
  EXPECT_EQ(error_of([&] { service.run("{}", effort); }),
            "/api/run: 'input' is missing; give it a text");
  EXPECT_EQ(error_of([&] { service.explain(R"({"input":"a","image":"scene:1"})", effort); }),
            "/api/explain: 'image' has no meaning for 'en-fr', which translates; send 'input'");
  EXPECT_EQ(error_of([&] { service.run(R"({"input":"a a a a a a"})", effort); }),
            "'input' has 6 pieces, but at most 5 are taken; split it, or fovea serve --longest");
  EXPECT_EQ(error_of([&] { service.explain(R"({"input":"a a a a a a"})", effort); }),
            "'input' has 6 pieces, but at most 5 are taken; split it, or fovea serve --longest");
}

TEST(Service, WorkThatNobodyWaitsForEnds) {
  const Service service(small_models(), 100);
  const std::atomic<bool> stop = true;
  Effort effort{.stop = &stop};
  EXPECT_EQ(error_of([&] { service.run(R"({"input":"a dog"})", effort); }),
            "search: stopped, as was asked");
}

TEST(Attending, IsTheSoftmaxOfScaledScores) {
  const json answer = attended("{" + kPlane + "}");
  const double score = 1 / std::sqrt(2.0), weight = std::exp(score) / (std::exp(score) + 1);
  EXPECT_NEAR(answer["scores"][0][0], score, 1e-6);
  EXPECT_EQ(answer["scores"][0][1], 0);
  EXPECT_NEAR(answer["weights"][0][0], weight, 1e-6);
  EXPECT_NEAR(answer["output"][0][0], 10 * weight, 1e-5);
  EXPECT_NEAR(answer["output"][0][1], 20 * (1 - weight), 1e-5);
  const double entropy = -weight * std::log(weight) - (1 - weight) * std::log(1 - weight);
  EXPECT_NEAR(answer["entropy"][0], entropy, 1e-5);
  EXPECT_EQ(answer["hard"]["index"], json::array({0}));
  EXPECT_EQ(answer["hard"]["output"], json({{10, 0}}));
  EXPECT_FALSE(answer["hard"].contains("mean_output"));
}

TEST(Attending, TemperatureChangesWeightsAndNotScores) {
  for (const char* score : {"scaled-dot", "dot", "cosine", "general", "additive", "concat",
                            "concat-literal", "location"}) {
    const auto at = [&](const char* temperature) {
      return attended(
          fmt::format(R"({{{},"score":"{}","temperature":{}}})", kPlane, score, temperature));
    };
    const json plain = at("1"), hot = at("2");
    for (int key = 0; key < 2; ++key) {
      EXPECT_NEAR(plain["scores"][0][key], hot["scores"][0][key].get<double>(), 1e-6) << score;
    }
    const auto odds = [](const json& answer) {
      return std::log(answer["weights"][0][0].get<double>() /
                      answer["weights"][0][1].get<double>());
    };
    EXPECT_NEAR(odds(plain), 2 * odds(hot), 1e-5) << score;
  }
}

TEST(Attending, HasParametersForEveryScore) {
  const auto scores = [](const char* score, const char* more = "") {
    return attended(fmt::format(R"({{{},"score":"{}"{}}})", kPlane, score, more))["scores"][0];
  };
  EXPECT_EQ(scores("dot"), json({1, 0}));
  EXPECT_EQ(scores("general"), json({1, 0}));
  EXPECT_EQ(scores("general", R"(,"matrix":[[0,3],[0,0]])"), json({0, 3}));
  EXPECT_EQ(scores("dot", R"(,"scale":3)"), json({3, 0}));
  EXPECT_NEAR(scores("additive")[0], std::tanh(2.0), 1e-6);
  EXPECT_NEAR(scores("additive")[1], 2 * std::tanh(1.0), 1e-6);
  EXPECT_NEAR(scores("additive", R"(,"weight":[2,0])")[1], 2 * std::tanh(1.0), 1e-6);
  EXPECT_NEAR(scores("concat")[0], std::tanh(2.0), 1e-6);
  EXPECT_NEAR(scores("concat-literal")[0], 2 * std::tanh(1.0), 1e-6);
  EXPECT_NEAR(scores("location")[0], 1, 1e-6);
  EXPECT_NEAR(scores("location")[1], -1, 1e-6);
}

TEST(Attending, MasksHide) {
  const json causal =
      attended(R"({"query":[[1,0],[1,0]],"key":[[1,0],[0,1]],"value":[[1],[2]],"causal":true})");
  EXPECT_EQ(causal["weights"][0], json({1, 0}));
  EXPECT_EQ(causal["scores"][0][1], nullptr);
  EXPECT_GT(causal["weights"][1][1], 0.1);
  const json window =
      attended(R"({"query":[[1,0],[1,0]],"key":[[1,0],[0,1]],"value":[[1],[2]],"window":[0,0]})");
  EXPECT_EQ(window["weights"], json({{1, 0}, {0, 1}}));
}

TEST(Attending, SoftIsTheExpectationOfHard) {
  const json answer = attended("{" + kPlane + R"(,"samples":100000,"seed":3})");
  for (int i = 0; i < 2; ++i) {  // four standard errors of 100,000 tosses
    EXPECT_NEAR(answer["hard"]["mean_output"][0][i], answer["output"][0][i].get<double>(), 0.13);
  }
  EXPECT_NE(answer["hard"]["mean_output"], answer["output"]);
  const json again = attended("{" + kPlane + R"(,"samples":100000,"seed":3})");
  EXPECT_EQ(answer, again);
  const json other = attended("{" + kPlane + R"(,"samples":100000,"seed":4})");
  EXPECT_NE(answer["hard"]["mean_output"], other["hard"]["mean_output"]);
}

TEST(Attending, TheSampledGradientComesToTheExactOneAndABaselineCalmsIt) {
  const std::string tiles =
      R"({"query":[[1]],"key":[[0.5],[1],[-1],[0]],"value":[[3],[4],[6],[2.5]],"score":"dot",)"
      R"("temperature":2,"gradient":true,"seed":5)";
  EXPECT_FALSE(attended(tiles + "}")["gradient"].contains("sampled"));
  const json few = attended(tiles + R"(,"samples":50})")["gradient"];
  const json answer = attended(tiles + R"(,"samples":100000})");
  const json& gradient = answer["gradient"];
  double expected = 0;
  const double worth[] = {3, 4, 6, 2.5};
  for (std::size_t k = 0; k < 4; ++k) expected += worth[k] * answer["weights"][0][k].get<double>();
  double off = 0, calm_off = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const double weight = answer["weights"][0][k];
    const double exact = weight * (worth[k] - expected) / 2;  // the temperature is 2
    EXPECT_NEAR(gradient["exact"][0][k], exact, 1e-5);
    EXPECT_NEAR(gradient["sampled"][0][k], exact, 0.02);  // four standard errors
    EXPECT_NEAR(gradient["with_baseline"][0][k], exact, 0.005);
    off += std::abs(few["sampled"][0][k].get<double>() - exact);
    calm_off += std::abs(few["with_baseline"][0][k].get<double>() - exact);
  }
  EXPECT_LT(calm_off, off);
}

TEST(Attending, SparsemaxAndScoresAsTheyAre) {
  const json sparse = attended("{" + kPlane + R"(,"score":"dot","normalizer":"sparsemax"})");
  EXPECT_EQ(sparse["weights"][0], json({1, 0}));
  const json none = attended("{" + kPlane + R"(,"score":"dot","normalizer":"none"})");
  EXPECT_EQ(none["weights"][0], json({1, 0}));
  EXPECT_EQ(none["hard"], nullptr);  // these need not be probabilities
}

TEST(Attending, SaysWhatDoesNotFit) {
  EXPECT_THAT(attend_error(R"({"query":[[1]],"key":[[1,0]],"value":[[1]]})"),
              HasSubstr("/api/attend: attend: axis 'dim' is 1 in query"));
  EXPECT_EQ(attend_error(R"({"query":[[1]],"key":[[1,0]],"value":[[1]],"score":"general"})"),
            "/api/attend: queries have 1 numbers and keys 2; give the score its 'matrix'");
  EXPECT_EQ(attend_error("{" + kPlane + R"(,"weight":[1,1]})"),
            "/api/attend: 'weight' has no meaning for the score 'scaled-dot'; leave it out");
  EXPECT_THAT(attend_error("{" + kPlane + R"(,"score":"general","matrix":[[1]]})"),
              HasSubstr("/api/attend: attend: the matrix of the general score has shape [1, 1]"));
}

}  // namespace
}  // namespace fovea
