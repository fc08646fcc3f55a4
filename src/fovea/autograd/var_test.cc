// Var: gradients are summed where paths meet, graphs are walked and freed without the stack, and a
// failed walk leaves nothing behind.
#include "fovea/autograd/var.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/base_test_tools.h"
#include "fovea/tensor/math.h"

namespace fovea {
namespace {

using Floats = std::vector<float>;

// Ops of our own, so that these tests say something about recording and not about ops.
Var plus(const Var& a, const Var& b) {
  return record("plus", zip(Binary::kAdd, a.value(), b.value()), {a, b}, [=](const Tensor& d_y) {
    add_to_grad(a, d_y);
    add_to_grad(b, d_y);
  });
}

Var times(const Var& a, const Var& b) {
  return record("times", zip(Binary::kMultiply, a.value(), b.value()), {a, b},
                [=](const Tensor& d_y) {
                  if (wants_grad(a)) add_to_grad(a, zip(Binary::kMultiply, d_y, b.value()));
                  if (wants_grad(b)) add_to_grad(b, zip(Binary::kMultiply, d_y, a.value()));
                });
}

Var scaled(const Var& x, float factor) {
  return record("scaled", map(Unary::kMultiply, x.value(), factor), {x},
                [=](const Tensor& d_y) { add_to_grad(x, map(Unary::kMultiply, d_y, factor)); });
}

// [first half, second half] of the last axis.
std::vector<Var> halves(const Var& x) {
  const Index middle = x.shape(-1) / 2, end = x.shape(-1);
  return record_many("halves", {x.value().slice(-1, 0, middle), x.value().slice(-1, middle, end)},
                     std::span(&x, 1), [=](std::span<const Tensor> d_halves) {
                       Tensor d_x = Tensor::zeros(x.shape());
                       for (std::size_t i = 0; i < 2; ++i) {
                         if (!d_halves[i]) continue;
                         Tensor part =
                             i == 0 ? d_x.slice(-1, 0, middle) : d_x.slice(-1, middle, end);
                         copy_into(d_halves[i], part);
                       }
                       add_to_grad(x, d_x);
                     });
}

Tensor numbers(Floats values) { return Tensor({static_cast<Index>(values.size())}, values); }
Var parameter(Floats values) { return Var::parameter(numbers(std::move(values))); }
Tensor ones(const Var& y) { return Tensor::full(y.shape(), 1); }

TEST(Backward, FollowsTheChainRule) {
  const Var a = parameter({2, 3}), b = parameter({5, 7});
  const Var y = times(scaled(a, 10), plus(a, b));  // 10 a (a + b)
  backward(y, numbers({1, 2}));
  EXPECT_EQ(a.grad().values(), (Floats{10 * (2 * 2 + 5), 2 * 10 * (2 * 3 + 7)}));
  EXPECT_EQ(b.grad().values(), (Floats{10 * 2, 2 * 10 * 3}));
}

TEST(Backward, ReachesNodesThatOnlyTheGraphHolds) {
  const Var x = parameter({1, 2});
  Var y = x;
  for (int i = 0; i < 10; ++i) y = plus(scaled(y, 2), scaled(y, -1));  // y stays x
  backward(y, ones(y));
  EXPECT_EQ(x.grad().values(), (Floats{1, 1}));
}

TEST(Backward, AddsToWhatIsThereUntilItIsCleared) {
  Var x = parameter({1, 2});
  EXPECT_FALSE(x.grad());
  for (int i = 1; i <= 3; ++i) {
    const Var y = times(x, x);
    backward(y, ones(y));
    EXPECT_EQ(x.grad().values(),
              (Floats{2.0f * static_cast<float>(i), 4.0f * static_cast<float>(i)}));
  }
  x.clear_grad();
  EXPECT_FALSE(x.grad());
  const Var y = scaled(x, 3);
  backward(y, ones(y));
  EXPECT_EQ(x.grad().values(), (Floats{3, 3}));
}

TEST(Backward, SumsOverAllUsesOfAValue) {
  const Var x = parameter({3});
  const Var twice = plus(x, x);
  const Var y = plus(times(twice, twice), plus(twice, x));  // 4 x^2 + 3 x
  backward(y, ones(y));
  EXPECT_EQ(x.grad().values(), (Floats{8 * 3 + 3}));
}

TEST(Backward, OfAParameterItselfIsTheSeed) {
  const Var x = parameter({3});
  backward(x);
  EXPECT_EQ(x.grad().values(), (Floats{1}));
}

TEST(Backward, GivesEveryParameterAGradientOfItsOwn) {
  // The gradient of a sum is the same tensor for both; what an optimiser does to one must not
  // reach the other, nor the seed.
  Var a = parameter({1, 2}), b = parameter({3, 4});
  const Tensor seed = numbers({1, 1});
  backward(plus(a, b), seed);
  for (float& number : a.mutable_grad().flat()) number *= 10;
  EXPECT_EQ(a.grad().values(), (Floats{10, 10}));
  EXPECT_EQ(b.grad().values(), (Floats{1, 1}));
  EXPECT_EQ(seed.values(), (Floats{1, 1}));
}

TEST(Backward, LeavesContiguousGradientsToOptimisers) {
  const Var x = Var::parameter(Tensor::full({2, 3}, 1));
  const Var turned = record("transpose", x.value().transpose(), {x},
                            [=](const Tensor& d_y) { add_to_grad(x, d_y.transpose()); });
  backward(turned, Tensor({3, 2}, Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(x.grad().contiguous());
  EXPECT_EQ(x.grad().values(), (Floats{1, 3, 5, 2, 4, 6}));
  const Var z = Var::parameter(Tensor::full({2, 3}, 1));
  const Var total = record("sum", sum(z.value()), {z}, [=](const Tensor& d_y) {
    add_to_grad(z, d_y.broadcast_to(z.shape()));  // one number, repeated
  });
  backward(total);
  EXPECT_TRUE(z.grad().contiguous());
}

TEST(Backward, ComputesIntoAGradientThatIsThere) {
  const Var x = parameter({1, 2});
  std::vector<bool> added;
  auto op = [&](float factor) {
    return record("op", x.value(), {x}, [&, factor](const Tensor& d_y) {
      compute_grad(x, [&](Tensor& d_x, bool add) {
        added.push_back(add);
        for (Index i = 0; i < 2; ++i) {
          d_x.data()[i] = (add ? d_x.data()[i] : 0) + factor * d_y.data()[i];
        }
      });
    });
  };
  const Var y = plus(plus(op(2), op(30)), op(400));
  backward(y, numbers({1, 2}));
  EXPECT_EQ(x.grad().values(), (Floats{432, 864}));
  EXPECT_EQ(added, (std::vector<bool>{false, true, true}));
}

// Rows of a table, by number.
Var rows_of(const Var& table, const Ids& ids) {
  Tensor y({ids.size(), table.shape(1)});
  for (Index i = 0; i < ids.size(); ++i) {
    Tensor row = y.select(0, i);
    copy_into(table.value().select(0, ids[i]), row);
  }
  return record("rows_of", y, {table},
                [=](const Tensor& d_y) { add_rows_to_grad(table, ids, d_y); });
}

TEST(Backward, RemembersTheRowsOfATableThatWereRead) {
  Var table = Var::parameter(Tensor({4, 2}, Floats{1, 2, 3, 4, 5, 6, 7, 8}));
  for (int i = 0; i < 3; ++i) {
    const Var y = rows_of(table, Ids({3, 1, 3}));
    backward(y, Tensor({3, 2}, Floats{1, 2, 10, 20, 100, 200}));
    EXPECT_EQ(table.grad().values(), (Floats{0, 0, 10, 20, 0, 0, 101, 202}));
    ASSERT_NE(table.grad_rows(), nullptr);
    EXPECT_EQ(*table.grad_rows(), (std::vector<std::int32_t>{1, 3}));
    table.clear_grad();
    EXPECT_EQ(table.grad_rows(), nullptr);
  }
  // Read as a whole as well: then every row counts.
  const Var y = plus(rows_of(table, Ids({0, 1, 2, 3})), table);
  backward(y, Tensor::full({4, 2}, 1));
  EXPECT_EQ(table.grad().values(), Floats(8, 2.0f));
  EXPECT_EQ(table.grad_rows(), nullptr);
}

TEST(Backward, LeavesAGradientToThoseWhoHoldIt) {
  Var table = Var::parameter(Tensor::full({3, 1}, 1));
  backward(rows_of(table, Ids({1})), Tensor({1, 1}, Floats{5}));
  const Tensor kept = table.grad();
  table.clear_grad();
  EXPECT_EQ(kept.values(), (Floats{0, 5, 0}));
  backward(rows_of(table, Ids({2})), Tensor({1, 1}, Floats{7}));
  EXPECT_EQ(table.grad().values(), (Floats{0, 0, 7}));
  EXPECT_EQ(kept.values(), (Floats{0, 5, 0}));
}

TEST(Backward, SaysWhatIsWrong) {
  const Var x = parameter({1, 2});
  EXPECT_EQ(error_of([&] { backward(scaled(x, 2)); }),
            "backward: [2] holds 2 numbers; give a seed or reduce it to one");
  EXPECT_EQ(error_of([&] {
              backward(scaled(x, 2), numbers({1, 2, 3}));
            }),
            "backward: the seed has shape [3] but the value has [2]");
  EXPECT_EQ(error_of([] { backward(Var(numbers({1}))); }),
            "backward: the value depends on no parameter");
  EXPECT_EQ(error_of([] { backward(Var()); }), "backward: the value is empty");
  EXPECT_EQ(error_of([] { Var().value(); }), "Var: used before it was given a value");
  EXPECT_EQ(error_of([&] {
              gradients(scaled(x, 2), {Var(numbers({1, 2}))});
            }),
            "gradients: an input of shape [2] takes no gradient; make it a Var::parameter");
}

TEST(Backward, TwiceThroughOneGraphIsAnError) {
  const Var x = parameter({1});
  const Var inner = scaled(x, 2);
  backward(scaled(inner, 3));
  const std::string text =
      "backward: 'scaled' belongs to a graph that an earlier backward() walked and freed; "
      "add the losses and walk once, or use gradients(), which keeps the graph";
  EXPECT_EQ(error_of([&] { backward(plus(inner, x)); }), text);
  EXPECT_EQ(error_of([&] { gradients(inner, {x}); }), text);
  EXPECT_EQ(inner.value().values(), (Floats{2}));  // values stay
  EXPECT_EQ(x.grad().values(), (Floats{6}));       // and so does what was computed
}

TEST(Backward, FreesWhatOnlyItsPassNeeded) {
  const Var x = parameter({1});
  const auto kept = std::make_shared<int>(1);
  const Var y = record("op", x.value(), {x}, [x, kept](const Tensor& d_y) { add_to_grad(x, d_y); });
  EXPECT_EQ(kept.use_count(), 2);
  gradients(y, {x});
  EXPECT_EQ(kept.use_count(), 2);
  backward(y);
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(Detach, KeepsTheValueAndStopsTheGradient) {
  const Var x = parameter({3});
  const Var stopped = scaled(x, 2).detach();
  EXPECT_EQ(stopped.value().values(), (Floats{6}));
  EXPECT_FALSE(stopped.needs_grad());
  backward(times(x, stopped));
  EXPECT_EQ(x.grad().values(), (Floats{6}));
}

TEST(NoGrad, RecordsNothingWhileItLivesOnThisThread) {
  const Var x = parameter({3});
  {
    const NoGrad outer;
    {
      const NoGrad inner;
      EXPECT_FALSE(scaled(x, 2).needs_grad());
    }
    EXPECT_FALSE(grad_enabled());
    EXPECT_FALSE(scaled(x, 2).needs_grad());
    EXPECT_FALSE(halves(parameter({1, 2}))[0].needs_grad());
    std::thread([&] { EXPECT_TRUE(scaled(x, 2).needs_grad()); }).join();
  }
  EXPECT_TRUE(grad_enabled());
  EXPECT_TRUE(scaled(x, 2).needs_grad());
}

TEST(Record, OfConstantsIsAConstant) {
  const Var c = numbers({1});
  EXPECT_FALSE(plus(c, scaled(c, 2)).needs_grad());
  EXPECT_TRUE(plus(c, parameter({1})).needs_grad());
}

TEST(Gradients, AreThoseOfChosenInputsAndTouchNothing) {
  const Var a = parameter({2}), b = parameter({5});
  backward(scaled(a, 100));
  const Var inner = times(a, b);
  const Var y = plus(times(inner, inner), scaled(a, 3));  // (a b)^2 + 3 a
  for (int i = 0; i < 3; ++i) {                           // the graph stays
    const std::vector<Tensor> d = gradients(y, {a, inner, b});
    EXPECT_EQ(d[0].values(), (Floats{2 * 2 * 25 + 3}));
    EXPECT_EQ(d[1].values(), (Floats{2 * 10}));
    EXPECT_EQ(d[2].values(), (Floats{2 * 5 * 4}));
    EXPECT_EQ(gradients(y, {b})[0].values(), (Floats{40}));
    EXPECT_EQ(gradients(y, {inner}, numbers({10}))[0].values(), (Floats{200}));
  }
  EXPECT_EQ(a.grad().values(), (Floats{100}));
  EXPECT_FALSE(b.grad());
  backward(y);
  EXPECT_EQ(a.grad().values(), (Floats{100 + 103}));
}

TEST(Gradients, OfAnInputNamedTwiceAreAnsweredTwice) {
  const Var x = parameter({3});
  const Var y = times(x, x);
  const std::vector<Tensor> d = gradients(y, {x, y, x, y});
  EXPECT_EQ(d[0].values(), (Floats{6}));
  EXPECT_EQ(d[1].values(), (Floats{1}));
  EXPECT_EQ(d[2].values(), (Floats{6}));
  EXPECT_EQ(d[3].values(), (Floats{1}));
}

TEST(Gradients, OfWhatDoesNotMatterAreZero) {
  const Var x = parameter({3}), other = parameter({1, 2});
  EXPECT_EQ(gradients(scaled(x, 2), {other})[0].values(), (Floats{0, 0}));
  EXPECT_EQ(gradients(scaled(x, 2), {scaled(x, 5)})[0].values(), (Floats{0}));
  EXPECT_EQ(gradients(Var(numbers({1})), {x})[0].values(), (Floats{0}));
  EXPECT_EQ(gradients(x, {x})[0].values(), (Floats{1}));
}

TEST(Gradients, RunOnlyThePassesThatLeadToAnInput) {
  const Var x = parameter({3}), unrelated = parameter({4});
  int passes = 0;
  const Var aside =
      record("aside", unrelated.value(), {unrelated}, [&, unrelated](const Tensor& d_y) {
        ++passes;
        add_to_grad(unrelated, d_y);
      });
  const Var y = times(x, aside);
  EXPECT_EQ(gradients(y, {x})[0].values(), (Floats{4}));
  EXPECT_EQ(gradients(y, {aside})[0].values(), (Floats{3}));
  EXPECT_EQ(passes, 0);
  EXPECT_EQ(gradients(y, {unrelated})[0].values(), (Floats{3}));
  EXPECT_EQ(passes, 1);
}

TEST(RecordMany, HandsEachOutputsGradientToOnePass) {
  const Var x = parameter({1, 2, 3, 4});
  const std::vector<Var> half = halves(scaled(x, 2));
  const Var y = plus(times(half[0], half[1]), half[1]);
  const Floats expected{2 * 6, 2 * 8, 2 * (2 + 1), 2 * (4 + 1)};
  EXPECT_EQ(gradients(y, {x}, ones(y))[0].values(), expected);
  const std::vector<Tensor> d = gradients(y, {half[0], half[1], x}, ones(y));
  EXPECT_EQ(d[0].values(), (Floats{6, 8}));
  EXPECT_EQ(d[1].values(), (Floats{3, 5}));
  EXPECT_EQ(d[2].values(), expected);
  backward(y, ones(y));
  EXPECT_EQ(x.grad().values(), expected);
}

TEST(RecordMany, GivesNothingForAnOutputThatIsNotUsed) {
  const Var x = parameter({1, 2, 3, 4});
  const std::vector<Var> half = halves(x);
  // Both at first, then one: the second walk must not see what the first one left.
  EXPECT_EQ(gradients(plus(half[0], half[1]), {x}, numbers({1, 2}))[0].values(),
            (Floats{1, 2, 1, 2}));
  EXPECT_EQ(gradients(half[1], {x}, numbers({5, 6}))[0].values(), (Floats{0, 0, 5, 6}));
  EXPECT_EQ(gradients(half[0], {x}, numbers({5, 6}))[0].values(), (Floats{5, 6, 0, 0}));
  backward(halves(x)[1], numbers({7, 8}));
  EXPECT_EQ(x.grad().values(), (Floats{0, 0, 7, 8}));
  EXPECT_EQ(gradients(scaled(x, 1), {half[0]}, ones(x))[0].values(), (Floats{0, 0}));
}

TEST(AFailedWalk, LeavesNothingBehindForTheNext) {
  const Var x = parameter({1, 2, 3, 4});
  bool broken = true;
  const Var fragile = record("fragile", x.value(), {x}, [&, x](const Tensor& d_y) {
    if (broken) throw std::out_of_range("no gradient today");
    add_to_grad(x, d_y);
  });
  const std::vector<Var> half = halves(scaled(x, 2));
  // The walk meets `second` and the outputs of `half` before it fails at `fragile`.
  const Var second = scaled(fragile, 10);
  const std::vector<Var> late = halves(plus(second, scaled(x, 1)));
  const Var y = plus(plus(late[0], half[0]), plus(late[1], half[1]));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(gradients(y, {x}, ones(y)), std::out_of_range);
    EXPECT_FALSE(x.grad());
    // Outputs that the failed walk reached and this one does not.
    EXPECT_EQ(gradients(half[1], {x}, ones(half[1]))[0].values(), (Floats{0, 0, 2, 2}));
  }
  broken = false;
  EXPECT_EQ(gradients(y, {x}, ones(y))[0].values(), (Floats{13, 13, 13, 13}));
  EXPECT_EQ(gradients(late[0], {x}, ones(late[0]))[0].values(), (Floats{11, 11, 0, 0}));
  backward(y, ones(y));
  EXPECT_EQ(x.grad().values(), (Floats{13, 13, 13, 13}));
}

TEST(AFailedWalk, OfBackwardIsAnErrorTheSecondTimeAndOtherGraphsWork) {
  const Var x = parameter({1});
  const Var fragile =
      record("fragile", x.value(), {x}, [](const Tensor&) { throw std::out_of_range("no"); });
  const Var y = scaled(fragile, 10);
  EXPECT_THROW(backward(y), std::out_of_range);
  EXPECT_NE(error_of([&] { backward(y); }).find("belongs to a graph"), std::string::npos);
  backward(scaled(x, 3));
  EXPECT_EQ(x.grad().values(), (Floats{3}));
}

// Runs `body` on a thread with a stack of 256 KiB.
void on_a_small_stack(std::function<void()> body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_t thread;
  auto run = [](void* context) -> void* {
    (*static_cast<std::function<void()>*>(context))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &body), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

constexpr int kSteps = 100'000;

Var long_chain(const Var& x) {
  Var y = x;
  for (int i = 0; i < kSteps; ++i) y = plus(y, x);
  return y;
}

TEST(ALongChain, IsWalkedAndFreedOnASmallStack) {
  on_a_small_stack([] {
    const Var x = parameter({1});
    {
      const Var y = long_chain(x);
      EXPECT_EQ(gradients(y, {x})[0].item(), kSteps + 1);
      backward(y);
      EXPECT_EQ(x.grad().item(), kSteps + 1);
    }
    { const Var never_walked = long_chain(x); }
    {
      Var hubs = parameter({1, 2});
      for (int i = 0; i < kSteps / 10; ++i) {
        const std::vector<Var> half = halves(plus(hubs, hubs));
        hubs = record("join", hubs.value(), {half[0], half[1]}, [](const Tensor&) {});
      }
    }
  });
}

TEST(ALongChain, IsFreedAsTheWalkPassesOverIt) {
  const Var x = parameter({1});
  auto alive = std::make_shared<int>(0);
  Var y = x;
  long fewest = kSteps;
  for (int i = 0; i < 100; ++i) {
    y = record("op", y.value(), {y}, [y, alive, i, &fewest](const Tensor& d_y) {
      if (i == 0) fewest = alive.use_count();
      add_to_grad(y, d_y);
    });
  }
  EXPECT_EQ(alive.use_count(), 101);
  backward(y);
  EXPECT_LE(fewest, 3);  // when the first op's pass runs, all later ones are gone
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(Var, MayBeTheLastThingAThreadDestroys) {
  std::thread([] {
    thread_local Var late;  // destroyed after what later thread_locals need
    late = parameter({1});
    for (int i = 0; i < 100; ++i) late = scaled(late, 1);
    { const Var passing = long_chain(parameter({1})); }
  }).join();
}

TEST(Threads, MayShareParametersWhileEachHasItsGraph) {
  const Var a = parameter({2, 3}), b = parameter({5, 7});
  std::vector<std::thread> workers;
  for (int t = 1; t <= 3; ++t) {
    workers.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const float factor = static_cast<float>(t);
        const Var y = scaled(times(plus(a, b), a), factor);
        const std::vector<Tensor> d = gradients(y, {a, b}, ones(y));
        EXPECT_EQ(d[0].values(), (Floats{9 * factor, 13 * factor}));
        EXPECT_EQ(d[1].values(), (Floats{2 * factor, 3 * factor}));
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_FALSE(a.grad());
}

TEST(Gradients, LeaveWhatAParameterHas) {
  const Var table = Var::parameter(Tensor({3, 2}));
  backward(sum(embedding(table, Ids({1, 2}))));
  gradients(sum(embedding(table, Ids({0}))), {table});
  ASSERT_NE(table.grad_rows(), nullptr);
  EXPECT_EQ(*table.grad_rows(), (std::vector<std::int32_t>{1, 2}));
}

TEST(Gradients, BelongToWhoAsked) {
  const Var x = Var::parameter(Tensor({2, 2}, Floats{1, 2, 3, 4}));
  const Var loss = cross_entropy(x, Ids({0, 1}));
  Tensor mine = gradients(loss, {x})[0];
  const Floats before = mine.values();
  mine.data()[0] = 99;
  EXPECT_EQ(gradients(loss, {x})[0].values(), before);
  EXPECT_TRUE(gradients(sum(x), {x})[0].contiguous());
}

}  // namespace
}  // namespace fovea
