// A line of N pieces of resistance and capacity, as one writes it for CVODE: the right side as a
// loop, its derivatives as a tridiagonal matrix, factored by KLU or as a band.
//
//   line KIND SOLVER N RELATIVE ABSOLUTE
//
// KIND: linear (bench/models/rcline.cradle) or cubic (bench/models/nlline.cradle); SOLVER: klu or
// band. Prints the voltages behind the first and the last piece at t = 1, how far the linear line
// is from its closed form, and the time of the processor.

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numbers>

namespace {

struct Line {
  int n;
  bool cubic;

  // Of the resistor before piece i, by the voltage across it.
  double flow(double e) const { return n * (cubic ? e + e * e * e : e); }
  double slope(double e) const { return n * (cubic ? 1 + 3 * e * e : 1); }
};

int derivative(double, N_Vector x, N_Vector dxdt, void* data) {
  const Line& line = *static_cast<Line*>(data);
  const double* q = N_VGetArrayPointer(x);  // voltages
  double* d = N_VGetArrayPointer(dxdt);
  double in = line.flow(1 - q[0]);
  for (int i = 0; i < line.n; ++i) {
    const double out = i + 1 < line.n ? line.flow(q[i] - q[i + 1]) : 0;
    d[i] = line.n * (in - out);
    in = out;
  }
  return 0;
}

// entry(row, column, value), column by column.
template <class Entry>
void each_derivative(const Line& line, const double* q, Entry entry) {
  double in = line.slope(1 - q[0]);
  for (int i = 0; i < line.n; ++i) {
    const double out = i + 1 < line.n ? line.slope(q[i] - q[i + 1]) : 0;
    if (i > 0) entry(i - 1, i, line.n * in);
    entry(i, i, -line.n * (in + out));
    if (i + 1 < line.n) entry(i + 1, i, line.n * out);
    in = out;
  }
}

int sparse_jacobian(double, N_Vector x, N_Vector, SUNMatrix matrix, void* data, N_Vector, N_Vector,
                    N_Vector) {
  const Line& line = *static_cast<Line*>(data);
  sunindextype* begins = SUNSparseMatrix_IndexPointers(matrix);
  sunindextype* rows = SUNSparseMatrix_IndexValues(matrix);
  double* values = SUNSparseMatrix_Data(matrix);
  sunindextype k = 0;
  int last = -1;
  each_derivative(line, N_VGetArrayPointer(x), [&](int row, int column, double value) {
    if (column != last) begins[last = column] = k;
    rows[k] = row;
    values[k++] = value;
  });
  begins[line.n] = k;
  return 0;
}

int band_jacobian(double, N_Vector x, N_Vector, SUNMatrix matrix, void* data, N_Vector, N_Vector,
                  N_Vector) {
  each_derivative(
      *static_cast<Line*>(data), N_VGetArrayPointer(x),
      [&](int row, int column, double value) { SM_ELEMENT_B(matrix, row, column) = value; });
  return 0;
}

// Modes sin((2k − 1) i π/(2n + 1)) with rates −4 n² sin²((2k − 1) π/(4n + 2)).
double closed_form(int n, int i) {
  double sum = 1;
  for (int k = 1; k <= n; ++k) {
    const double angle = (2 * k - 1) * std::numbers::pi / (2 * n + 1);
    const double half = std::sin(angle / 2);
    const double rate = 4.0 * n * n * half * half;
    if (rate > 60) break;
    // The projection of 1 onto the mode, whose square adds up to (2n + 1)/4.
    const double part = 4.0 / (2 * n + 1) * 0.5 / std::tan(angle / 2);
    sum -= part * std::sin(angle * i) * std::exp(-rate);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: line linear|cubic klu|band N RELATIVE ABSOLUTE\n");
    return 2;
  }
  Line line{std::atoi(argv[3]), std::strcmp(argv[1], "cubic") == 0};
  const bool klu = std::strcmp(argv[2], "klu") == 0;
  const std::clock_t begin = std::clock();
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector x = N_VNew_Serial(line.n, context);
  N_VConst(0, x);
  void* cvode = CVodeCreate(CV_BDF, context);
  CVodeInit(cvode, derivative, 0, x);
  CVodeSetUserData(cvode, &line);
  CVodeSStolerances(cvode, std::atof(argv[4]), std::atof(argv[5]));
  CVodeSetMaxNumSteps(cvode, 1'000'000);
  SUNMatrix matrix = klu ? SUNSparseMatrix(line.n, line.n, 3 * line.n - 2, CSC_MAT, context)
                         : SUNBandMatrix(line.n, 1, 1, context);
  SUNLinearSolver solver =
      klu ? SUNLinSol_KLU(x, matrix, context) : SUNLinSol_Band(x, matrix, context);
  CVodeSetLinearSolver(cvode, solver, matrix);
  CVodeSetJacFn(cvode, klu ? sparse_jacobian : band_jacobian);
  CVodeSetStopTime(cvode, 1);
  double t = 0;
  if (CVode(cvode, 1, x, &t, CV_NORMAL) < 0) return 1;
  const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  const double* q = N_VGetArrayPointer(x);
  double worst = 0;
  for (int i = 1; i <= line.n && !line.cubic; ++i) {
    if (i % (line.n / 50 + 1) == 0 || i == line.n) {
      worst = std::fmax(worst, std::fabs(q[i - 1] - closed_form(line.n, i)));
    }
  }
  long steps = 0;
  CVodeGetNumSteps(cvode, &steps);
  std::printf("first %.15g last %.15g error %.3g steps %ld seconds %.6f\n", q[0], q[line.n - 1],
              worst, steps, seconds);
  CVodeFree(&cvode);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(x);
  SUNContext_Free(&context);
  return 0;
}
