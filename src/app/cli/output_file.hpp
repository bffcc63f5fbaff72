#pragma once
// Files that a command writes, and what it read: nothing of the user's is lost.
//
//   while it is written   X.partial, beside X; what the run has made is there within a second
//   commit()              all of it on disk, then under its name X in one step
//   cut short             rows stay as X.partial; what is of no use in part goes

#include <chrono>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/read_bounded.hpp"

namespace cradle {
class Model;
}

namespace cradle::cli {

class Spool;

// Where a run that is taken up again finds what it had written.
struct Written {
  std::string partial;    // where it stood; empty: in no file of its own
  uint64_t bytes = 0;     // so many of them belong to the run
  uint64_t checksum = 0;  // over these
};

// What happens to a file that is begun and not finished.
enum class IfCutShort { Remove, Keep };

// "-" is the standard output. Links are followed; devices and pipes are written directly. Throws
// Failure (wrong usage) if the file cannot be written, or if it is one of `inputs`.
class OutputFile {
 public:
  OutputFile(const std::string& path, const std::vector<std::string>& inputs,
             IfCutShort if_cut_short = IfCutShort::Remove);
  // Goes on behind what was written before: in the partial file or, if that has got its name since,
  // in a copy.
  OutputFile(const std::string& path, const std::vector<std::string>& inputs,
             const Written& before);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // Throws as soon as something cannot be written.
  void write(std::string_view text);
  std::ostream& stream();  // what cannot be written is told by commit()
  // All that was written so far is out of this program, and of the machine's memory if it is a
  // file.
  Written settle();
  // Nobody will ask `settle` what was written: a run without a checkpoint.
  void do_without_checksum();
  void commit();
  // Where it is written until then; empty: in its place.
  const std::string& partial() const { return partial_; }

 private:
  void find_target(const std::vector<std::string>& inputs);
  [[noreturn]] void fail(const std::string& why) const;
  void open_partial();
  void take_up(const Written& before);
  bool is_in_place() const;

  std::string path_;     // as the user wrote it
  std::string target_;   // with links followed
  std::string partial_;  // empty: the target is written directly
  IfCutShort if_cut_short_;
  std::unique_ptr<Spool> spool_;
  std::unique_ptr<std::ostream> stream_;
};

// Null if no path is given.
std::unique_ptr<OutputFile> open_output(const std::string& path,
                                        const std::vector<std::string>& inputs,
                                        IfCutShort if_cut_short = IfCutShort::Remove);

// Do both names lead to one place that can be written only once? Also by links and other paths.
bool is_same_output(const std::string& one, const std::string& other);

// The model's files and what they import; "-" if it came from the standard input.
std::vector<std::string> files_of(const Model& model);

// The whole file, or the standard input for "-". Throws Failure with this status.
std::string read_text(const std::string& path, int status, std::size_t most = kMaxModelBytes);

// FNV-1a, which can be continued.
constexpr uint64_t kNoBytes = 0xcbf29ce484222325ULL;
uint64_t checksum(std::string_view bytes, uint64_t before = kNoBytes);

}  // namespace cradle::cli
