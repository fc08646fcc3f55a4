#include "fovea/models/options_text.h"

#include <gtest/gtest.h>

#include <array>

#include "fovea/io/reader_test_tools.h"

namespace fovea {

enum class Weather { kSun, kRain };
constexpr std::array<const char*, 2> names_of(Weather) { return {"sun", "rain"}; }

struct TripOptions {
  Weather weather = Weather::kSun;
  Index days = 3;
  float luck = 0.25f;
  bool far = false;
  std::vector<Index> stops = {1, 2};
  bool safe = false;
};
void fields(auto& o, auto&& field) requires is_options<TripOptions, decltype(o)> {
  field("weather", o.weather);
  field("days", o.days);
  field("luck", o.luck);
  field("far", o.far);
  field("stops", o.stops);
  field.later("safe", o.safe);
}

namespace {

TripOptions parsed(const std::string& text) {
  OptionsReader reader(text, "f");
  return options_from<TripOptions>(reader);
}

TEST(OptionsText, ComesBackAsItWas) {
  const TripOptions trip{Weather::kRain, 7, 0.3f, true, {4, 5, 6}, true};
  const std::string text = options_to_text("trip", trip);
  EXPECT_EQ(text,
            R"({"kind":"trip","weather":"rain","days":7,"luck":0.3,"far":true,"stops":[4,5,6],)"
            R"("safe":true})");
  EXPECT_EQ(options_to_text("trip", parsed(text)), text);
}

TEST(OptionsText, AnOptionThatCameLaterKeepsItsDefaultInOlderFiles) {
  const std::string text =
      R"({"kind":"trip","weather":"rain","days":7,"luck":0.3,"far":true,"stops":[4],"safe":true})";
  EXPECT_TRUE(parsed(text).safe);
  const std::string older = text.substr(0, text.find(",\"safe\"")) + "}";
  EXPECT_FALSE(parsed(older).safe);
  EXPECT_EQ(parsed(older).days, 7);
}

TEST(OptionsText, SaysWhatIsWrong) {
  const std::string text = options_to_text("trip", TripOptions{});
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string changed = text;
    return error_of([&] { parsed(changed.replace(changed.find(old), old.size(), now)); });
  };
  EXPECT_EQ(with("\"sun\"", "\"fog\""),
            "f: option 'weather' is 'fog', which this version does not know");
  EXPECT_EQ(with(":3", ":0"), "f: option 'days' is 0, not a size from 1 to 16777216");
  EXPECT_EQ(with("0.25", "1.5"), "f: option 'luck' is 1.5, not a share from 0 to 1");
  EXPECT_EQ(with("\"far\":false", "\"far\":\"no\""),
            "f: option 'far' is \"no\", not true or false");
  EXPECT_EQ(with("[1,2]", "[1,0]"),
            "f: option 'stops' is [1,0], not a list of sizes from 1 to 16777216");
  EXPECT_EQ(with("\"far\":false,", ""), "f: option 'far' is missing; is the file damaged?");
  EXPECT_EQ(with("\"far\"", "\"near\":1,\"far\""),
            "f: 1 options are not known to this version; was it made by a newer one?");
  EXPECT_EQ(error_of([] { parsed("[]"); }),
            "f: the model's options are not readable; is the file damaged?");
}

}  // namespace
}  // namespace fovea
