#include "fovea/training/step_sum.h"

#include <gtest/gtest.h>

#include <set>

#include "fovea/training/trainer_test_tools.h"

namespace fovea {
namespace {

// Gradients and states of two batches, each begun with the states of the beginning.
struct TwoBatches {
  TwoBatches() {
    for (const Index batch : {0, 1}) {
      CountingTask task;
      fovea::Run run = run_of(batch);
      task.step(batch, run);
      for (const Parameter& p : task.parameters()) {
        gradients.push_back(p.var.grad().values());
        if (p.var.grad_rows() != nullptr) rows.push_back(*p.var.grad_rows());
      }
      states.push_back(task.model.norm.state.running_mean.values());
    }
  }
  static fovea::Run run_of(Index batch) {
    return {.training = true, .random = Random{.seed = 1}.split(static_cast<std::uint64_t>(batch))};
  }

  std::vector<std::vector<float>> gradients, states;
  std::vector<std::vector<std::int32_t>> rows;
};

TEST(StepSum, AddsGradientsAndAveragesStates) {
  const TwoBatches each;
  CountingTask task;
  const Team alone;
  StepSum sum(task.parameters(), task.tensors(), alone);
  sum.begin();
  for (const Index batch : {0, 1}) {
    fovea::Run run = TwoBatches::run_of(batch);
    task.step(batch, run);
    sum.add();
  }
  sum.end();
  const std::vector<Parameter> parameters = task.parameters();
  ASSERT_EQ(each.gradients.size(), 2 * parameters.size());
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::vector<float> found = parameters[p].var.grad().values();
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i], each.gradients[p][i] + each.gradients[p + parameters.size()][i])
          << parameters[p].name;
    }
  }
  std::set<std::int32_t> rows(each.rows[0].begin(), each.rows[0].end());
  rows.insert(each.rows[1].begin(), each.rows[1].end());
  ASSERT_NE(task.model.words.table.grad_rows(), nullptr);
  EXPECT_EQ(*task.model.words.table.grad_rows(),
            std::vector<std::int32_t>(rows.begin(), rows.end()));
  const std::vector<float> mean = task.model.norm.state.running_mean.values();
  for (std::size_t i = 0; i < mean.size(); ++i)
    EXPECT_EQ(mean[i], (each.states[0][i] + each.states[1][i]) / 2);
}

TEST(StepSum, OfATeamOfOneIsItsOwn) {
  const Team alone;
  EXPECT_EQ(alone.size(), 1);
  EXPECT_TRUE(alone.leads());
  EXPECT_TRUE(alone.leader_says(true));
  EXPECT_FALSE(alone.leader_says(false));
  const std::vector<double> numbers = {1, 2};
  EXPECT_EQ(alone.gather(numbers), numbers);
}

}  // namespace
}  // namespace fovea
