#include "show/plot/linear_chart.hpp"

#include <algorithm>
#include <cmath>

#include "show/text/linear.hpp"

namespace cradle::plot {
namespace {

template <class Each>
void for_each_way(const Linearization& system, Each each) {
  for (std::size_t i = 0; i < system.outputs.size(); ++i) {
    for (std::size_t j = 0; j < system.inputs.size(); ++j) {
      each(i, j, system.outputs[i] + " from " + system.inputs[j]);
    }
  }
}

std::vector<ChartPanel> bode_chart(const Linearization& system) {
  const std::vector<double> frequencies = text::frequencies_of(system);
  ChartPanel gain, phase;
  gain.x = phase.x = {"ω (rad per unit of time)", true};
  gain.y.label = "magnitude (dB)";
  phase.y.label = "phase (°)";
  for_each_way(system, [&](std::size_t i, std::size_t j, const std::string& name) {
    ChartSeries magnitudes, angles;
    magnitudes.name = name;
    const std::vector<double> phases = text::phases_of(system, i, j, frequencies);
    for (std::size_t k = 0; k < frequencies.size(); ++k) {
      const double size = std::abs(response(system, i, j, {0, frequencies[k]}));
      magnitudes.points.emplace_back(frequencies[k], 20 * std::log10(size));
      angles.points.emplace_back(frequencies[k], phases[k]);
    }
    gain.series.push_back(std::move(magnitudes));
    phase.series.push_back(std::move(angles));
  });
  return {gain, phase};
}

// For positive frequencies solid, for negative ones dashed; −1 is marked.
std::vector<ChartPanel> nyquist_chart(const Linearization& system) {
  const std::vector<double> frequencies = text::frequencies_of(system, 1500);
  ChartPanel panel;
  panel.x.label = "real part";
  panel.y.label = "imaginary part";
  panel.same_scale = true;
  double largest = 0;
  for_each_way(system, [&](std::size_t i, std::size_t j, const std::string& name) {
    ChartSeries up, down;
    up.name = name;
    down.dashed = true;
    for (const double w : frequencies) {
      const std::complex<double> value = response(system, i, j, {0, w});
      up.points.emplace_back(value.real(), value.imag());
      down.points.emplace_back(value.real(), -value.imag());
      largest = std::max(largest, std::abs(value));
    }
    panel.series.push_back(std::move(up));
    panel.series.push_back(std::move(down));
  });
  // Where it would be seen.
  if (largest > 0.02 && largest < 50) {
    ChartSeries critical;
    critical.kind = ChartSeries::Kind::Crosses;
    critical.name = "-1";
    critical.points = {{-1, 0}};
    panel.series.push_back(std::move(critical));
  }
  return {panel};
}

std::vector<ChartPanel> step_chart(const Linearization& system) {
  double slowest = HUGE_VAL, fastest = 0;
  for (const auto& pole : system.poles) {
    fastest = std::max(fastest, std::abs(pole));
    const double decay = std::abs(pole.real());
    if (decay > 1e-9 * std::abs(pole) && decay > 0) slowest = std::min(slowest, decay);
  }
  double end = 1;
  if (std::isfinite(slowest)) {
    end = 6 / slowest;
  } else if (fastest > 0) {
    end = 40 / fastest;
  }
  constexpr std::size_t kPoints = 1200;
  std::vector<ChartPanel> out;
  for (std::size_t j = 0; j < system.inputs.size(); ++j) {
    ChartPanel panel;
    panel.title = "step of " + system.inputs[j];
    panel.x.label = "t";
    const double step = end / (kPoints - 1);
    const auto values = step_response(system, j, step, kPoints);
    for (std::size_t i = 0; i < system.outputs.size(); ++i) {
      ChartSeries series;
      series.name = system.outputs[i];
      for (std::size_t k = 0; k < values.size(); ++k) {
        series.points.emplace_back(static_cast<double>(k) * step, values[k][i]);
      }
      panel.series.push_back(std::move(series));
    }
    out.push_back(std::move(panel));
  }
  return out;
}

std::vector<ChartPanel> poles_chart(const Linearization& system) {
  ChartPanel panel;
  panel.x.label = "real part";
  panel.y.label = "imaginary part";
  ChartSeries poles;
  poles.name = "poles ×";
  poles.kind = ChartSeries::Kind::Crosses;
  for (const auto& pole : system.poles) poles.points.emplace_back(pole.real(), pole.imag());
  panel.series.push_back(std::move(poles));
  for_each_way(system, [&](std::size_t i, std::size_t j, const std::string& name) {
    ChartSeries zeros;
    zeros.kind = ChartSeries::Kind::Rings;
    for (const auto& zero : system.zeros[i * system.inputs.size() + j]) {
      zeros.points.emplace_back(zero.real(), zero.imag());
    }
    if (zeros.points.empty()) return;
    zeros.name = "zeros ○ of " + name;
    panel.series.push_back(std::move(zeros));
  });
  return {panel};
}

}  // namespace

std::vector<ChartPanel> linear_chart(const Linearization& system, LinearPicture picture) {
  switch (picture) {
    case LinearPicture::Bode:
      return bode_chart(system);
    case LinearPicture::Nyquist:
      return nyquist_chart(system);
    case LinearPicture::Step:
      return step_chart(system);
    case LinearPicture::Poles:
      break;
  }
  return poles_chart(system);
}

}  // namespace cradle::plot
