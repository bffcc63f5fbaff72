#include "app/serve/beneath.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

namespace cradle::serve {
namespace {

std::string link_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// Where something that is open really is; empty if that cannot be said.
std::string real_path(int descriptor) {
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink(link_of(descriptor).c_str(), path.data(), path.size());
  if (size <= 0 || static_cast<std::size_t>(size) == path.size()) return {};
  path.resize(static_cast<std::size_t>(size));
  return path;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.size() <= NAME_MAX &&
         std::none_of(name.begin(), name.end(),
                      [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// How many bytes the character has that begins with this one; 0: none begins so.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    value_ = other.release();
  }
  return *this;
}

int Descriptor::release() { return std::exchange(value_, -1); }

void Descriptor::close() {
  if (value_ >= 0) ::close(value_);
  value_ = -1;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
    const std::size_t length = length_of(byte(0));
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(k) & 0xc0) != 0x80) return false;
    }
    // Overlong forms, surrogates, beyond the last plane.
    if ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) > 0x9f) ||
        (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) > 0x8f))
      return false;
    i += length;
  }
  return true;
}

// Marks that turn the order of letters, so that a name reads as another one.
bool turns_letters(std::string_view text) {
  for (const char* mark : {"\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e",
                           "\u2066", "\u2067", "\u2068", "\u2069"}) {
    if (text.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

bool is_plain_path(std::string_view path) {
  if (path.size() >= 1024 || !is_utf8(path) || turns_letters(path)) return false;
  for (;;) {
    const std::size_t slash = path.find('/');
    if (!is_plain_name(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

std::optional<Found> find_beneath(const std::string& folder, const std::string& path) {
  if (!path.empty() && !is_plain_path(path)) return std::nullopt;
  Found found;
  found.handle = Descriptor(::open((folder + "/" + path).c_str(), O_PATH | O_CLOEXEC));
  if (!found.handle.valid()) return std::nullopt;
  struct stat status;
  if (::fstat(found.handle.get(), &status) != 0 || status.st_nlink == 0) return std::nullopt;
  found.is_folder = S_ISDIR(status.st_mode);
  if (!found.is_folder && !S_ISREG(status.st_mode)) return std::nullopt;
  found.size = status.st_size;
  found.mode = status.st_mode & 07777;

  const std::string real = real_path(found.handle.get());
  if (found.is_folder && real == folder) return found;
  const std::string above = folder == "/" ? "/" : folder + "/";
  if (!real.starts_with(above)) return std::nullopt;
  found.path = real.substr(above.size());
  if (!is_plain_path(found.path)) return std::nullopt;
  return found;
}

std::optional<std::string> read_found(const Found& found, std::size_t max_bytes) {
  if (found.is_folder) return std::nullopt;
  const Descriptor file(
      ::open(link_of(found.handle.get()).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return std::nullopt;
  std::string text;
  char piece[65536];
  for (;;) {
    const ssize_t got = ::read(file.get(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) return std::nullopt;
  }
}

}  // namespace cradle::serve
