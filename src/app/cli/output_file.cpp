#include "app/cli/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "app/cli/failure.hpp"

namespace cradle::cli {
namespace {

namespace fs = std::filesystem;

// The mode of the file that is replaced, or what a new file would get.
mode_t mode_for(const std::string& target) {
  struct stat found;
  if (::stat(target.c_str(), &found) == 0) return found.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

std::string follow_links(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), standard_output_(path == "-") {
  if (standard_output_) return;
  target_ = follow_links(path_);
  std::error_code error;
  const fs::file_status found = fs::status(target_, error);
  if (fs::is_directory(found)) fail("it is a folder");
  if (fs::exists(found) && !fs::is_regular_file(found)) {
    file_.open(path_, std::ios::binary);
    if (!file_) fail(std::strerror(errno));
    return;
  }
  open_temporary();
}

void OutputFile::open_temporary() {
  const fs::path target(target_);
  temporary_ = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
  const int descriptor = ::mkstemp(temporary_.data());
  if (descriptor < 0) {
    const int why = errno;
    temporary_.clear();
    fail(std::strerror(why));
  }
  // A file system without modes is no reason to stop.
  static_cast<void>(::fchmod(descriptor, mode_for(target_)) + ::close(descriptor));
  file_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!file_) fail(std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::ostream& OutputFile::stream() { return standard_output_ ? std::cout : file_; }

void OutputFile::commit() {
  errno = 0;
  stream().flush();
  if (!standard_output_) file_.close();
  if (!stream()) fail(errno != 0 ? std::strerror(errno) : "not everything could be written");
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
  temporary_.clear();
}

void OutputFile::fail(const std::string& why) const {
  throw Failure(kWrongUsage,
                "cannot write " + (standard_output_ ? "the standard output" : path_) + ": " + why);
}

std::unique_ptr<OutputFile> open_output(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
}

std::string read_text(const std::string& path, int status) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (fs::is_directory(path, error))
    throw Failure(status, "cannot read " + path + ": it is a folder");
  std::string text;
  if (file) text.assign(std::istreambuf_iterator<char>(file), {});
  if (!file || file.bad()) {
    throw Failure(status, "cannot read " + path + ": " + std::strerror(errno ? errno : EIO));
  }
  return text;
}

}  // namespace cradle::cli
