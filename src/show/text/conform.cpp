#include "show/text/conform.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

namespace cradle::text {
namespace {

std::string counted(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

void list(std::ostream& out, const char* title, const std::vector<std::string>& items,
          std::size_t shown) {
  if (items.empty()) return;
  out << title << '\n';
  for (std::size_t i = 0; i < items.size() && i < shown; ++i) out << "  " << items[i] << '\n';
  if (items.size() > shown) out << fmt::format("  … and {} more\n", items.size() - shown);
}

}  // namespace

void write_conformance(const Conformance& result, std::size_t shown, std::ostream& out) {
  if (result.violations.empty()) {
    out << fmt::format("conforms: {} hold at {}\n", counted(result.checks, "check", "checks"),
                       counted(result.rows, "row", "rows"));
  } else {
    out << fmt::format("does not conform: {} of {} fail at {}\n", result.violations.size(),
                       counted(result.checks, "check", "checks"),
                       counted(result.rows, "row", "rows"));
  }
  out << fmt::format("relations   {}: {} checked, {} gave modes or values, {} not covered\n",
                     result.relations, result.covered, result.used, result.uncovered.size());
  out << fmt::format("residual    at most {:.2g} of what is allowed\n", result.worst);
  if (!result.violations.empty()) {
    // Who breaks what how often, then where.
    std::map<std::string, std::size_t> times;
    for (const auto& v : result.violations) ++times[v.process + ": " + v.relation];
    out << "violated\n";
    std::size_t n = 0;
    for (const auto& v : result.violations) {
      const std::string key = v.process + ": " + v.relation;
      auto found = times.find(key);
      if (found == times.end()) continue;
      if (++n > shown) break;
      out << fmt::format("  {}\n    at {} (line {}): {}\n", key, to_string(v.at), v.line, v.detail);
      if (found->second > 1) {
        out << fmt::format("    and {} later\n", counted(found->second - 1, "time", "times"));
      }
      times.erase(found);
    }
    if (!times.empty() && n > shown) {
      out << fmt::format("  … and {}\n", counted(times.size(), "relation", "relations"));
    }
  }
  list(out, "automata that are not recorded", result.unknown_modes, shown);
  list(out, "columns that the model does not know", result.unknown_columns, shown);
  list(out, "not covered: it did not happen, or something in it is not recorded", result.uncovered,
       shown);
}

void write_conformance_json(const Conformance& result, std::ostream& out) {
  using Json = nlohmann::ordered_json;
  Json violations = Json::array();
  for (const auto& v : result.violations) {
    violations.push_back({{"t", v.at.t},
                          {"eps", v.at.eps},
                          {"step", v.at.step},
                          {"line", v.line},
                          {"process", v.process},
                          {"relation", v.relation},
                          {"detail", v.detail}});
  }
  const Json json = {{"conforms", result.ok()},
                     {"rows", result.rows},
                     {"relations", result.relations},
                     {"covered", result.covered},
                     {"used", result.used},
                     {"checks", result.checks},
                     {"worst", result.worst},
                     {"violations", std::move(violations)},
                     {"uncovered", result.uncovered},
                     {"unknown_columns", result.unknown_columns},
                     {"unknown_modes", result.unknown_modes}};
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace cradle::text
