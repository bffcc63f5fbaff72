#include "app/serve/site.hpp"

#include <array>
#include <utility>

#include "app/serve/beneath.hpp"

namespace cradle::serve {
namespace {

constexpr std::size_t kMaxFile = 256u << 20;
// Pages may use what comes with them, and nothing from elsewhere.
constexpr const char* kOwnOnly =
    "default-src 'self' 'unsafe-inline' data: blob:; frame-ancestors 'none'; base-uri 'self'; "
    "form-action 'none'";

std::string type_of(const std::string& path) {
  static constexpr std::array<std::pair<const char*, const char*>, 18> types = {{
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".json", "application/json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".jpg", "image/jpeg"},
      {".gif", "image/gif"},
      {".webp", "image/webp"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".pdf", "application/pdf"},
      {".xml", "application/xml"},
      {".txt", "text/plain; charset=utf-8"},
      {".md", "text/plain; charset=utf-8"},
      {".csv", "text/csv; charset=utf-8"},
      {".cradle", "text/plain; charset=utf-8"},
  }};
  for (const auto& [ending, type] : types) {
    if (path.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

std::string encoded(const std::string& path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (unsigned char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out += static_cast<char>(c);
    } else {
      out += {'%', digits[c >> 4], digits[c & 15]};
    }
  }
  return out;
}

Response page(int status, const Found& found, const std::string& path) {
  std::optional<std::string> text = read_found(found, kMaxFile);
  if (!text) return refusal(500, "this file cannot be read");
  return {status, type_of(path), std::move(*text), kOwnOnly, {}};
}

Response missing(const std::string& folder) {
  if (const auto own = find_beneath(folder, "404.html"); own && !own->is_folder)
    return page(404, *own, "404.html");
  return {404, "text/plain; charset=utf-8", "There is no such page.\n", {}, {}};
}

}  // namespace

Response answer_from_site(const std::string& folder, const Request& request) {
  if (request.method != "GET") return refusal(405, "this is only to be read");
  if (!request.path.starts_with('/')) return missing(folder);
  std::string path = request.path.substr(1);
  const bool slash = path.empty() || path.ends_with('/');
  if (!path.empty() && slash) path.pop_back();
  if (path.empty() && request.path != "/") return missing(folder);

  std::optional<Found> found = find_beneath(folder, path);
  if (found && found->is_folder) {
    // Relative links of a page count from its folder.
    if (!slash) return {301, "text/plain", "", {}, "/" + encoded(path) + "/"};
    path += path.empty() ? "index.html" : "/index.html";
    found = find_beneath(folder, path);
  } else if (slash) {
    found.reset();
  }
  if (!found || found->is_folder) return missing(folder);
  return page(200, *found, path);
}

}  // namespace cradle::serve
