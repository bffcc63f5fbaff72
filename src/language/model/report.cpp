#include "language/model/report.hpp"

#include <algorithm>
#include <limits>

namespace cradle::model {

namespace {

constexpr std::size_t kMaxQuoted = 40;

std::string shortened(const std::string& text) {
  if (text.size() <= kMaxQuoted) return text;
  std::size_t cut = kMaxQuoted;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return text.substr(0, cut) + "…";
}

std::string instance_and_turns(const Place& place) {
  std::string text;
  const Scope* instance = place.scope;
  while (instance != nullptr && instance->outer != nullptr) instance = instance->outer;
  if (instance != nullptr && instance->depth > 0) {
    text = shortened(instance->prefix.substr(0, instance->prefix.size() - 1)) + ", a " +
           instance->component->definition->name.text;
  }
  std::string turns;
  for (const Turn* turn = place.turn; turn != nullptr; turn = turn->outer) {
    std::string own(turn->variable);
    own.append(" = ").append(std::to_string(turn->value)).append(turns.empty() ? "" : ", ");
    turns.insert(0, own);
  }
  if (!text.empty() && !turns.empty()) text += ", ";
  return text + turns;
}

}  // namespace

void Report::add(Diagnostic diagnostic, const Place& place) {
  std::string in = instance_and_turns(place);
  if (!in.empty()) diagnostic.notes.insert(diagnostic.notes.begin(), {"in", std::move(in)});
  add(std::move(diagnostic));
}

std::string Report::key(const std::string& kind, Span span) {
  return kind + ':' + std::to_string(span.file) + ':' + std::to_string(span.begin) + ':' +
         std::to_string(span.end);
}

bool Report::said(const std::string& kind, Span span) const {
  return seen_.contains(key(kind, span));
}

void Report::add(Diagnostic diagnostic) {
  std::string key = diagnostic.labels.empty()
                        ? diagnostic.kind + diagnostic.message
                        : Report::key(diagnostic.kind, diagnostic.labels.front().span);
  if (!seen_.insert(std::move(key)).second) return;
  int& count = diagnostic.severity == Severity::Error ? errors_ : warnings_;
  if (++count <= kMaxReported) found_.push_back(std::move(diagnostic));
}

void Report::move_to(Diagnostics& out) {
  auto place = [](const Diagnostic& diagnostic) {
    Span span = diagnostic.labels.empty() ? Span{} : diagnostic.labels.front().span;
    // Without a place: at the end.
    return std::pair(span.known() ? span.file : std::numeric_limits<int32_t>::max(), span.begin);
  };
  std::stable_sort(found_.begin(), found_.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  for (Diagnostic& diagnostic : found_) out.add(std::move(diagnostic));
  found_.clear();
  if (errors_ > kMaxReported) {
    out.add(Diagnostic("limit.errors", "there are " + std::to_string(errors_) +
                                           " errors, more than the " +
                                           std::to_string(kMaxReported) + " shown here"));
  }
}

std::string Report::source_text(Span span) const {
  if (!span.known()) return {};
  std::string_view text = sources_.file(span.file).text;
  auto size = static_cast<int32_t>(text.size());
  int32_t begin = std::clamp(span.begin, 0, size);
  int32_t end = std::clamp(span.end, begin, size);
  std::string line;
  for (char c :
       text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))) {
    bool white = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!white) line += c;
    if (white && !line.empty() && line.back() != ' ') line += ' ';
  }
  return shortened(line);
}

std::string did_you_mean(const std::string& wrong, const std::vector<std::string>& candidates) {
  std::string near = suggest(wrong, candidates);
  return near.empty() ? near : "did you mean " + near + "?";
}

}  // namespace cradle::model
