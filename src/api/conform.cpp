#include "cradle/conform.hpp"

#include "api/implementation.hpp"
#include "theory/conform/conform.hpp"

namespace cradle {

Conformance check_conformance(const Model& model, const std::string& text, double tolerance) {
  Conformance out;
  const auto run = conform::read_run(text, out.problem);
  if (!run) return out;
  const conform::Report report = conform::check(model.impl().folded(), *run, {tolerance});
  out.problem = report.problem;
  out.rows = report.rows;
  out.relations = report.relations;
  out.covered = report.covered;
  out.used = report.used;
  out.checks = report.checks;
  out.worst = report.worst;
  out.uncovered = report.uncovered;
  out.unknown_columns = report.unknown_columns;
  out.unknown_modes = report.unknown_modes;
  for (const conform::Violation& v : report.violations) {
    out.violations.push_back({v.at, v.line, v.process, v.relation, v.detail});
  }
  return out;
}

}  // namespace cradle
