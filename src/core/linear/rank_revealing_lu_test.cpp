#include "core/linear/rank_revealing_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>

#include "base/basics/counted_allocations.hpp"
#include "core/linear/equilibrate.hpp"

namespace cradle::linear {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd dense(int size, const std::vector<Triplet>& entries) {
  MatrixXd matrix = MatrixXd::Zero(size, size);
  for (const Triplet& entry : entries) matrix(entry.row, entry.column) += entry.value;
  return matrix;
}

VectorXd dense(int size, const SparseVector& sparse) {
  VectorXd vector = VectorXd::Zero(size);
  for (std::size_t k = 0; k < sparse.indices.size(); ++k) {
    vector[sparse.indices[k]] = sparse.values[k];
  }
  return vector;
}

int eigen_rank(const MatrixXd& matrix) {
  Eigen::FullPivLU<MatrixXd> lu(matrix);
  lu.setThreshold(1e-11);
  return static_cast<int>(lu.rank());
}

int independent_columns(const MatrixXd& matrix) {
  Eigen::ColPivHouseholderQR<MatrixXd> qr(matrix);
  qr.setThreshold(1e-13);
  return static_cast<int>(qr.rank());
}

// |M v| relative to what goes into it, row by row.
double residual(const MatrixXd& matrix, const VectorXd& v, const VectorXd& b) {
  const VectorXd error = (matrix * v - b).cwiseAbs();
  const VectorXd size = matrix.cwiseAbs() * v.cwiseAbs() + b.cwiseAbs();
  double worst = 0;
  for (int i = 0; i < error.size(); ++i) {
    if (error[i] != 0) worst = std::max(worst, error[i] / size[i]);
  }
  return worst;
}

VectorXd solve(const RankRevealingLu& lu, const VectorXd& b, bool transposed = false) {
  VectorXd y(b.size());
  const std::span<const double> from(b.data(), b.size());
  const std::span<double> to(y.data(), y.size());
  transposed ? lu.solve_transposed(from, to) : lu.solve(from, to);
  return y;
}

void expect_null_bases(const RankRevealingLu& lu, const MatrixXd& matrix, double tolerance) {
  const int size = lu.size();
  const VectorXd zero = VectorXd::Zero(size);
  const NullSpaces nulls = lu.find_null_spaces();
  ASSERT_EQ(std::ssize(nulls.left), lu.deficiency());
  ASSERT_EQ(std::ssize(nulls.right), lu.deficiency());
  MatrixXd left(size, lu.deficiency()), right(size, lu.deficiency());
  for (int k = 0; k < lu.deficiency(); ++k) {
    left.col(k) = dense(size, nulls.left[k]);
    right.col(k) = dense(size, nulls.right[k]);
    EXPECT_LT(residual(matrix.transpose(), left.col(k), zero), tolerance);
    EXPECT_LT(residual(matrix, right.col(k), zero), tolerance);
    EXPECT_EQ(left.col(k).cwiseAbs().maxCoeff(), 1);
    EXPECT_EQ(right.col(k).cwiseAbs().maxCoeff(), 1);
    const auto& indices = nulls.left[k].indices;
    EXPECT_TRUE(std::is_sorted(indices.begin(), indices.end()));
  }
  if (lu.deficiency() > 0) {
    EXPECT_EQ(independent_columns(left), lu.deficiency());
    EXPECT_EQ(independent_columns(right), lu.deficiency());
  }
}

// Sparse, with rows that are combinations of others, so that rank = size − dependent at most.
std::vector<Triplet> random_entries(std::mt19937& random, int size, int per_row, int dependent) {
  std::uniform_int_distribution<int> index(0, size - 1);
  std::uniform_real_distribution<double> value(-2, 2);
  MatrixXd matrix = MatrixXd::Zero(size, size);
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < per_row; ++k) matrix(i, index(random)) = value(random);
  }
  for (int k = 0; k < dependent; ++k) {
    const int row = index(random), one = index(random), other = index(random);
    if (row == one || row == other) continue;
    matrix.row(row) = value(random) * matrix.row(one) + value(random) * matrix.row(other);
  }
  std::vector<Triplet> entries;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      if (matrix(i, j) != 0) entries.push_back({i, j, matrix(i, j)});
    }
  }
  std::shuffle(entries.begin(), entries.end(), random);
  return entries;
}

TEST(RankRevealingLu, AgreesWithFullPivotingOnRandomMatrices) {
  std::mt19937 random(1);
  int singular = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const int size = 1 + trial % 40;
    const auto entries = random_entries(random, size, 1 + trial % 4, trial % 5);
    const MatrixXd matrix = dense(size, entries);
    RankRevealingLu lu;
    lu.factor(size, entries);
    ASSERT_EQ(lu.rank(), eigen_rank(matrix)) << "trial " << trial;
    singular += lu.deficiency() > 0;
    expect_null_bases(lu, matrix, 1e-11);
    const VectorXd b = matrix * VectorXd::Random(size);  // in the range
    EXPECT_LT(residual(matrix, solve(lu, b), b), 1e-9) << "trial " << trial;
    const VectorXd c = matrix.transpose() * VectorXd::Random(size);
    EXPECT_LT(residual(matrix.transpose(), solve(lu, c, true), c), 1e-9) << "trial " << trial;
  }
  EXPECT_GT(singular, 100);
  EXPECT_LT(singular, 390);
}

TEST(RankRevealingLu, IsIndifferentToUnits) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> decade(-9, 9);
  for (int trial = 0; trial < 200; ++trial) {
    const int size = 5 + trial % 30;
    auto entries = random_entries(random, size, 3, trial % 4);
    const int rank = eigen_rank(dense(size, entries));
    std::vector<double> row_units(size), column_units(size);
    for (double& unit : row_units) unit = std::pow(10, decade(random));
    for (double& unit : column_units) unit = std::pow(10, decade(random));
    for (Triplet& entry : entries) entry.value *= row_units[entry.row] * column_units[entry.column];
    RankRevealingLu lu;
    lu.factor(size, entries);
    EXPECT_EQ(lu.rank(), rank) << "trial " << trial;
    expect_null_bases(lu, dense(size, entries), 1e-11);
  }
}

// Independent magnitudes, so that no scaling can even them out.
TEST(RankRevealingLu, KeepsSmallEntriesThatAreExact) {
  const std::vector<Triplet> entries = {{0, 0, 1e9},  {0, 1, 1e-9}, {1, 0, 1e9},
                                        {1, 2, 1e-9}, {2, 1, 1},    {2, 2, 1}};
  RankRevealingLu lu;
  lu.factor(3, entries);
  EXPECT_EQ(lu.rank(), 3);
  const MatrixXd matrix = dense(3, entries);
  const VectorXd b = VectorXd::Ones(3);
  EXPECT_LT(residual(matrix, solve(lu, b), b), 1e-15);
}

TEST(RankRevealingLu, SeesExactCancellation) {
  // Rows 0 and 1 differ by an order of summation only: 0.1 + 0.2 and 0.3 differ in the last bit.
  const std::vector<Triplet> entries = {{0, 0, 0.1}, {0, 0, 0.2}, {0, 1, 1},
                                        {1, 0, 0.3}, {1, 1, 1},   {2, 2, 5}};
  RankRevealingLu lu;
  lu.factor(3, entries);
  EXPECT_EQ(lu.rank(), 2);
  ASSERT_EQ(lu.find_left_null().size(), 1u);
  EXPECT_EQ(lu.find_left_null()[0].indices, (std::vector<int>{0, 1}));
  EXPECT_NEAR(lu.find_left_null()[0].values[0] + lu.find_left_null()[0].values[1], 0, 1e-15);
  EXPECT_NEAR(lu.find_left_null()[0].dot(std::vector<double>{7, 7, 9}), 0, 1e-14);
}

TEST(RankRevealingLu, DropsDuplicatesThatSumToNothing) {
  const std::vector<Triplet> entries = {{0, 0, 0.3}, {0, 0, -0.1}, {0, 0, -0.2}, {1, 1, 2}};
  RankRevealingLu lu;
  lu.factor(2, entries);
  EXPECT_EQ(lu.rank(), 1);
  EXPECT_EQ(lu.find_left_null()[0].indices, std::vector<int>{0});
  EXPECT_EQ(lu.find_right_null()[0].values, std::vector<double>{1});
}

TEST(RankRevealingLu, TellsNearlySingularFromSingular) {
  for (const double difference : {1e-6, 1e-9, 1e-12}) {
    RankRevealingLu lu;
    lu.factor(2, std::vector<Triplet>{{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1 + difference}});
    EXPECT_EQ(lu.rank(), 2) << difference;
  }
  RankRevealingLu lu;
  lu.factor(2, std::vector<Triplet>{{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1 + 1e-15}});
  EXPECT_EQ(lu.rank(), 1);
}

TEST(RankRevealingLu, TakesEmptyMatrices) {
  RankRevealingLu lu;
  lu.factor(0, {});
  EXPECT_EQ(lu.rank(), 0);
  lu.solve({}, {});
  lu.factor(3, {});
  EXPECT_EQ(lu.deficiency(), 3);
  EXPECT_EQ(lu.find_left_null()[2].indices, std::vector<int>{2});
  EXPECT_EQ(solve(lu, VectorXd::Ones(3)), VectorXd::Zero(3));
}

TEST(RankRevealingLu, AnswersNanToWhatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    RankRevealingLu lu;
    lu.factor(2, std::vector<Triplet>{{0, 0, bad}, {0, 1, 1}, {1, 1, 1}});
    const VectorXd y = solve(lu, VectorXd::Ones(2));
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
    EXPECT_TRUE(std::isnan(solve(lu, VectorXd::Ones(2), true)[0]));
  }
}

TEST(RankRevealingLu, SurvivesExtremeMagnitudes) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> decade(-307, 307);
  for (int trial = 0; trial < 100; ++trial) {
    auto entries = random_entries(random, 12, 3, trial % 3);
    for (Triplet& entry : entries) entry.value = std::pow(10, decade(random));
    RankRevealingLu lu;
    lu.factor(12, entries);
    EXPECT_LE(lu.rank(), 12);
    solve(lu, VectorXd::Ones(12));
  }
}

TEST(RankRevealingLu, ArrowHasNoFillAndNoSquareCost) {
  const int size = 40000;
  std::vector<Triplet> entries;
  for (int i = 0; i + 1 < size; ++i) {
    entries.push_back({i, i, 2});
    entries.push_back({i, size - 1, 1});
    entries.push_back({size - 1, i, 1});
  }
  entries.push_back({size - 1, size - 1, size});
  RankRevealingLu lu;
  lu.factor(size, entries);
  EXPECT_EQ(lu.rank(), size);
  EXPECT_LT(lu.bytes(), 5u << 20);
  std::vector<double> b(size, 3), y(size);
  b[size - 1] = 2 * size - 1;
  lu.solve(b, y);
  for (int i = 0; i < size; ++i) ASSERT_NEAR(y[i], 1, 1e-9);
}

TEST(RankRevealingLu, ChainHasNoFill) {
  const int size = 10000;
  std::vector<Triplet> entries;  // free at both ends: singular, null vectors constant
  for (int i = 0; i + 1 < size; ++i) {
    for (const Triplet& entry :
         {Triplet{i, i, 1}, {i, i + 1, -1}, {i + 1, i, -1}, {i + 1, i + 1, 1}}) {
      entries.push_back(entry);
    }
  }
  RankRevealingLu lu;
  lu.factor(size, entries);
  ASSERT_EQ(lu.deficiency(), 1);
  const NullSpaces nulls = lu.find_null_spaces();
  EXPECT_EQ(std::ssize(nulls.left[0].indices), size);
  for (const double value : nulls.right[0].values) ASSERT_EQ(value, 1);
  EXPECT_LT(lu.bytes(), 2u << 20);
}

// Many dependent pairs: each null vector must cost its own length only.
TEST(RankRevealingLu, NullVectorsOfLargeMatricesAreSparse) {
  const int size = 40000;
  std::vector<Triplet> entries;
  for (int i = 0; i < size; i += 2) {
    for (const Triplet& entry :
         {Triplet{i, i, 1}, {i, i + 1, 3}, {i + 1, i, 2}, {i + 1, i + 1, 6}}) {
      entries.push_back(entry);
    }
  }
  RankRevealingLu lu;
  lu.factor(size, entries);
  ASSERT_EQ(lu.rank(), size / 2);
  const NullSpaces nulls = lu.find_null_spaces();
  for (int k = 0; k < lu.deficiency(); ++k) {
    ASSERT_EQ(nulls.left[k].indices, (std::vector<int>{2 * k, 2 * k + 1}));
    ASSERT_EQ(nulls.left[k].values, (std::vector<double>{1, -0.5}));
    ASSERT_EQ(nulls.right[k].values.size(), 2u);
  }
}

TEST(RankRevealingLu, LargeRandomBondGraphLikeMatrix) {
  const int size = 40000;
  std::mt19937 random(4);
  std::uniform_int_distribution<int> near(-6, 6);
  std::vector<Triplet> entries;
  for (int i = 0; i < size; ++i) {
    entries.push_back({i, i, 1.0 + i % 3});
    for (int k = 0; k < 2; ++k) {
      entries.push_back({i, std::clamp(i + near(random), 0, size - 1), k == 0 ? 1.0 : -1.0});
    }
  }
  RankRevealingLu lu;
  lu.factor(size, entries);
  std::vector<double> truth(size), b(size), y(size), back(size);
  for (double& value : truth) value = near(random);
  for (const Triplet& entry : entries) b[entry.row] += entry.value * truth[entry.column];
  lu.solve(b, y);
  for (const Triplet& entry : entries) back[entry.row] += entry.value * y[entry.column];
  double largest = 0;
  for (const double value : y) largest = std::max(largest, std::abs(value));
  EXPECT_GT(lu.deficiency(), 0);  // so b is in the range by construction only
  for (int i = 0; i < size; ++i) ASSERT_NEAR(back[i], b[i], 1e-13 * largest);
}

// A difference of equal numbers is rounding, whatever the units; a small number alone is not.
TEST(RankRevealingLu, MagnitudesTellRoundingFromSmallNumbers) {
  for (const double unit : {1.0, 1e-20, 1e20}) {
    // y = Mᵀ \ b with y0 = b0 u, y1 = b1 − 0.3 b0, y2 = b2 / u.
    const std::vector<Triplet> entries = {
        {0, 0, 1 / unit}, {1, 1, 1}, {0, 1, 0.3 / unit}, {2, 2, unit}};
    RankRevealingLu lu;
    lu.factor(3, entries);
    const std::vector<double> b = {1, 0.3, 1};
    std::vector<double> y(3), sums(3);
    lu.solve_transposed(b, y);
    lu.add_up_transposed(b, sums);
    EXPECT_LE(std::abs(y[1]), 1e-15 * sums[1]) << unit;
    EXPECT_NEAR(sums[1], 0.6, 1e-12) << unit;
    EXPECT_NEAR(y[0] / unit, 1, 1e-12);
    EXPECT_EQ(sums[0], std::abs(y[0])) << unit;
    EXPECT_EQ(sums[2], std::abs(y[2])) << unit;
  }
}

TEST(RankRevealingLu, SolvesForSeveralAtOnceAsForEach) {
  constexpr int kSize = 40;
  constexpr int kCount = RankRevealingLu::kTogether;
  std::mt19937 random(7);
  std::uniform_int_distribution<int> value(-1, 1);  // zeros are gone past
  for (int dependent : {0, 3}) {
    RankRevealingLu lu;
    lu.factor(kSize, random_entries(random, kSize, 3, dependent));
    std::vector<double> b(kCount * kSize), y(b.size()), one(kSize);
    for (double& v : b) v = value(random);
    lu.solve_together(b, y);
    for (int c = 0; c < kCount; ++c) {
      lu.solve(std::span<const double>(b).subspan(c * kSize, kSize), one);
      for (int i = 0; i < kSize; ++i) EXPECT_EQ(y[c * kSize + i], one[i]) << c << ", " << i;
    }
  }
}

TEST(RankRevealingLu, SolveAllocatesNothing) {
  std::mt19937 random(5);
  RankRevealingLu lu;
  lu.factor(30, random_entries(random, 30, 3, 2));
  std::vector<double> b(30, 1), y(30);
  const long before = allocations;
  lu.solve(b, y);
  lu.solve_transposed(b, y);
  EXPECT_EQ(allocations, before);
}

TEST(Equilibrate, IsExactAndEvensOut) {
  const std::vector<Triplet> entries = {{0, 0, 1e-9}, {0, 1, 3e-9}, {1, 0, 2e6}, {1, 1, 1e6}};
  const Scaling scaling = equilibrate(2, entries);
  for (const Triplet& entry : entries) {
    const double scaled = entry.value * scaling.rows[entry.row] * scaling.columns[entry.column];
    EXPECT_GT(scaled, 0.1);
    EXPECT_LT(scaled, 10);
  }
  for (const double scale : scaling.rows) EXPECT_EQ(scale, std::ldexp(1.0, std::ilogb(scale)));
}

// Number by number it is the same solution, also of what has no full rank.
TEST(RankRevealingLu, SubstitutesNumberByNumber) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-2, 2);
  for (int round = 0; round < 300; ++round) {
    const int n = 1 + static_cast<int>(random() % 30);
    const auto below = [&](int bound) { return static_cast<int>(random() % unsigned(bound)); };
    std::vector<Triplet> entries;
    for (int k = 0; k < n + n / 2; ++k) entries.push_back({below(n), below(n), number(random)});
    for (int i = 0; i < n && round % 2 == 0; ++i)
      entries.push_back({i, i, random() % 2 ? 1. : 1e4});
    RankRevealingLu lu;
    lu.factor(n, entries);
    std::vector<char> has_right(static_cast<std::size_t>(n));
    std::vector<double> b(has_right.size(), 0.0), y(has_right.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
      has_right[i] = random() % 3 != 0;
      if (has_right[i]) b[i] = number(random);
    }
    lu.solve(b, y);
    const Substitution nodes = lu.find_substitution(has_right);
    std::vector<double> values;
    for (int k = 0; k < nodes.size(); ++k) {
      const Substitution::Node& node = nodes.nodes[static_cast<std::size_t>(k)];
      double sum = node.row < 0 ? 0 : node.factor * b[static_cast<std::size_t>(node.row)];
      for (const auto& term : nodes.terms_of(k)) {
        ASSERT_LT(term.node, k);
        sum += term.factor * values[static_cast<std::size_t>(term.node)];
      }
      values.push_back(sum);
    }
    double largest = 0;
    for (double v : y) largest = std::max(largest, std::abs(v));
    for (std::size_t j = 0; j < y.size(); ++j) {
      const int node = nodes.node_of[j];
      const double found = node < 0 ? 0 : values[static_cast<std::size_t>(node)];
      EXPECT_NEAR(found, y[j], 1e-9 * largest) << round << ", " << j;
    }
  }
}

// Equal efforts along a chain are one number.
TEST(RankRevealingLu, NamesWhatIsEqualOnce) {
  std::vector<Triplet> entries{{0, 0, 1}};
  for (int i = 1; i < 50; ++i) {
    entries.push_back({i, i, 1});
    entries.push_back({i, i - 1, -1});
  }
  RankRevealingLu lu;
  lu.factor(50, entries);
  std::vector<char> has_right(50, 0);
  has_right[0] = 1;
  EXPECT_EQ(lu.find_substitution(has_right).size(), 1);
}

}  // namespace
}  // namespace cradle::linear
