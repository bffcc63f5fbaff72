#include "show/plot/sweep_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "show/plot/curve.hpp"
#include "show/text/table.hpp"

namespace cradle::plot {

SweepPicture picture_for(const SweepOptions& options) {
  std::size_t grids = 0;
  for (const Variation& v : options.variations) {
    if (v.is_drawn()) return SweepPicture::Histogram;
    ++grids;
  }
  if (!options.curves.empty()) return SweepPicture::Family;
  return grids == 2 ? SweepPicture::Heat : SweepPicture::Response;
}

namespace {

bool varies_in_logarithm(const Variation& v) {
  return v.kind == Variation::Kind::Logarithmic && v.a > 0;
}

// A curve over the first parameter, for each valuation of the others.
std::vector<ChartPanel> response_chart(const Sweep& sweep, const SweepOptions& options) {
  std::vector<ChartPanel> out;
  for (std::size_t m = 0; m < sweep.measures.size(); ++m) {
    ChartPanel panel;
    panel.title = sweep.measures[m];
    panel.x = {sweep.names[0], varies_in_logarithm(options.variations[0])};
    std::map<std::vector<double>, ChartSeries> series;
    for (const auto& run : sweep.runs) {
      if (!run) continue;
      const std::vector<double> others(run->values.begin() + 1, run->values.end());
      series[others].points.emplace_back(run->values[0], run->measures[m].value_or(NAN));
    }
    for (auto& [others, one] : series) {
      for (std::size_t j = 0; j < others.size(); ++j) {
        one.name += fmt::format("{}{} = {}", j == 0 ? "" : ", ", sweep.names[j + 1],
                                text::short_number(others[j], 4));
      }
      if (others.size() == 1 && series.size() > 7) {
        one.name.clear();
        one.shade = others[0];
        panel.scale = {sweep.names[1], varies_in_logarithm(options.variations[1])};
      }
      std::stable_sort(one.points.begin(), one.points.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      one.dotted = series.size() == 1 && one.points.size() <= 60;
      panel.series.push_back(std::move(one));
    }
    out.push_back(std::move(panel));
  }
  return out;
}

// The middle between neighbours, in the logarithm where the values are spread so.
std::vector<double> edges_between(const std::vector<double>& values, bool log) {
  const auto middle = [log](double a, double b) { return log ? std::sqrt(a * b) : 0.5 * (a + b); };
  std::vector<double> out;
  const std::size_t n = values.size();
  if (n == 1)
    return {values[0] - 0.5 * std::max(1e-300, std::abs(values[0])),
            values[0] + 0.5 * std::max(1e-300, std::abs(values[0]))};
  out.push_back(log ? values[0] * values[0] / middle(values[0], values[1])
                    : 2 * values[0] - middle(values[0], values[1]));
  for (std::size_t i = 0; i + 1 < n; ++i) out.push_back(middle(values[i], values[i + 1]));
  const double last = values[n - 1], before = middle(values[n - 2], last);
  out.push_back(log ? last * last / before : 2 * last - before);
  return out;
}

std::vector<double> distinct_values(const Sweep& sweep, std::size_t parameter) {
  std::vector<double> out;
  for (const auto& run : sweep.runs) {
    if (run) out.push_back(run->values[parameter]);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<ChartPanel> heat_chart(const Sweep& sweep, const SweepOptions& options) {
  if (sweep.names.size() != 2) {
    throw std::invalid_argument("a heat map has two parameters that are varied");
  }
  const bool log_x = varies_in_logarithm(options.variations[0]);
  const bool log_y = varies_in_logarithm(options.variations[1]);
  const auto xs = distinct_values(sweep, 0), ys = distinct_values(sweep, 1);
  std::vector<ChartPanel> out;
  if (xs.empty()) return out;
  const auto x_edges = edges_between(xs, log_x), y_edges = edges_between(ys, log_y);
  const auto index = [](const std::vector<double>& all, double value) {
    return static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), value) - all.begin());
  };
  for (std::size_t m = 0; m < sweep.measures.size(); ++m) {
    ChartPanel panel;
    panel.x = {sweep.names[0], log_x};
    panel.y = {sweep.names[1], log_y};
    panel.scale.label = sweep.measures[m];
    panel.title = " ";
    for (const auto& run : sweep.runs) {
      if (!run) continue;
      const std::size_t i = index(xs, run->values[0]), j = index(ys, run->values[1]);
      panel.cells.push_back(
          {x_edges[i], x_edges[i + 1], y_edges[j], y_edges[j + 1], run->measures[m]});
    }
    out.push_back(std::move(panel));
  }
  return out;
}

// As many bars as Freedman and Diaconis (1981) advise, within reason.
std::size_t bars_for(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  const double spread = sorted[n - 1 - n / 4] - sorted[n / 4];
  const double width = 2 * spread / std::cbrt(static_cast<double>(n));
  if (!(width > 0)) return 10;
  const double count = std::ceil((sorted.back() - sorted.front()) / width);
  return static_cast<std::size_t>(std::clamp(count, 5.0, 60.0));
}

std::vector<ChartPanel> histogram_chart(const Sweep& sweep) {
  std::vector<ChartPanel> out;
  for (std::size_t m = 0; m < sweep.measures.size(); ++m) {
    std::vector<double> values;
    for (const auto& run : sweep.runs) {
      if (run && run->measures[m]) values.push_back(*run->measures[m]);
    }
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    double low = values.front(), high = values.back();
    if (!(high > low)) {
      const double around = std::max(std::abs(low) * 0.01, 1e-300);
      low -= around;
      high += around;
    }
    const std::size_t bars = bars_for(values);
    std::vector<double> counts(bars, 0);
    for (const double value : values) {
      const double share = (value - low) / (high - low) * static_cast<double>(bars);
      counts[std::min(bars - 1, static_cast<std::size_t>(share))] += 1;
    }
    ChartPanel panel;
    panel.x.label = sweep.measures[m];
    panel.y.label = "runs";
    ChartSeries series;
    series.kind = ChartSeries::Kind::Bars;
    for (std::size_t b = 0; b <= bars; ++b) {
      const double edge = low + (high - low) * static_cast<double>(b) / static_cast<double>(bars);
      series.points.emplace_back(edge, b < bars ? counts[b] : 0);
    }
    panel.series.push_back(std::move(series));
    out.push_back(std::move(panel));
  }
  return out;
}

std::vector<ChartPanel> family_chart(const Sweep& sweep, const SweepOptions& options) {
  std::vector<ChartPanel> out;
  for (const std::string& column : options.curves) {
    ChartPanel panel;
    panel.x.label = "t";
    panel.y.label = column;
    std::size_t count = 0;
    for (const auto& run : sweep.runs) {
      if (run && run->trajectory) ++count;
    }
    const bool shaded = count > 7 && !sweep.names.empty();
    if (shaded) panel.scale = {sweep.names[0], varies_in_logarithm(options.variations[0])};
    for (const auto& run : sweep.runs) {
      if (!run || !run->trajectory) continue;
      const auto index = run->trajectory->find_column(column);
      if (!index) continue;
      ChartSeries series;
      if (shaded) {
        series.shade = run->values[0];
      } else {
        for (std::size_t j = 0; j < run->values.size(); ++j) {
          series.name += fmt::format("{}{} = {}", j == 0 ? "" : ", ", sweep.names[j],
                                     text::short_number(run->values[j], 4));
        }
      }
      for (const auto& piece : trace(*run->trajectory, *index).pieces) {
        if (!series.points.empty()) series.points.emplace_back(NAN, NAN);
        for (const Point& point : piece) series.points.emplace_back(point.t, point.y);
      }
      panel.series.push_back(std::move(series));
    }
    out.push_back(std::move(panel));
  }
  return out;
}

}  // namespace

std::vector<ChartPanel> sweep_chart(const Sweep& sweep, const SweepOptions& options,
                                    SweepPicture picture) {
  if (sweep.names.empty()) throw std::invalid_argument("nothing is varied");
  switch (picture) {
    case SweepPicture::Response:
      return response_chart(sweep, options);
    case SweepPicture::Heat:
      return heat_chart(sweep, options);
    case SweepPicture::Histogram:
      return histogram_chart(sweep);
    case SweepPicture::Family:
      break;
  }
  if (options.curves.empty()) {
    throw std::invalid_argument("a family of curves needs the name of a column");
  }
  return family_chart(sweep, options);
}

}  // namespace cradle::plot
