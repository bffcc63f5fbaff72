#include "theory/conform/read_run.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cradle/rows.hpp"
#include "language/syntax/units.hpp"

namespace cradle::conform {
namespace {

using Cell = RecordedRun::Cell;

std::optional<double> number(std::string_view text) {
  if (text == "nan") return std::nan("");
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Cell cell_of(const std::string& text) {
  if (text.empty()) return {};
  if (text == "unknown") return {Cell::Kind::Unknown, {}, {}};
  if (text == "true" || text == "false")
    return {Cell::Kind::Number, text == "true" ? 1.0 : 0.0, text};
  if (auto value = number(text)) return {Cell::Kind::Number, *value, text};
  return {Cell::Kind::Text, {}, text};
}

// A column impulse(x) beside x carries the weights of x.
std::string impulse_of(const std::string& name) {
  constexpr std::string_view kOpen = "impulse(";
  if (!name.starts_with(kOpen) || !name.ends_with(')')) return {};
  return name.substr(kOpen.size(), name.size() - kOpen.size() - 1);
}

// Fields of one line, quoted as RFC 4180 says; `at` moves to the next line.
std::vector<std::string> fields(const std::string& text, std::size_t& at, int& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"') {
        if (c == '\n') ++line;
        out.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        out.back() += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      out.emplace_back();
    } else if (c == '\n') {
      ++at;
      break;
    } else if (c != '\r') {
      out.back() += c;
    }
  }
  ++line;
  return out;
}

std::optional<RecordedRun> read_csv(const std::string& text, std::string& problem) {
  RecordedRun run;
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  int line = 0;
  const std::vector<std::string> header = fields(text, at, line);
  if (header.size() < 3 || header[0] != "t" || header[1] != "eps" || header[2] != "step") {
    problem = "the first line must begin with t,eps,step";
    return std::nullopt;
  }
  // By column of the file: which column of the run, and is it its impulse?
  std::vector<std::pair<std::size_t, bool>> place;
  std::map<std::string, std::size_t> known;
  std::set<std::string> seen;
  for (std::size_t i = 3; i < header.size(); ++i) {
    const std::string inner = impulse_of(name_and_unit(header[i]).first);
    if (auto found = known.find(inner); !inner.empty() && found != known.end()) {
      place.emplace_back(found->second, true);
      continue;
    }
    // Its impulse has its name without the unit.
    known.emplace(name_and_unit(header[i]).first, run.columns.size());
    if (!seen.insert(header[i]).second) {
      problem = "column " + header[i] + " stands there twice";
      return std::nullopt;
    }
    place.emplace_back(run.columns.size(), false);
    run.columns.push_back(header[i]);
  }
  while (at < text.size()) {
    const int begin = line + 1;
    const std::vector<std::string> row = fields(text, at, line);
    if (row.size() == 1 && row[0].empty()) continue;
    const std::string where = "line " + std::to_string(begin);
    if (row.size() != header.size()) {
      problem = where + " has " + std::to_string(row.size()) + " fields, the first line " +
                std::to_string(header.size());
      return std::nullopt;
    }
    const auto t = number(row[0]), eps = number(row[1]), step = number(row[2]);
    const auto whole = [](const std::optional<double>& x) {
      return x && std::abs(*x) < 2e9 && *x == std::floor(*x);
    };
    if (!t || !whole(eps) || !whole(step)) {
      problem = where + ": " + row[0] + "," + row[1] + "," + row[2] + " is no instant";
      return std::nullopt;
    }
    RecordedRun::Row out;
    out.at = {*t, static_cast<int32_t>(*eps), static_cast<int32_t>(*step)};
    out.line = begin;
    out.cells.resize(run.columns.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
      const Cell cell = cell_of(row[i + 3]);
      if (!place[i].second) {
        out.cells[place[i].first] = cell;
      } else if (cell.kind == Cell::Kind::Number) {
        out.cells[place[i].first].number.impulse = cell.number.finite;
      }
    }
    run.rows.push_back(std::move(out));
  }
  return run;
}

double number_of(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_string()) {
    if (auto n = number(value.get<std::string>())) return *n;
  }
  throw std::runtime_error("a value is no number: " + value.dump());
}

// What run --json writes, or the array that instants --json writes.
std::optional<RecordedRun> read_json(const std::string& text, std::string& problem) {
  RecordedRun run;
  try {
    const auto json = nlohmann::json::parse(text);
    const auto& rows = json.is_array() ? json : json.at("rows");
    std::map<std::string, std::size_t> known;
    auto column = [&](const std::string& name) {
      auto [place, is_new] = known.emplace(name, run.columns.size());
      if (is_new) run.columns.push_back(name);
      return place->second;
    };
    for (const auto& row : rows) {
      RecordedRun::Row out;
      out.at = {number_of(row.at("t")), row.at("eps").get<int32_t>(),
                row.at("step").get<int32_t>()};
      out.line = static_cast<int>(run.rows.size()) + 1;
      auto cell = [&](const std::string& name) -> Cell& {
        const std::size_t i = column(name);
        if (out.cells.size() <= i) out.cells.resize(i + 1);
        return out.cells[i];
      };
      for (const auto& [name, value] : row.at("values").items()) {
        Cell& c = cell(name);
        if (value.is_null()) continue;
        if (value.is_string() && value == "unknown") {
          c.kind = Cell::Kind::Unknown;
        } else {
          c.kind = Cell::Kind::Number;
          c.number = number_of(value);
        }
      }
      for (const auto& [name, value] : row.at("modes").items()) {
        cell(name) = {Cell::Kind::Text, {}, value.get<std::string>()};
      }
      if (row.contains("impulses")) {
        for (const auto& [name, value] : row.at("impulses").items()) {
          cell(name).number.impulse = number_of(value);
        }
      }
      run.rows.push_back(std::move(out));
    }
    for (RecordedRun::Row& row : run.rows) row.cells.resize(run.columns.size());
  } catch (const std::exception&) {
    problem = "row " + std::to_string(run.rows.size() + 1) + " is no row as run --json writes it";
    return std::nullopt;
  }
  return run;
}

// v [mV] is v, in SI units as everything else.
void read_units(RecordedRun& run) {
  for (std::size_t c = 0; c < run.columns.size(); ++c) {
    const auto [name, text] = name_and_unit(run.columns[c]);
    const std::optional<units::Unit> unit = units::parse(text);
    if (!unit) continue;
    run.columns[c] = name;
    if (unit->is_coherent()) continue;
    const double scale = unit->scale();
    for (RecordedRun::Row& row : run.rows) {
      Number& number = row.cells[c].number;
      number = Number(number.finite * scale + unit->offset, number.impulse * scale);
    }
  }
}

}  // namespace

std::optional<RecordedRun> read_run(const std::string& text, std::string& problem) {
  const auto first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string::npos) {
    problem = "the file is empty";
    return std::nullopt;
  }
  auto run =
      text[first] == '{' || text[first] == '[' ? read_json(text, problem) : read_csv(text, problem);
  if (!run) return run;
  read_units(*run);
  for (std::size_t i = 1; i < run->rows.size(); ++i) {
    if (run->rows[i - 1].at < run->rows[i].at) continue;
    problem = "row " + std::to_string(i + 1) + " at " + to_string(run->rows[i].at) +
              " does not come after " + to_string(run->rows[i - 1].at);
    return std::nullopt;
  }
  return run;
}

}  // namespace cradle::conform
