// The largest numbers of rows are those that sorting finds, also of a product that is never held.
#include "fovea/kernels/largest.h"

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

// By sorting all.
std::vector<Largest> plain_largest(const float* x, Index columns, Index count) {
  std::vector<Largest> all;
  for (Index j = 0; j < columns; ++j) {
    if (x[j] > -kInf) all.push_back({x[j], static_cast<std::int32_t>(j)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Largest& a, const Largest& b) { return a.value > b.value; });
  all.resize(at(count), {-kInf, -1});
  return all;
}

template <class Number>
Number plain_logsumexp(const std::vector<Number>& x) {
  const Number top = *std::max_element(x.begin(), x.end());
  Number sum = 0;
  for (const Number number : x) sum += std::exp(number - top);
  return top + std::log(sum);
}

struct Found {
  std::vector<float> logsumexp;
  std::vector<Largest> largest;
  LargestOfRows result(Index rows, Index count) {
    logsumexp.resize(at(rows));
    largest.resize(at(rows * count));
    return {count, logsumexp.data(), largest.data()};
  }
};

void expect_found(const Found& found, const Floats& x, RowShape shape, Index count) {
  for (Index r = 0; r < shape.rows; ++r) {
    const float* row = x.data() + r * shape.columns;
    const double sum = plain_logsumexp(Doubles(row, row + shape.columns));
    EXPECT_NEAR(found.logsumexp[at(r)], sum, 1e-6 + 1.2e-7 * std::abs(sum)) << "row " << r;
    const std::vector<Largest> expected = plain_largest(row, shape.columns, count);
    for (Index n = 0; n < count; ++n) {
      EXPECT_EQ(found.largest[at(r * count + n)].column, expected[at(n)].column)
          << shape.columns << " columns, row " << r << ", number " << n;
      EXPECT_EQ(found.largest[at(r * count + n)].value, expected[at(n)].value);
    }
  }
}

class LargestKernel : public OnIsa {};
FOVEA_ON_EVERY_ISA(LargestKernel);

// So that sums are exact, and many are equal.
Floats whole_numbers(Index count, std::uint64_t seed) {
  Floats numbers = random_numbers(count, seed, -3.4f, 3.4f);
  for (float& number : numbers) number = std::round(number);
  return numbers;
}

TEST_P(LargestKernel, FindsWhatSortingAllFinds) {
  for (const Index columns : {1, 5, 31, 32, 33, 64, 150, 1000, 2500}) {
    for (const Index count : {1, 3, 13, 40}) {
      const RowShape shape{5, columns};
      Floats x = random_numbers(5 * columns, 1, -9, 9);
      for (Index j = 0; j < columns; ++j) {
        if (j < 40) x[at(4 * columns + j)] = -500;             // far below the others
        x[at(j)] = std::round(x[at(j)]);                       // many are equal
        x[at(columns + j)] = -static_cast<float>(j) / 100;     // falling,
        x[at(2 * columns + j)] = static_cast<float>(j) / 100;  // and rising
      }
      Found found;
      largest_of_rows(x.data(), shape, found.result(5, count));
      expect_found(found, x, shape, count);
    }
  }
}

TEST_P(LargestKernel, IsTheSameOfAProductThatIsNeverHeld) {
  // Rows of one part and of several, few and many columns; the last has what a matrix unit takes.
  struct {
    Index rows, columns, depth;
  } const shapes[] = {{1, 70, 8}, {5, 333, 16}, {64, 2600, 20}, {85, 40, 7}, {130, 2100, 160}};
  for (const auto& shape : shapes) {
    const Index rows = shape.rows, columns = shape.columns, depth = shape.depth;
    const Floats a = whole_numbers(rows * depth, 1), b = whole_numbers(depth * columns, 2);
    const Floats bias = whole_numbers(columns, 3);
    Floats c(at(rows * columns));
    const PackedMatrix packed = pack_matrix({b.data(), columns, 1}, depth, columns);
    const MatrixColumns by_columns = columns_of({b.data(), columns, 1}, depth, columns);
    Matmul work{.rows = rows,
                .columns = columns,
                .depth = depth,
                .a = {a.data(), depth, 1},
                .b = {b.data(), columns, 1},
                .c = c.data(),
                .c_row = columns,
                .bias = bias.data()};
    matmul(work);
    for (const bool is_packed : {false, true}) {
      work.panels = is_packed ? packed.panels.data() : nullptr;
      for (const MatrixColumns* given : {static_cast<const MatrixColumns*>(nullptr), &by_columns}) {
        Found found;
        expect_same_on_any_threads([&] {
          largest_of_product(work, given, found.result(rows, 7));
          return found.logsumexp;
        });
        expect_found(found, c, {rows, columns}, 7);
      }
    }
  }
}

// Logits of random weights, but all except the `likely` words are far below. Those may be close:
// their weights then differ by this much.
struct Logits {
  static constexpr Index kRows = 150, kColumns = 2100, kDepth = 128;
  explicit Logits(Index likely, float close = 0)
      : a(random_numbers(kRows * kDepth, 1, -2, 2)),
        b(random_numbers(kDepth * kColumns, 2, -0.2f, 0.2f)),
        bias(at(kColumns), -40) {
    for (Index n = 0; n < likely; ++n) {
      const Index word = n * kColumns / likely;
      bias[at(word)] = 0;
      for (Index p = 0; p < kDepth && close > 0; ++p) {
        float& weight = b[at(word * kDepth + p)];
        weight = b[at(p)] + close * weight;
      }
    }
    packed = pack_matrix({b.data(), 1, kDepth}, kDepth, kColumns);
    columns = columns_of({b.data(), 1, kDepth}, kDepth, kColumns);
  }
  Matmul work() const {
    return {.rows = kRows,
            .columns = kColumns,
            .depth = kDepth,
            .a = {a.data(), kDepth, 1},
            .b = {b.data(), 1, kDepth},
            .c = nullptr,
            .c_row = 0,
            .bias = bias.data(),
            .panels = packed.panels.data()};
  }
  template <class Number>
  std::vector<Number> row(Index r) const {
    std::vector<Number> logits;
    for (Index j = 0; j < kColumns; ++j) {
      Number sum = 0;
      for (Index p = 0; p < kDepth; ++p) {
        sum += static_cast<Number>(a[at(r * kDepth + p)]) * b[at(j * kDepth + p)];
      }
      logits.push_back(sum + bias[at(j)]);
    }
    return logits;
  }
  Floats a, b, bias;
  PackedMatrix packed;
  MatrixColumns columns;
};

TEST_P(LargestKernel, OfARoughProductIsAsExactAsPlainCode) {
  struct {
    Index likely;
    float close;
  } const cases[] = {{1, 0}, {10, 0}, {24, 0}, {100, 0}, {2100, 0}, {300, 1e-5f}};
  for (const auto& [likely, close] : cases) {
    const Logits logits(likely, close);
    for (const Index count : {1, 9}) {
      Found found;
      largest_of_product(logits.work(), &logits.columns, found.result(Logits::kRows, count));
      Floats got, plain, sum, plain_sum;
      Doubles exact, exact_sum;
      for (Index r = 0; r < Logits::kRows; ++r) {
        const Floats in_float = logits.row<float>(r);
        const Doubles in_double = logits.row<double>(r);
        sum.push_back(found.logsumexp[at(r)]);
        plain_sum.push_back(plain_logsumexp(in_float));
        exact_sum.push_back(plain_logsumexp(in_double));
        Doubles sorted = in_double;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        for (Index n = 0; n < count; ++n) {
          const Largest one = found.largest[at(r * count + n)];
          EXPECT_NEAR(in_double[at(one.column)], sorted[at(n)], 3e-6);  // equal within rounding
          got.push_back(one.value);
          plain.push_back(in_float[at(one.column)]);
          exact.push_back(in_double[at(one.column)]);
        }
      }
      const std::string what = std::to_string(likely) + " likely words";
      expect_as_exact(got, plain, exact, what, 0);
      expect_as_exact(sum, plain_sum, exact_sum, "sum, " + what, 0);
    }
  }
}

TEST_P(LargestKernel, OfAProductSaysWhatIsNotFinite) {
  Logits logits(50);
  logits.a[at(3 * Logits::kDepth + 5)] = kNan;
  logits.a[at(70 * Logits::kDepth + 5)] = kInf;
  Found found;
  largest_of_product(logits.work(), &logits.columns, found.result(Logits::kRows, 9));
  for (Index r = 0; r < Logits::kRows; ++r) {
    EXPECT_EQ(std::isnan(found.logsumexp[at(r)]), r == 3 || r == 70) << "row " << r;
  }
}

TEST_P(LargestKernel, SaysWhatIsNotFinite) {
  Floats x(3 * 70, -kInf);
  x[70 + 5] = kNan;
  x[2 * 70 + 6] = kInf;
  x[2 * 70 + 7] = 1;
  Found found;
  largest_of_rows(x.data(), {3, 70}, found.result(3, 2));
  EXPECT_EQ(found.logsumexp[0], -kInf);
  EXPECT_EQ(found.largest[0].column, -1);
  EXPECT_TRUE(std::isnan(found.logsumexp[1]));
  EXPECT_TRUE(std::isnan(found.logsumexp[2]));
}

}  // namespace
}  // namespace fovea::kernels
