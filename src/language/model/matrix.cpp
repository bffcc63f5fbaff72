#include "language/model/matrix.hpp"

#include <algorithm>
#include <cmath>

#include "cradle/instant.hpp"
#include "language/model/expressions.hpp"
#include "language/model/structure.hpp"

namespace cradle::model {

// Gauss–Jordan elimination with partial pivoting (Golub, Van Loan: Matrix Computations, 3.4).
// A pivot that is small beside the largest entry means a rank that rounding alone upholds.
bool invert(std::vector<std::vector<double>> matrix, std::vector<std::vector<double>>& inverse) {
  constexpr double kNegligible = 1e-13;
  std::size_t n = matrix.size();
  double largest = 0;
  for (const auto& row : matrix) {
    for (double entry : row) largest = std::max(largest, std::abs(entry));
  }
  inverse.assign(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) inverse[i][i] = 1;
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      if (std::abs(matrix[row][column]) > std::abs(matrix[pivot][column])) pivot = row;
    }
    if (!(std::abs(matrix[pivot][column]) > kNegligible * largest)) return false;
    std::swap(matrix[pivot], matrix[column]);
    std::swap(inverse[pivot], inverse[column]);
    double divisor = matrix[column][column];
    for (std::size_t j = 0; j < n; ++j) {
      matrix[column][j] /= divisor;
      inverse[column][j] /= divisor;
    }
    for (std::size_t row = 0; row < n; ++row) {
      double factor = matrix[row][column];
      if (row == column || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        matrix[row][j] -= factor * matrix[column][j];
        inverse[row][j] -= factor * inverse[column][j];
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      inverse[i][j] = inverse[j][i] = (inverse[i][j] + inverse[j][i]) / 2;
    }
  }
  return true;
}

namespace {

class MatrixReader {
 public:
  MatrixReader(Elaboration& e, const Context& context, const syntax::Expr& expr,
               const std::string& name)
      : e_(e), expr_(expr), what_("the matrix of " + name), context_(context.constants(what_)) {}

  bool read(std::vector<std::vector<double>>& matrix) {
    Value rows = evaluate(e_, context_, expr_);
    if (rows.bad()) return false;
    if (rows.kind != Value::Kind::List) return report_not_square();
    std::size_t n = rows.items->size();
    if (n > kMaxFieldPorts) {
      return report(Diagnostic("limit.size", what_ + " is too large")
                        .at(expr_.span)
                        .rule("a field has at most " + std::to_string(kMaxFieldPorts) + " ports"));
    }
    for (const Value& row : *rows.items) {
      if (row.kind != Value::Kind::List || row.items->size() != n) return report_not_square();
      if (!read_row(row, matrix.emplace_back())) return false;
    }
    return n > 0 ? check_symmetry(matrix) : report_not_square();
  }

 private:
  bool report(Diagnostic diagnostic) {
    e_.report.add(std::move(diagnostic), context_.place);
    return false;
  }
  bool report_not_square() {
    return report(Diagnostic("field.not-square", what_ + " is not square")
                      .at(expr_.span)
                      .rule("a field of n ports has n rows of n numbers: [[L1, M], [M, L2]]"));
  }

  bool read_row(const Value& row, std::vector<double>& numbers) {
    for (const Value& entry : *row.items) {
      if (!is_of_kind(e_, context_, entry, Value::Kind::Number, expr_.span, what_)) return false;
      double number = entry.constant ? e_.decide(entry) : NAN;
      if (!std::isfinite(number)) {
        return report(Diagnostic("element.not-finite", what_ + " has an entry that is not finite")
                          .at(expr_.span, format_number(number)));
      }
      numbers.push_back(number);
    }
    return true;
  }

  bool check_symmetry(const std::vector<std::vector<double>>& matrix) {
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (matrix[i][j] == matrix[j][i]) continue;
        auto entry = [&](std::size_t row, std::size_t column) {
          return "[" + std::to_string(row + 1) + "][" + std::to_string(column + 1) +
                 "] = " + format_number(matrix[row][column]);
        };
        return report(Diagnostic("field.not-symmetric", what_ + " is not symmetric")
                          .at(expr_.span, entry(j, i) + ", " + entry(i, j))
                          .rule("a field that stores energy has a symmetric matrix (Maxwell)"));
      }
    }
    return true;
  }

  Elaboration& e_;
  const syntax::Expr& expr_;
  std::string what_;
  Context context_;
};

}  // namespace

bool read_matrix(Elaboration& e, const Context& context, const syntax::Declaration& declaration,
                 const elements::Definition& definition, const std::string& name,
                 std::vector<std::vector<double>>& matrix) {
  if (definition.storage == elements::Storage::None) return true;
  for (const syntax::Argument& argument : declaration.arguments) {
    if (argument.name.text != "matrix" || !argument.value || !argument.parameters.empty()) continue;
    if (MatrixReader(e, context, *argument.value, name).read(matrix)) return true;
    matrix.clear();
    return false;
  }
  return true;
}

}  // namespace cradle::model
