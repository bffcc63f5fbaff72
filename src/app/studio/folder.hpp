#pragma once
// The models of the chosen folder: what is there, and reading and writing it. Nothing else of the
// file system can be reached.

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace cradle::studio {

// What cannot be done, as an HTTP status.
struct Refused : std::runtime_error {
  Refused(int status_, const std::string& why) : std::runtime_error(why), status(status_) {}
  int status;
};

struct Description {
  std::string title;                 // first line of the opening comment
  std::optional<std::string> model;  // its name
};
// Only parses it. What does not parse has no name.
Description describe(const std::string& text);

struct ModelFile {
  std::string path;
  Description description;
};

struct Listing {
  std::vector<ModelFile> files;  // in order of path
  std::size_t more = 0;          // found, not listed
};

struct FileText {
  std::string path, text, stamp;
};

inline constexpr std::size_t kMaxText = 4u << 20;  // bytes of one model

class Folder {
 public:
  // Absolute and without links.
  explicit Folder(std::string folder) : folder_(std::move(folder)) {}

  const std::string& path() const { return folder_; }
  std::string id() const;  // hexadecimal, the same for the same path
  std::string name() const;
  // Up to 2,000 files, eight folders deep.
  Listing list();
  FileText read(const std::string& path) const;
  // With a stamp: if the file is still what was read. Without: if there is none.
  FileText save(const std::string& path, const std::string& text,
                const std::optional<std::string>& stamp);
  // A path under which a model of this folder can stand, or could; throws Refused if not.
  void check_path(const std::string& path) const;

 private:
  struct Seen {
    int64_t seconds = 0, nanoseconds = 0;
    off_t size = 0;
    ino_t inode = 0;
    Description description;
  };
  const Description* look_at(const std::string& path);

  const std::string folder_;
  std::mutex saving_;   // one at a time, so that a stamp is still true when the file is replaced
  std::mutex looking_;  // at seen_
  std::map<std::string, Seen> seen_;
};

}  // namespace cradle::studio
