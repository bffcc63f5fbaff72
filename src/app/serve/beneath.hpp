#pragma once
// What stands below a folder, and nothing else: links are followed, but what they lead to must be
// below the folder too. Judged on what was opened, not on its name, so that nothing can be
// exchanged in between.

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace cradle::serve {

class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  int get() const { return value_; }
  bool valid() const { return value_ >= 0; }
  int release();
  void close();

 private:
  int value_;
};

// A relative path of plain names: no empty one, none that begins with a dot, no control character,
// valid UTF-8.
bool is_plain_path(std::string_view path);
bool is_utf8(std::string_view text);

struct Found {
  Descriptor handle;  // names it (O_PATH); nothing has been opened for reading
  std::string path;   // relative to the folder, with links followed
  bool is_folder = false;
  off_t size = 0;
  mode_t mode = 0;
};

// A regular file or a folder below `folder`, which is absolute and without links. Devices, pipes,
// what is hidden and what is elsewhere do not exist.
std::optional<Found> find_beneath(const std::string& folder, const std::string& path);

// The whole file; nullopt if it is larger than max_bytes or cannot be read.
std::optional<std::string> read_found(const Found& found, std::size_t max_bytes);

}  // namespace cradle::serve
