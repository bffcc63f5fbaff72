#include "app/studio/folder.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "app/serve/beneath.hpp"
#include "language/syntax/tree.hpp"

namespace cradle::studio {
namespace {

namespace fs = std::filesystem;
using serve::Descriptor;
using serve::Found;

constexpr std::size_t kMaxListed = 2000;
constexpr std::size_t kMaxVisited = 50000;  // entries of all folders
constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxDescribed = 1u << 20;  // a text beyond is listed without a name

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string title_of(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || text[begin] != '/' || begin + 1 == text.size()) return {};
  const char second = text[begin + 1];
  if (second != '/' && second != '*') return {};
  std::string line = text.substr(begin + 2, text.find('\n', begin) - begin - 2);
  if (const std::size_t close = line.find("*/"); second == '*' && close != std::string::npos)
    line.resize(close);
  line = trimmed(line);
  return line.size() > 300 || !serve::is_utf8(line) ? std::string() : line;
}

// FNV-1a, in hexadecimal.
std::string hash_of(const std::string& text) {
  uint64_t hash = 14695981039346656037u;
  for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
  char out[20];
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash));
  return out;
}

// Of the text itself, not of its date: whoever wrote the same again has changed nothing.
std::string stamp_of(const std::string& text) {
  return std::to_string(text.size()) + "-" + hash_of(text);
}

bool is_skipped(const std::string& name) {
  return name.starts_with('.') || name == "node_modules" || name == "build" ||
         name.starts_with("build-");
}

std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

std::string random_name() {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
    throw Refused(500, "there is no randomness");
  char out[40];
  std::snprintf(out, sizeof out, ".cradle-%016llx", static_cast<unsigned long long>(number));
  return out;
}

[[noreturn]] void cannot_write(const std::string& path, int why) {
  const int status = why == ENOSPC || why == EDQUOT                  ? 507
                     : why == EACCES || why == EPERM || why == EROFS ? 403
                                                                     : 500;
  throw Refused(status, "cannot write " + path + ": " + std::strerror(why));
}

// A file in a folder that has another name until it is complete.
class Draft {
 public:
  Draft(const Found& folder, const std::string& path, const std::optional<mode_t>& mode)
      : folder_(folder.handle.get()), path_(path), name_(random_name()) {
    file_ = Descriptor(::openat(folder_, name_.c_str(),
                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file_.valid()) cannot_write(path_, errno);
    // A file system without modes is no reason to stop.
    if (mode) static_cast<void>(!::fchmod(file_.get(), *mode));
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (!name_.empty()) ::unlinkat(folder_, name_.c_str(), 0);
  }

  void write(const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(file_.get(), text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) cannot_write(path_, errno);
      done += static_cast<std::size_t>(n);
    }
    if (::fsync(file_.get()) != 0 && errno != EINVAL) cannot_write(path_, errno);
  }

  void replace(const std::string& name) {
    if (::renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0) cannot_write(path_, errno);
    name_.clear();
  }

  // False if something is there already.
  bool place(const std::string& name) {
    if (::renameat2(folder_, name_.c_str(), folder_, name.c_str(), RENAME_NOREPLACE) == 0) {
      name_.clear();
      return true;
    }
    if (errno == EEXIST) return false;
    if (errno != EINVAL && errno != ENOSYS) cannot_write(path_, errno);
    // This file system cannot do it in one step.
    if (::faccessat(folder_, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return false;
    replace(name);
    return true;
  }

 private:
  const int folder_;
  const std::string path_;
  std::string name_;
  Descriptor file_;
};

Found found_folder(const std::string& root, const std::string& path) {
  std::optional<Found> found = serve::find_beneath(root, path);
  if (!found || !found->is_folder) throw Refused(404, "there is no folder " + path);
  return std::move(*found);
}

}  // namespace

Description describe(const std::string& text) {
  Description out;
  out.title = title_of(text);
  if (text.size() > kMaxDescribed) return out;
  Sources sources;
  Diagnostics diagnostics;
  const int32_t file = sources.add("", text);
  const syntax::Tree tree = syntax::parse(sources, file, diagnostics);
  if (diagnostics.has_errors()) return out;
  for (const auto& definition : tree.definitions) {
    if (definition.is_model && !out.model) out.model = definition.name.text;
  }
  return out;
}

std::string Folder::name() const {
  const std::string name = fs::path(folder_).filename().string();
  return name.empty() ? folder_ : name;
}

void Folder::check_path(const std::string& path) const {
  if (!path.ends_with(".cradle") || !serve::is_plain_path(path))
    throw Refused(400, "not the name of a model in this folder (folder/name.cradle)");
  // A folder on the way may be a link to somewhere else.
  const std::string above = split_path(path).first;
  std::error_code error;
  if (!above.empty() &&
      fs::symlink_status(folder_ + "/" + above, error).type() != fs::file_type::not_found &&
      !serve::find_beneath(folder_, above))
    throw Refused(403, "this leads out of the folder");
}

std::string Folder::id() const { return hash_of(folder_); }

FileText Folder::read(const std::string& path) const {
  check_path(path);
  const std::optional<Found> found = serve::find_beneath(folder_, path);
  if (!found || found->is_folder || !found->path.ends_with(".cradle"))
    throw Refused(404, "there is no model " + path);
  if (found->size > static_cast<off_t>(kMaxText))
    throw Refused(413, path + " is too large for the studio");
  std::optional<std::string> text = serve::read_found(*found, kMaxText);
  if (!text) throw Refused(403, "cannot read " + path);
  if (!serve::is_utf8(*text)) throw Refused(422, path + " is not UTF-8 text");
  const std::string stamp = stamp_of(*text);
  return {path, std::move(*text), stamp};
}

FileText Folder::save(const std::string& path, const std::string& text,
                      const std::optional<std::string>& stamp) {
  check_path(path);
  if (text.size() > kMaxText) throw Refused(413, "the text is too large for the studio");
  const std::lock_guard lock(saving_);
  if (!stamp) {
    const auto [above, name] = split_path(path);
    const Found folder = found_folder(folder_, above);
    Draft draft(folder, path, std::nullopt);
    draft.write(text);
    if (!draft.place(name)) throw Refused(409, "there is a file " + path + " already");
    return {path, text, stamp_of(text)};
  }
  const std::optional<Found> found = serve::find_beneath(folder_, path);
  if (!found || found->is_folder || !found->path.ends_with(".cradle"))
    throw Refused(409, path + " is no longer there");
  const std::optional<std::string> present = serve::read_found(*found, kMaxText);
  if (!present || stamp_of(*present) != *stamp)
    throw Refused(409, path + " has changed on disk since it was read");
  // Where a link leads is replaced, not the link.
  const auto [above, name] = split_path(found->path);
  const Found folder = found_folder(folder_, above);
  Draft draft(folder, path, found->mode);
  draft.write(text);
  draft.replace(name);
  return {path, text, stamp_of(text)};
}

// Null: not a model of this folder. Files that have not changed are not read again.
const Description* Folder::look_at(const std::string& path) {
  const std::optional<Found> found = serve::find_beneath(folder_, path);
  if (!found || found->is_folder || !found->path.ends_with(".cradle")) return nullptr;
  struct stat status;
  if (::fstat(found->handle.get(), &status) != 0) return nullptr;
  Seen& seen = seen_[path];
  if (seen.inode != status.st_ino || seen.size != status.st_size ||
      seen.seconds != status.st_mtim.tv_sec || seen.nanoseconds != status.st_mtim.tv_nsec) {
    seen = {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size, status.st_ino, {}};
    if (const auto text = serve::read_found(*found, kMaxText)) seen.description = describe(*text);
  }
  return &seen.description;
}

Listing Folder::list() {
  std::vector<std::string> paths;
  std::vector<std::pair<std::string, int>> folders = {{"", 0}};
  std::size_t visited = 0;
  // Breadth first: what is near counts more where there is too much.
  for (std::size_t next = 0; next < folders.size() && visited < kMaxVisited; ++next) {
    const auto [above, depth] = folders[next];
    std::error_code error;
    fs::directory_iterator entry(folder_ + "/" + above,
                                 fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::directory_iterator() && visited < kMaxVisited;
         entry.increment(error), ++visited) {
      const std::string name = entry->path().filename().string();
      std::string path = above.empty() ? "" : above + "/";
      path += name;
      std::error_code unknown;
      // Links to folders are not followed: they may lead in a circle.
      if (entry->symlink_status(unknown).type() == fs::file_type::directory) {
        if (depth + 1 < kMaxDepth && !is_skipped(name)) folders.emplace_back(path, depth + 1);
      } else if (name.ends_with(".cradle") && serve::is_plain_path(path)) {
        paths.push_back(path);
      }
    }
  }
  Listing listing;
  if (paths.size() > kMaxListed) {
    listing.more = paths.size() - kMaxListed;
    paths.resize(kMaxListed);
  }
  std::sort(paths.begin(), paths.end());
  const std::lock_guard lock(looking_);
  if (seen_.size() > 4 * kMaxListed) seen_.clear();
  for (const auto& path : paths) {
    if (const Description* description = look_at(path))
      listing.files.push_back({path, *description});
  }
  return listing;
}

}  // namespace cradle::studio
