#include "app/cli/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <utility>

#include "app/cli/failure.hpp"
#include "app/cli/spool.hpp"
#include "cradle/cradle.hpp"

namespace cradle::cli {
namespace {

namespace fs = std::filesystem;

// The absolute name of the file that is meant, also by a link to one that is not there yet.
std::string follow_links(const std::string& path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  fs::path target = fs::absolute(path, error);
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, error) && !fs::exists(target, error);
       ++i) {
    target = target.parent_path() / fs::read_symlink(target, error);
  }
  const fs::path found = fs::weakly_canonical(target, error);
  return error ? path : found.string();
}

// "-" is a standard stream.
std::optional<struct stat> identity(const std::string& path, int standard) {
  struct stat found;
  const int result = path == "-" ? ::fstat(standard, &found) : ::stat(path.c_str(), &found);
  if (result != 0) return std::nullopt;
  return found;
}

bool is_one(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// A terminal and /dev/null bear several writers and readers.
bool can_be_spoilt(const struct stat& file) { return !S_ISCHR(file.st_mode); }

const std::string* input_that_is(const std::string& output,
                                 const std::vector<std::string>& inputs) {
  const auto written = identity(output, STDOUT_FILENO);
  if (!written || !can_be_spoilt(*written)) return nullptr;
  for (const std::string& input : inputs) {
    const auto read = identity(input, STDIN_FILENO);
    if (read && is_one(*read, *written)) return &input;
  }
  return nullptr;
}

void settle_folder(const std::string& target) {
  const int folder =
      ::open(fs::path(target).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // it may be written and not be read
  static_cast<void>(::fsync(folder));
  ::close(folder);
}

constexpr int kMostPartials = 1000;

std::string partial_name(const std::string& target, int number) {
  return target + ".partial" + (number == 1 ? "" : "-" + std::to_string(number));
}

// The first bytes of a file; passed on piece by piece to `take`, which says whether to go on.
template <class Take>
bool read_beginning(int descriptor, uint64_t count, Take&& take) {
  std::array<char, 1 << 16> piece;
  while (count > 0) {
    const ssize_t got = ::read(descriptor, piece.data(), std::min<uint64_t>(count, piece.size()));
    if (got <= 0) return false;
    if (!take(std::string_view(piece.data(), static_cast<std::size_t>(got)))) return false;
    count -= static_cast<uint64_t>(got);
  }
  return true;
}

bool begins_with(int descriptor, const Written& before) {
  uint64_t sum = kNoBytes;
  const bool long_enough = read_beginning(descriptor, before.bytes, [&](std::string_view piece) {
    sum = checksum(piece, sum);
    return true;
  });
  return long_enough && sum == before.checksum;
}

}  // namespace

uint64_t checksum(std::string_view bytes, uint64_t before) {
  for (const char c : bytes) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return before;
}

OutputFile::OutputFile(const std::string& path, const std::vector<std::string>& inputs,
                       IfCutShort if_cut_short)
    : path_(path), if_cut_short_(if_cut_short) {
  find_target(inputs);
  if (!spool_) open_partial();
  stream_ = std::make_unique<std::ostream>(spool_.get());
}

OutputFile::OutputFile(const std::string& path, const std::vector<std::string>& inputs,
                       const Written& before)
    : path_(path), if_cut_short_(IfCutShort::Keep) {
  find_target(inputs);
  if (!spool_) take_up(before);
  stream_ = std::make_unique<std::ostream>(spool_.get());
}

void OutputFile::find_target(const std::vector<std::string>& inputs) {
  if (const std::string* input = input_that_is(path_, inputs)) {
    fail("it is " + (*input == "-" ? "the standard input" : *input) +
         ", which is read; choose another name");
  }
  if (path_ == "-") {
    std::cout.flush();
    spool_ = std::make_unique<Spool>(::dup(STDOUT_FILENO), 0, kNoBytes);
    return;
  }
  target_ = follow_links(path_);
  std::error_code error;
  const fs::file_status found = fs::status(target_, error);
  if (fs::is_directory(found)) fail("it is a folder");
  if (!fs::exists(found) || fs::is_regular_file(found)) return;
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(std::strerror(errno));
  spool_ = std::make_unique<Spool>(descriptor, 0, kNoBytes);
}

// What another run left, or still writes, stays as it is.
void OutputFile::open_partial() {
  int descriptor = -1;
  for (int number = 1; descriptor < 0 && number <= kMostPartials; ++number) {
    partial_ = partial_name(target_, number);
    descriptor = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) {
    const int why = errno;
    partial_.clear();
    fail(std::strerror(why));
  }
  struct stat replaced;  // a file system without modes is no reason to stop
  if (::stat(target_.c_str(), &replaced) == 0) {
    static_cast<void>(::fchmod(descriptor, replaced.st_mode & 07777) == 0);
  }
  spool_ = std::make_unique<Spool>(descriptor, 0, kNoBytes);
}

void OutputFile::take_up(const Written& before) {
  const int partial = ::open(before.partial.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (partial >= 0 && begins_with(partial, before)) {
    const auto end = static_cast<off_t>(before.bytes);
    if (::ftruncate(partial, end) != 0 || ::lseek(partial, end, SEEK_SET) != end) {
      fail(std::strerror(errno));
    }
    partial_ = before.partial;
    spool_ = std::make_unique<Spool>(partial, before.bytes, before.checksum);
    return;
  }
  if (partial >= 0) ::close(partial);
  const int whole = ::open(target_.c_str(), O_RDONLY | O_CLOEXEC);
  const bool fits = whole >= 0 && begins_with(whole, before) && ::lseek(whole, 0, SEEK_SET) == 0;
  if (!fits) {
    if (whole >= 0) ::close(whole);
    fail("neither " + before.partial + " nor " + target_ +
         " begins with what the run had written when it was saved");
  }
  open_partial();
  read_beginning(whole, before.bytes, [this](std::string_view piece) {
    write(piece);
    return true;
  });
  ::close(whole);
}

OutputFile::~OutputFile() {
  if (spool_) spool_->close();
  if (partial_.empty()) return;
  if (if_cut_short_ == IfCutShort::Remove || spool_->bytes() == 0) ::unlink(partial_.c_str());
}

void OutputFile::do_without_checksum() { spool_->do_without_checksum(); }

std::ostream& OutputFile::stream() { return *stream_; }

void OutputFile::write(std::string_view text) {
  if (!spool_->add(text)) fail(std::strerror(spool_->error()));
}

Written OutputFile::settle() {
  if (!spool_->settle()) fail(std::strerror(spool_->error()));
  return {partial_, spool_->bytes(), spool_->checksum()};
}

// Or has somebody put another file in the place of the partial one?
bool OutputFile::is_in_place() const {
  struct stat written, found;
  return ::fstat(spool_->descriptor(), &written) == 0 && ::stat(partial_.c_str(), &found) == 0 &&
         is_one(written, found);
}

void OutputFile::commit() {
  settle();
  if (!partial_.empty() && !is_in_place()) {
    const std::string partial = std::exchange(partial_, {});
    fail("while it was written, " + partial + " was replaced or removed");
  }
  if (!spool_->close()) fail(std::strerror(spool_->error()));
  if (!*stream_) fail("not everything could be written");
  if (partial_.empty()) return;
  if (::rename(partial_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
  partial_.clear();
  settle_folder(target_);
}

void OutputFile::fail(const std::string& why) const {
  std::string message =
      "cannot write " + (path_ == "-" ? "the standard output" : path_) + ": " + why;
  const bool keeps = !partial_.empty() && if_cut_short_ == IfCutShort::Keep;
  if (keeps) message += "; what could be written is in " + partial_;
  throw Failure(kWrongUsage, message);
}

std::unique_ptr<OutputFile> open_output(const std::string& path,
                                        const std::vector<std::string>& inputs,
                                        IfCutShort if_cut_short) {
  return path.empty() ? nullptr : std::make_unique<OutputFile>(path, inputs, if_cut_short);
}

bool is_same_output(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  if (one == other) return one != "/dev/null";
  if (one != "-" && other != "-" && follow_links(one) == follow_links(other)) return true;
  const auto a = identity(one, STDOUT_FILENO), b = identity(other, STDOUT_FILENO);
  return a && b && is_one(*a, *b) && can_be_spoilt(*a);
}

std::vector<std::string> files_of(const Model& model) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < model.sources().size(); ++i) {
    const std::string& name = model.sources().file(static_cast<int32_t>(i)).name;
    out.push_back(name == "<stdin>" ? "-" : name);
  }
  return out;
}

std::string read_text(const std::string& path, int status, std::size_t most) {
  const auto too_long = [&] {
    return Failure(status, "cannot read " + path + ": it is longer than " +
                               std::to_string(most >> 20) + " MiB");
  };
  std::string text;
  if (path == "-") {
    if (!read_bounded(std::cin, most, text)) throw too_long();
    return text;
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (fs::is_directory(path, error))
    throw Failure(status, "cannot read " + path + ": it is a folder");
  const bool open = static_cast<bool>(file);
  if (open && !read_bounded(file, most, text)) throw too_long();
  if (!open || file.bad()) {
    throw Failure(status, "cannot read " + path + ": " + std::strerror(errno ? errno : EIO));
  }
  return text;
}

}  // namespace cradle::cli
