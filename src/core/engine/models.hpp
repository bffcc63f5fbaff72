#pragma once
// Models that tests of whole runs try one by one.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace cradle {

// All of models/, and some that go along borders.
inline std::vector<std::string> models_that_differ() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CRADLE_ROOT "/models")) {
    if (entry.path().extension() == ".cradle") out.push_back(entry.path().string());
  }
  for (const char* name : {"dry_friction", "sliding_relay", "sliding_two", "sliding_left",
                           "sliding_circle", "thermostat"}) {
    out.push_back(CRADLE_ROOT "/tests/models/" + std::string(name) + ".cradle");
  }
  std::sort(out.begin(), out.end());
  return out;
}

// As tests are called: folder_name.
inline std::string name_of_model(const std::string& file) {
  const std::filesystem::path path(file);
  return path.parent_path().filename().string() + "_" + path.stem().string();
}

}  // namespace cradle
