#include "language/elements/element.hpp"

#include <array>

#include "base/basics/assert.hpp"
#include "language/elements/definitions.hpp"

namespace cradle::elements {
namespace {

// In the order of Kind.
constexpr auto table = std::to_array<const Definition*>({
#define ELEMENT(name, definition) &(definition),
#include "language/elements/names.def"
});

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

namespace {

bool has(Kind kind, Right right) {
  const Definition& d = definition(kind);
  for (const Relation& relation : d.flow(d.ports < 0 ? 1 : d.ports, false)) {
    if (relation.right == right) return true;
  }
  return false;
}

// By Kind: asked for each element at each instant.
using Answers = std::array<bool, table.size()>;
Answers answers(Right right) {
  Answers out{};
  for (std::size_t i = 0; i < table.size(); ++i) out[i] = has(static_cast<Kind>(i), right);
  return out;
}

}  // namespace

bool is_source(Kind kind) {
  static const Answers sources = answers(Right::Source);
  return sources[static_cast<std::size_t>(kind)];
}

bool is_dissipative(Kind kind) {
  static const Answers dissipative = answers(Right::PowerLaw);
  return dissipative[static_cast<std::size_t>(kind)];
}

}  // namespace cradle::elements
