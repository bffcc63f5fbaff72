#pragma once
// For the tests of this room: models from text, and files of the tree.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "language/model/binding.hpp"
#include "language/model/elaborate.hpp"

namespace cradle::model::testing {

inline std::optional<std::string> read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// With numbers in place of parameters, so that one sees what became of them.
inline Loaded folded(Loaded loaded) {
  if (!loaded.model) return loaded;
  loaded.model = std::make_unique<Model>(fold(*loaded.model, Binding(*loaded.model)));
  return loaded;
}

// Imports from `files`, by the name as written.
inline Loaded elaborate_text(const std::string& text, const std::vector<Setting>& settings = {},
                             const std::map<std::string, std::string>& files = {}) {
  Loader loader;
  loader.resolve = [&files](const std::string& path,
                            const std::string&) -> std::optional<Loader::File> {
    auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return Loader::File{path, found->second};
  };
  return folded(elaborate({"test.cradle", text}, loader, settings));
}

// Imports from the folder, then from the standard library.
inline Loaded elaborate_file(const std::string& folder, const std::string& name,
                             const std::vector<Setting>& settings = {}) {
  Loader loader;
  loader.resolve = [&folder](const std::string& path,
                             const std::string&) -> std::optional<Loader::File> {
    for (const std::string& root : {folder, std::string(CRADLE_ROOT "/lib")}) {
      if (auto text = read_text(root + "/" + path)) return Loader::File{path, std::move(*text)};
    }
    return std::nullopt;
  };
  return folded(elaborate({name, read_text(folder + "/" + name).value_or("")}, loader, settings));
}

inline std::string diagnostics_of(const Loaded& loaded) {
  std::string text;
  for (const Diagnostic& diagnostic : loaded.diagnostics.items()) {
    text += render_text(diagnostic, loaded.sources);
  }
  return text;
}

inline Loaded accept(const std::string& text, const std::vector<Setting>& settings = {},
                     const std::map<std::string, std::string>& files = {}) {
  Loaded loaded = elaborate_text(text, settings, files);
  EXPECT_EQ(diagnostics_of(loaded), "");
  EXPECT_NE(loaded.model, nullptr);
  if (!loaded.model) loaded.model = std::make_unique<Model>();
  return loaded;
}

template <class TableType>
std::vector<std::string> names_of(const TableType& table) {
  std::vector<std::string> names;
  for (const auto& item : table) names.push_back(item.name);
  return names;
}

// Newton's cradle with a body resting on the struck one.
inline constexpr const char* kCradle = R"(
model Cradle {
  param restitution = 0.8, J_break = 0.5, speed = 1, v_stick = 1e-3
  param mass1 = 1, mass2 = 1, mass3 = 2 * mass1
  I body1(mass1, p = mass1 * speed), body2(mass2, f = 3), body3(mass3)
  Sf impact = restitution * (pre(v1.f) - pre(v3.f))
  1 v1, v2, v3
  v1 -> body1    v2 -> body2    v3 -> body3
  b13: v1 -> F13
  F13 -> v3    impact -> F13    v3 -> F23 -> v2
  x1 = integral(v1.f)
  x3 = integral(v3.f, 1)
  0 F13 initially off {
    off -> on after eps when x1 >= x3 and v1.f > v3.f
    on -> off after eps when v1.f < v3.f
  }
  0 F23 initially on {
    on -> off priority 2 when abs(impulse(F23.e)) > J_break
    off -> on when abs(v2.f - v3.f) < v_stick
  }
  until 2
  show body1.p, impulse(F23.e), b13.q
  priority F13 > F23
})";

}  // namespace cradle::model::testing
