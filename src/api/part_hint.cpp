#include "api/part_hint.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "cradle/diagnostic.hpp"
#include "cradle/parts.hpp"

namespace cradle {

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// What other tools call the parts of ours.
const char* our_word_for(const std::string& name) {
  static const std::pair<const char*, const char*> words[] = {
      {"acvoltage", "SineVoltage"},
      {"battery", "VoltageSource"},
      {"bjt", "IGBT"},
      {"body", "Mass"},
      {"checkvalve", "CheckValve"},
      {"constantvoltage", "VoltageSource"},
      {"d", "Diode"},
      {"dashpot", "Damper"},
      {"hardstop", "EndStop"},
      {"inertia", "Flywheel"},
      {"l", "Inductor"},
      {"m", "Mass"},
      {"nullor", "OpAmp"},
      {"scr", "Thyristor"},
      {"thermalcapacitor", "HeatCapacity"},
      {"thermalresistor", "Conductance"},
      {"transistor", "MOSFET"},
      {"v", "VoltageSource"},
  };
  for (const auto& [word, ours] : words) {
    if (name == word) return ours;
  }
  return nullptr;
}

// Of HalfBridge: half, bridge.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> out;
  for (const char c : name) {
    const bool begins = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (out.empty() || c == '_' || (begins && out.back().size() > 1)) out.emplace_back();
    if (c != '_') out.back() += c;
  }
  for (std::string& word : out) word = lower(word);
  std::erase_if(out, [](const std::string& word) { return word.size() < 4; });
  return out;
}

// Parts that share most words with this name.
std::vector<const LibraryPart*> parts_like(const std::string& name) {
  const std::vector<std::string> wanted = words_of(name);
  std::vector<const LibraryPart*> out;
  std::size_t most = 1;
  for (const LibraryPart& part : library_parts()) {
    std::size_t shared = 0;
    for (const std::string& word : words_of(part.name)) {
      shared += static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), word));
    }
    if (shared < most) continue;
    if (shared > most) out.clear();
    most = shared;
    out.push_back(&part);
  }
  return out;
}

const LibraryPart* part_named(const std::string& name) {
  for (const LibraryPart& part : library_parts()) {
    if (part.name == name) return &part;
  }
  return nullptr;
}

std::string to_import(const LibraryPart& part) {
  return "write import \"" + part.file + "\" at the top of the file";
}

}  // namespace

std::string part_hint(const std::string& name) {
  if (lower(name) == "ground")
    return "it is no part: the node `ground` is there: … from a to ground";
  if (const LibraryPart* part = part_named(name)) return to_import(*part);
  std::vector<std::string> names;
  for (const LibraryPart& part : library_parts()) names.push_back(part.name);
  const char* ours = our_word_for(lower(name));
  const std::string near = ours != nullptr ? ours : suggest(name, names);
  if (!near.empty()) {
    const LibraryPart* part = part_named(near);
    return part == nullptr ? "" : "did you mean " + near + "? " + to_import(*part);
  }
  constexpr std::size_t kMost = 4;
  const std::vector<const LibraryPart*> like = parts_like(name);
  if (like.empty()) return {};
  std::string out = "the library has ";
  for (std::size_t i = 0; i < std::min(like.size(), kMost); ++i) {
    const bool last_of_file =
        i + 1 == std::min(like.size(), kMost) || like[i + 1]->file != like[i]->file;
    out += (i > 0 ? ", " : "") + like[i]->name;
    if (last_of_file) out += " (" + like[i]->file + ")";
  }
  return out + "; cradle lib lists all";
}

}  // namespace cradle
