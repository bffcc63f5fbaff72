#pragma once
// Lists of names for the texts of this room.

#include <string>
#include <vector>

#include "core/plan/plan.hpp"

namespace cradle::dump {

inline std::string joined(const std::vector<std::string>& words, const char* between = ", ") {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

// "  label: a, b, c\n", or nothing if there is nothing to say.
inline std::string line(const char* label, const std::vector<std::string>& words) {
  return words.empty() ? "" : std::string("    ") + label + ": " + joined(words) + "\n";
}

template <class Id, class Name>
std::vector<std::string> names(const std::vector<Id>& ids, Name&& name) {
  std::vector<std::string> out;
  out.reserve(ids.size());
  for (const Id& id : ids) out.push_back(name(id));
  return out;
}

template <class Id, class Item>
std::vector<std::string> names_in(const Table<Id, Item>& table, const std::vector<Id>& ids) {
  return names(ids, [&](Id id) { return table[id].name; });
}

template <class Id>
std::vector<std::string> numbered(const char* letter, const std::vector<Id>& ids) {
  return names(ids, [&](Id id) { return letter + std::to_string(id.index); });
}

}  // namespace cradle::dump
