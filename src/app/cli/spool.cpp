#include "app/cli/spool.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace cradle::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kFull = 1 << 16;
constexpr auto kPatience = 500ms;

bool is_regular(int descriptor) {
  struct stat found;
  return ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
}

}  // namespace

Spool::Spool(int descriptor, uint64_t bytes_before, uint64_t checksum_before)
    : descriptor_(descriptor), bytes_(bytes_before), checksum_(checksum_before) {
  waiting_.reserve(kFull + kFull / 4);
  keeper_ = std::thread([this] { look_after(); });
}

Spool::~Spool() { close(); }

void Spool::look_after() {
  std::unique_lock<std::mutex> hold(lock_);
  while (!closed_) {
    closing_.wait_for(hold, kPatience);
    write_out();
  }
}

bool Spool::add(std::string_view text) {
  const std::lock_guard<std::mutex> hold(lock_);
  if (error_ != 0) return false;
  bytes_ += text.size();
  if (sums_) checksum_ = cli::checksum(text, checksum_);
  if (text.size() >= kFull) {  // as it is
    write_out();
    write_out(text);
  } else {
    waiting_ += text;
    if (waiting_.size() >= kFull) write_out();
  }
  return error_ == 0;
}

void Spool::write_out() {
  write_out(waiting_);
  waiting_.clear();
}

void Spool::write_out(std::string_view text) {
  std::size_t done = 0;
  while (error_ == 0 && done < text.size()) {
    const ssize_t count = ::write(descriptor_, text.data() + done, text.size() - done);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error_ = errno;
      cut_to_a_line(text.substr(0, done));
    }
  }
}

// Half a line would read as a row with other numbers.
void Spool::cut_to_a_line(std::string_view written) {
  if (written.empty() || !is_regular(descriptor_)) return;
  const std::size_t line = written.rfind('\n');
  if (line == std::string::npos) return;
  const off_t end = ::lseek(descriptor_, 0, SEEK_CUR);
  if (end < 0) return;
  static_cast<void>(::ftruncate(descriptor_, end - static_cast<off_t>(written.size() - line - 1)) ==
                    0);
}

bool Spool::flush() {
  const std::lock_guard<std::mutex> hold(lock_);
  write_out();
  return error_ == 0;
}

bool Spool::settle() {
  if (!flush()) return false;
  if (is_regular(descriptor_) && ::fsync(descriptor_) != 0) error_ = errno;
  return error_ == 0;
}

bool Spool::close() {
  if (!keeper_.joinable()) return error_ == 0;
  {
    const std::lock_guard<std::mutex> hold(lock_);
    closed_ = true;
  }
  closing_.notify_one();
  keeper_.join();
  flush();
  if (::close(descriptor_) != 0 && error_ == 0) error_ = errno;
  return error_ == 0;
}

Spool::int_type Spool::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return add({&one, 1}) ? c : traits_type::eof();
}

std::streamsize Spool::xsputn(const char* text, std::streamsize count) {
  return add({text, static_cast<std::size_t>(count)}) ? count : 0;
}

}  // namespace cradle::cli
