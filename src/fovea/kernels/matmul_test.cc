// Matrix products: as exact as plain float code in every layout, on both engines, on every
// instruction set.
#include "fovea/kernels/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return x < 0 ? 0 : x;
    case Activation::kTanh:
      return std::tanh(x);
    case Activation::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::kGelu:
      return x * (1 + std::erf(x * std::numbers::sqrt2 / 2)) / 2;
  }
  return x;
}

// How an operand stands in memory: by rows or by columns, `gap` numbers between them, `step` from
// one number to the next.
struct Layout {
  bool by_columns = false;
  Index gap = 0, step = 1;
};

struct Stored {
  Floats memory;
  Matrix matrix;

  Stored(const Floats& numbers, Index rows, Index columns, const Layout& layout) {
    const Index inner = layout.by_columns ? rows : columns;
    const Index outer = layout.by_columns ? columns : rows;
    const Index line = inner * layout.step + layout.gap;
    matrix.row = layout.by_columns ? layout.step : line;
    matrix.column = layout.by_columns ? line : layout.step;
    const Index count =
        inner == 0 || outer == 0 ? 0 : (outer - 1) * line + (inner - 1) * layout.step + 1;
    memory.assign(at(count), std::numeric_limits<float>::quiet_NaN());  // between rows: never read
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        memory[at(i * matrix.row + j * matrix.column)] = numbers[at(i * columns + j)];
      }
    }
    matrix.data = memory.data();
  }
};

struct Options {
  Layout a{}, b{};
  Index c_gap = 0;
  bool accumulate = false, plus = false, bias = false, packed = false, here = false;
  Activation activation = Activation::kNone;
  Engine engine = Engine::kTiles;
};

std::string text(const Options& o) {
  return fmt::format(
      "a {} gap {} step {}, b {} gap {} step {}, c gap {}, accumulate {}, plus {}, bias {}, packed "
      "{}, "
      "here {}, activation {}, engine {}",
      o.a.by_columns ? "by columns" : "by rows", o.a.gap, o.a.step,
      o.b.by_columns ? "by columns" : "by rows", o.b.gap, o.b.step, o.c_gap, o.accumulate, o.plus,
      o.bias, o.packed, o.here, static_cast<int>(o.activation), static_cast<int>(o.engine));
}

// One product, with its sums in float and in double.
class Product {
 public:
  Product(Index rows, Index columns, Index depth)
      : rows_(rows),
        columns_(columns),
        depth_(depth),
        a_(random_numbers(rows * depth, 1)),
        b_(random_numbers(depth * columns, 2)),
        bias_(random_numbers(columns, 3)),
        before_(random_numbers(rows * columns, 4)),
        sums_(plain_sums<float>()),
        exact_sums_(plain_sums<double>()) {}

  void expect_right(const Options& o) const {
    const Index c_row = columns_ + o.c_gap;
    const Floats c = computed(o);
    Floats got;
    for (Index i = 0; i < rows_; ++i) {
      for (Index j = 0; j < c_row; ++j) {
        const float number = c[at(i * c_row + j)];
        if (j < columns_) {
          got.push_back(number);
        } else {
          EXPECT_EQ(number, kUntouched) << "between rows of c: " << name(o);
        }
      }
    }
    if (o.activation == Activation::kNone) {
      expect_as_exact(got, with_bias<float>(sums_, o), with_bias<double>(exact_sums_, o), name(o));
      return;
    }
    // No activation is steeper than 1.13 (gelu); what they add themselves is math_test.cc's to say.
    Doubles exact = with_bias<double>(exact_sums_, o);
    const double of_sums = largest_difference(with_bias<float>(sums_, o), exact);
    for (double& number : exact) number = activated(o.activation, number);
    double size = 1;
    for (const double number : exact) size = std::max(size, std::abs(number));
    EXPECT_LE(largest_difference(got, exact), 2 * 1.13 * of_sums + 3e-7 * size) << name(o);
  }

  // All of c's memory.
  Floats computed(const Options& o) const {
    const Stored a(a_, rows_, depth_, o.a), b(b_, depth_, columns_, o.b);
    const Index c_row = columns_ + o.c_gap;
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    Floats c(at(rows_ * c_row), kUntouched), plus(at(rows_ * c_row), kNaN);
    for (Index i = 0; i < rows_; ++i) {
      for (Index j = 0; j < columns_; ++j) {
        const float before = before_[at(i * columns_ + j)];
        plus[at(i * c_row + j)] = before;
        c[at(i * c_row + j)] = o.accumulate ? before : kNaN;
      }
    }
    Matmul work{.rows = rows_,
                .columns = columns_,
                .depth = depth_,
                .a = a.matrix,
                .b = b.matrix,
                .c = c.data(),
                .c_row = c_row,
                .accumulate = o.accumulate,
                .plus = o.plus ? plus.data() : nullptr,
                .bias = o.bias ? bias_.data() : nullptr,
                .activation = o.activation,
                .engine = o.engine};
    PackedMatrix packed;
    if (o.packed) {
      packed = pack_matrix(b.matrix, depth_, columns_);
      work.panels = packed.panels.data();
      work.b.data = nullptr;
    }
    o.here ? matmul_here(work) : matmul(work);
    return c;
  }

 private:
  std::string name(const Options& o) const {
    return fmt::format("{} x {} x {}, {}", rows_, columns_, depth_, text(o));
  }

  template <class T>
  std::vector<T> plain_sums() const {
    std::vector<T> c(at(rows_ * columns_), T(0));
    for (Index i = 0; i < rows_; ++i) {
      for (Index p = 0; p < depth_; ++p) {
        const T scalar = static_cast<T>(a_[at(i * depth_ + p)]);
        for (Index j = 0; j < columns_; ++j) {
          c[at(i * columns_ + j)] += scalar * static_cast<T>(b_[at(p * columns_ + j)]);
        }
      }
    }
    return c;
  }

  template <class T>
  std::vector<T> with_bias(std::vector<T> c, const Options& o) const {
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (o.accumulate || o.plus) c[i] += static_cast<T>(before_[i]);
      if (o.bias) c[i] += static_cast<T>(bias_[i % at(columns_)]);
    }
    return c;
  }

  Index rows_, columns_, depth_;
  Floats a_, b_, bias_, before_, sums_;
  Doubles exact_sums_;
};

// Lanes (4, 8, 16), tiles (6 and 12 rows, 2 vectors), few rows (3), strips and slices (264 rows).
constexpr Index kSizes[] = {1, 2, 3, 5, 6, 7, 12, 13, 16, 17, 33, 64, 65, 150, 257, 300};
constexpr Layout kLayouts[] = {{}, {.by_columns = true}};

class MatmulKernel : public OnIsa {};

TEST_P(MatmulKernel, IsAsExactAsPlainFloatCodeInEveryTransposition) {
  // Each pair of rows and columns, with depths that run through all sizes.
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = 0; j < 16; ++j) {
      const Product product(kSizes[i], kSizes[j], kSizes[(i + j * 5) % 16]);
      for (const Layout& a : kLayouts) {
        for (const Layout& b : kLayouts) product.expect_right({.a = a, .b = b});
      }
    }
  }
}

TEST_P(MatmulKernel, ReadsPackedPanels) {
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = i % 2; j < 16; j += 2) {
      const Product product(kSizes[j], kSizes[i], kSizes[(i + j * 5) % 16]);
      product.expect_right({.b = kLayouts[j % 4 / 2], .packed = true});
      product.expect_right({.a = kLayouts[1], .b = kLayouts[1], .packed = true, .here = true});
    }
  }
}

TEST_P(MatmulKernel, AddsBiasAndWhatIsThereOrGivenAndActivatesAtTheEnd) {
  for (const auto& [rows, columns, depth] : {std::array<Index, 3>{1, 33, 17},
                                             {2, 7, 300},
                                             {3, 150, 65},
                                             {13, 17, 33},
                                             {6, 16, 257},
                                             {17, 300, 520},
                                             {70, 1, 33},
                                             {40, 3, 65},
                                             {13, 5, 0}}) {
    const Product product(rows, columns, depth);
    for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kTanh,
                                        Activation::kSigmoid, Activation::kGelu}) {
      for (int flags = 0; flags < 12; ++flags) {
        const bool packed = (flags & 2) != 0;
        const Options options{.c_gap = flags % 5 % 3,
                              .accumulate = flags / 4 == 1,
                              .plus = flags / 4 == 2,
                              .bias = (flags & 1) != 0,
                              .packed = packed,
                              .activation = activation,
                              .engine = packed ? Engine::kTiles : Engine::kAuto};
        product.expect_right(options);
        if (!packed) {
          Options onednn = options;
          onednn.engine = Engine::kOneDnn;
          product.expect_right(onednn);
        }
        Options across = options;
        across.b.by_columns = true;
        product.expect_right(across);
        across.here = true;
        product.expect_right(across);
      }
    }
  }
}

TEST_P(MatmulKernel, ReadsPartsOfLargerMatrices) {
  for (const auto& [rows, columns, depth] :
       {std::array<Index, 3>{1, 17, 5}, {2, 40, 33}, {7, 17, 33}, {65, 64, 13}, {30, 200, 270}}) {
    const Product product(rows, columns, depth);
    for (int i = 0; i < 16; ++i) {
      const Layout a{.by_columns = (i & 1) != 0, .gap = 3, .step = (i & 2) != 0 ? 2 : 1};
      const Layout b{.by_columns = (i & 4) != 0, .gap = 5, .step = (i & 8) != 0 ? 3 : 1};
      for (const Engine engine : {Engine::kTiles, Engine::kOneDnn, Engine::kAuto}) {
        product.expect_right({.a = a, .b = b, .c_gap = 4, .engine = engine});
      }
      product.expect_right({.a = a, .b = b, .packed = true});
    }
  }
}

TEST_P(MatmulKernel, LeavesWhatIsBetweenRowsOfTheResult) {
  for (const Index rows : {1, 3, 13}) {
    for (const Index columns : {1, 7, 16, 33, 200}) {
      const Product product(rows, columns, 20);
      for (const Index gap : {1, 7, 40}) {
        for (const Layout& b : kLayouts) {
          product.expect_right({.b = b, .c_gap = gap});
          product.expect_right({.b = b, .c_gap = gap, .accumulate = true, .bias = true});
          product.expect_right({.b = b, .c_gap = gap, .bias = true, .engine = Engine::kOneDnn});
        }
      }
    }
  }
}

TEST_P(MatmulKernel, GivesTheActivatedBiasForNoDepth) {
  const Product product(5, 17, 0);
  product.expect_right({});
  product.expect_right({.bias = true, .activation = Activation::kTanh});
  product.expect_right({.accumulate = true});
  product.expect_right({.bias = true, .packed = true});
  product.expect_right({.bias = true, .engine = Engine::kOneDnn});
  Product(2, 17, 0).expect_right({.bias = true});
  Product(2, 17, 0).expect_right({.b = kLayouts[1], .bias = true});
}

TEST_P(MatmulKernel, TouchesNothingForNoRowsOrColumns) {
  EXPECT_TRUE(Product(0, 5, 3).computed({}).empty());
  EXPECT_EQ(Product(3, 0, 5).computed({.c_gap = 2}), Floats(6, kUntouched));
}

TEST_P(MatmulKernel, ComputesABatch) {
  for (int i = 0; i < 12; ++i) {
    const Index rows = 5, columns = i < 6 ? 19 : 2, depth = 12, batch = 20;
    const Index a_batch = rows * depth + 3, b_batch = depth * columns + 1,
                c_batch = rows * columns + 2;
    const Floats a = random_numbers(batch * a_batch, 1), b = random_numbers(batch * b_batch, 2);
    const Engine engine = std::array{Engine::kTiles, Engine::kOneDnn, Engine::kAuto}[at(i % 3)];
    for (const bool shared_b : {false, true}) {
      Floats c(at(batch * c_batch), kUntouched), expected = c;
      const Matmul all{.rows = rows,
                       .columns = columns,
                       .depth = depth,
                       .a = {a.data(), depth, 1},
                       .b = {b.data(), columns, 1},
                       .c = c.data(),
                       .c_row = columns,
                       .batch = batch,
                       .a_batch = a_batch,
                       .b_batch = shared_b ? 0 : b_batch,
                       .c_batch = c_batch,
                       .engine = engine};
      for (Index n = 0; n < batch; ++n) {
        Matmul one = all;
        one.a.data += n * all.a_batch;
        one.b.data += n * all.b_batch;
        one.c = expected.data() + n * c_batch;
        one.batch = 1;
        matmul(one);
      }
      matmul(all);
      EXPECT_TRUE(same_bytes(c, expected));
      EXPECT_EQ(c[at(rows * columns)], kUntouched);
    }
  }
}

TEST_P(MatmulKernel, CutsLargeProductsIntoSlicesThatFit) {
  for (const auto& [rows, columns, depth] : {std::array<Index, 3>{253, 40, 30},
                                             {600, 270, 20},
                                             {2, 9000, 40},
                                             {3, 700, 400},
                                             {20, 1100, 280}}) {
    const Product product(rows, columns, depth);
    for (const Layout& b : kLayouts) {
      product.expect_right({.b = b, .bias = true});
      product.expect_right({.a = kLayouts[1], .b = b, .accumulate = true});
      product.expect_right({.b = b, .packed = true});
    }
  }
}

// Large enough for oneDNN: b as it stands, or copied, its rows not whole pages apart.
TEST_P(MatmulKernel, ChoosesItsEngine) {
  for (const auto& [rows, columns, depth] : {std::array<Index, 3>{64, 96, 180},
                                             {70, 130, 520},
                                             {300, 101, 40},
                                             {70, 1024, 20},
                                             {300, 2048, 9}}) {
    ASSERT_GT(rows * columns * depth, 1 << 20);
    const Product product(rows, columns, depth);
    for (const Layout& a : {Layout{}, {.by_columns = true}, {.gap = 1, .step = 2}}) {
      for (const Layout& b : {Layout{}, {.by_columns = true}, {.gap = 1, .step = 2}}) {
        const Options options{
            .a = a, .b = b, .bias = true, .activation = Activation::kRelu, .engine = Engine::kAuto};
        product.expect_right(options);
        expect_same_on_any_threads([&] { return product.computed(options); });
      }
    }
    product.expect_right({.a = kLayouts[1], .accumulate = true, .engine = Engine::kAuto});
    product.expect_right({.b = kLayouts[1], .plus = true, .engine = Engine::kAuto});
  }
}

TEST_P(MatmulKernel, GivesTheSameBytesOnAnyNumberOfThreads) {
  for (const auto& [rows, columns, depth] :
       {std::array<Index, 3>{300, 300, 300}, {2, 5000, 100}, {64, 700, 65}}) {
    const Product product(rows, columns, depth);
    for (const Engine engine : {Engine::kTiles, Engine::kOneDnn}) {
      for (const Layout& b : kLayouts) {
        expect_same_on_any_threads(
            [&] { return product.computed({.b = b, .bias = true, .engine = engine}); });
      }
    }
    expect_same_on_any_threads([&] { return product.computed({.packed = true}); });
  }
}

TEST_P(MatmulKernel, OfARowIsTheSameInEveryRowOfATile) {
  // Equal rows of a must give equal rows of c, whatever tile they fall into.
  const Index rows = 30, columns = 50, depth = 300;
  const Floats row = random_numbers(depth, 1), b = random_numbers(depth * columns, 2);
  Floats c(at(rows * columns));
  matmul({.rows = rows,
          .columns = columns,
          .depth = depth,
          .a = {row.data(), 0, 1},
          .b = {b.data(), columns, 1},
          .c = c.data(),
          .c_row = columns,
          .engine = Engine::kTiles});
  for (Index i = 1; i < rows; ++i) {
    EXPECT_TRUE(std::equal(c.begin(), c.begin() + columns, c.begin() + i * columns)) << i;
  }
}

FOVEA_ON_EVERY_ISA(MatmulKernel);

// oneDNN has its own instruction sets: FOVEA_ISA caps them for a process. Where there is no matrix
// unit, the tiles stand in.
class MatmulOn : public testing::TestWithParam<Engine> {};

TEST_P(MatmulOn, IsAsExactAsPlainFloatCodeInEveryTransposition) {
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = 0; j < 16; ++j) {
      const Product product(kSizes[i], kSizes[j], kSizes[(i + j * 5) % 16]);
      for (const Layout& a : kLayouts) {
        for (const Layout& b : kLayouts) {
          product.expect_right({.a = a, .b = b, .engine = GetParam()});
        }
      }
    }
  }
}

TEST_P(MatmulOn, AddsBiasAndWhatIsThereAndActivatesAtTheEnd) {
  for (const auto& [rows, columns, depth] : {std::array<Index, 3>{1, 33, 17},
                                             {13, 17, 33},
                                             {6, 16, 257},
                                             {64, 64, 520},
                                             {45, 1050, 70},
                                             {520, 530, 20}}) {
    const Product product(rows, columns, depth);
    for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kGelu}) {
      for (int flags = 0; flags < 8; ++flags) {
        product.expect_right({.c_gap = flags,
                              .accumulate = (flags & 1) != 0,
                              .bias = (flags & 2) != 0,
                              .packed = (flags & 4) != 0,
                              .activation = activation,
                              .engine = GetParam()});
      }
    }
  }
}

TEST_P(MatmulOn, GivesInfinitiesAndNaNWherePlainFloatCodeDoes) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr Index kRows = 40, kColumns = 70, kDepth = 300;
  for (const float odd : {kInf, -kInf, std::nanf(""), std::numeric_limits<float>::max()}) {
    for (const bool in_a : {true, false}) {
      for (const Index batch : {1, 2}) {
        Floats a = random_numbers(batch * kRows * kDepth, 1);
        Floats b = random_numbers(batch * kDepth * kColumns, 2);
        (in_a ? a : b)[at((in_a ? kDepth : kColumns) * 20 + 3)] = odd;
        const auto product = [&](Engine engine) {
          Floats c(at(batch * kRows * kColumns), 1.0f);
          matmul({.rows = kRows,
                  .columns = kColumns,
                  .depth = kDepth,
                  .a = {a.data(), kDepth, 1},
                  .b = {b.data(), kColumns, 1},
                  .c = c.data(),
                  .c_row = kColumns,
                  .accumulate = true,
                  .batch = batch,
                  .a_batch = kRows * kDepth,
                  .b_batch = kDepth * kColumns,
                  .c_batch = kRows * kColumns,
                  .engine = engine});
          return c;
        };
        const Floats plain = product(Engine::kTiles), got = product(GetParam());
        for (std::size_t i = 0; i < plain.size(); ++i) {
          ASSERT_EQ(std::isnan(got[i]), std::isnan(plain[i])) << odd << " at " << i;
          if (std::isinf(plain[i])) {
            ASSERT_EQ(got[i], plain[i]) << odd << " at " << i;
          }
          if (std::isfinite(plain[i])) {
            ASSERT_NEAR(got[i], plain[i], 1e-5f * std::max(1.0f, std::abs(plain[i])));
          }
        }
      }
    }
  }
}

TEST_P(MatmulOn, GivesTheSameBytesOnAnyNumberOfThreads) {
  for (const auto& [rows, columns, depth] :
       {std::array<Index, 3>{300, 300, 300}, {20, 5000, 100}, {64, 700, 65}}) {
    const Product product(rows, columns, depth);
    for (const bool packed : {false, true}) {
      expect_same_on_any_threads(
          [&] { return product.computed({.bias = true, .packed = packed, .engine = GetParam()}); });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engine, MatmulOn, testing::Values(Engine::kOneDnn, Engine::kAmx),
                         [](const testing::TestParamInfo<Engine>& test) {
                           return test.param == Engine::kAmx ? "AMX" : "OneDnn";
                         });

TEST(MatmulOnOneDnn, ReadsVectorsWhoseTwoStridesAreOne) {
  // A row seen through a transposed column: [1, depth] with a step of 1 both ways.
  const Floats a = random_numbers(20, 1), b = random_numbers(20, 2);
  Floats c(1, kUntouched);
  double exact = 0;
  for (std::size_t i = 0; i < 20; ++i)
    exact += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  matmul({.rows = 1,
          .columns = 1,
          .depth = 20,
          .a = {a.data(), 1, 1},
          .b = {b.data(), 1, 1},
          .c = c.data(),
          .c_row = 1,
          .engine = Engine::kOneDnn});
  EXPECT_NEAR(c[0], exact, 1e-5);
}

}  // namespace
}  // namespace fovea::kernels
