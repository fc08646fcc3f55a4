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

double plain_logsumexp(const float* x, Index columns) {
  const double top = *std::max_element(x, x + columns);
  double sum = 0;
  for (Index j = 0; j < columns; ++j) sum += std::exp(x[j] - top);
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
    const double sum = plain_logsumexp(row, shape.columns);
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
    Matmul work{.rows = rows,
                .columns = columns,
                .depth = depth,
                .a = {a.data(), depth, 1},
                .b = {b.data(), columns, 1},
                .c = c.data(),
                .c_row = columns,
                .bias = bias.data()};
    for (const bool is_packed : {false, true}) {
      work.panels = is_packed ? packed.panels.data() : nullptr;
      matmul(work);
      Found found;
      expect_same_on_any_threads([&] {
        largest_of_product(work, found.result(rows, 7));
        return found.logsumexp;
      });
      expect_found(found, c, {rows, columns}, 7);
    }
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
