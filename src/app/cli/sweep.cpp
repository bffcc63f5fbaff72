// cradle sweep: many runs of one model, each reduced to a few numbers.
//
// With --checkpoint every run that ends is a line in a journal, behind a head that says what the
// sweep is. A sweep that finds such a journal takes over its runs; one of another sweep is refused.

#include "cradle/sweep.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/picture_file.hpp"
#include "app/cli/watch.hpp"
#include "cradle/view.hpp"
#include "show/plot/sweep_chart.hpp"
#include "show/text/sweep.hpp"

namespace cradle::cli {
namespace {

using plot::SweepPicture;

struct SweepCommand {
  RunArguments run;
  std::vector<std::string> vary, measures, curves;
  SweepOptions wanted;
  std::string csv, json, checkpoint, picture, kind, progress;
  double scale = 1;
  bool dark = false;
};

// How far the sweep has come, and when it will be over, in a line on a terminal.
class SweepProgress {
 public:
  SweepProgress(std::size_t total, std::size_t known, bool json)
      : total_(total),
        done_(known),
        known_(known),
        json_(json),
        terminal_(::isatty(STDERR_FILENO) == 1) {}

  void one_more() {
    ++done_;
    const auto now = Clock::now();
    if ((!terminal_ && !json_) || now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    if (json_) {
      std::cerr << "{\"t\":" << done_ << ",\"until\":" << total_ << "}\n" << std::flush;
      return;
    }
    const double spent = std::chrono::duration<double>(now - begun_).count();
    const double left =
        spent / static_cast<double>(done_ - known_) * static_cast<double>(total_ - done_);
    constexpr std::size_t kWide = 30;
    const std::size_t full = done_ * kWide / total_;
    std::string bar(full, '#');
    bar.resize(kWide, '.');
    std::cerr << "\r[" << bar << "] " << done_ << " of " << total_ << " runs, "
              << std::llround(left) << " s left\033[K" << std::flush;
    shown_ = true;
  }
  void stop() const {
    if (shown_) std::cerr << "\r\033[K" << std::flush;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t total_, done_, known_;
  bool json_, terminal_, shown_ = false;
  Clock::time_point begun_ = Clock::now(), next_ = begun_ + std::chrono::milliseconds(500);
};

// The runs that have ended, in a file.
class Journal {
 public:
  Journal(std::string path, std::string head) : path_(std::move(path)), head_(std::move(head)) {}

  // What an earlier sweep has left; the last line may be cut short.
  std::vector<std::optional<SweepRun>> read(const std::vector<std::vector<double>>& points,
                                            std::size_t measures) {
    std::vector<std::optional<SweepRun>> known(points.size());
    std::ifstream in(path_);
    std::string line;
    if (!in || !std::getline(in, line)) return known;
    if (line != head_) {
      throw Failure(kWrongUsage, "--checkpoint: " + path_ +
                                     " is of another sweep, or the model has changed; remove it, "
                                     "or name another file");
    }
    while (std::getline(in, line)) {
      if (in.eof()) break;  // without its end of line
      read_run(line, points, measures, known);
    }
    return known;
  }

  void begin(const std::vector<std::optional<SweepRun>>& known) {
    const std::string fresh = path_ + ".partial";
    out_.open(fresh, std::ios::trunc);
    out_ << head_ << '\n';
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (known[i]) write(i, *known[i]);
    }
    out_.flush();
    std::error_code error;
    if (out_) std::filesystem::rename(fresh, path_, error);
    if (!out_ || error) throw Failure(kWrongUsage, "--checkpoint: cannot write " + path_);
  }

  void add(std::size_t index, const SweepRun& run) {
    write(index, run);
    out_.flush();
    if (!out_) throw Failure(kEndedEarly, "--checkpoint: cannot write " + path_);
  }

  void remove() {
    out_.close();
    std::error_code error;
    std::filesystem::remove(path_, error);
  }

 private:
  static std::string quoted(std::string text) {
    for (char& c : text) {
      if (c == '\n' || c == '\t' || c == '\r') c = ' ';
    }
    return text;
  }
  void write(std::size_t index, const SweepRun& run) {
    out_ << index << '\t' << static_cast<int>(run.ending) << '\t' << format_number(run.at.t) << '\t'
         << run.at.eps << '\t' << run.at.step << '\t' << run.violations;
    for (const auto& measure : run.measures) {
      out_ << '\t' << (measure ? format_number(*measure) : "-");
    }
    out_ << '\t' << quoted(run.why) << '\n';
  }
  static void read_run(const std::string& line, const std::vector<std::vector<double>>& points,
                       std::size_t measures, std::vector<std::optional<SweepRun>>& known) {
    std::vector<std::string> parts;
    std::istringstream in(line);
    for (std::string part; std::getline(in, part, '\t');) parts.push_back(part);
    if (line.ends_with('\t')) parts.emplace_back();
    if (parts.size() != measures + 7) return;
    const auto index = parse_number(parts[0]), ending = parse_number(parts[1]);
    const auto t = parse_number(parts[2]), eps = parse_number(parts[3]),
               step = parse_number(parts[4]), violations = parse_number(parts[5]);
    if (!index || !ending || !t || !eps || !step || !violations || *index < 0 ||
        *index >= static_cast<double>(points.size())) {
      return;
    }
    SweepRun run;
    run.ending = static_cast<Ending>(static_cast<int>(*ending));
    run.at = {*t, static_cast<int32_t>(*eps), static_cast<int32_t>(*step)};
    for (std::size_t m = 0; m < measures; ++m) run.measures.push_back(parse_number(parts[6 + m]));
    run.violations = static_cast<int64_t>(*violations);
    run.why = parts.back();
    run.values = points[static_cast<std::size_t>(*index)];
    known[static_cast<std::size_t>(*index)] = std::move(run);
  }

  std::string path_, head_;
  std::ofstream out_;
};

// All that decides the numbers.
std::string head_of(const SweepCommand& arguments, const Model& model, const Options& options,
                    const std::vector<std::vector<double>>& points) {
  uint64_t sum = checksum(version());
  const auto see = [&sum](const std::string& text) {
    sum = checksum(text, sum);
    sum = checksum(std::string_view("\0", 1), sum);
  };
  for (std::size_t i = 0; i < model.sources().size(); ++i) {
    see(model.sources().file(static_cast<int32_t>(i)).text);
  }
  for (const auto& [name, value] : model.parameters()) see(name + "=" + format_number(value));
  for (const Variation& v : arguments.wanted.variations) see(v.name);
  for (const auto& point : points) {
    for (const double value : point) see(format_number(value));
  }
  for (const std::string& measure : arguments.wanted.measures) see(measure);
  for (const std::string& file : arguments.run.input_files()) see(read_text(file, kWrongUsage));
  for (const std::string& word : arguments.run.inputs) see(word);
  see(arguments.run.between);
  see(options.until ? format_number(*options.until) : "");
  see(format_number(options.relative_tolerance) + " " + format_number(options.absolute_tolerance));
  see(std::to_string(static_cast<int>(options.solver)) + " " + format_number(options.max_step));
  see(std::to_string(static_cast<int>(options.choice)) + " " + std::to_string(options.seed));
  see(std::to_string(static_cast<int>(options.zeno)) + " " +
      format_number(options.zeno_resolution));
  see(std::to_string(options.max_microsteps) + " " + std::to_string(options.max_epsilon_steps) +
      " " + std::to_string(options.max_events) + " " + std::to_string(options.max_steps) + " " +
      std::to_string(options.max_chatter));
  return "cradle sweep " + std::to_string(sum);
}

SweepPicture picture_of(const SweepCommand& arguments) {
  if (arguments.kind == "response") return SweepPicture::Response;
  if (arguments.kind == "heat") return SweepPicture::Heat;
  if (arguments.kind == "histogram") return SweepPicture::Histogram;
  if (arguments.kind == "family") return SweepPicture::Family;
  return plot::picture_for(arguments.wanted);
}

std::string draw_sweep(const SweepCommand& arguments, const Model& model, const Sweep& found,
                       PlotOptions plot) {
  if (arguments.dark) plot.theme = PlotOptions::Theme::Dark;
  plot.title = model.name();
  const auto panels = plot::sweep_chart(found, arguments.wanted, picture_of(arguments));
  plot.height = std::max(plot.height, static_cast<int>(300 * panels.size()));
  return chart_svg(panels, plot);
}

void write_picture(const SweepCommand& arguments, const Model& model, const Sweep& found,
                   OutputFile& out) {
  PictureArguments picture;
  picture.output = arguments.picture;
  PlotOptions plot;
  if (picture.is_png()) {
    picture.scale = arguments.scale;
    plot.theme = PlotOptions::Theme::Light;
  }
  out.stream() << picture.bytes(draw_sweep(arguments, model, found, plot));
  out.commit();
}

void write_json(const SweepCommand& arguments, const Model& model, const Sweep& found,
                OutputFile& out) {
  PlotOptions plot;
  plot.theme = PlotOptions::Theme::Light;
  out.stream() << text::sweep_json(model.name(), found, draw_sweep(arguments, model, found, plot))
               << '\n';
  out.commit();
}

void read_arguments(SweepCommand& arguments, const Model& model) {
  for (const std::string& text : arguments.vary) {
    arguments.wanted.variations.push_back(parse_variation(model, text));
    const std::string& name = arguments.wanted.variations.back().name;
    for (std::size_t i = 0; i + 1 < arguments.wanted.variations.size(); ++i) {
      if (arguments.wanted.variations[i].name == name) {
        throw Failure(kWrongUsage, "--vary " + name + " is given twice");
      }
    }
  }
  for (const std::string& list : arguments.measures) {
    for (std::string& one : split_list(list)) arguments.wanted.measures.push_back(std::move(one));
  }
  for (const std::string& list : arguments.curves) {
    for (std::string& one : split_list(list)) arguments.wanted.curves.push_back(std::move(one));
  }
  if (arguments.picture.empty() && arguments.json.empty() &&
      (!arguments.kind.empty() || !arguments.wanted.curves.empty())) {
    throw Failure(kWrongUsage, "--kind and --curve say what to draw: name the picture with -o");
  }
}

int sweep_model(SweepCommand& arguments) {
  const Model model =
      load_model(arguments.run.model.file, arguments.run.model.settings, arguments.run.model.place);
  if (!model.ok() && !arguments.json.empty()) {
    write_diagnostics_view(model, std::cout);
    return kModelAtFault;
  }
  if (!report_model(model)) return kModelAtFault;
  read_arguments(arguments, model);
  SweepOptions& wanted = arguments.wanted;
  Options options = arguments.run.options_for(model);
  const auto points = sweep_points(wanted);
  const std::vector<std::string> inputs = files_read(model, arguments.run);
  const auto csv = open_output(arguments.csv, inputs);
  const auto picture = open_output(arguments.picture, inputs);
  const auto json = open_output(arguments.json, inputs);
  if (is_same_output(arguments.json, arguments.picture) ||
      is_same_output(arguments.json, arguments.csv)) {
    throw Failure(kWrongUsage, "--json names the same file as another output");
  }
  if (is_same_output(arguments.csv, arguments.picture)) {
    throw Failure(kWrongUsage, "--csv and -o name the same file");
  }
  std::optional<Journal> journal;
  std::vector<std::optional<SweepRun>> known(points.size());
  if (!arguments.checkpoint.empty()) {
    if (!wanted.curves.empty()) {
      throw Failure(kWrongUsage, "--checkpoint keeps numbers and no curves; leave one of them out");
    }
    journal.emplace(arguments.checkpoint, head_of(arguments, model, options, points));
    // A sweep without measures has as many as the model shows, and knows them when it has begun.
    if (wanted.measures.empty()) throw Failure(kWrongUsage, "--checkpoint needs --measure");
    known = journal->read(points, wanted.measures.size());
    journal->begin(known);
  }
  const auto taken = static_cast<std::size_t>(
      std::count_if(known.begin(), known.end(), [](const auto& run) { return run.has_value(); }));
  if (taken > 0) std::cerr << "going on with " << taken << " of " << points.size() << " runs\n";
  const Watch watch(std::nullopt);
  SweepProgress progress(points.size(), taken, arguments.progress == "json");
  wanted.go_on = [] { return !Watch::is_asked_to_end(); };
  wanted.finished = [&](std::size_t index, const SweepRun& run) {
    if (journal) journal->add(index, run);
    progress.one_more();
  };
  const Sweep found = sweep(model, options, wanted, std::move(known));
  progress.stop();
  if (csv) {
    csv->write(text::sweep_csv_head(found));
    for (std::size_t i = 0; i < found.runs.size(); ++i) {
      if (found.runs[i]) csv->write(text::sweep_csv_line(i, *found.runs[i]));
    }
    csv->commit();
  }
  if (picture) write_picture(arguments, model, found, *picture);
  if (json) write_json(arguments, model, found, *json);
  if (arguments.csv != "-" && arguments.picture != "-" && arguments.json != "-") {
    std::cout << text::sweep_table(model.name(), found);
  }
  if (!found.complete()) {
    std::cerr << "interrupted; what was computed is kept"
              << (journal ? "; the same command goes on with it" : "") << "\n";
    return kEndedEarly;
  }
  if (journal) journal->remove();
  const bool all = std::all_of(found.runs.begin(), found.runs.end(),
                               [](const auto& run) { return run->ending == Ending::Finished; });
  const bool holds = std::all_of(found.runs.begin(), found.runs.end(),
                                 [](const auto& run) { return run->violations == 0; });
  return !all ? kEndedEarly : holds ? kFine : kAssertionFails;
}

}  // namespace

void add_sweep(CLI::App& program, int& status) {
  auto arguments = std::make_shared<SweepCommand>();
  CLI::App* command =
      program.add_subcommand("sweep", "Run a model many times, with parameters varied");
  arguments->run.add_to(*command);
  command
      ->add_option("--vary", arguments->vary,
                   "A parameter and its values: R=1e3..10e3:50,log  R=1,2,5  R=uniform(1, 2)  "
                   "R=normal(MEAN, DEVIATION)  R=lognormal(MEDIAN, SIGMA); again for another")
      ->required()
      ->allow_extra_args(false)
      ->type_name("NAME=VALUES");
  command
      ->add_option("--measure", arguments->measures,
                   "What to compute of each run: peak(v), mean(v, 0.1, 0.2), first(v > 3) / R … "
                   "(default: final(x) of all that the model shows)")
      ->allow_extra_args(false)
      ->type_name("EXPRESSION");
  command
      ->add_option("--samples", arguments->wanted.samples,
                   "How often to draw, for each point of the grids (default: 100)")
      ->check(CLI::Range(int64_t{1}, int64_t{10000000}))
      ->type_name("COUNT");
  command->add_option("--draw-seed", arguments->wanted.seed, "Of what is drawn (default: 0)")
      ->type_name("COUNT");
  command->add_flag("--latin", arguments->wanted.latin,
                    "Draw as a Latin hypercube: one in each of as many equal parts");
  command
      ->add_option("--threads", arguments->wanted.threads,
                   "How many runs at once; the result is the same (default: all cores)")
      ->check(CLI::Range(1, 1024))
      ->type_name("COUNT");
  command->add_option("--csv", arguments->csv, "Write all runs as CSV; - is stdout")
      ->type_name("FILE");
  command
      ->add_option("--json", arguments->json, "Write all runs and the picture as JSON; - is stdout")
      ->type_name("FILE");
  arguments->run.model.place.add_to(*command);
  command
      ->add_option("--progress", arguments->progress,
                   "json: say how many runs have ended in lines of JSON on stderr")
      ->check(CLI::IsMember({"json"}))
      ->type_name("HOW")
      ->group("For programs that pass a text on");
  command
      ->add_option("--checkpoint", arguments->checkpoint,
                   "Keep the runs that have ended in this file; if it is there, go on with it")
      ->type_name("FILE");
  const std::string group = "Picture";
  command->add_option("-o,--output", arguments->picture, "A picture, .svg or .png")
      ->type_name("FILE")
      ->group(group);
  command
      ->add_option("--kind", arguments->kind,
                   "response, heat, histogram or family (default: what suits --vary)")
      ->check(CLI::IsMember({"response", "heat", "histogram", "family"}))
      ->type_name("KIND")
      ->group(group);
  command
      ->add_option("--curve", arguments->curves,
                   "Columns to draw over time, one curve for each run (a family)")
      ->allow_extra_args(false)
      ->type_name("A,B.C")
      ->group(group);
  command->add_option("--scale", arguments->scale, "Of a PNG (default: 1)")
      ->check(CLI::Range(0.1, 16.0))
      ->type_name("NUMBER")
      ->group(group);
  command->add_flag("--dark", arguments->dark, "On dark ground")->group(group);
  command->footer(
      "Measures of a column, of all its values or from one time to another: initial, final, peak\n"
      "(or maximum), minimum, range, mean, rms, integral; peak(v, 0.1, 0.2). Of a condition: "
      "first,\n"
      "last, duration, count; first(v >= 3), count(D.on). Of the run: events(), first_event().\n"
      "They are taken of the curves between rows, and can be computed with: + - * / ^, abs, sqrt,\n"
      "exp, log, numbers and parameters. A run that fails is a row that says so.\n"
      "\n"
      "Examples:\n"
      "  cradle sweep models/circuits/buck.cradle --vary R=2..20:10 --measure 'peak(i)'\n"
      "  cradle sweep models/circuits/buck.cradle --vary R=2..5:4 --vary v_ref=4..8:5 "
      "--measure 'range(v, 9e-3, 10e-3)' -o map.svg\n"
      "  cradle sweep models/circuits/buck.cradle --vary 'R=normal(2, 0.1)' --samples 50 --latin "
      "--csv r.csv -o r.png");
  command->callback([arguments, &status] {
    try {
      status = sweep_model(*arguments);
    } catch (const std::invalid_argument& error) {
      throw Failure(kWrongUsage, error.what());
    }
  });
}

}  // namespace cradle::cli
