// Fuzzing with oracles: valid models, changed token by token with the words of the language, and
// what comes of them. Nothing may crash or hang; and of a mutant that runs
//
//   selections   every selection, with and without the audit and a grid, gives the same common rows
//   cuts         saved at half its time, loaded and gone on, it is the same run
//   conform      it obeys its own processes
//   fmt          its one style is its own one style
//   hypa         its processes are read back as they were written
//
// MUTANTS says how many, or FUZZ_SECONDS how long; SEED where to begin. The model that is being
// tried stands in mutant.cradle in the working directory, should everything end there.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "cradle/bounds.hpp"
#include "cradle/conform.hpp"
#include "cradle/cradle.hpp"
#include "cradle/hypa.hpp"
#include "language/syntax/lexer.hpp"
#include "show/text/csv.hpp"

namespace cradle {
namespace {

using Clock = std::chrono::steady_clock;

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> seeds() {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"/models", "/tests/corpus", "/tests/models"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(CRADLE_ROOT) + folder)) {
      if (entry.path().extension() == ".cradle") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> out;
  for (const auto& path : paths) out.push_back(read(path));
  return out;
}

// ---- mutation ----------------------------------------------------------------------------------

// Tokens as they stand there, with what separates them in between.
std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> out;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text.compare(at, 2, "//") == 0) {
      end = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '"') {
      end = std::min(text.find('"', at + 1), text.size() - 1) + 1;
    } else if (is_word(text[at])) {
      while (end < text.size() && is_word(text[end])) ++end;
    } else if (text[at] == ' ') {
      while (end < text.size() && text[end] == ' ') ++end;
    }
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {
    dictionary_ = syntax::keyword_texts();
    const std::vector<std::string> more = {"0",         "1",          "-1",         "2",
                                           "0.5",       "1e-9",       "1e9",        "1e308",
                                           "1e-320",    "pi",         "inf",        "omega",
                                           "absent",    "time",       "true",       "false",
                                           "+",         "-",          "*",          "/",
                                           "^",         "==",         "!=",         "<",
                                           "<=",        ">",          ">=",         "(",
                                           ")",         "[",          "]",          "{",
                                           "}",         ",",          "=",          "->",
                                           ":",         "\n",         "integral",   "fby",
                                           "delay",     "default",    "sample",     "hold",
                                           "event",     "clock",      "rising",     "falling",
                                           "crossing",  "choose",     "inhibit",    "merge",
                                           "pre",       "impulse",    "pulse",      "phase",
                                           "count",     "abs",        "min",        "max",
                                           "sqrt",      "exp",        "log",        "sin",
                                           "cos",       "floor",      "mod",        "sign",
                                           "if",        "then",       "else",       "not",
                                           "and",       "or",         "I",          "C",
                                           "R",         "Se",         "Sf",         "TF",
                                           "GY",        "p",          "q",          "e",
                                           "f",         "is_present", "time_delay", "immediate",
                                           "history",   "preemptive", "after eps",  "initially off",
                                           "priority 1"};
    dictionary_.insert(dictionary_.end(), more.begin(), more.end());
  }

  std::string operator()(std::mt19937& random) const {
    const auto pick = [&random](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
    std::vector<std::string> tokens = tokens_of(seeds_[pick(seeds_.size())]);
    const std::size_t changes = 1 + pick(3);
    for (std::size_t i = 0; i < changes && tokens.size() > 2; ++i) {
      const auto at = tokens.begin() + static_cast<std::ptrdiff_t>(pick(tokens.size()));
      switch (pick(12)) {
        case 0:
          tokens.erase(at);
          break;
        case 1:
          tokens.insert(at, *at);
          break;
        case 2:
          *at = dictionary_[pick(dictionary_.size())];
          break;
        case 3:
          tokens.insert(at, " " + dictionary_[pick(dictionary_.size())] + " ");
          break;
        case 4:
        case 5:
          move_line(tokens, random);
          break;
        default:
          exchange(tokens, random);
      }
    }
    std::string out;
    for (const std::string& token : tokens) out += token;
    return out;
  }

 private:
  enum class Sort { Number, Name, Sign, Other };
  static Sort sort_of(const std::string& token) {
    const auto first = static_cast<unsigned char>(token[0]);
    if (std::isdigit(first)) return Sort::Number;
    if (std::isalpha(first) || first == '_') return Sort::Name;
    return std::string_view("+-*/<>=").find(token[0]) != std::string_view::npos &&
                   !token.starts_with("//")
               ? Sort::Sign
               : Sort::Other;
  }

  // One token by another of its sort, of the same model or of the dictionary: mostly still a model.
  void exchange(std::vector<std::string>& tokens, std::mt19937& random) const {
    std::string& token = tokens[random() % tokens.size()];
    const Sort sort = sort_of(token);
    if (sort == Sort::Other) return;
    const std::vector<std::string>& source = random() % 2 == 0 ? tokens : dictionary_;
    for (int i = 0; i < 50; ++i) {
      const std::string& other = source[random() % source.size()];
      if (sort_of(other) != sort) continue;
      token = std::string(other);
      return;
    }
  }

  // A line stands at another place, or twice.
  static void move_line(std::vector<std::string>& tokens, std::mt19937& random) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i] == "\n") ends.push_back(i + 1);
    }
    if (ends.size() < 3) return;
    const std::size_t line = random() % (ends.size() - 1);
    const std::vector<std::string> copy(
        tokens.begin() + static_cast<std::ptrdiff_t>(ends[line]),
        tokens.begin() + static_cast<std::ptrdiff_t>(ends[line + 1]));
    const std::size_t to = ends[random() % ends.size()];
    tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(to), copy.begin(), copy.end());
  }

  std::vector<std::string> seeds_, dictionary_;
};

// ---- oracles -----------------------------------------------------------------------------------

constexpr double kPatience = 1.0;  // seconds for one run; what takes longer is not compared

struct Recorded {
  bool ended = true;  // in time
  Outcome outcome;
  std::map<std::string, std::string> rows;  // "t eps step column" → value
  std::string csv;
};

Options bounded() {
  Options options;
  options.max_events = 300;
  options.max_steps = 3000;
  options.max_microsteps = 60;
  options.max_epsilon_steps = 60;
  options.max_chatter = 50;
  options.choice = ChoicePolicy::Random;
  options.record_curves = false;  // nobody looks at them here
  return options;
}

void give_up_after(Options& options, bool& ended) {
  const auto end = Clock::now() + std::chrono::duration<double>(kPatience);
  options.progress = [end, &ended](double) {
    if (Clock::now() < end) return true;
    ended = false;
    return false;
  };
}

void collect(Recorded& out, const Trajectory& rows) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Instant at = rows.instant(row);
    std::ostringstream key;
    key.precision(17);
    key << at.t << ' ' << at.eps << ' ' << at.step << ' ';
    for (std::size_t c = 0; c < rows.columns().size(); ++c) {
      const auto value = rows.value(row, c);
      out.rows[key.str() + rows.columns()[c]] = value ? to_string(*value) : "-";
    }
    for (std::size_t a = 0; a < rows.automata().size(); ++a) {
      out.rows[key.str() + rows.automata()[a]] = rows.mode(row, a);
    }
  }
}

Recorded record(const Model& model, Options options) {
  Recorded out;
  give_up_after(options, out.ended);
  Simulation simulation(model, options);
  simulation.run();
  out.outcome = simulation.outcome();
  collect(out, simulation.trajectory());
  text::CsvWriter csv([&](std::string_view text) { out.csv += text; });
  simulation.trajectory().replay(csv);
  return out;
}

// What both have recorded is the same.
std::string difference(const Recorded& a, const Recorded& b) {
  if (a.outcome.ending != b.outcome.ending || a.outcome.at != b.outcome.at) {
    return std::string("ends as ") + to_string(a.outcome.ending) + " at " +
           to_string(a.outcome.at) + " or as " + to_string(b.outcome.ending) + " at " +
           to_string(b.outcome.at);
  }
  for (const auto& [key, value] : a.rows) {
    const auto found = b.rows.find(key);
    if (found != b.rows.end() && found->second != value) {
      return key + " = " + value + " or " + found->second;
    }
  }
  return {};
}

// So that a loop without end is told soon.
constexpr BuildBounds kBounds{500'000, 4'000'000, 10'000'000};

class Oracles {
 public:
  explicit Oracles(const std::string& text) : text_(text) {}

  // What is wrong, or nothing.
  std::string judge() {
    if (std::string wrong = style(); !wrong.empty()) return "fmt: " + wrong;
    const Model model = load_text_within(kBounds, "mutant.cradle", text_);
    model.diagnostics_text();
    if (!model.ok()) return {};
    ran = true;
    model.check(16);
    if (std::string wrong = processes(model); !wrong.empty()) return "hypa: " + wrong;
    Options options = bounded();
    options.until = std::min(model.until().value_or(1.0), 1e3);
    const Recorded plain = record(model, options);
    if (!plain.ended) return {};
    finished = plain.outcome.finished();
    if (std::string wrong = selections(model, options, plain); !wrong.empty()) return wrong;
    if (std::string wrong = cuts(model, options, plain); !wrong.empty()) return "cut: " + wrong;
    return {};
  }

  bool ran = false, finished = false;

 private:
  std::string style() const {
    std::string said, again_said;
    const auto once = format_source("mutant.cradle", text_, said);
    if (!once) return {};
    const auto twice = format_source("mutant.cradle", *once, again_said);
    if (!twice) return "is not read back: " + again_said;
    return *twice == *once ? "" : "another style the second time";
  }

  static std::string processes(const Model& model) {
    HypaOptions options;
    options.max_alternatives = 32;
    const HypaResult written = processes_of(model, options);
    if (!written.ok()) return {};
    const HypaResult read = processes_from_text("mutant.hypa", written.text, options);
    return read.ok() ? "" : read.diagnostics;
  }

  std::string selections(const Model& model, const Options& options, const Recorded& plain) const {
    std::vector<std::pair<std::string, Options>> others(3, {"", options});
    others[0].first = "everything";
    others[0].second.select_everything = true;
    others[0].second.every = options.until.value_or(1.0) / 50;  // rows that conform can judge
    others[0].second.every_turn = true;
    others[1].first = "without audit";
    others[1].second.audit = false;
    others[2].first = "grid";
    others[2].second.every = options.until.value_or(1.0) / 7;
    for (const auto& [name, other] : others) {
      const Recorded run = record(model, other);
      if (!run.ended) return {};
      if (std::string wrong = difference(plain, run); !wrong.empty()) return name + ": " + wrong;
      if (!other.select_everything || !plain.outcome.finished()) continue;
      // Along a border values are means over its sides, which no single process gives.
      if (plain.outcome.slide_count > 0) continue;
      const Conformance verdict = check_conformance(model, run.csv, 1e-4);
      if (verdict.problem == "nothing of this model is recorded") continue;  // model M {}
      if (!verdict.problem.empty()) return "conform: " + verdict.problem;
      // On the border between two modes derivatives decide, or strain, which rows do not have.
      const auto is_told = [](const ConformanceViolation& v) {
        return !v.process.ends_with(".automaton");
      };
      const auto found =
          std::find_if(verdict.violations.begin(), verdict.violations.end(), is_told);
      if (found == verdict.violations.end()) continue;
      const ConformanceViolation& first = *found;
      return "conform: " + first.process + ": " + first.relation + " at " + to_string(first.at) +
             ": " + first.detail;
    }
    return {};
  }

  std::string cuts(const Model& model, const Options& options, const Recorded& whole) const {
    bool ended = true;
    Options own = options;
    give_up_after(own, ended);
    Simulation first(model, own);
    first.advance_to(options.until.value_or(1.0) / 2);
    if (!ended || first.outcome().ending != Ending::Running) return {};
    const std::string bytes = first.save();
    Recorded rest;
    give_up_after(own, rest.ended);
    Simulation second(model, own);
    second.load(bytes);
    second.run();
    if (!rest.ended) return {};
    rest.outcome = second.outcome();
    collect(rest, second.trajectory());
    return difference(whole, rest);
  }

  const std::string& text_;
};

// ---- the tests ---------------------------------------------------------------------------------

void hang(int) {
  constexpr std::string_view message = "a mutant hangs; it stands in mutant.cradle\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
  std::abort();
}

uint32_t number_in(const char* variable, uint32_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

// Calls with a generator of its own for each mutant, until time is up.
template <class Try>
void for_mutants(uint32_t usual, const Try& one) {
  const uint32_t seconds = number_in("FUZZ_SECONDS", 0), seed = number_in("SEED", 1);
  const uint32_t count = number_in("MUTANTS", seconds > 0 ? UINT32_MAX : usual);
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::signal(SIGALRM, hang);
  for (uint32_t i = 0; i < count && (seconds == 0 || Clock::now() < end); ++i) {
    std::mt19937 random(seed + i);
    alarm(300);  // on a busy machine, under the sanitizers
    one(seed + i, random);
    if (testing::Test::HasFatalFailure()) break;
  }
  alarm(0);
}

TEST(Mutants, ObeyTheirOracles) {
  const Mutator mutate(seeds());
  std::set<std::string> told;  // by kind and process; one of each is enough
  int tried = 0, ran = 0, finished = 0;
  for_mutants(150, [&](uint32_t seed, std::mt19937& random) {
    const std::string text = mutate(random);
    std::ofstream("mutant.cradle") << text;
    Oracles oracles(text);
    const std::string wrong = oracles.judge();
    ++tried;
    ran += oracles.ran ? 1 : 0;
    finished += oracles.finished ? 1 : 0;
    if (wrong.empty()) return;
    std::ofstream("mutant-" + std::to_string(seed) + ".cradle") << text;
    if (told.size() < 20 && told.insert(wrong.substr(0, 40)).second) {
      ADD_FAILURE() << "SEED=" << seed << " MUTANTS=1: " << wrong;
    }
  });
  RecordProperty("tried", tried);
  RecordProperty("ran", ran);
  std::cout << tried << " mutants, " << ran << " models, " << finished << " runs to the end\n";
  // Most are still models, or nothing has been shown.
  if (tried >= 100) {
    EXPECT_GT(ran, tried / 10);
  }
}

TEST(Mutants, OfProcessesAreReadOrRefused) {
  std::vector<std::string> texts;
  for (const std::string& seed : seeds()) {
    const Model model = Model::load_text("seed.cradle", seed);
    if (model.ok()) texts.push_back(processes_of(model).text);
  }
  const Mutator mutate(texts);
  for_mutants(300, [&](uint32_t, std::mt19937& random) {
    const std::string text = mutate(random);
    std::ofstream("mutant.hypa") << text;
    HypaOptions options;
    options.max_alternatives = 16;
    const HypaResult once = processes_from_text("mutant.hypa", text, options);
    if (!once.ok()) return;
    const HypaResult twice = processes_from_text("mutant.hypa", once.text, options);
    EXPECT_EQ(twice.diagnostics, "") << text;
    options.format = HypaOptions::Format::Json;
    processes_from_text("mutant.hypa", text, options);
  });
}

TEST(Mutants, OfRunsAreReadOrRefused) {
  const Model model = Model::load(std::string(CRADLE_ROOT) + "/models/mosterman/cradle.cradle");
  ASSERT_TRUE(model.ok());
  Options options = bounded();
  options.select_everything = true;
  const Mutator mutate({record(model, options).csv});
  for_mutants(200, [&](uint32_t, std::mt19937& random) {
    const std::string text = mutate(random);
    std::ofstream("mutant.csv") << text;
    check_conformance(model, text);
  });
}

}  // namespace
}  // namespace cradle
