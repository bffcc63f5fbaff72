#pragma once
// Runs and instants as JSON. Numbers read back as the same doubles; those that JSON cannot write
// are the strings "inf", "-inf" and "nan". An absent value is null.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cradle/rows.hpp"
#include "show/text/bytes.hpp"
#include "show/text/nearest.hpp"
#include "show/text/run_result.hpp"

namespace cradle::text {

// Rows as JSON, one per line: {"t", "eps", "step", "kind", "modes": {…}, "values": {…}, "impulses":
// {…}}. Keys are escaped once; objects of the JSON library would search for each key in turn.
class JsonRows {
 public:
  JsonRows() = default;
  explicit JsonRows(const RowLayout& layout);
  void append(const RowView& row, std::string& text) const;

 private:
  void append_shared(const RowView& row, std::string& text) const;

  std::vector<std::string> automata_, columns_;   // as keys
  std::vector<std::vector<std::string>> states_;  // as values
};

// What `run --json` writes: {"model", "until", "columns", "rows", "outcome", "audit", "statistics",
// "diagnostics"}. What is known only at the end stands behind the rows.
class RunJsonWriter : public RowSink {
 public:
  // `begun`: what comes before the rows, and some of them, are there already.
  enum class Begun { No, Head, Rows };
  RunJsonWriter(std::string model, std::optional<double> until, Bytes out, Begun begun = Begun::No);
  Begun begun() const { return begun_; }

  void begin(const RowLayout& layout) override;
  void take(std::span<const RowView> rows) override;
  void finish() override;
  // After the run. `diagnostics_json` is what render_json returned.
  void complete(const RunResult& run, const std::string& diagnostics_json);

 private:
  Bytes out_;
  std::string head_, text_;
  JsonRows rows_;
  Begun begun_;
};

// What `instants --json` writes: a list of the rows at which something happened; with `at`, of
// those at the recorded real time nearest to it (NearestInstant).
class InstantsJsonWriter : public RowSink {
 public:
  InstantsJsonWriter(std::optional<double> at, Bytes out) : nearest_(at), out_(std::move(out)) {}

  void begin(const RowLayout& layout) override;
  void take(std::span<const RowView> rows) override;
  void finish() override;
  // Empty if there are rows, or none was asked for.
  std::string what_is_missing() const { return nearest_.what_is_missing(); }

 private:
  NearestInstant nearest_;
  Bytes out_;
  JsonRows rows_;
  std::string text_;  // with `at`: the rows that are nearest so far
  bool any_ = false;
};

// What `check --json` says about one file.
struct CheckedFile {
  std::string file;
  bool ok = false;
  std::string diagnostics_json;
};
void write_checks_json(const std::vector<CheckedFile>& files, std::ostream& out);

// {"model", "steps": [{"rule", "what", "why"}], "names": {…}, "text"}
void write_reduction_json(const std::string& model, const Reduction& reduction, std::ostream& out);

}  // namespace cradle::text
