#pragma once
// What a person wants to know after a run.

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/basics/kept_row.hpp"
#include "cradle/rows.hpp"
#include "show/text/run_result.hpp"

namespace cradle::text {

// What of its rows a summary tells, collected while the run goes on.
class SummaryRows : public RowSink {
 public:
  void begin(const RowLayout& layout) override { layout_ = layout; }
  void take(std::span<const RowView> rows) override;
  void finish() override;

  // The first instants at which something remarkable happened, and how many more there are.
  std::string remarkable_instants() const;
  std::string final_values() const;

  // What was collected, for a run that is interrupted and taken up again, where it is loaded before
  // begin(). Throws std::runtime_error if the bytes are damaged.
  std::string save() const;
  void load(std::string_view bytes);

 private:
  template <class Archive, class T>
  requires std::same_as<std::remove_const_t<T>, SummaryRows>
  friend void fields(Archive& a, T& rows) {
    a(rows.steps_.text, rows.steps_.shown, rows.steps_.all, rows.times_.text, rows.times_.shown,
      rows.times_.all, rows.has_left_limits_, rows.above_, rows.physical_, rows.first_,
      rows.largest_);
  }
  struct List {
    std::string text;
    std::size_t shown = 0, all = 0;
  };
  void look(const RowView& row);
  void look_at_time();
  void remark(const RowView& row);
  void remember_largest(const RowView& row);
  double without_rounding(double value, std::size_t column) const;
  bool is_remarkable(const RowView& row) const;
  bool differs(const RowView& row, const RowView& before) const;
  bool has_news(const RowView& row, const RowView& above, const RowView& physical) const;
  std::vector<std::string> changes(const RowView& row, const RowView& above,
                                   const RowView& physical) const;
  const std::string& state(const RowView& row, std::size_t automaton) const;

  RowLayout layout_;
  List steps_, times_;
  bool has_left_limits_ = false;
  KeptRow above_, physical_;     // the row before, and the last one that was not mythical
  KeptRow first_;                // of the present real time
  std::vector<double> largest_;  // by column: magnitudes so far
};

// How it ended, events, modes visited, solver steps, energy audit, where something remarkable
// happened, final values.
std::string summary(const RunResult& run, const SummaryRows& rows);

// Which rows were recorded, and why: one line.
std::string describe(const RowCounts& counts);

// Its part about energy.
std::string audit_table(const EnergyAudit& audit);

}  // namespace cradle::text
