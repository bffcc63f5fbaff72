#include "show/text/linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "show/text/table.hpp"

namespace cradle::text {
namespace {

constexpr int kLinearDigits = 6;

std::string complex_text(std::complex<double> value) {
  const double size = std::abs(value);
  const double re = std::abs(value.real()) < 1e-12 * size ? 0 : value.real();
  const double im = std::abs(value.imag()) < 1e-12 * size ? 0 : value.imag();
  if (im == 0) return short_number(re, kLinearDigits);
  return fmt::format("{} {} {}j", short_number(re, kLinearDigits), im < 0 ? "-" : "+",
                     short_number(std::abs(im), kLinearDigits));
}

std::string matrix_text(const std::string& name, const Matrix& matrix,
                        const std::vector<std::string>& rows,
                        const std::vector<std::string>& columns) {
  if (matrix.rows == 0 || matrix.columns == 0) return {};
  constexpr std::size_t kMost = 16;
  if (matrix.columns > kMost) {
    return fmt::format("{}: {} by {}, in --json\n\n", name, matrix.rows, matrix.columns);
  }
  Table table;
  table.add_column(name, Table::Align::Left);
  for (const std::string& column : columns) table.add_column(column, Table::Align::Right);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    std::vector<std::string> cells = {rows[i]};
    for (std::size_t j = 0; j < matrix.columns; ++j) {
      cells.push_back(short_number(matrix(i, j), kLinearDigits));
    }
    table.add_row(std::move(cells));
  }
  return table.text() + "\n";
}

std::string poles_text(const Linearization& system) {
  if (system.poles.empty()) return {};
  Table table;
  for (const char* header : {"pole", "frequency", "damping", "time constant"}) {
    table.add_column(header, Table::Align::Right);
  }
  for (const auto& pole : system.poles) {
    if (pole.imag() < 0) continue;  // of a pair the other stands for both
    const double size = std::abs(pole);
    const bool swings = std::abs(pole.imag()) > 1e-12 * size;
    std::string shown = complex_text(pole);
    if (swings) shown = shown.replace(shown.rfind('+'), 1, "±");
    table.add_row({shown, short_number(size, kLinearDigits),
                   size > 0 ? short_number(-pole.real() / size, kLinearDigits) : "–",
                   pole.real() != 0 ? short_number(-1 / pole.real(), kLinearDigits) : "–"});
  }
  return table.text() + "\n";
}

// ---- JSON ----

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}
std::string json_number(double value) {
  return std::isfinite(value) ? format_number(value) : "null";
}
template <class Items, class Write>
std::string json_list(const Items& items, Write write) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? "," : "") + write(item);
  return out + "]";
}
std::string json_names(const std::vector<std::string>& names) {
  return json_list(names, json_string);
}
std::string json_numbers(const std::vector<double>& numbers) {
  return json_list(numbers, json_number);
}
std::string json_complex(std::complex<double> value) {
  return "[" + json_number(value.real()) + "," + json_number(value.imag()) + "]";
}
std::string json_matrix(const Matrix& matrix) {
  std::string out = "[";
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    out += i == 0 ? "[" : ",[";
    for (std::size_t j = 0; j < matrix.columns; ++j) {
      out += (j == 0 ? "" : ",") + json_number(matrix(i, j));
    }
    out += "]";
  }
  return out + "]";
}

double degrees(double radians) { return radians * 180 / std::numbers::pi; }

}  // namespace

std::string linear_text(const std::string& model, const Linearization& system) {
  std::string out = fmt::format("{} at t = {}", printable(model), format_number(system.at));
  std::string modes;
  for (const auto& [automaton, state] : system.modes) {
    modes += fmt::format("{}{} {}", modes.empty() ? "" : ", ", automaton, state);
  }
  if (!modes.empty()) out += " in {" + modes + "}";
  out += "\n\n";
  Table point;
  for (const char* header : {"", "name", "value", "rate"}) {
    point.add_column(header, Table::Align::Left);
  }
  for (std::size_t i = 0; i < system.states.size(); ++i) {
    point.add_row({"state", system.states[i], short_number(system.x[i], kLinearDigits),
                   short_number(system.rates[i], kLinearDigits)});
  }
  for (std::size_t i = 0; i < system.inputs.size(); ++i) {
    point.add_row({"input", system.inputs[i], short_number(system.u[i], kLinearDigits), ""});
  }
  for (std::size_t i = 0; i < system.outputs.size(); ++i) {
    point.add_row({"output", system.outputs[i], short_number(system.y[i], kLinearDigits), ""});
  }
  out += point.text() + "\n";
  if (!system.dependent.empty()) {
    out += "depends on the others: ";
    for (std::size_t i = 0; i < system.dependent.size(); ++i) {
      out += (i == 0 ? "" : ", ") + system.dependent[i];
    }
    out += "\n\n";
  }
  out += matrix_text("A", system.A, system.states, system.states);
  out += matrix_text("B", system.B, system.states, system.inputs);
  out += matrix_text("C", system.C, system.outputs, system.states);
  out += matrix_text("D", system.D, system.outputs, system.inputs);
  out += poles_text(system);
  for (std::size_t i = 0; i < system.outputs.size(); ++i) {
    for (std::size_t j = 0; j < system.inputs.size(); ++j) {
      out += fmt::format("{} from {}:", system.outputs[i], system.inputs[j]);
      const bool integrates = std::any_of(system.poles.begin(), system.poles.end(),
                                          [](const auto& pole) { return std::abs(pole) == 0; });
      if (!integrates) {
        out += " gain at rest " + short_number(response(system, i, j, 0.0).real(), kLinearDigits) +
               ",";
      }
      const auto& zeros = system.zeros[i * system.inputs.size() + j];
      out += zeros.empty() ? " no zeros" : " zeros";
      for (std::size_t k = 0; k < zeros.size(); ++k) {
        out += (k == 0 ? " " : ", ") + complex_text(zeros[k]);
      }
      out += "\n";
    }
  }
  if (!system.from_code) out += "\nA is of differences, not of the derivatives of code.\n";
  if (system.uncertainty > 1e-6) {
    out += fmt::format("Differences agree to {} only.\n", short_number(system.uncertainty, 2));
  }
  return out;
}

std::string linear_json(const std::string& model, const Linearization& system) {
  std::string out = "{\"model\":" + json_string(model) + ",\"at\":" + json_number(system.at);
  out += ",\"modes\":{";
  for (std::size_t i = 0; i < system.modes.size(); ++i) {
    out += (i == 0 ? "" : ",") + json_string(system.modes[i].first) + ":" +
           json_string(system.modes[i].second);
  }
  out += "},\"states\":" + json_names(system.states) +
         ",\"dependent\":" + json_names(system.dependent) +
         ",\"inputs\":" + json_names(system.inputs) + ",\"outputs\":" + json_names(system.outputs) +
         ",\"x\":" + json_numbers(system.x) + ",\"u\":" + json_numbers(system.u) +
         ",\"y\":" + json_numbers(system.y) + ",\"rates\":" + json_numbers(system.rates) +
         ",\"A\":" + json_matrix(system.A) + ",\"B\":" + json_matrix(system.B) +
         ",\"C\":" + json_matrix(system.C) + ",\"D\":" + json_matrix(system.D) +
         ",\"poles\":" + json_list(system.poles, json_complex);
  out += ",\"zeros\":[";
  for (std::size_t i = 0; i < system.outputs.size(); ++i) {
    for (std::size_t j = 0; j < system.inputs.size(); ++j) {
      out += (i + j == 0 ? "" : ",");
      out += "{\"output\":" + json_string(system.outputs[i]) +
             ",\"input\":" + json_string(system.inputs[j]) +
             ",\"zeros\":" + json_list(system.zeros[i * system.inputs.size() + j], json_complex) +
             "}";
    }
  }
  return out + "],\"from_code\":" + (system.from_code ? "true" : "false") +
         ",\"uncertainty\":" + json_number(system.uncertainty) + "}\n";
}

std::vector<double> frequencies_of(const Linearization& system, int count) {
  double low = HUGE_VAL, high = 0;
  const auto see = [&](std::complex<double> value) {
    const double size = std::abs(value);
    if (!(size > 1e-9) || !std::isfinite(size)) return;
    low = std::min(low, size);
    high = std::max(high, size);
  };
  for (const auto& pole : system.poles) see(pole);
  for (const auto& zeros : system.zeros) {
    for (const auto& zero : zeros) see(zero);
  }
  if (!(low <= high)) low = 0.1, high = 10;
  low = std::pow(10.0, std::floor(std::log10(low) - 1));
  high = std::pow(10.0, std::ceil(std::log10(high) + 1));
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(std::max(count, 0)));
  for (int i = 0; i < count; ++i) out.push_back(low * std::pow(high / low, i / (count - 1.0)));
  return out;
}

std::vector<double> phases_of(const Linearization& system, std::size_t output, std::size_t input,
                              const std::vector<double>& frequencies) {
  std::vector<double> out;
  for (const double w : frequencies) {
    double phase = degrees(std::arg(response(system, output, input, {0, w})));
    while (!out.empty() && phase - out.back() > 180) phase -= 360;
    while (!out.empty() && phase - out.back() < -180) phase += 360;
    out.push_back(phase);
  }
  return out;
}

std::string response_csv(const Linearization& system, const std::vector<double>& frequencies) {
  std::string out = "omega";
  std::vector<std::vector<double>> phases;
  for (const std::string& output : system.outputs) {
    for (const std::string& input : system.inputs) {
      const std::string way = fmt::format("{} from {}", output, input);
      out += fmt::format(",\"{0} (dB)\",\"{0} (deg)\"", way);
    }
  }
  out += '\n';
  for (std::size_t i = 0; i < system.outputs.size(); ++i) {
    for (std::size_t j = 0; j < system.inputs.size(); ++j) {
      phases.push_back(phases_of(system, i, j, frequencies));
    }
  }
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    out += format_number(frequencies[k]);
    for (std::size_t i = 0; i < system.outputs.size(); ++i) {
      for (std::size_t j = 0; j < system.inputs.size(); ++j) {
        const double gain = std::abs(response(system, i, j, {0, frequencies[k]}));
        out += "," + format_number(20 * std::log10(gain)) + "," +
               format_number(phases[i * system.inputs.size() + j][k]);
      }
    }
    out += '\n';
  }
  return out;
}

std::string periodic_text(const std::string& model, double period, const Periodic& found) {
  std::string out =
      fmt::format("{}: the same again after {}\n\n", printable(model), format_number(period));
  Table start;
  start.add_column("begins with", Table::Align::Left);
  start.add_column("", Table::Align::Left);
  for (const auto& [name, value] : found.start.values) {
    start.add_row({name, short_number(value)});
  }
  for (const auto& [name, state] : found.start.modes) start.add_row({name, state});
  out += start.text() + "\n";
  Table table;
  for (const char* header : {"Floquet multiplier", "magnitude"}) {
    table.add_column(header, Table::Align::Right);
  }
  bool stable = true;
  for (const auto& multiplier : found.multipliers) {
    stable = stable && std::abs(multiplier) < 1;
    table.add_row({complex_text(multiplier), short_number(std::abs(multiplier), kLinearDigits)});
  }
  return out + table.text() + (stable ? "\nstable\n" : "\nnot stable\n");
}

std::string periodic_json(const std::string& model, double period, const Periodic& found) {
  std::string out = "{\"model\":" + json_string(model) + ",\"period\":" + json_number(period);
  out += ",\"start\":{";
  for (std::size_t i = 0; i < found.start.values.size(); ++i) {
    out += (i == 0 ? "" : ",") + json_string(found.start.values[i].first) + ":" +
           json_number(found.start.values[i].second);
  }
  return out + "},\"states\":" + json_names(found.states) +
         ",\"monodromy\":" + json_matrix(found.monodromy) +
         ",\"multipliers\":" + json_list(found.multipliers, json_complex) + "}\n";
}

}  // namespace cradle::text
