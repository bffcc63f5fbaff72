#include "api/columns.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "api/implementation.hpp"

namespace cradle::api {

namespace {

using engine::RecordedColumn;

// As names are kept: without blanks, and grid[1, 2] as grid[1][2].
std::string as_kept(const std::string& name) {
  std::string out;
  bool index = false;
  for (char c : name) {
    if (c == ' ' || c == '\t') continue;
    if (c == '[' || c == ']') index = c == '[';
    if (c == ',' && index) {
      out += "][";
    } else {
      out += c;
    }
  }
  return out;
}

struct Column {
  std::string name;
  model::Reading reading;
};

// What a name stands for: itself, or the beginning of names, as body1 is of all that can be read of
// body1. Empty: nothing.
std::vector<Column> meant_by(const model::Model& m, const std::string& asked) {
  if (std::optional<model::Reading> shown = m.reading(asked)) return {{asked, *shown}};
  const std::string name = as_kept(asked);
  if (std::optional<model::Reading> found = m.reading(name)) return {{name, *found}};
  std::vector<Column> out;
  for (const std::string& candidate : m.readable_names()) {
    const bool below = candidate.size() > name.size() && candidate.starts_with(name) &&
                       (candidate[name.size()] == '.' || candidate[name.size()] == '[');
    if (below) out.push_back({candidate, {*m.find(candidate)}});
  }
  return out;
}

// Columns with what they need to be evaluated.
class ColumnMaker {
 public:
  explicit ColumnMaker(const plan::Plan& plan) : plan_(plan), impulses_(plan.model()) {}

  void add(const std::string& name, const model::Reading& reading) {
    add({name, reading.value, share(formula_of(reading)), may_be_impulsive(reading)});
  }
  // As it is read by name: what is defined in a mode or a `when` is absent outside.
  void add(StateId id) {
    const model::Model& m = plan_.model();
    const std::string& name = m.states[id].name;
    if (const std::optional<ExprId> found = m.find(name)) return add(name, {*found});
    const expr::Node leaf{.op = expr::Op::State, .ref = id.index};
    add({name, m.pool.find_leaf(leaf.op, leaf.ref), share(plan_.compile(leaf)), false});
  }
  std::vector<RecordedColumn> take() { return std::move(columns_); }

 private:
  void add(RecordedColumn column) { columns_.push_back(std::move(column)); }
  static std::shared_ptr<const plan::Code> share(plan::Code formula) {
    return std::make_shared<const plan::Code>(std::move(formula));
  }
  plan::Code formula_of(const model::Reading& reading) const {
    if (!reading.value.valid()) return plan_.compile(expr::Node{.value = reading.number});
    return reading.impulse ? plan_.compile_impulse(reading.value) : plan_.compile(reading.value);
  }
  bool may_be_impulsive(const model::Reading& reading) {
    return reading.value.valid() && !reading.impulse && impulses_.may_reach(reading.value);
  }

  const plan::Plan& plan_;
  plan::Impulses impulses_;
  std::vector<RecordedColumn> columns_;
};

std::vector<RecordedColumn> compiled(const plan::Plan& plan, const std::vector<Column>& columns) {
  ColumnMaker maker(plan);
  for (const Column& column : columns) maker.add(column.name, column.reading);
  return maker.take();
}

void select(const model::Model& m, const std::string& name, std::vector<Column>& out) {
  std::vector<Column> meant = meant_by(m, name);
  if (meant.empty()) {
    const std::string nearest = suggest(name, m.readable_names());
    throw std::invalid_argument("there is no signal '" + name + "' in " + m.name +
                                (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }
  for (Column& column : meant) {
    const bool twice = std::any_of(out.begin(), out.end(),
                                   [&](const auto& other) { return other.name == column.name; });
    if (!twice) out.push_back(std::move(column));
  }
}

}  // namespace

namespace {

// By the roles of all shapes in order: an expression that several have is recorded once.
struct DrawnColumns {
  std::vector<Column> columns;
  std::unordered_map<ExprId, std::size_t> places;

  const std::string& name_of(ExprId value, const std::string& shape, const std::string& role) {
    const auto [place, is_new] = places.try_emplace(value, columns.size());
    if (is_new) columns.push_back({"animate." + shape + "." + role, {value}});
    return columns[place->second].name;
  }
};

// Boxes stand around, lines hold things together, and circles are what moves.
std::string fill_of(const model::Shape& shape) {
  if (!shape.fill.empty()) return shape.fill;
  return shape.kind == model::Shape::Kind::Circle ? "blue"
         : shape.kind == model::Shape::Kind::Box  ? "grey"
                                                  : "black";
}

std::vector<Shape> make_shapes(const plan::Plan& plan, DrawnColumns& drawn) {
  const model::Model& m = plan.model();
  std::vector<Shape> out;
  for (const model::Shape& shape : m.animation) {
    Shape made{static_cast<Shape::Kind>(shape.kind),
               shape.name,
               fill_of(shape),
               shape.label,
               {},
               shape.span};
    const auto add = [&](const std::string& role, ExprId value) {
      if (m.pool.is_fixed(value)) {
        made.parts.push_back({role, "", plan.number(value)});
      } else {
        made.parts.push_back({role, drawn.name_of(value, shape.name, role), 0});
      }
    };
    for (const model::Shape::Part& part : shape.parts) add(part.role, part.value);
    if (shape.visible.valid()) add("visible", shape.visible);
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace

std::vector<RecordedColumn> drawn_columns(const plan::Plan& plan, const Options& options) {
  DrawnColumns drawn;
  if (options.record_animation) make_shapes(plan, drawn);
  return compiled(plan, drawn.columns);
}

std::vector<Shape> shapes_of(const plan::Plan& plan) {
  DrawnColumns drawn;
  return make_shapes(plan, drawn);
}

std::shared_ptr<const Model::Impl> model_for(const Model& model, const Options& options) {
  const Model::Impl& impl = model.impl();
  auto extended = std::make_shared<Model::Impl>(impl, impl.settings);
  for (const std::string& name : options.select) {
    if (meant_by(impl.flat(), name).empty()) extended->origin->also_read.push_back(name);
  }
  for (const InputSignal& input : options.inputs) {
    if (input.between != InputSignal::Between::Linear) continue;
    extended->origin->linear_inputs.push_back(input.name);
  }
  const Origin& more = *extended->origin;
  if (more.also_read.empty() && more.linear_inputs.empty()) return model.shared_impl();
  extended->build();
  return extended->plan ? std::move(extended) : model.shared_impl();
}

namespace {

std::vector<Column> chosen_columns(const model::Model& m, const Options& options) {
  std::vector<Column> out;
  if (options.select_everything) {
    for (const std::string& name : m.readable_names()) out.push_back({name, {*m.find(name)}});
    return out;
  }
  for (const std::string& name : options.select) select(m, name, out);
  if (!out.empty()) return out;
  for (const model::Column& column : m.show) out.push_back({column.name, {column.value}});
  return out;
}

// Without a choice: all states and signals.
std::vector<RecordedColumn> all_columns(const plan::Plan& plan) {
  const model::Model& m = plan.model();
  ColumnMaker maker(plan);
  std::unordered_set<std::string> names;
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    names.insert(m.states[StateId(s)].name);
    maker.add(StateId(s));
  }
  for (const model::Signal& signal : m.signals) {
    if (names.insert(signal.name).second) maker.add(signal.name, {signal.value});
  }
  return maker.take();
}

}  // namespace

std::vector<RecordedColumn> columns_for(const plan::Plan& plan, const Options& options) {
  std::vector<RecordedColumn> chosen = compiled(plan, chosen_columns(plan.model(), options));
  return chosen.empty() ? all_columns(plan) : chosen;
}

}  // namespace cradle::api
