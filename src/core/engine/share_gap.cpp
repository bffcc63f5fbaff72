#include "core/engine/share_gap.hpp"

namespace cradle::engine {

using expr::Op;
using solve::Jet;

namespace {

constexpr std::size_t kMostBorders = 5;  // beyond these, determinants are too many products

double difference(double a, double b) { return a - b; }
double product(double a, double b) { return a * b; }
Jet difference(const Jet& a, const Jet& b) {
  Jet out;
  solve::apply(Op::Sub, a, b, out);
  return out;
}
Jet product(const Jet& a, const Jet& b) {
  Jet out;
  solve::apply(Op::Mul, a, b, out);
  return out;
}

template <class Scalar>
Scalar zero();
template <>
double zero() {
  return 0;
}
template <>
Jet zero() {
  return Jet::constant(0.0);
}

// By the first column.
template <class Scalar>
Scalar determinant(const std::vector<std::vector<Scalar>>& rows) {
  if (rows.size() == 1) return rows[0][0];
  Scalar out = zero<Scalar>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::vector<Scalar>> minor;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (k != i) minor.emplace_back(rows[k].begin() + 1, rows[k].end());
    }
    const Scalar term = product(rows[i][0], determinant(minor));
    out = i % 2 == 1 ? difference(out, term) : difference(out, difference(zero<Scalar>(), term));
  }
  return out;
}

}  // namespace

ShareGap::ShareGap(const Runtime& runtime, FlowEvaluator& flow, std::size_t slide, double t)
    : flow_(flow), slide_(slide) {
  const std::vector<Slide>& slides = runtime.state.slides;
  std::vector<std::size_t> borders;
  for (std::size_t j = 0; j < slides.size(); ++j) {
    if (runtime.cluster_of(slides[j]) != runtime.cluster_of(slides[slide])) continue;
    if (j == slide) place_ = borders.size();
    borders.push_back(j);
  }
  count_ = borders.size();
  if (count_ <= kMostBorders) write_out(runtime, borders, t);
}

void ShareGap::write_out(const Runtime& runtime, const std::vector<std::size_t>& borders,
                         double t) {
  const std::vector<Slide>& slides = runtime.state.slides;
  std::vector<std::shared_ptr<const plan::ModeCode>> found;
  for (std::size_t j : borders) {
    found.push_back(find_gap_speed(runtime, slides[j].border));
    if (!found.back()->exists()) return;
  }
  codes_.reserve((count_ + 1) * count_);
  flow_.on_each_side([&](int) {
    for (const auto& code : found) {
      codes_.emplace_back(runtime, code, true);
      codes_.back().refresh(flow_, runtime);
    }
  });
  const auto speeds = speeds_at(t);
  if (speeds) {
    turned_ = determinant(switched(*speeds)) < 0;
  } else {
    codes_.clear();
  }
}

// None where a pivot of the code is small.
std::optional<std::vector<double>> ShareGap::speeds_at(double t) {
  std::vector<double> speeds;
  for (FlowCode& code : codes_) {
    const std::optional<double> speed = code.run(t);
    if (!speed) return std::nullopt;
    speeds.push_back(*speed);
  }
  return speeds;
}

// A: what each switch does to each gap.
template <class Scalar>
std::vector<std::vector<Scalar>> ShareGap::switched(const std::vector<Scalar>& speeds) const {
  std::vector<std::vector<Scalar>> out(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t j = 0; j < count_; ++j) {
      out[i].push_back(difference(speeds[(j + 1) * count_ + i], speeds[i]));
    }
  }
  return out;
}

template <class Scalar>
Scalar ShareGap::gap(const std::vector<Scalar>& speeds) const {
  const std::vector<std::vector<Scalar>> all = switched(speeds);
  std::vector<std::vector<Scalar>> own = all;
  for (std::size_t i = 0; i < count_; ++i) own[i][place_] = difference(zero<Scalar>(), speeds[i]);
  Scalar out = determinant(own);
  if (!above_) out = difference(determinant(all), out);
  return turned_ ? difference(zero<Scalar>(), out) : out;
}

double ShareGap::operator()(double t) {
  if (!codes_.empty()) {
    if (const auto speeds = speeds_at(t)) return gap(*speeds);
  }
  // Of the same sign: the code leaves out a factor that is positive.
  flow_.begin(t);
  const double share = flow_.shares()[slide_];
  return above_ ? share : 1 - share;
}

bool ShareGap::expand(double a, double b, Where where, Jet& out) {
  if (codes_.empty()) return false;
  std::vector<Jet> speeds(codes_.size());
  for (std::size_t i = 0; i < codes_.size(); ++i) codes_[i].expand(a, b, where, speeds[i]);
  out = gap(speeds);
  return true;
}

}  // namespace cradle::engine
