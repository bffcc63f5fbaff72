#include "api/columns.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

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

// What a name stands for: itself, or the beginning of names, as body1 is of all that can be read of
// body1. Empty: nothing.
std::vector<RecordedColumn> meant_by(const model::Model& m, const std::string& asked) {
  if (std::optional<ExprId> shown = m.find(asked)) return {{asked, *shown}};
  const std::string name = as_kept(asked);
  if (std::optional<ExprId> found = m.find(name)) return {{name, *found}};
  std::vector<RecordedColumn> out;
  for (const std::string& candidate : m.readable_names()) {
    const bool below = candidate.size() > name.size() && candidate.starts_with(name) &&
                       (candidate[name.size()] == '.' || candidate[name.size()] == '[');
    if (below) out.push_back({candidate, *m.find(candidate)});
  }
  return out;
}

void select(const model::Model& m, const std::string& name, std::vector<RecordedColumn>& out) {
  std::vector<RecordedColumn> meant = meant_by(m, name);
  if (meant.empty()) {
    const std::string nearest = suggest(name, m.readable_names());
    throw std::invalid_argument("there is no signal '" + name + "' in " + m.name +
                                (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }
  for (RecordedColumn& column : meant) {
    const bool twice = std::any_of(out.begin(), out.end(),
                                   [&](const auto& other) { return other.name == column.name; });
    if (!twice) out.push_back(std::move(column));
  }
}

}  // namespace

namespace {

// By the roles of all shapes in order: an expression that several have is recorded once.
struct DrawnColumns {
  std::vector<RecordedColumn> columns;
  std::unordered_map<ExprId, std::size_t> places;

  const std::string& name_of(ExprId value, const std::string& shape, const std::string& role) {
    const auto [place, is_new] = places.try_emplace(value, columns.size());
    if (is_new) columns.push_back({"animate." + shape + "." + role, value});
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

std::vector<Shape> make_shapes(const model::Model& m, DrawnColumns& drawn) {
  std::vector<Shape> out;
  for (const model::Shape& shape : m.animation) {
    Shape made{static_cast<Shape::Kind>(shape.kind),
               shape.name,
               fill_of(shape),
               shape.label,
               {},
               shape.span};
    const auto add = [&](const std::string& role, ExprId value) {
      if (m.pool.is_constant(value)) {
        made.parts.push_back({role, "", m.pool.constant_value(value)});
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

std::vector<RecordedColumn> drawn_columns(const model::Model& m, const Options& options) {
  DrawnColumns drawn;
  if (options.record_animation) make_shapes(m, drawn);
  return std::move(drawn.columns);
}

std::vector<Shape> shapes_of(const model::Model& m) {
  DrawnColumns drawn;
  return make_shapes(m, drawn);
}

std::unique_ptr<Model::Impl> with_integrals(const Model::Impl& model, const Options& options) {
  auto extended = std::make_unique<Model::Impl>();
  for (const std::string& name : options.select) {
    if (meant_by(model.system->model(), name).empty()) extended->also_read.push_back(name);
  }
  if (extended->also_read.empty()) return nullptr;
  extended->file = model.file;
  extended->root = model.root;
  extended->settings = model.settings;
  extended->build();
  return extended->system ? std::move(extended) : nullptr;
}

std::vector<RecordedColumn> columns_for(const model::Model& m, const Options& options) {
  std::vector<RecordedColumn> out;
  if (options.select_everything) {
    for (const std::string& name : m.readable_names()) out.push_back({name, *m.find(name)});
    return out;
  }
  for (const std::string& name : options.select) select(m, name, out);
  if (!out.empty()) return out;
  for (const model::Column& column : m.show) out.push_back({column.name, column.value});
  if (!out.empty()) return out;
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    // As it is read by name: what is defined in a mode or a `when` is absent outside.
    const std::string& name = m.states[StateId(s)].name;
    const ExprId state = m.pool.leaf(expr::Op::State, static_cast<int32_t>(s));
    out.push_back({name, m.find(name).value_or(state)});
  }
  auto recorded = [&](const std::string& name) {
    return std::any_of(out.begin(), out.end(), [&](const auto& c) { return c.name == name; });
  };
  for (const model::Signal& signal : m.signals) {
    if (!recorded(signal.name)) out.push_back({signal.name, signal.value});
  }
  return out;
}

}  // namespace cradle::api
