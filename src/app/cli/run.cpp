// cradle run: the whole trajectory into files, or a summary for a person.

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/checkpoint.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/row_pipe.hpp"
#include "app/cli/terminal.hpp"
#include "cradle/linear.hpp"
#include "cradle/plot.hpp"
#include "show/text/csv.hpp"
#include "show/text/json.hpp"
#include "show/text/summary.hpp"

namespace cradle::cli {
namespace {

namespace fs = std::filesystem;
using text::RunJsonWriter;

struct RunCommand {
  RunArguments run;
  std::string csv, json;
  bool plot = false;
  std::string start;
  std::string checkpoint, resume;
  double every_seconds = 60;

  void add_to(CLI::App& command);
};

std::vector<Diagnostic> all_diagnostics(const Model& model, const Outcome& outcome) {
  std::vector<Diagnostic> all = model.diagnostics();
  all.insert(all.end(), outcome.diagnostics.begin(), outcome.diagnostics.end());
  return all;
}

text::Bytes bytes_to(OutputFile& file) {
  return [&file](std::string_view text) { file.write(text); };
}

template <class Sink>
RowSink* address(std::optional<Sink>& sink) {
  return sink ? &*sink : nullptr;
}

template <class Sink>
std::unique_ptr<RowPipe> pipe_to(std::optional<Sink>& sink) {
  return sink ? std::make_unique<RowPipe>(*sink) : nullptr;
}

constexpr const char* kCheckpointIsOutput = "--checkpoint names a file that the run is written to";

void check_outputs(const RunCommand& arguments) {
  if (is_same_output(arguments.csv, arguments.json)) {
    throw Failure(kWrongUsage, "--csv and --json name the same file");
  }
  if (arguments.plot && (arguments.csv == "-" || arguments.json == "-")) {
    throw Failure(kWrongUsage, "--plot draws on the standard output; write the run to a file");
  }
  if (arguments.checkpoint.empty()) return;
  if (is_same_output(arguments.checkpoint, arguments.csv) ||
      is_same_output(arguments.checkpoint, arguments.json)) {
    throw Failure(kWrongUsage, kCheckpointIsOutput);
  }
  if (arguments.checkpoint == "-") {
    throw Failure(kWrongUsage, "--checkpoint is written again and again: name a file");
  }
  if (arguments.plot) {
    throw Failure(kWrongUsage, "--plot needs all rows at the end, and a checkpoint keeps none");
  }
}

// The files and the summary of a run, from its beginning or from where it was saved.
class Outputs {
 public:
  Outputs(const RunCommand& arguments, const Model& model, std::optional<double> until,
          const std::vector<std::string>& inputs, const Checkpoint* before) {
    const bool has_run = before != nullptr;
    const bool same_csv = has_run && before->csv == arguments.csv;
    const bool same_json = has_run && before->json == arguments.json;
    csv_file_ = open(arguments.csv, inputs, same_csv ? &before->csv_written : nullptr);
    json_file_ = open(arguments.json, inputs, same_json ? &before->json_written : nullptr);
    if (arguments.checkpoint.empty()) {
      for (OutputFile* file : {csv_file_.get(), json_file_.get()}) {
        if (file != nullptr) file->do_without_checksum();
      }
    }
    if (csv_file_) csv_.emplace(bytes_to(*csv_file_), same_csv);
    if (json_file_) {
      const auto begun = !same_json              ? RunJsonWriter::Begun::No
                         : before->json_has_rows ? RunJsonWriter::Begun::Rows
                                                 : RunJsonWriter::Begun::Head;
      json_.emplace(model.name(), until, bytes_to(*json_file_), begun);
    }
    csv_pipe_ = pipe_to(csv_);
    json_pipe_ = pipe_to(json_);
    if (!to_file()) told_.emplace();
    if (told_ && has_run && !before->summary.empty()) told_->load(before->summary);
  }

  bool to_file() const { return csv_file_ || json_file_; }
  bool are_written_to(const std::string& file) const {
    return (csv_file_ && is_same_output(file, csv_file_->partial())) ||
           (json_file_ && is_same_output(file, json_file_->partial()));
  }
  std::vector<RowSink*> sinks() { return {csv_pipe_.get(), json_pipe_.get(), address(told_)}; }
  const text::SummaryRows* told() const { return told_ ? &*told_ : nullptr; }

  void save(Checkpoint& checkpoint) {
    drain();
    if (csv_file_) checkpoint.csv_written = csv_file_->settle();
    if (json_file_) checkpoint.json_written = json_file_->settle();
    checkpoint.json_has_rows = json_ && json_->begun() == RunJsonWriter::Begun::Rows;
    if (told_) checkpoint.summary = told_->save();
  }

  void commit(const Model& model, const text::RunResult& result) {
    if (csv_file_) csv_file_->commit();
    if (!json_file_) return;
    complete_json(model, result);
    json_file_->commit();
  }
  // What was interrupted is not whole: it keeps the name that says so.
  void leave(const Model& model, const text::RunResult& result) {
    drain();
    if (json_file_) complete_json(model, result);
    for (OutputFile* file : {csv_file_.get(), json_file_.get()}) {
      if (file == nullptr) continue;
      file->settle();
      if (!file->partial().empty()) std::cerr << "rows so far: " << file->partial() << '\n';
    }
  }

 private:
  void drain() {
    for (RowPipe* pipe : {csv_pipe_.get(), json_pipe_.get()}) {
      if (pipe != nullptr) pipe->drain();
    }
  }
  void complete_json(const Model& model, const text::RunResult& result) {
    json_->complete(result, render_json(all_diagnostics(model, result.outcome), model.sources()));
  }
  static std::unique_ptr<OutputFile> open(const std::string& path,
                                          const std::vector<std::string>& inputs,
                                          const Written* before) {
    if (before != nullptr && !path.empty()) {
      return std::make_unique<OutputFile>(path, inputs, *before);
    }
    return open_output(path, inputs, IfCutShort::Keep);
  }

  std::unique_ptr<OutputFile> csv_file_, json_file_;
  std::optional<text::CsvWriter> csv_;
  std::optional<RunJsonWriter> json_;
  std::unique_ptr<RowPipe> csv_pipe_, json_pipe_;  // behind what they write to
  std::optional<text::SummaryRows> told_;
};

// Where the run begins, as bytes to load; empty: at the model's initial values.
std::string begin_of(const RunCommand& arguments, const Model& model, const Options& options) {
  const std::string& where = arguments.start;
  if (where.empty()) return {};
  const Watch watch(std::nullopt);
  Options asked = options;
  asked.progress = [](double) { return !Watch::is_asked_to_end(); };
  try {
    if (where == "steady") return begin_at(model, options, steady_start(model, asked));
    constexpr std::string_view kPeriodic = "periodic:";
    const auto period =
        where.starts_with(kPeriodic) ? parse_number(where.substr(kPeriodic.size())) : std::nullopt;
    if (!period || !(*period > 0)) {
      throw Failure(kWrongUsage, "--start takes steady or periodic:T, not '" + where + "'");
    }
    return begin_at(model, options, periodic_start(model, asked, *period).start);
  } catch (const LinearFault& fault) {
    throw Failure(kEndedEarly, "--start " + where + ": " + fault.what());
  }
}

// `before`: what it goes on from, or only what it was started with (run is empty).
int run(const RunCommand& arguments, const Model& model, Checkpoint start) {
  if (!report_model(model)) return kModelAtFault;
  const bool resumed = !start.run.empty();
  Options options = arguments.run.options_for(model);
  const std::optional<double> until = options.until ? options.until : model.until();
  const std::vector<std::string> inputs = files_read(model, arguments.run);
  // Opened before the run, so that a long one does not end in vain.
  if (!arguments.checkpoint.empty()) OutputFile(arguments.checkpoint, inputs);
  Outputs outputs(arguments, model, until, inputs, resumed ? &start : nullptr);
  if (outputs.are_written_to(arguments.checkpoint)) {
    throw Failure(kWrongUsage, kCheckpointIsOutput);
  }
  options.record_steps = outputs.to_file();
  options.every_turn = outputs.to_file() && arguments.run.every != "none";
  // Files have the rows that were asked for, and no others.
  if (arguments.plot && !outputs.to_file()) options = options_for_plot(model, options);
  options.keep_trajectory = arguments.plot;

  start.csv = arguments.csv;
  start.json = arguments.json;
  std::optional<CheckpointKeeper> keeper;
  if (!arguments.checkpoint.empty()) {
    keeper.emplace(arguments.checkpoint, arguments.every_seconds, std::move(start),
                   [&outputs](Checkpoint& checkpoint) { outputs.save(checkpoint); });
  }
  const Simulation simulation =
      execute(model, options, outputs.sinks(), Progress::Line, keeper ? &*keeper : nullptr,
              resumed ? "" : begin_of(arguments, model, options));
  const text::RunResult result{
      model.name(),
      until,
      simulation.outcome(),
      options.audit ? std::optional(simulation.audit()) : std::nullopt,
      simulation.statistics(),
  };
  // What will be gone on with is not complete.
  if (keeper && result.outcome.ending == Ending::Cancelled) return status_of(result.outcome);
  if (outputs.to_file() && options.every_turn) {
    std::cerr << text::describe(simulation.row_counts()) << '\n';
  }
  if (result.outcome.ending == Ending::Cancelled) {
    outputs.leave(model, result);
  } else {
    outputs.commit(model, result);
  }
  if (arguments.plot) std::cout << plot_text(simulation.trajectory(), terminal_options());
  if (arguments.plot && outputs.told() != nullptr) std::cout << '\n';
  if (outputs.told() != nullptr) std::cout << text::summary(result, *outputs.told());
  return status_of(result.outcome);
}

int run_anew(const RunCommand& arguments, const std::vector<std::string>& words) {
  if (arguments.run.model.file.empty()) {
    throw Failure(kWrongUsage, "which model? give a FILE, or --resume with a checkpoint");
  }
  check_outputs(arguments);
  const Model model = load_model(arguments.run.model.file, arguments.run.model.settings);
  std::error_code error;
  Checkpoint start;
  start.version = version();
  start.folder = fs::current_path(error).string();
  start.words = {words.begin() + 1, words.end()};
  start.texts = texts_of(model);
  for (const std::string& file : arguments.run.input_files()) {
    start.inputs.emplace_back(file, checksum(read_text(file, kWrongUsage)));
  }
  return run(arguments, model, std::move(start));
}

RunCommand parse_again(const Checkpoint& checkpoint) {
  RunCommand arguments;
  CLI::App command;
  arguments.add_to(command);
  std::vector<std::string> words(checkpoint.words.rbegin(), checkpoint.words.rend());
  try {
    command.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw Failure(kWrongUsage, std::string("cannot resume: ") + error.what());
  }
  return arguments;
}

// Names in the command line of a run are those of the folder in which it was started.
int resume(const RunCommand& asked) {
  Checkpoint checkpoint = Checkpoint::read(asked.resume);
  RunCommand arguments = parse_again(checkpoint);
  arguments.checkpoint = fs::absolute(asked.resume).string();
  const auto from_here = [](const std::string& path) {
    return path.empty() || path == "-" ? path : fs::absolute(path).string();
  };
  if (!asked.csv.empty()) arguments.csv = from_here(asked.csv);
  if (!asked.json.empty()) arguments.json = from_here(asked.json);
  std::error_code error;
  fs::current_path(checkpoint.folder, error);  // if it is there no longer, names are those of here
  const auto is_continued = [](std::string& name, const std::string& known) {
    if (is_same_output(name, known)) name = known;
  };
  is_continued(arguments.csv, checkpoint.csv);
  is_continued(arguments.json, checkpoint.json);
  check_outputs(arguments);
  const bool piped = arguments.run.model.file == "-" && !checkpoint.texts.empty();
  const SettingArguments& settings = arguments.run.model.settings;
  const Model model = piped
                          ? Model::load_text("<stdin>", checkpoint.texts[0].second, settings.read())
                          : load_model(arguments.run.model.file, settings);
  require_unchanged(checkpoint, model);
  return run(arguments, model, std::move(checkpoint));
}

void RunCommand::add_to(CLI::App& command) {
  run.add_to(command);
  command.get_option("file")->required(false);
  command.add_option("--csv", csv, "Write every recorded instant as CSV; - is stdout")
      ->type_name("FILE");
  command.add_option("--json", json, "Write the run as JSON; - is stdout")->type_name("FILE");
  command.add_flag("--plot", plot, "Draw the trajectories in the terminal");
  run.add_grid_to(command);
  command
      .add_option("--start", start,
                  "Begin where transients are over: steady, or periodic:T for a cycle of period T "
                  "(default: the model's initial values)")
      ->type_name("WHERE");
  const std::string group = "Long runs";
  command
      .add_option("--checkpoint", checkpoint,
                  "Save the run in this file now and then, and when it is interrupted")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--every-seconds", every_seconds, "How often (default: 60)")
      ->check(CLI::Range(0.0, 1e9))
      ->needs("--checkpoint")
      ->type_name("NUMBER")
      ->group(group);
  command
      .add_option("--resume", resume,
                  "Go on with a run that was saved, as if it had never been interrupted; takes "
                  "--csv and --json, and no other argument")
      ->type_name("FILE")
      ->group(group);
}

void require_alone(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--resume" || name == "--csv" || name == "--json") continue;
    throw Failure(kWrongUsage,
                  "--resume knows how the run was started; it does not go with " + name);
  }
}

}  // namespace

void add_run(CLI::App& program, int& status, std::vector<std::string> words) {
  auto arguments = std::make_shared<RunCommand>();
  CLI::App* command = program.add_subcommand("run", "Run a model; print a summary or write files");
  arguments->add_to(*command);
  command->footer(
      "Files are written as the run goes, as FILE.partial; they get their name when they are\n"
      "whole. Whatever ends the program, all but the last second is in the partial file.\n"
      "\n"
      "Examples:\n"
      "  cradle run models/mosterman/cradle.cradle\n"
      "  cradle run models/circuits/flyback.cradle --plot\n"
      "  cradle run models/circuits/flyback.cradle --until 2 --csv out.csv --every 0.01\n"
      "  cradle run models/mosterman/cradle.cradle --set J_break=0.95 --select body1.p,F23.e "
      "--json -\n"
      "  cradle run long.cradle --csv long.csv --checkpoint long.saved --every-seconds 10\n"
      "  cradle run --resume long.saved");
  command->callback([arguments, command, words = std::move(words), &status] {
    if (arguments->resume.empty()) {
      status = run_anew(*arguments, words);
    } else {
      require_alone(*command);
      status = resume(*arguments);
    }
  });
}

}  // namespace cradle::cli
