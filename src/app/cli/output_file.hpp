#pragma once
// A file that appears under its name only when it is complete.

#include <fstream>
#include <memory>
#include <ostream>
#include <string>

namespace cradle::cli {

// Writes to a temporary file in the same folder and renames it in commit(); without commit() the
// old content, if any, stays. "-" is the standard output; devices and pipes are written directly.
// Throws Failure (wrong usage) if the file cannot be written.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  std::ostream& stream();
  void commit();

 private:
  [[noreturn]] void fail(const std::string& why) const;
  void open_temporary();

  std::string path_;       // as the user wrote it
  std::string target_;     // with links followed
  std::string temporary_;  // empty: the target is written directly
  std::ofstream file_;
  bool standard_output_ = false;
};

// Null if no path is given.
std::unique_ptr<OutputFile> open_output(const std::string& path);

// The whole file, or the standard input for "-". Throws Failure with this status.
std::string read_text(const std::string& path, int status);

}  // namespace cradle::cli
