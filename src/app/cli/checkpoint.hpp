#pragma once
// A run that is saved now and then, so that `cradle run --resume F` goes on with it: all that it
// was started with, how much of its files belongs to it, and the run itself (Simulation::save).

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/execute.hpp"
#include "app/cli/output_file.hpp"

namespace cradle::cli {

struct Checkpoint {
  std::string version;                                     // of this program
  std::string folder;                                      // in which it was started
  std::vector<std::string> words;                          // of its command line, behind `run`
  std::vector<std::pair<std::string, std::string>> texts;  // of the model: file and text
  std::vector<std::pair<std::string, uint64_t>> inputs;    // other files: name and checksum
  std::string csv, json;  // the files that it writes, as given; empty: none
  Written csv_written, json_written;
  bool json_has_rows = false;
  std::string summary;  // text::SummaryRows; empty: there is none
  std::string run;      // Simulation::save; empty: it has not begun

  std::string bytes() const;
  // Throws Failure (wrong usage) if it cannot be read, is damaged, or of another version.
  static Checkpoint read(const std::string& file);
};

// The texts that a model was made from.
std::vector<std::pair<std::string, std::string>> texts_of(const Model& model);

// Throws Failure (wrong usage) if the model or another file is not what it was.
void require_unchanged(const Checkpoint& checkpoint, const Model& model);

// Saves the run every so many seconds, and when it is asked to end.
class CheckpointKeeper : public Interludes {
 public:
  // `checkpoint`: all but the run and what it has written, which `complete` adds when it is saved.
  CheckpointKeeper(std::string file, double seconds, Checkpoint checkpoint,
                   std::function<void(Checkpoint&)> complete);

  void begin(Simulation& simulation) override;  // loads the run, if there is one
  bool is_due() override;
  void pause(const Simulation& simulation) override;
  std::string how_to_go_on() const override;

 private:
  using Clock = std::chrono::steady_clock;

  std::string file_;
  std::chrono::duration<double> interval_;
  Checkpoint checkpoint_;
  std::function<void(Checkpoint&)> complete_;
  Clock::time_point last_;
  unsigned asked_ = 0;
  bool saved_at_end_ = false, saved_ = false, failed_ = false;
};

}  // namespace cradle::cli
