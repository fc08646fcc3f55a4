// Instruction sets: the ones this machine has can be chosen one by one.
#include "fovea/kernels/isa.h"

#include <gtest/gtest.h>

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

TEST(Isa, OneThatIsNotThereIsAnError) {
  EXPECT_EQ(error_of([] { UseIsa guard("Z80"); }),
            "UseIsa: this machine or this build does not have 'Z80'");
  EXPECT_EQ(current_isa(), available_isas().front());
}

}  // namespace
}  // namespace fovea::kernels
