#include "app/cli/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "app/cli/failure.hpp"
#include "app/cli/input_file.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/params_file.hpp"
#include "app/studio/gallery.hpp"
#include "cradle/bounds.hpp"

namespace cradle::cli {
namespace {

// A number that satisfies a condition; CLI11's own conversion would also take "0x1p3" and "nan".
template <class Condition>
CLI::Validator number_that(const char* what, Condition holds) {
  return CLI::Validator(
      [what, holds](const std::string& text) -> std::string {
        const auto value = parse_number(text);
        return value && holds(*value) ? "" : "'" + text + "' is not " + what;
      },
      "");
}

CLI::Validator positive() {
  return number_that("a positive number", [](double x) { return x > 0; });
}

CLI::Validator positive_or(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](std::string& text) -> std::string {
        if (std::find(words.begin(), words.end(), text) != words.end()) return {};
        return positive()(text);
      },
      "");
}

CLI::Validator not_negative() {
  return number_that("a number from 0 on", [](double x) { return x >= 0; });
}

CLI::Validator whole() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        int64_t value = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        const bool good = error == std::errc() && stop == end && value > 0;
        return good ? "" : "'" + text + "' is not a positive whole number";
      },
      "");
}

const char* const kBounds = "Bounds (passing one ends the run with a diagnosis)";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

void require_member(const std::string& what, const std::string& name,
                    const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  constexpr std::size_t kMost = 12;
  std::string help = names.empty() ? "; there is none" : "; there are";
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    help += (i == 0 ? " " : ", ") + names[i];
  }
  if (names.size() > kMost) help += ", …";
  const std::string near = suggest(name, names);
  if (!near.empty()) help = "; did you mean '" + near + "'?";
  throw Failure(kWrongUsage, "--mode: there is no " + what + " '" + name + "'" + help);
}

void require_input(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, start] : model.inputs()) names.push_back(known);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string near = suggest(name, names);
  throw Failure(kWrongUsage, "--input: " + model.name() + " has no input '" + name + "'" +
                                 (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

// One command is run, and all that it loads is bounded alike.
BuildBounds& build_bounds() {
  static BuildBounds bounds;
  return bounds;
}

// The models of the gallery go with the program, so that what the help says works anywhere.
const std::string* model_built_in(const std::string& file) {
  std::error_code error;
  if (!file.starts_with("models/") || std::filesystem::exists(file, error)) return nullptr;
  for (const auto& [name, text] : studio::embedded_models()) {
    if ("models/" + name == file) return &text;
  }
  return nullptr;
}

}  // namespace

std::optional<double> parse_number(const std::string& text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+' && text.size() > 1 && text[1] != '-') ++begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

Setting parse_setting(const std::string& text) {
  const auto equals = text.find('=');
  const std::string name = trimmed(text.substr(0, equals));
  if (equals == std::string::npos || name.empty()) {
    throw Failure(kWrongUsage, "--set takes name=value, not '" + text + "'");
  }
  const std::string value = trimmed(text.substr(equals + 1));
  if (value.empty()) throw Failure(kWrongUsage, "--set " + name + ": there is no value behind =");
  // A command line may write numbers as the language does not: +4, .5
  if (const auto number = parse_number(value)) return {name, *number};
  return {name, value};
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (char c : text) {
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c == ',' && depth <= 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  parts.push_back(trimmed(part));
  std::erase(parts, std::string());
  return parts;
}

void SettingArguments::add_to(CLI::App& command) {
  command
      .add_option("--set", values,
                  "Set a parameter, also of a component: --set d1.v_on=0.7 --set 'masses=[1, 2]'")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command
      .add_option("--params", files,
                  "Set parameters from a file, JSON or lines of name: value; --set wins over it")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

std::vector<Setting> SettingArguments::read() const {
  std::vector<Setting> out;
  const auto add = [&](Setting setting) {
    std::erase_if(out, [&](const Setting& other) { return other.name == setting.name; });
    out.push_back(std::move(setting));
  };
  for (const std::string& file : files) {
    for (Setting& setting : read_params(file)) add(std::move(setting));
  }
  for (const std::string& value : values) add(parse_setting(value));
  return out;
}

void ModelArguments::add_to(CLI::App& command) {
  command.add_option("file", file, "The model; - is the standard input")
      ->required()
      ->type_name("FILE");
  settings.add_to(command);
  add_build_bounds(command);
}

void add_build_bounds(CLI::App& command) {
  BuildBounds& bounds = build_bounds();
  const std::string group = "Bounds on the size of a model";
  const auto bound = [&](const char* name, int64_t& value, const char* what) {
    command.add_option(name, value, what)->check(whole())->type_name("COUNT")->group(group);
  };
  bound("--max-parts", bounds.parts,
        "Elements, junctions, bonds, signals and instances (default: 5000000, some 5 GB)");
  bound("--max-terms", bounds.terms, "Terms of expressions (default: 40000000, some 5 GB)");
  bound("--max-work", bounds.work,
        "Turns of loops and steps of computing (default: 100000000, no memory)");
}

void PlaceArguments::add_to(CLI::App& command) {
  const std::string group = "For programs that pass a text on";
  command.add_option("--as", as, "With - as the model: the text as if it stood in this file")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--root", root,
                  "Refuse imports that lead out of this folder (the standard library aside)")
      ->type_name("FOLDER")
      ->group(group);
}

Model load_model(const std::string& file, const SettingArguments& settings,
                 const PlaceArguments& place) {
  if (!place.as.empty() && file != "-") {
    throw Failure(kWrongUsage, "--as says where the standard input stands: give - as the model");
  }
  std::error_code error;
  if (!place.root.empty() && !std::filesystem::is_directory(place.root, error)) {
    throw Failure(kWrongUsage, "--root: there is no folder " + place.root);
  }
  const std::vector<Setting> parsed = settings.read();
  if (file != "-") {
    const std::string* built_in = place.root.empty() ? model_built_in(file) : nullptr;
    if (built_in != nullptr) return load_text_within(build_bounds(), file, *built_in, parsed);
    return load_within(build_bounds(), file, parsed, place.root);
  }
  const std::string name = place.as.empty() ? "<stdin>" : place.as;
  return load_text_within(build_bounds(), name, read_text(file, kModelAtFault), parsed, place.root);
}

ModeSelection parse_mode(const Model& model, const std::vector<std::string>& lists) {
  ModeSelection mode;
  for (const auto& list : lists) {
    for (const auto& item : split_list(list)) {
      const auto equals = item.find('=');
      if (equals == std::string::npos) {
        throw Failure(kWrongUsage, "--mode takes automaton=state, not '" + item + "'");
      }
      const std::string automaton = item.substr(0, equals), state = item.substr(equals + 1);
      require_member("automaton", automaton, model.automata());
      require_member("state of " + automaton, state, model.automaton_states(automaton));
      mode.states.emplace_back(automaton, state);
    }
  }
  return mode;
}

void RunArguments::add_to(CLI::App& command) {
  model.add_to(command);
  command.add_option("--until", options.until, "End time (default: the model's own)")
      ->check(not_negative())
      ->type_name("NUMBER");
  command
      .add_option("--select", select,
                  "What to record: names, or beginnings of names, separated by commas (default: "
                  "what the model shows)")
      ->allow_extra_args(false)
      ->type_name("A,B.C");
  command
      .add_option("--input", inputs,
                  "Values of an input of the model: lines of time,value; --input u=wind.csv")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  command
      .add_option("--between", between,
                  "What inputs are between these times: held, or linear (default: held)")
      ->check(CLI::IsMember({"held", "linear"}))
      ->type_name("HOW");
  command.add_flag("--all", options.select_everything, "Record everything that has a name");
  command
      .add_option("--tolerance", options.relative_tolerance,
                  "Relative tolerance of the solver (default: 1e-9)")
      ->check(positive())
      ->type_name("NUMBER");
  command
      .add_option("--absolute-tolerance", absolute_tolerance,
                  "Absolute tolerance of the solver (default: the relative one / 1,000,000)")
      ->check(positive())
      ->type_name("NUMBER");
  command.add_option("--solver", solver, "auto, exact, explicit or stiff (default: auto)")
      ->check(CLI::IsMember({"auto", "exact", "explicit", "stiff"}))
      ->type_name("SOLVER");
  command
      .add_option("--code", code,
                  "How modes are computed: interpreted, as machine code, or auto: as machine code "
                  "when they are often computed (default: auto). Results are the same")
      ->check(CLI::IsMember({"auto", "interpreted", "machine"}))
      ->type_name("HOW");
  command
      .add_option("--max-step", options.max_step,
                  "Longest step of the solver (default: the model's)")
      ->check(positive())
      ->type_name("NUMBER");
  command.add_flag("--no-audit", no_audit, "Do without the energy audit");

  command
      .add_option("--choose", choose,
                  "Where the model leaves open what happens: error, order (the first in the text) "
                  "or random (default: error)")
      ->check(CLI::IsMember({"error", "order", "random"}))
      ->type_name("WHO");
  command.add_option("--seed", options.seed, "Of --choose random (default: 0)")->type_name("COUNT");
  command
      .add_option("--zeno", zeno,
                  "Where events accumulate: stop there, or report it and go on without them "
                  "(default: stop)")
      ->check(CLI::IsMember({"stop", "report"}))
      ->type_name("HOW");

  const auto bound = [&](const char* name, int64_t& value, const std::string& what) {
    command.add_option(name, value, what + " (default: " + std::to_string(value) + ")")
        ->check(whole())
        ->type_name("COUNT")
        ->group(kBounds);
  };
  bound("--max-microsteps", options.max_microsteps, "Microsteps n at one ⟨t + kε⟩");
  bound("--max-epsilon-steps", options.max_epsilon_steps, "ε-steps k at one t");
  bound("--max-events", options.max_events, "Instants of real time with an event");
  bound("--max-steps", options.max_steps, "Solver steps");
  bound("--max-chatter", options.max_chatter, "Events in a row that are a rounding error apart");
  command
      .add_option(
          "--zeno-resolution", options.zeno_resolution,
          "How near an accumulation of events is followed, as a part of its time (default: 1e-10)")
      ->check(positive())
      ->type_name("NUMBER")
      ->group(kBounds);
}

void RunArguments::add_grid_to(CLI::App& command) {
  command
      .add_option("--every", every,
                  "Rows between steps: auto, where a curve turns or bends; a time, at its "
                  "multiples as well; none. Changes no other row (default: auto)")
      ->check(positive_or({"auto", "none"}))
      ->type_name("TIME");
}

void RunArguments::add_max_rows_to(CLI::App& command) {
  command
      .add_option("--max-rows", options.max_rows,
                  "Rows recorded; the run ends there (default: as many as make 20 million numbers)")
      ->check(whole())
      ->type_name("COUNT")
      ->group(kBounds);
}

std::vector<std::string> RunArguments::input_files() const {
  std::vector<std::string> out;
  for (const std::string& input : inputs) out.push_back(parse_input(input).second);
  return out;
}

std::vector<std::string> files_read(const Model& model, const RunArguments& arguments) {
  std::vector<std::string> out = files_of(model);
  for (std::string& file : arguments.input_files()) out.push_back(std::move(file));
  return out;
}

Options RunArguments::options_for(const Model& loaded) const {
  Options result = options;
  for (const std::string& input : inputs) {
    const auto [name, file] = parse_input(input);
    require_input(loaded, name);
    const bool twice =
        std::any_of(result.inputs.begin(), result.inputs.end(),
                    [&name = name](const InputSignal& other) { return other.name == name; });
    if (twice) throw Failure(kWrongUsage, "--input " + name + " is given twice");
    InputSignal signal = read_input(name, file);
    if (between == "linear") signal.between = InputSignal::Between::Linear;
    result.inputs.push_back(std::move(signal));
  }
  if (!result.until && !loaded.until()) {
    throw Failure(kWrongUsage, loaded.name() +
                                   " does not state an end time: give --until T, or write "
                                   "'until T' in the model");
  }
  result.absolute_tolerance = absolute_tolerance.value_or(options.relative_tolerance * 1e-6);
  result.solver = solver == "explicit" ? SolverKind::Explicit
                  : solver == "exact"  ? SolverKind::Exact
                  : solver == "stiff"  ? SolverKind::Stiff
                                       : SolverKind::Automatic;
  result.code = code == "interpreted" ? CodeKind::Interpreted
                : code == "machine"   ? CodeKind::Machine
                                      : CodeKind::Automatic;
  result.choice = choose == "order"    ? ChoicePolicy::Order
                  : choose == "random" ? ChoicePolicy::Random
                                       : ChoicePolicy::Error;
  result.zeno = zeno == "report" ? ZenoPolicy::Report : ZenoPolicy::Stop;
  for (const std::string& names : select) {
    for (std::string& name : split_list(names)) result.select.push_back(std::move(name));
  }
  result.audit = !no_audit;
  if (!every.empty() && every != "auto" && every != "none") result.every = *parse_number(every);
  return result;
}

}  // namespace cradle::cli
