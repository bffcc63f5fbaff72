#pragma once
// Arguments that commands share: the model and its parameters, and how to run it.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cradle/cradle.hpp"

namespace cradle::cli {

// The whole text as a finite number.
std::optional<double> parse_number(const std::string& text);
// "name=value"; throws Failure if it is not one.
Setting parse_setting(const std::string& text);
// At commas outside brackets and parentheses; blanks around the parts are dropped.
std::vector<std::string> split_list(const std::string& text);

// Where a text that a program passes on stands, and what it may import.
struct PlaceArguments {
  std::string as, root;

  void add_to(CLI::App& command);
};

// Values of parameters: of the command line, and of files.
struct SettingArguments {
  std::vector<std::string> values;  // name=value
  std::vector<std::string> files;

  void add_to(CLI::App& command);
  // One for each parameter: a value of the command line beats those of files, and a later file the
  // earlier ones. Throws Failure if they cannot be read.
  std::vector<Setting> read() const;
};

struct ModelArguments {
  std::string file;
  SettingArguments settings;
  PlaceArguments place;

  void add_to(CLI::App& command);
};

// --max-parts, --max-terms, --max-work: of whatever model this program loads.
void add_build_bounds(CLI::App& command);

// Loads one file with the settings applied; "-" is the standard input.
Model load_model(const std::string& file, const SettingArguments& settings,
                 const PlaceArguments& place = {});

// The states that lists of automaton=state name; throws Failure if there is no such automaton or
// state.
ModeSelection parse_mode(const Model& model, const std::vector<std::string>& lists);

struct RunArguments {
  ModelArguments model;
  std::vector<std::string> select;
  std::vector<std::string> inputs;  // NAME=FILE
  std::string between = "held";
  std::string solver = "auto";
  std::string code = "auto";
  std::string choose = "error";
  std::string zeno = "stop";
  std::optional<double> absolute_tolerance;
  Options options;
  bool no_audit = false;

  void add_to(CLI::App& command);
  void add_grid_to(CLI::App& command);  // --every
  std::string every;                    // as it was given: empty, auto, none, or a number
  void add_max_rows_to(CLI::App& command);
  std::vector<std::string> input_files() const;
  // The options for this model; throws Failure if they make no sense for it.
  Options options_for(const Model& model) const;
};

// All that a run reads, and must not be overwritten.
std::vector<std::string> files_read(const Model& model, const RunArguments& arguments);

}  // namespace cradle::cli
