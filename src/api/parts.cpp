#include "cradle/parts.hpp"

#include <algorithm>

#include "api/embedded.hpp"
#include "language/syntax/tree.hpp"

namespace cradle {

namespace {

// What a comment says, without its marks.
std::string said_by(const std::string& comment) {
  std::string_view text = comment;
  const bool block = text.starts_with("/*");
  if (block || text.starts_with("//")) text.remove_prefix(2);
  if (block && text.ends_with("*/")) text.remove_suffix(2);
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// Lines that belong together are one paragraph; what is set in stays as it is.
std::string paragraphs_of(const std::vector<std::string>& comments) {
  std::string out;
  for (const std::string& comment : comments) {
    const std::string line = said_by(comment);
    if (line.empty()) {
      if (!out.empty() && !out.ends_with("\n\n")) out += "\n\n";
    } else {
      if (!out.empty() && !out.ends_with('\n')) out += ' ';
      out += line;
    }
  }
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

// Up to the first full stop or colon that ends a word.
std::string first_sentence(const std::string& text) {
  const std::size_t paragraph = std::min(text.find("\n\n"), text.size());
  std::size_t end = paragraph;
  // Not the colon of n : 1.
  for (const char* stop : {": ", "; "}) {
    std::size_t at = text.find(stop);
    while (at < end && at > 0 && text[at - 1] == ' ') at = text.find(stop, at + 1);
    end = std::min(end, at);
  }
  // Not that of Fig. 3.
  for (std::size_t at = text.find(". "); at < end; at = text.find(". ", at + 1)) {
    if (at + 2 < text.size() && text[at + 2] >= 'A' && text[at + 2] <= 'Z') end = at;
  }
  std::string out = text.substr(0, end);
  while (out.ends_with('.') || out.ends_with(':')) out.pop_back();
  return out;
}

LibraryPart part_of(const Sources& sources, const std::string& file,
                    const syntax::Definition& definition) {
  LibraryPart out;
  out.name = definition.name.text;
  out.file = file;
  out.is_block = definition.is_block;
  // What stands above an empty line is said of the file.
  const auto& all = definition.comments;
  const auto last = std::find_if(all.rbegin(), all.rend(), [](const auto& c) { return c.empty(); });
  out.about = paragraphs_of({last.base(), all.end()});
  out.purpose = first_sentence(out.about);
  const std::string& text = sources.file(definition.name.span.file).text;
  for (const syntax::ItemPtr& item : definition.items) {
    const std::string about = said_by(item->trailing_comment);
    if (const auto* param = std::get_if<syntax::Param>(&item->node)) {
      const Span span = param->value->span;
      out.parameters.push_back({param->name.text,
                                text.substr(static_cast<std::size_t>(span.begin),
                                            static_cast<std::size_t>(span.end - span.begin)),
                                about});
    } else if (const auto* port = std::get_if<syntax::Port>(&item->node)) {
      out.ports.push_back({static_cast<LibraryPart::Port::Kind>(port->kind), port->name.text, about,
                           port->domain.text});
    }
  }
  return out;
}

std::vector<LibraryPart> read_parts() {
  std::vector<LibraryPart> out;
  for (const auto& [file, text] : embedded_library()) {
    Sources sources;
    Diagnostics unheard;
    const syntax::Tree tree = syntax::parse(sources, sources.add(file, text), unheard);
    for (const syntax::Definition& definition : tree.definitions) {
      if (!definition.is_model) out.push_back(part_of(sources, file, definition));
    }
  }
  return out;
}

}  // namespace

const std::vector<LibraryPart>& library_parts() {
  static const std::vector<LibraryPart> parts = read_parts();
  return parts;
}

}  // namespace cradle
