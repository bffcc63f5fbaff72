#pragma once
// The files of a model: the one that was asked for and what it imports, each read once, and the
// components that each of them can use.

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cradle/diagnostic.hpp"
#include "language/model/elaborate.hpp"
#include "language/syntax/tree.hpp"

namespace cradle::model {

struct LoadedFile;

// A definition, or a modal model or mode in one, with what is declared in it read off once for all
// its instances.
struct Component {
  const syntax::Definition* definition = nullptr;  // the one that it is, or stands in
  const std::vector<syntax::ItemPtr>* items = nullptr;
  const LoadedFile* file = nullptr;
  std::vector<const syntax::Param*> parameters;
  std::unordered_map<std::string_view, int> parameter_by_name;
  std::vector<int> parameter_order;  // each after those that its value needs
  std::vector<const syntax::Port*> ports, inputs, outputs;
  std::unordered_map<std::string_view, const syntax::Function*> functions;
  // Every name that is declared in it, also inside for and if, without indices.
  std::unordered_map<std::string_view, Span> declared;

  std::vector<std::string> declared_names() const;
  int find_parameter(std::string_view name) const;  // −1: none
};

struct LoadedFile {
  syntax::Tree tree;
  std::string name;
  std::deque<Component> own;
  std::vector<const LoadedFile*> imports;
  std::unordered_map<std::string_view, const Component*> visible;  // its own and imported ones
  std::deque<Component> inner;                                     // modal models and modes
  std::unordered_map<const void*, const Component*> inner_of;      // by syntax::Modal, syntax::Mode
  const Component* model = nullptr;
};

struct Library {
  std::deque<LoadedFile> files;  // the first is the one that was asked for
};

inline constexpr std::size_t kMaxFiles = 1000;

// Reads and parses the file and, through the loader, all that it imports. Import cycles are fine.
void read_files(Library& library, Loader::File file, const Loader& loader, Sources& sources,
                Diagnostics& diagnostics);

class Report;
// Fills in the components of every file and what each file can see.
void index_components(Library& library, Report& report);

// True for time, pi, inf, omega and absent, which no declaration may take.
bool is_constant_of_nature(std::string_view name);

}  // namespace cradle::model
