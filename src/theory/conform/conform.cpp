#include "theory/conform/conform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "theory/conform/evaluate.hpp"
#include "theory/conform/parts.hpp"
#include "theory/conform/rates.hpp"
#include "theory/conform/sliding.hpp"
#include "theory/conform/strain.hpp"
#include "theory/hypa/print.hpp"

namespace cradle::conform {
namespace {

using expr::Op;
using hypa::Mark;
using hypa::Quantity;
using hypa::VariableId;
using hypa::Vocabulary;

// Beside the largest value of a variable: below this, times the tolerance, it may be zero.
constexpr double kNoise = 1e-3;
// The same beside the largest value of all: what a constraint keeps at zero is a difference of
// these.
constexpr double kFaint = 1e-4;

enum class Verdict { Undecided, Holds, Violated };

class Checker {
 public:
  Checker(const model::Model& model, const RecordedRun& run, const Options& options)
      : run_(run),
        options_(options),
        composition_(hypa::compose(model)),
        v_(composition_.specification.vocabulary),
        taken_(take_apart(composition_)),
        parts_(taken_.parts),
        strains_(model, composition_),
        borders_(v_, parts_),
        covered_(taken_.relations.size()),
        used_(taken_.relations.size()) {
    match_columns();
    find_given();
    for (const model::Junction& junction : model.junctions) {
      if (junction.automaton.valid()) controlled_.insert(junction.name);
    }
  }

  Report check() {
    report_.rows = run_.rows.size();
    if (run_.rows.empty()) {
      report_.problem = "there are no rows";
      return std::move(report_);
    }
    if (columns_.empty() && modes_.empty()) {
      report_.problem = "nothing of this model is recorded";
      return std::move(report_);
    }
    // First how large each variable gets, also those that are inferred: what is small beside that
    // may be a rounding error.
    go_through([this] { measure(); });
    report_.violations.clear();
    go_through([this] {
      find_strain();
      judge();
      judge_means();
      judge_impulses();
      judge_automata();
      sample();
    });
    finish_rates();
    for (std::size_t i = 0; i < taken_.relations.size(); ++i) {
      if (covered_[i]) {
        ++report_.covered;
      } else if (used_[i]) {
        ++report_.used;
      } else {
        report_.uncovered.push_back(taken_.relations[i]);
      }
    }
    report_.relations = taken_.relations.size();
    std::stable_sort(report_.violations.begin(), report_.violations.end(),
                     [](const Violation& a, const Violation& b) { return a.at < b.at; });
    return std::move(report_);
  }

 private:
  template <class Look>
  void go_through(const Look& look_at_row) {
    const std::size_t n = v_.size();
    now_.assign(n, {});
    before_.assign(n, {});
    previous_.assign(n, {});
    change_.assign(n, {});
    met_.clear();
    met_before_.clear();
    for (row_ = 0; row_ < run_.rows.size(); ++row_) {
      arrive();
      load();
      choose();
      infer();
      slide();
      look_at_row();
    }
  }

  void measure() {
    for (std::size_t i = 0; i < v_.size(); ++i) {
      for (const Value& value : {now_[i], change_[i]}) {
        if (!value.is_present() || !std::isfinite(value.number.finite)) continue;
        scale_[i] = std::max(scale_[i], std::abs(value.number.finite));
        largest_ = std::max(largest_, scale_[i]);
      }
    }
  }

  // --- the recorded columns ----------------------------------------------------------------------

  struct Column {
    std::size_t column;
    VariableId variable;  // it is this variable
    ExprId value;         // or this expression
  };

  void match_columns() {
    std::set<std::string> automata;
    std::set<VariableId> known;
    for (std::size_t c = 0; c < run_.columns.size(); ++c) {
      const std::string& name = run_.columns[c];
      if (const VariableId id = v_.find(name); id.valid() && v_[id].quantity == Quantity::Mode) {
        modes_.emplace_back(c, id);
        automata.insert(name);
        continue;
      }
      auto found = composition_.readable.find(name);
      if (found == composition_.readable.end()) {
        report_.unknown_columns.push_back(name);
        continue;
      }
      ExprId value = found->second;
      // In a mode of a modal model: absent elsewhere.
      if (v_.pool[value].op == Op::If && v_.pool[v_.pool[value].c].op == Op::Absent) {
        value = v_.pool[value].b;
      } else if (v_.pool[value].op == Op::When) {
        value = v_.pool[value].a;
      }
      // The first column of a variable is its value; others of the same must agree with it.
      if (v_.is_variable(value) && Vocabulary::mark_of(v_.pool[value]) == Mark::Now &&
          known.insert(Vocabulary::variable_of(v_.pool[value])).second) {
        columns_.push_back({c, Vocabulary::variable_of(v_.pool[value]), {}});
      } else {
        columns_.push_back({c, {}, value});
      }
    }
    for (VariableId id : composition_.automata) {
      if (!automata.contains(v_[id].name)) report_.unknown_modes.push_back(v_[id].name);
    }
    scale_.assign(v_.size(), 0.0);
  }

  // --- one row -----------------------------------------------------------------------------------

  // The only row of its real time: one of a solver's steps, or an instant in which little happens.
  bool stands_alone() const {
    return (row_ == 0 || !same_time(row_ - 1, row_)) &&
           (row_ + 1 == run_.rows.size() || !same_time(row_, row_ + 1));
  }
  const Instant& instant(std::size_t row) const { return run_.rows[row].at; }
  bool same_time(std::size_t a, std::size_t b) const { return instant(a).t == instant(b).t; }
  bool is_last_at_its_time() const {
    return row_ + 1 == run_.rows.size() || !same_time(row_, row_ + 1);
  }

  void arrive() {
    previous_ = now_;
    strain_before_ = std::exchange(strain_, Strain{});
    const bool first = row_ == 0;
    if (first || !same_time(row_ - 1, row_)) {
      in_jump_ = false;
    } else if (instant(row_).eps != instant(row_ - 1).eps) {
      before_ = previous_;
      in_jump_ = true;
    }
  }

  void load() {
    now_.assign(v_.size(), {});
    change_.assign(v_.size(), {});
    const RecordedRun::Row& row = run_.rows[row_];
    for (const auto& [column, id] : modes_) {
      const RecordedRun::Cell& cell = row.cells[column];
      const auto& values = v_[id].values;
      const auto found = std::find(values.begin(), values.end(), cell.text);
      if (found == values.end()) {
        violation("automaton " + v_[id].name, "one of its states",
                  cell.text.empty() ? "nothing is recorded" : "'" + cell.text + "' is recorded");
        continue;
      }
      now_[at(id)] = Value::present(static_cast<double>(found - values.begin()), 0);
    }
    for (const Column& column : columns_) {
      if (column.variable.valid()) now_[at(column.variable)] = recorded(row, column);
    }
    for (std::size_t i = 0; i < v_.size(); ++i) load_change(VariableId(i));
  }

  Value recorded(const RecordedRun::Row& row, const Column& column) const {
    const RecordedRun::Cell& cell = row.cells[column.column];
    switch (cell.kind) {
      case RecordedRun::Cell::Kind::Absent:
        return Value::absent();
      case RecordedRun::Cell::Kind::Number:
        if (std::isnan(cell.number.finite)) return Value::unknown();
        return Value::present(cell.number,
                              std::abs(cell.number.finite) + std::abs(cell.number.impulse));
      default:
        return Value::unknown();
    }
  }

  // x′ from what is recorded: x⁺ − x⁻, or the weight of the impulse of e or f.
  void load_change(VariableId id) {
    if (!in_jump_) return;
    const Value& after = now_[at(id)];
    const Value& before = before_[at(id)];
    if (after.is_present() && before.is_present()) set_change(id, after, before);
    const VariableId integral = v_[id].integral;
    if (integral.valid() && after.is_present() && change_[at(integral)].is_unknown()) {
      const double weight = after.number.impulse;
      change_[at(integral)] = Value::present(weight, std::abs(weight));
    }
  }
  void set_change(VariableId id, const Value& after, const Value& before) {
    change_[at(id)] =
        Value::present(after.number.finite - before.number.finite,
                       std::abs(after.number.finite) + std::abs(before.number.finite));
  }

  // With a size below which nothing can be told from a rounding error.
  Value look(VariableId id, Mark mark) const { return sized(id, stored(id, mark)); }
  Value sized(VariableId id, Value value) const {
    if (v_[id].quantity != Quantity::Mode && v_[id].type == expr::Type::Number) {
      value.size = std::max({value.size, kNoise * scale_[at(id)], kFaint * largest_});
    }
    return value;
  }
  Value stored(VariableId id, Mark mark) const {
    switch (mark) {
      case Mark::Now:
      case Mark::After:
        return now_[at(id)];
      case Mark::Before:
        return in_jump_ ? before_[at(id)] : Value::unknown();
      case Mark::Change:
        return in_jump_ ? change_[at(id)] : Value::unknown();
      case Mark::Tried:
        return (from_row_before_ ? before_ : previous_)[at(id)];
      case Mark::Rate:
        break;
    }
    return Value::unknown();
  }

  Value evaluated(ExprId e, Border border = Border::Decided) const {
    const Lookup lookup = [this](VariableId id, Mark mark) { return look(id, mark); };
    return evaluate(v_.pool, e, lookup, instant(row_).t + ahead_, options_.tolerance, border,
                    truths_);
  }

  // Which alternatives the modes leave, process by process.
  void choose() {
    left_.assign(parts_.size(), {});
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].role == hypa::Role::Automaton) continue;
      for (std::size_t j = 0; j < parts_[i].choices.size(); ++j) {
        const Choice& choice = parts_[i].choices[j];
        auto excluded = [this](const Item& r) {
          return r.modes_only && evaluated(r.holds).is_false();
        };
        if (std::any_of(choice.flow.begin(), choice.flow.end(), excluded)) continue;
        if (in_jump_ && std::any_of(choice.jump.begin(), choice.jump.end(), excluded) &&
            !from_row_before_allows(choice)) {
          continue;
        }
        left_[i].push_back(j);
        if (in_jump_ || parts_[i].role == hypa::Role::Integral) use(choice);
      }
    }
  }

  // A mode that modal models leave and enter again within ⟨t + kε⟩ is seen from the row before.
  bool from_row_before_allows(const Choice& choice) const {
    const Lookup row_before = [this](VariableId id, Mark) { return previous_[at(id)]; };
    return std::none_of(choice.jump.begin(), choice.jump.end(), [&](const Item& r) {
      return r.modes_only && !evaluate(v_.pool, r.holds, row_before, 0, 0).is_true();
    });
  }

  template <class Visit>
  void for_settled(const Visit& visit) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (left_[i].empty()) continue;
      const Choice& first = parts_[i].choices[left_[i][0]];
      for (const std::vector<Item>* items : {&first.flow, in_jump_ ? &first.jump : nullptr}) {
        if (items == nullptr) continue;
        for (const Item& r : *items) {
          if (!r.modes_only && !r.rate.valid() && in_all(i, r)) visit(parts_[i], r);
        }
      }
    }
  }
  bool in_all(std::size_t part, const Item& r) const {
    const auto same = [&](const Item& other) { return other.index == r.index; };
    for (std::size_t j : left_[part]) {
      const Choice& choice = parts_[part].choices[j];
      if (std::none_of(choice.flow.begin(), choice.flow.end(), same) &&
          std::none_of(choice.jump.begin(), choice.jump.end(), same)) {
        return false;
      }
    }
    return true;
  }

  Value* slot(VariableId id, Mark mark) {
    switch (mark) {
      case Mark::Now:
      case Mark::After:
        return &now_[at(id)];
      case Mark::Change:
        return in_jump_ ? &change_[at(id)] : nullptr;
      default:
        return nullptr;
    }
  }

  // Where a relation leaves one value open, it gives this value.
  void infer() {
    inferred_.clear();
    guessed_.clear();
    for (const Column& column : columns_) infer_from_column(column);
    infer_from_relations();
  }

  void infer_from_relations() {
    std::vector<std::pair<const Part*, const Item*>> open;
    for_settled([&](const Part& part, const Item& r) { open.emplace_back(&part, &r); });
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& [part, r] : open) {
        if (r == nullptr || !infer_from(*part, *r)) continue;
        inferred_.insert(r->index);
        used_[r->index] = true;
        r = nullptr;
        changed = true;
      }
    }
  }

  bool infer_from(const Part& part, const Item& r) {
    // An integral is what is recorded; its rate and its jump are checked, not used.
    if (part.role == hypa::Role::Integral) return false;
    VariableId unknown;
    Mark mark = Mark::Now;
    for (const auto& [id, m] : r.leaves) {
      if (!look(id, m).is_unknown()) continue;
      const bool same_slot = unknown.valid() && id == unknown && slot(id, m) == slot(unknown, mark);
      if (unknown.valid() && !same_slot) return false;
      unknown = id;
      mark = m;
    }
    if (!unknown.valid()) return false;
    Value* place = slot(unknown, mark);
    if (place == nullptr || !solve(v_.pool[r.holds], unknown, place)) return false;
    guessed_.insert(unknown);
    return true;
  }

  void infer_from_column(const Column& column) {
    if (column.variable.valid()) return;
    VariableId unknown;
    for (ExprId leaf : v_.pool.leaves(column.value)) {
      if (!v_.is_variable(leaf)) continue;
      const VariableId id = Vocabulary::variable_of(v_.pool[leaf]);
      if (!now_[at(id)].is_unknown()) continue;
      if (unknown.valid()) return;
      unknown = id;
    }
    const Value wanted = recorded(run_.rows[row_], column);
    if (!unknown.valid() || !wanted.is_present()) return;
    if (v_.pool[column.value].op == Op::Neg) {
      now_[at(unknown)] = Value::present(-wanted.number, wanted.size);
    }
  }

  // left = right, linear in the unknown; or the unknown alone on the left.
  bool solve(const expr::Node& node, VariableId unknown, Value* place) {
    if (node.op != Op::Equal) return false;
    const bool alone = v_.is_variable(node.a) &&
                       Vocabulary::variable_of(v_.pool[node.a]) == unknown &&
                       !reads(node.b, unknown);
    if (alone) {
      const Value value = evaluated(node.b);
      if (value.is_unknown()) return false;
      *place = value;
      return true;
    }
    if (v_.pool[node.a].type != expr::Type::Number) return false;
    Value residual[3];
    for (int i = 0; i < 3; ++i) {
      *place = Value::present(i, i);
      const Value a = evaluated(node.a), b = evaluated(node.b);
      *place = Value::unknown();
      if (!a.is_present() || !b.is_present()) return false;
      residual[i] = Value::present(a.number - b.number, a.size + b.size);
    }
    const double r0 = residual[0].number.finite, r1 = residual[1].number.finite,
                 r2 = residual[2].number.finite;
    const double slope = r1 - r0, size = residual[2].size;
    const bool linear = std::abs(r2 - 2 * r1 + r0) <= 1e-9 * size;
    if (!linear || std::abs(slope) <= 1e-9 * size || !std::isfinite(slope)) return false;
    *place = Value::present({-r0 / slope, -residual[0].number.impulse / slope},
                            residual[0].size / std::abs(slope));
    return true;
  }
  bool reads(ExprId e, VariableId id) const {
    for (ExprId leaf : v_.pool.leaves(e)) {
      if (v_.is_variable(leaf) && Vocabulary::variable_of(v_.pool[leaf]) == id) return true;
    }
    return false;
  }

  // --- sliding -----------------------------------------------------------------------------------

  // What is the same on all sides of a border: states, and what no process of the model says.
  void find_given() {
    given_.assign(v_.size(), false);
    for (std::size_t i = 0; i < v_.size(); ++i) {
      const Quantity quantity = v_[VariableId(i)].quantity;
      given_[i] =
          quantity == Quantity::State || quantity == Quantity::Mode || quantity == Quantity::Signal;
    }
    for (VariableId id : composition_.states) given_[at(id)] = true;
    for (const Part& part : parts_) {
      if (part.role != hypa::Role::Signal) continue;
      for (const Choice& choice : part.choices) {
        for (const Item& r : choice.flow) {
          const expr::Node& node = v_.pool[r.holds];
          if (node.op == Op::Equal && v_.is_variable(node.a)) {
            given_[at(Vocabulary::variable_of(v_.pool[node.a]))] = false;
          }
        }
      }
    }
  }

  // Where the row is on borders that push back from both sides, values are means over the sides.
  void slide() {
    slid_.reset();
    if (row_ > 0 && !same_time(row_ - 1, row_)) met_before_ = std::move(met_);
    met_.clear();
    if (borders_.empty()) return;
    met_ = borders_.met([this](ExprId e) { return evaluated(e); }, options_.tolerance);
    if (met_.empty()) return;
    sights_.clear();
    const auto ways = find_ways(met_.size(), [this](unsigned above) -> const Sight& {
      const auto known = sights_.find(above);
      return known != sights_.end() ? known->second : sights_[above] = sight(above);
    });
    // Where it comes to a border, or is just leaving one, the row may be that of a side.
    std::size_t fewest = 0;
    for (const Slid& way : ways) {
      const std::size_t off = misfits(way);
      if ((slid_ && off >= fewest) || (off > 0 && !must_slide(way))) continue;
      slid_ = way;
      fewest = off;
    }
    if (!slid_) return;
    load();
    choose();
    for (std::size_t i = 0; i < v_.size(); ++i) {
      if (now_[i].is_unknown()) now_[i] = mean(VariableId(i));
    }
    infer();
  }

  // It has been on these borders for some time, and is in the midst of them.
  bool must_slide(const Slid& way) const {
    constexpr double kEdge = 1e-4;
    for (std::size_t j = 0; j < way.along.size(); ++j) {
      const std::size_t border = met_[way.along[j]];
      if (std::find(met_before_.begin(), met_before_.end(), border) == met_before_.end() ||
          !(way.shares[j] > kEdge && way.shares[j] < 1 - kEdge)) {
        return false;
      }
    }
    return way.lasts && !in_jump_ && stands_alone();
  }

  Value mean(VariableId id) const {
    const Value value = slid_->mean([&](const Seen& side) { return side.values[at(id)]; });
    const bool differs = std::any_of(
        slid_->sides.begin(), slid_->sides.end(),
        [&](const Seen* side) { return !(side->values[at(id)].number == value.number); });
    return differs && v_[id].type != expr::Type::Number ? Value::unknown() : value;
  }

  // How many recorded values are not the mean of their sides.
  std::size_t misfits(const Slid& way) {
    std::size_t out = 0;
    const std::optional<Slid> before = std::exchange(slid_, way);
    for_means([&](const Column&, const Value& wanted, const Value& value, double bound) {
      if (!(std::abs(wanted.number.finite - value.number.finite) <= bound)) ++out;
    });
    slid_ = before;
    return out;
  }

  // Every recorded number with the mean over the sides that it should be.
  template <class Visit>
  void for_means(const Visit& visit) {
    for (const Column& column : columns_) {
      const Value wanted = recorded(run_.rows[row_], column);
      if (!wanted.is_present()) continue;
      Value value;
      double scale = 0;
      if (column.variable.valid()) {
        if (v_[column.variable].type != expr::Type::Number || given_[at(column.variable)]) continue;
        value = mean(column.variable);
        scale = scale_[at(column.variable)];
      } else {
        if (v_.pool[column.value].type != expr::Type::Number) continue;
        value = slid_->mean([&](const Seen& side) { return evaluated_on(side, column.value); });
      }
      if (!value.is_present()) continue;
      const double bound =
          options_.tolerance * (wanted.size + value.size + kNoise * scale) + 1e-300;
      visit(column, wanted, value, bound);
    }
  }
  Value evaluated_on(const Seen& side, ExprId e) const {
    const Lookup lookup = [&](VariableId id, Mark mark) {
      return mark == Mark::Now ? sized(id, side.values[at(id)]) : Value::unknown();
    };
    return evaluate(v_.pool, e, lookup, instant(row_).t, options_.tolerance);
  }

  // The side above these of the borders that are met.
  BorderSide side_of(unsigned above) const {
    BorderSide out;
    const auto value = [this](ExprId e, const BorderSide& side) {
      const Lookup lookup = [this](VariableId id, Mark mark) { return look(id, mark); };
      return evaluate(v_.pool, e, lookup, instant(row_).t, options_.tolerance, Border::Decided,
                      &side.truths);
    };
    const auto mode = [this](VariableId id) { return mode_in(now_, id); };
    for (std::size_t j = 0; j < met_.size(); ++j) {
      BorderSide one = borders_.side(met_[j], (above >> j & 1U) != 0, value, mode);
      out.truths.merge(one.truths);
      out.modes.merge(one.modes);
    }
    return out;
  }

  // What a side does, and how it moves the gaps of the borders that are met.
  Sight sight(unsigned above) {
    const BorderSide side = side_of(above);
    Sight out;
    out.seen = seen_on(side, 0, nullptr);
    const double step = small_step(out.seen);
    const std::vector<std::optional<double>> from = gaps(seen_on(side, -step, &out.seen)),
                                             to = gaps(seen_on(side, step, &out.seen));
    for (std::size_t j = 0; j < met_.size(); ++j) {
      out.speeds.emplace_back();
      if (from[j] && to[j]) out.speeds.back() = (*to[j] - *from[j]) / (2 * step);
    }
    return out;
  }
  double small_step(const Seen& side) const {
    constexpr double kSmall = 1e-5;
    double step = instant(run_.rows.size() - 1).t - instant(0).t;
    for (const auto& [id, rate] : side.rates) {
      const double speed = std::abs(rate.number.finite);
      if (rate.is_present() && speed > 0 && scale_[at(id)] > 0) {
        step = std::min(step, scale_[at(id)] / speed);
      }
    }
    return step > 0 ? kSmall * step : kSmall;
  }
  std::vector<std::optional<double>> gaps(const Seen& side) const {
    std::vector<std::optional<double>> out;
    for (std::size_t border : met_) {
      const Value a = evaluated_on(side, borders_[border].a),
                  b = evaluated_on(side, borders_[border].b);
      out.emplace_back();
      if (a.is_present() && b.is_present()) out.back() = a.number.finite - b.number.finite;
    }
    return out;
  }

  // The row on a side: as it is, or as it would be `ahead` later with the rates of `there`.
  Seen seen_on(const BorderSide& side, double ahead, const Seen* there) {
    const auto now = now_;
    const auto left = left_;
    const auto inferred = inferred_;
    const auto guessed = guessed_;
    const bool in_jump = std::exchange(in_jump_, false);
    truths_ = &side.truths;
    ahead_ = ahead;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      if (!given_[i]) now_[i] = Value::unknown();
    }
    for (const auto& [id, mode] : side.modes) now_[at(id)] = Value::present(mode, 0);
    if (there != nullptr) {
      for (const auto& [id, rate] : there->rates) {
        Value& x = now_[at(id)];
        if (!rate.is_present()) x = Value::unknown();
        if (x.is_present()) x.number.finite += ahead * rate.number.finite;
      }
    }
    inferred_.clear();
    choose();
    infer_from_relations();
    Seen out;
    look_around(out);
    out.values = now_;
    now_ = now;
    left_ = left;
    inferred_ = inferred;
    guessed_ = guessed;
    in_jump_ = in_jump;
    truths_ = nullptr;
    ahead_ = 0;
    return out;
  }
  void look_around(Seen& out) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].role == hypa::Role::Automaton || left_[i].empty()) continue;
      for (const Item& r : parts_[i].choices[left_[i][0]].flow) {
        if (r.rate.valid() && in_all(i, r)) out.rates[r.rate] = evaluated(v_.pool[r.holds].b);
      }
    }
    for_settled([&](const Part& part, const Item& r) {
      std::string detail;
      if (!inferred_.contains(r.index) && verdict(part, r, detail) == Verdict::Violated) {
        out.violated.insert(r.index);
      }
    });
  }

  // A relation need not hold of means: it holds on every side.
  Verdict verdict_on_sides(const Item& r) const {
    Verdict out = Verdict::Holds;
    for (const Seen* side : slid_->sides) {
      if (side->violated.contains(r.index)) return Verdict::Violated;
      for (const auto& [id, mark] : r.leaves) {
        if (side->values[at(id)].is_unknown()) out = Verdict::Undecided;
      }
    }
    return out;
  }

  void judge_means() {
    if (!slid_) return;
    for_means([&](const Column& column, const Value& wanted, const Value& value, double bound) {
      ++report_.checks;
      if (std::abs(wanted.number.finite - value.number.finite) <= bound) return;
      violation(run_.columns[column.column],
                "the mean of the sides of " + borders_text() + ", with which the run stays there",
                to_string(wanted.number) + " against " + to_string(value.number));
    });
  }
  // What varies stands on the left.
  std::string borders_text() {
    std::string out;
    for (std::size_t j : slid_->along) {
      BorderLine border = borders_[met_[j]];
      if (v_.pool.is_constant(border.a)) std::swap(border.a, border.b);
      out +=
          (out.empty() ? "" : " and ") + to_string(v_, border.a) + " = " + to_string(v_, border.b);
    }
    return out;
  }

  // --- strain ------------------------------------------------------------------------------------

  // Is the mode of this row only tried? Then another follows at the same ⟨t + kε⟩.
  bool is_tried() const {
    return row_ + 1 < run_.rows.size() && same_time(row_, row_ + 1) &&
           instant(row_).eps == instant(row_ + 1).eps && instant(row_).eps >= 0;
  }

  void find_strain() {
    if (controlled_.empty() || !is_tried()) return;
    strain_.reset();
    std::vector<ExprId> flow;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].role != hypa::Role::Physics || controlled_.contains(parts_[i].name)) continue;
      if (left_[i].empty()) return;
      for (const Item& r : parts_[i].choices[left_[i][0]].flow) {
        if (r.modes_only || r.rate.valid()) continue;
        if (!in_all(i, r)) return;
        flow.push_back(r.holds);
      }
    }
    strain_ = strains_.find(
        flow, [this](ExprId e) { return evaluated(e); },
        [this](AutomatonId id) { return mode_in(now_, composition_.automata[at(id)]); },
        options_.tolerance);
  }

  // In a strained mode the relations of its junctions are off by what their parasitics take; what
  // was inferred by these relations is not known.
  bool is_excused(const Part& part, const Item& r) const {
    if (strain_ && !strain_->is_strained) return false;
    const auto guessed = [this](const auto& leaf) { return guessed_.contains(leaf.first); };
    if (std::any_of(r.leaves.begin(), r.leaves.end(), guessed)) return true;
    if (!controlled_.contains(part.name)) return false;
    if (!strain_ || speaks_with(r, Mark::Change)) return true;
    const expr::Node& node = v_.pool[r.holds];
    if (node.op != Op::Equal) return false;
    const Value a = evaluated(node.a), b = evaluated(node.b);
    if (!a.is_present() || !b.is_present()) return true;
    const double off = std::abs(a.number.finite - b.number.finite);
    const auto& relief = strain_->relief.at(part.name);
    constexpr double kFine = 1e-3;  // numbers that went through null vectors
    return std::any_of(relief.begin(), relief.end(),
                       [&](double x) { return std::abs(off - x) <= kFine * std::max(off, x); });
  }

  // --- verdicts ----------------------------------------------------------------------------------

  double floor_of(const Item& r) const {
    double scale = 0;
    for (const auto& [id, mark] : r.leaves) scale = std::max(scale, scale_[at(id)]);
    return kNoise * options_.tolerance * scale + 1e-300;
  }

  // `detail` gets the numbers if the relation is violated.
  Verdict verdict(const Part& part, const Item& r, std::string& detail) {
    const expr::Node& node = v_.pool[r.holds];
    if (node.op != Op::Equal && node.op != Op::LessEqual && node.op != Op::Less) {
      const Value value = evaluated(r.holds);
      if (value.is_unknown()) return Verdict::Undecided;
      if (!value.is_true()) detail = value.is_present() ? "it is false" : "it is absent";
      return value.is_true() ? Verdict::Holds : Verdict::Violated;
    }
    const Value a = evaluated(node.a), b = evaluated(node.b);
    if (a.is_unknown() || b.is_unknown()) return Verdict::Undecided;
    if (!a.is_present() || !b.is_present()) {
      if (a.state == b.state) return Verdict::Holds;
      if (part.role != hypa::Role::Signal) return Verdict::Undecided;
      detail = a.is_present() ? to_string(a.number) + " against absent"
                              : "absent against " + to_string(b.number);
      return Verdict::Violated;
    }
    const double bound = options_.tolerance * (a.size + b.size) + floor_of(r);
    double off = std::abs(a.number.finite - b.number.finite);
    // Of a bond graph the finite parts obey the flow, and the impulses the jump, as p′ and q′.
    // While time flows none is recorded.
    const bool flows = stands_alone() && a.number.impulse == 0;
    if (part.role != hypa::Role::Physics && !flows) {
      off += std::abs(a.number.impulse - b.number.impulse);
    }
    if (a.number == b.number) off = 0;  // also infinities
    if (node.op != Op::Equal && a.number < b.number) off = 0;
    if (!(off <= bound)) {
      detail = to_string(a.number) + (node.op == Op::Equal ? " against " : " is not below ") +
               to_string(b.number);
      return Verdict::Violated;
    }
    if (bound > 0) report_.worst = std::max(report_.worst, off / bound);
    return Verdict::Holds;
  }

  void violation(const std::string& process, const std::string& relation,
                 const std::string& detail) {
    violation_at(row_, process, relation, detail);
  }
  void violation_at(std::size_t row, const std::string& process, const std::string& relation,
                    const std::string& detail) {
    report_.violations.push_back({instant(row), run_.rows[row].line, process, relation, detail});
  }

  void judge() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      if (part.role == hypa::Role::Automaton) continue;
      if (left_[i].empty()) {
        violation(part.name, "one of its alternatives", "none allows this change of modes");
        continue;
      }
      judge(i);
      if (part.role == hypa::Role::Bond && in_jump_) judge_impulses(part);
    }
    for (const Column& column : columns_) judge_column(column);
  }

  struct Judged {
    std::vector<const Item*> holds;
    std::vector<std::pair<const Item*, std::string>> violated;
  };
  Judged judged(const Part& part, const Choice& choice) {
    Judged out;
    for (const std::vector<Item>* items : {&choice.flow, in_jump_ ? &choice.jump : nullptr}) {
      if (items == nullptr) continue;
      for (const Item& r : *items) {
        if (r.modes_only || r.rate.valid() || inferred_.contains(r.index)) continue;
        std::string detail;
        switch (verdict(part, r, detail)) {
          case Verdict::Undecided:
            break;
          case Verdict::Holds:
            out.holds.push_back(&r);
            break;
          case Verdict::Violated:
            if (slid_ && verdict_on_sides(r) != Verdict::Violated) {
              if (verdict_on_sides(r) == Verdict::Holds) out.holds.push_back(&r);
            } else if (!is_excused(part, r)) {
              out.violated.emplace_back(&r, detail);
            }
            break;
        }
      }
    }
    return out;
  }

  void judge(std::size_t i) {
    const Part& part = parts_[i];
    // The alternative that breaks least, and among these the one of which most can be seen.
    std::optional<Judged> best;
    auto offer = [&](Judged now) {
      const auto worse = [](const Judged& a, const Judged& b) {
        if (a.violated.size() != b.violated.size()) return a.violated.size() > b.violated.size();
        return a.holds.size() < b.holds.size();
      };
      if (!best || worse(*best, now)) best = std::move(now);
    };
    const bool microsteps =
        part.role == hypa::Role::Integral && row_ > 0 && same_time(row_ - 1, row_);
    if (settle_postponed(i)) return;
    for (std::size_t j : left_[i]) {
      if (microsteps) {
        if (auto now = judged_from_row_before(part, part.choices[j])) offer(std::move(*now));
      }
      if (!microsteps || in_jump_) offer(judged(part, part.choices[j]));
    }
    if (!best) return;
    if (part.role == hypa::Role::Integral && !microsteps && !in_jump_ && row_ > 0) {
      judge_rest_of(part, part.choices[left_[i][0]]);
    }
    for (const Item* r : best->holds) {
      covered_[r->index] = true;
      ++report_.checks;
    }
    if (microsteps && postpone(i, *best)) return;
    for (const auto& [r, detail] : best->violated) {
      covered_[r->index] = true;
      ++report_.checks;
      violation(part.name, to_string(v_, r->holds), detail);
    }
  }

  // An impulse in the derivative of an integral is seen only afterwards: at the next ε-step the
  // integral has jumped by its weight. Until then it has not moved.
  struct Postponed {
    const Item* relation;
    VariableId x;
    Value weight;
  };

  // What x changed by since the row before.
  std::optional<Value> moved(VariableId x) const {
    const Value &after = now_[at(x)], &before = previous_[at(x)];
    if (!after.is_present() || !before.is_present()) return std::nullopt;
    return Value::present(after.number.finite - before.number.finite, after.size + before.size);
  }

  bool postpone(std::size_t part, const Judged& judged) {
    if (judged.violated.size() != 1) return false;
    const Item& r = *judged.violated[0].first;
    const expr::Node& node = v_.pool[r.holds];
    if (node.op != Op::Equal || !v_.is_variable(node.a)) return false;
    const VariableId x = Vocabulary::variable_of(v_.pool[node.a]);
    const std::optional<Value> change = moved(x);
    const Value weight = evaluated(node.b);
    if (!change || change->number.finite != 0 || !weight.is_present()) return false;
    postponed_[part] = {&r, x, weight};
    return true;
  }

  // True: this row shows what was waited for, or fails to.
  bool settle_postponed(std::size_t part) {
    const auto found = postponed_.find(part);
    if (found == postponed_.end()) return false;
    const Postponed waiting = found->second;
    postponed_.erase(found);
    const bool goes_on = same_time(row_ - 1, row_);
    if (goes_on && instant(row_ - 1).eps == instant(row_).eps) return false;  // mythical so far
    const std::optional<Value> change = goes_on ? moved(waiting.x) : Value::present(0, 0);
    if (!change) return false;
    covered_[waiting.relation->index] = true;
    ++report_.checks;
    const double bound =
        options_.tolerance * (change->size + waiting.weight.size) + floor_of(*waiting.relation);
    if (std::abs(change->number.finite - waiting.weight.number.finite) <= bound) return true;
    violation(parts_[part].name, to_string(v_, waiting.relation->holds),
              to_string(change->number) + " against " + to_string(waiting.weight.number));
    return true;
  }

  // Where time has just moved on no impulse acts on an integral.
  void judge_rest_of(const Part& part, const Choice& choice) {
    for (const Item& r : choice.jump) {
      const expr::Node& node = v_.pool[r.holds];
      if (r.modes_only || node.op != Op::Equal || speaks_with(r, Mark::Before)) continue;
      const Value weight = evaluated(node.b);
      if (!weight.is_present() || std::abs(weight.number.finite) <= floor_of(r)) continue;
      violation(part.name, to_string(v_, r.holds),
                "a weight of " + to_string(weight.number) + ", but nothing jumps here");
    }
  }

  // Integrals are committed at every microstep, stores at every ε-step. None if the modes of the
  // row before exclude this alternative.
  std::optional<Judged> judged_from_row_before(const Part& part, const Choice& choice) {
    std::swap(before_, previous_);
    const bool arrived = std::exchange(in_jump_, true);
    from_row_before_ = true;
    const std::vector<Value> changes = change_;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      if (v_[VariableId(i)].quantity != Quantity::State) continue;
      if (now_[i].is_present() && before_[i].is_present()) {
        set_change(VariableId(i), now_[i], before_[i]);
      }
    }
    std::optional<Judged> out;
    if (std::none_of(choice.jump.begin(), choice.jump.end(), [this](const Item& r) {
          return r.modes_only && evaluated(r.holds).is_false();
        })) {
      out = judged(part, choice);
    }
    change_ = changes;
    in_jump_ = arrived;
    from_row_before_ = false;
    std::swap(before_, previous_);
    return out;
  }

  // Where both are recorded, the p′ of a store is the impulse of its e.
  void judge_impulses(const Part& part) {
    for (const Item& r : part.choices[0].flow) {
      const expr::Node& node = v_.pool[r.holds];
      const Value power = evaluated(node.b), change = change_[at(r.rate)];
      const Value& after = now_[at(r.rate)];
      if (!power.is_present() || !change.is_present() || !after.is_present()) continue;
      if (!before_[at(r.rate)].is_present() || taken_.restarts.contains(r.rate)) continue;
      const double off = std::abs(change.number.finite - power.number.impulse);
      const double size = change.size + std::abs(power.number.impulse) + kFaint * largest_;
      if (off <= options_.tolerance * size + floor_of(r)) continue;
      const std::string x = v_[r.rate].name;
      violation(part.name, x + "′ = impulse(" + to_string(v_, node.b) + ")",
                to_string(change.number) + " against " + to_string(Number(power.number.impulse)));
    }
  }

  void judge_column(const Column& column) {
    if (column.variable.valid()) return;
    const Value wanted = recorded(run_.rows[row_], column), value = evaluated(column.value);
    if (!wanted.is_present() || !value.is_present() || slid_) return;  // then: judge_means
    ++report_.checks;
    const double bound = options_.tolerance * (wanted.size + value.size) + 1e-300;
    const double off = std::abs(wanted.number.finite - value.number.finite);
    if (off <= bound || v_.pool[column.value].op == Op::ImpulseOf) return;
    violation("column " + run_.columns[column.column], to_string(v_, column.value),
              to_string(wanted.number) + " against " + to_string(value.number));
  }

  // While time flows nothing carries an impulse.
  void judge_impulses() {
    if (row_ == 0 || same_time(row_ - 1, row_) || !is_last_at_its_time()) return;
    for (const Column& column : columns_) {
      const Value value = recorded(run_.rows[row_], column);
      if (!value.is_present() || value.number.impulse == 0) continue;
      violation("column " + run_.columns[column.column], "no impulse while time flows",
                to_string(value.number));
    }
  }

  // --- switching ---------------------------------------------------------------------------------

  std::optional<std::size_t> mode_in(const std::vector<Value>& values, VariableId id) const {
    if (!values[at(id)].is_present()) return std::nullopt;
    return static_cast<std::size_t>(values[at(id)].number.finite);
  }

  void judge_automata() {
    begins_over_ = false;
    const bool same_epsilon =
        row_ > 0 && same_time(row_ - 1, row_) && instant(row_ - 1).eps == instant(row_).eps;
    if (!same_epsilon) tried_.clear();
    std::vector<double> modes;
    for (VariableId id : composition_.automata) modes.push_back(now_[at(id)].number.finite);
    // Where moving together comes round, inference begins over from a mode that it began with.
    begins_over_ = std::find(tried_.begin(), tried_.end(), modes) != tried_.end() &&
                   modes != tried_.back() && may_be_left();
    tried_.push_back(std::move(modes));
    for (const Part& part : parts_) {
      if (part.role == hypa::Role::Automaton) judge_automaton(part);
    }
  }

  // Could inference leave the mode of the row before?
  bool may_be_left() {
    for (const Part& part : parts_) {
      if (part.role != hypa::Role::Automaton || part.modal) continue;
      const VariableId id = subject(part);
      const auto from = mode_in(previous_, id);
      for (const Choice& choice : part.choices) {
        const auto a = mode_of(choice.jump, id, Mark::Before),
                   b = mode_of(choice.flow, id, Mark::Now);
        std::string why;
        if (a == from && b && b != a && may_be_taken(part, choice, why)) return true;
      }
    }
    return false;
  }

  // The mode variable that an automaton's process is about stands in the first relation.
  VariableId subject(const Part& part) const { return part.choices[0].jump[0].leaves[0].first; }

  static bool speaks_with(const Item& r, Mark mark) {
    return std::any_of(r.leaves.begin(), r.leaves.end(),
                       [mark](const auto& leaf) { return leaf.second == mark; });
  }

  void judge_automaton(const Part& part) {
    const VariableId id = subject(part);
    const auto now = mode_in(now_, id);
    if (!now) return;
    const auto was = row_ > 0 ? mode_in(previous_, id) : std::nullopt;
    // In a mode of a modal model: only while that is active.
    const Lookup row_before = [this](VariableId x, Mark) { return previous_[at(x)]; };
    for (const Item& r : part.choices[0].flow) {
      if (!r.modes_only || mode_of({r}, id, Mark::Now)) continue;
      if (!evaluated(r.holds).is_true()) return;
      if (!evaluate(v_.pool, r.holds, row_before, 0, 0).is_true()) return;
    }
    if (was && *was != *now && !(begins_over_ && !part.modal)) {
      judge_move(part, id, *was, *now);
    }
    if (row_ + 1 == run_.rows.size()) return;
    if (is_last_at_its_time()) {
      judge_rest(part, id, *now);
    } else if (!part.modal && !is_tried() && instant(row_).eps >= 0) {
      judge_settled(part, id, *now);
    }
  }

  // Guards on junctions are judged on series: on the border the future decides, which is not
  // recorded.
  static Border border_of(const Part& part) { return part.modal ? Border::Decided : Border::Open; }

  // Where ε passes, inference has settled: no transition by inference may be enabled.
  void judge_settled(const Part& part, VariableId id, std::size_t mode) {
    const Lookup here = [this](VariableId x, Mark) { return look(x, Mark::Now); };
    for (const Choice& choice : part.choices) {
      const auto a = mode_of(choice.jump, id, Mark::Before),
                 b = mode_of(choice.flow, id, Mark::Now);
      if (!a || !b || *a != mode || *b == mode) continue;
      for (const Item& r : choice.jump) {
        if (r.modes_only || !speaks_with(r, Mark::Tried)) continue;
        const Value guard =
            evaluate(v_.pool, r.holds, here, instant(row_).t, options_.tolerance, border_of(part));
        if (!guard.is_present()) continue;
        covered_[r.index] = true;
        ++report_.checks;
        if (!guard.is_true()) continue;
        violation(part.name, to_string(v_, r.holds),
                  "a transition by inference is enabled, but " + v_[id].name + " stays in " +
                      v_[id].values[mode]);
      }
    }
  }

  // from → to, on the values of the row before.
  void judge_move(const Part& part, VariableId id, std::size_t from, std::size_t to) {
    const std::string change = v_[id].name + " " + v_[id].values[from] + " → " + v_[id].values[to];
    if (!same_time(row_ - 1, row_)) {
      violation(part.name, v_[id].name + " does not change while time flows", change);
      return;
    }
    bool any = false, chain = false;
    std::string why;
    for (const Choice& choice : part.choices) {
      const auto a = mode_of(choice.jump, id, Mark::Before),
                 b = mode_of(choice.flow, id, Mark::Now);
      if (!a || *a != from) continue;
      if (b && *b != to) {
        chain = chain || *b != from;  // perhaps the first of several
        continue;
      }
      use(choice);
      any = may_be_taken(part, choice, why) || any;
    }
    if (any || (why.empty() && chain)) return;
    violation(part.name, change, why.empty() ? "there is no such transition" : why);
  }

  void use(const Choice& choice) {
    for (const Item& r : choice.jump) used_[r.index] = used_[r.index] || r.modes_only;
    for (const Item& r : choice.flow) used_[r.index] = used_[r.index] || r.modes_only;
  }

  // Inference needs a mode that was tried: not where real time has just moved on.
  bool may_be_taken(const Part& part, const Choice& transition, std::string& why) {
    const bool arrives = instant(row_ - 1).eps < 0;
    const Lookup row_before = [&](VariableId id, Mark) {
      return part.modal ? previous_[at(id)] : sized(id, previous_[at(id)]);
    };
    for (const Item& r : transition.jump) {
      if (r.modes_only) continue;
      if (arrives && speaks_with(r, Mark::Tried)) return false;
      const Value guard = evaluate(v_.pool, r.holds, row_before, instant(row_).t,
                                   options_.tolerance, border_of(part));
      covered_[r.index] = true;
      ++report_.checks;
      if (guard.is_true() || guard.is_unknown()) continue;
      if (!part.modal && speaks_with(r, Mark::Tried) && may_hold_by_strain(r)) continue;
      why += (why.empty() ? "" : "; ") + to_string(v_, r.holds) +
             (guard.is_present() ? " is false" : " is absent");
      return false;
    }
    return true;
  }

  // Judged on the row before: strain comes before what is finite.
  bool may_hold_by_strain(const Item& guard) const {
    if (!strain_before_) return true;
    const Lookup lookup = [this](VariableId id, Mark) {
      Value value = sized(id, previous_[at(id)]);
      if (const auto found = strain_before_->parts.find(id); found != strain_before_->parts.end()) {
        value.strain = found->second.value;
        value.strain_size = found->second.size;
      }
      return value;
    };
    return !evaluate(v_.pool, guard.holds, lookup, instant(row_).t, options_.tolerance,
                     Border::Open)
                .is_false();
  }

  std::optional<std::size_t> mode_of(const std::vector<Item>& items, VariableId id,
                                     Mark mark) const {
    return conform::mode_of(v_, items, id, mark);
  }

  // Does the run slide between two modes of a modal model?
  bool is_relay(VariableId id) const {
    return slid_ && std::any_of(slid_->sides.begin(), slid_->sides.end(), [&](const Seen* side) {
             return mode_in(side->values, id) != mode_in(now_, id);
           });
  }

  // Where time goes on, no transition may be enabled.
  void judge_rest(const Part& part, VariableId id, std::size_t mode) {
    if (is_relay(id)) return;
    for (const Choice& choice : part.choices) {
      const auto a = mode_of(choice.jump, id, Mark::Before),
                 b = mode_of(choice.flow, id, Mark::Now);
      if (!a || !b || *a != mode || *b != mode) continue;
      use(choice);
      for (const Item& r : choice.flow) {
        if (r.modes_only && evaluated(r.holds).is_false()) return;  // its mode is not active
      }
      for (const Item& r : choice.flow) {
        if (r.modes_only) continue;
        const Value value = evaluated(r.holds, border_of(part));
        if (!value.is_present()) continue;
        covered_[r.index] = true;
        ++report_.checks;
        if (!value.is_false()) continue;
        violation(
            part.name, to_string(v_, r.holds),
            "a transition is enabled, but " + v_[id].name + " stays in " + v_[id].values[mode]);
      }
      return;
    }
  }

  // --- rates -------------------------------------------------------------------------------------

  // Collects x and its rate while time flows; judges when an event ends it.
  void sample() {
    const bool ends = row_ + 1 < run_.rows.size() && same_time(row_, row_ + 1);
    const bool inside = row_ > 0 && same_time(row_ - 1, row_);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      if (part.role == hypa::Role::Automaton || left_[i].empty()) continue;
      for (const Item& r : part.choices[left_[i][0]].flow) {
        if (!r.rate.valid() || !in_all(i, r)) continue;
        Sampled& sampled = rates_[r.index];
        if (inside) finish(sampled);  // an event: begin anew behind it
        sampled.part = &part;
        sampled.relation = &r;
        const Value x = now_[at(r.rate)], rate = rate_of(r);
        const bool known = x.is_present() && rate.is_present();
        if (known) sampled.rate.add(row_, instant(row_).t, x.number.finite, rate.number.finite);
        if (!known || ends) finish(sampled);
      }
    }
  }

  Value rate_of(const Item& r) const {
    if (!slid_) return evaluated(v_.pool[r.holds].b);
    const Value value = slid_->mean([&](const Seen& side) {
      const auto rate = side.rates.find(r.rate);
      return rate == side.rates.end() ? Value::unknown() : rate->second;
    });
    // What is recorded is a mean; what is made of it need not be.
    const bool plain = v_.is_variable(v_.pool[r.holds].b);
    return value.is_unknown() && plain ? evaluated(v_.pool[r.holds].b) : value;
  }

  struct Sampled {
    const Part* part = nullptr;
    const Item* relation = nullptr;
    Rate rate;
  };

  void finish_rates() {
    for (auto& [index, sampled] : rates_) finish(sampled);
  }

  void finish(Sampled& sampled) {
    if (sampled.relation == nullptr) return;
    const Item& relation = *sampled.relation;
    sampled.rate.finish(options_.tolerance, floor_of(relation), [&](const Rate::Finding& found) {
      covered_[relation.index] = true;
      ++report_.checks;
      if (found.holds) return;
      violation_at(found.to, sampled.part->name, to_string(v_, relation.holds),
                   fmt::format("since {} {} changed by {}, the integral is {}",
                               to_string(instant(found.from)), v_[relation.rate].name,
                               format_number(found.change), format_number(found.integral)));
    });
  }

  const RecordedRun& run_;
  Options options_;
  hypa::Composition composition_;
  const hypa::Vocabulary& v_;
  Parts taken_;
  const std::vector<Part>& parts_;
  StrainFinder strains_;
  Borders borders_;
  std::set<std::string> controlled_;  // junctions with automata
  std::vector<bool> covered_, used_;  // by relation
  std::vector<Column> columns_;
  std::vector<std::pair<std::size_t, VariableId>> modes_;  // columns of automata
  std::vector<double> scale_;                              // largest recorded value, by variable
  double largest_ = 0;                                     // of these
  Report report_;

  std::vector<bool> given_;                    // by variable: the same on all sides of borders
  std::vector<std::size_t> met_, met_before_;  // borders: at this row, at the time before
  std::map<unsigned, Sight> sights_;           // of this row
  std::optional<Slid> slid_;                   // along borders, at this row
  const Truths* truths_ = nullptr;             // of a side that is looked at
  double ahead_ = 0;                           // and how much later than the row

  std::size_t row_ = 0;
  bool in_jump_ = false;          // the values on arrival are known
  bool from_row_before_ = false;  // x⁻ and x° are those of the row before: see there
  std::vector<Value> now_, before_, previous_, change_;
  std::vector<std::vector<std::size_t>> left_;
  std::set<std::size_t> inferred_;
  std::set<VariableId> guessed_;            // what was inferred
  std::vector<std::vector<double>> tried_;  // modes of all automata, so far in this ⟨t + kε⟩
  bool begins_over_ = false;                // pivoting: at this row
  // Of this row, and of the one before. None: it cannot be told.
  std::optional<Strain> strain_ = Strain{}, strain_before_ = Strain{};
  std::map<std::size_t, Sampled> rates_;        // by relation
  std::map<std::size_t, Postponed> postponed_;  // by part
};

}  // namespace

Report check(const model::Model& model, const RecordedRun& run, const Options& options) {
  return Checker(model, run, options).check();
}

}  // namespace cradle::conform
