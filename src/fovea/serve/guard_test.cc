#include "fovea/serve/guard.h"

#include <gtest/gtest.h>

#include "fovea/serve/reply.h"

namespace fovea {
namespace {

int status_of(const Guard& guard, const Asker& asker, bool open = false) {
  try {
    guard.check(asker, open);
  } catch (const Refusal& refusal) {
    return refusal.status();
  }
  return 200;
}

TEST(Guard, OnLoopbackHostMustNameThisMachine) {
  const Guard guard{.own_names_only = true};
  for (const char* host : {"localhost", "localhost:8080", "LOCALHOST:1", "127.0.0.1",
                           "127.0.0.1:80", "127.1.2.3", "[::1]", "[::1]:8080", ""}) {
    EXPECT_EQ(status_of(guard, {.host = host}), 200) << host;
  }
  for (const char* host :
       {"evil.example", "localhost.evil.example", "127.evil.example:80", "127.0.0.1.evil.example",
        "evil.example:8080", "192.168.0.1", "[::2]", "a@localhost"}) {
    EXPECT_EQ(status_of(guard, {.host = host}), 403) << host;
    EXPECT_EQ(status_of(guard, {.host = host}, true), 403) << host;  // the page as well
    EXPECT_EQ(status_of({}, {.host = host}), 200) << host;
  }
}

TEST(Guard, OnlyThePageItselfMayAsk) {
  const Guard guard{.own_names_only = true};
  EXPECT_EQ(status_of(guard, {.host = "localhost:80", .origin = "http://localhost:80"}), 200);
  for (const char* origin : {"http://evil.example", "null", "http://localhost:81",
                             "https://localhost", "localhost:80"}) {
    EXPECT_EQ(status_of(guard, {.host = "localhost:80", .origin = origin}), 403) << origin;
  }
  EXPECT_EQ(status_of(guard, {.host = "localhost", .site = "cross-site"}), 403);
  EXPECT_EQ(status_of(guard, {.host = "localhost", .site = "cross-site"}, true), 200);  // a link
  EXPECT_EQ(status_of(guard, {.host = "localhost", .site = "same-origin"}), 200);
  EXPECT_EQ(status_of(guard, {.host = "localhost", .site = "none"}), 200);
}

TEST(Guard, ATokenIsNeededWhereThereIsOne) {
  const Guard guard{.token = "a+b c%"};
  EXPECT_EQ(status_of(guard, {}), 401);
  EXPECT_EQ(status_of(guard, {}, true), 200);
  EXPECT_EQ(status_of(guard, {.authorization = "Bearer a+b c%"}), 200);
  EXPECT_EQ(status_of(guard, {.token = "a%2Bb%20c%25"}), 200);
  for (const char* wrong : {"Bearer", "Bearer ", "Bearer a", "Bearer a+b c", "Bearer a+b c%a+b c%",
                            "bearer a+b c%", "a+b c%", "Basic a+b c%"}) {
    EXPECT_EQ(status_of(guard, {.authorization = wrong}), 401) << wrong;
  }
  EXPECT_EQ(status_of(guard, {.token = "a"}), 401);
}

TEST(Guard, SecretsAreTheSameOnlyIfAllIs) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("", "abc"));
  EXPECT_FALSE(same_secret("ab", "abc"));
  EXPECT_FALSE(same_secret("abcabc", "abc"));
  EXPECT_FALSE(same_secret("abd", "abc"));
  EXPECT_FALSE(same_secret("a", ""));
}

TEST(Guard, PercentCodesAreDecodedWhereTheyAreWhole) {
  EXPECT_EQ(percent_decoded("a%41%2b%"), "aA+%");
  EXPECT_EQ(percent_decoded("%4"), "%4");
  EXPECT_EQ(percent_decoded("%zz%4g"), "%zz%4g");
  EXPECT_EQ(percent_decoded("%c3%a9"), "é");
}

}  // namespace
}  // namespace fovea
