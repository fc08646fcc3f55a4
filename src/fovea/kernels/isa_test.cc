// Instruction sets: the ones this machine has can be chosen one by one.
#include "fovea/kernels/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "fovea/base/base_test_tools.h"

namespace fovea::kernels {
namespace {

TEST(Isa, TheBestOneIsUsedUnlessAnotherIsChosen) {
  const std::vector<std::string> all = available_isas();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(current_isa(), all.front());
  for (const std::string& name : all) {
    const UseIsa guard(name);
    EXPECT_EQ(current_isa(), name);
  }
  EXPECT_EQ(current_isa(), all.front());
  EXPECT_EQ(available_isas(), all);
}

TEST(Isa, AskingWhatThereIsChangesNothing) {
  const std::string worst = available_isas().back();
  const UseIsa guard(worst);
  available_isas();
  EXPECT_EQ(current_isa(), worst);
}

#if defined(__x86_64__)
TEST(IsaDeathTest, TheEnvironmentForbidsBetterOnes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the child starts anew, with this environment
  ::setenv("FOVEA_ISA", "sse4", 1);
  const auto ask_and_tell = [] {
    const std::string best = available_isas().front();
    std::cerr << best << ' ' << current_isa();
    std::exit(0);
  };
  EXPECT_EXIT(ask_and_tell(), testing::ExitedWithCode(0), "SSE4 SSE4");
  ::unsetenv("FOVEA_ISA");
}
#endif

TEST(Isa, OneThatIsNotThereIsAnError) {
  EXPECT_EQ(error_of([] { UseIsa guard("Z80"); }),
            "UseIsa: this machine or this build does not have 'Z80'");
  EXPECT_EQ(current_isa(), available_isas().front());
}

}  // namespace
}  // namespace fovea::kernels
