#include "elements/element.hpp"

#include <array>

#include "base/assert.hpp"
#include "elements/definitions.hpp"

namespace cradle::elements {
namespace {

// In the order of Kind.
constexpr std::array<const Definition*, 7> table = {
    &inertia, &capacitance, &resistance, &effort_source, &flow_source, &transformer, &gyrator};

}  // namespace

const Definition& definition(Kind kind) {
  const Definition& found = *table[static_cast<std::size_t>(kind)];
  CRADLE_ASSERT(found.kind == kind, "the table of elements is in the order of Kind");
  return found;
}

const Definition* find(std::string_view name) {
  for (const Definition* candidate : table) {
    if (candidate->name == name) return candidate;
  }
  return nullptr;
}

std::span<const Definition* const> all() { return table; }

}  // namespace cradle::elements
