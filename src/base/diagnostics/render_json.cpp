// The same diagnostics for tools: an array of objects with stable keys; lines and columns count
// from 1, columns in code points, and ends are exclusive.

#include <nlohmann/json.hpp>

#include "cradle/diagnostic.hpp"

namespace cradle {
namespace {

using Json = nlohmann::ordered_json;

void add_place(Json& object, const Span& span, const Sources& sources) {
  if (!span.known()) return;
  const Sources::Position begin = sources.position(span.file, span.begin);
  const Sources::Position end = sources.position(span.file, span.end);
  object["file"] = sources.file(span.file).name;
  object["line"] = begin.line;
  object["column"] = begin.column;
  object["end_line"] = end.line;
  object["end_column"] = end.column;
}

Json to_json(const Diagnostic& diagnostic, const Sources& sources) {
  Json object;
  object["severity"] = diagnostic.severity == Severity::Error ? "error" : "warning";
  object["kind"] = diagnostic.kind;
  object["message"] = diagnostic.message;
  if (!diagnostic.labels.empty()) add_place(object, diagnostic.labels.front().span, sources);
  object["labels"] = Json::array();
  for (const Diagnostic::Label& label : diagnostic.labels) {
    Json entry = Json::object();
    add_place(entry, label.span, sources);
    entry["text"] = label.text;
    object["labels"].push_back(std::move(entry));
  }
  object["notes"] = Json::array();
  for (const Diagnostic::Note& note : diagnostic.notes) {
    object["notes"].push_back(Json{{"key", note.key}, {"text", note.text}});
  }
  return object;
}

}  // namespace

std::string render_json(const std::vector<Diagnostic>& diagnostics, const Sources& sources) {
  Json array = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) array.push_back(to_json(diagnostic, sources));
  return array.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cradle
