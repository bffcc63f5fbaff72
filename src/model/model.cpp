#include "model/model.hpp"

#include <algorithm>
#include <string_view>

namespace cradle::model {

std::optional<ExprId> Model::find(const std::string& name) const {
  if (auto place = readable.find(name); place != readable.end()) return place->second;
  constexpr std::string_view opening = "impulse(";
  if (name.starts_with(opening) && name.ends_with(')')) {
    auto inner = readable.find(name.substr(opening.size(), name.size() - opening.size() - 1));
    if (inner == readable.end()) return std::nullopt;
    return pool.unary(expr::Op::ImpulseOf, inner->second);
  }
  for (const Column& column : show) {
    if (column.name == name) return column.value;
  }
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return pool.constant(parameter.value);
  }
  return std::nullopt;
}

std::vector<std::string> Model::readable_names() const {
  std::vector<std::string> names;
  names.reserve(readable.size());
  for (const auto& [name, value] : readable) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace cradle::model
