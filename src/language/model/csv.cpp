#include "language/model/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace cradle::model {

namespace {

constexpr const char* kRule =
    "a row has its fields between commas, semicolons or tabs, and numbers a decimal point";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::optional<double> plain_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Reader {
 public:
  Reader(const Sources& sources, int32_t file, std::vector<Diagnostic>& found)
      : text_(sources.file(file).text), file_(file), found_(found) {}

  std::optional<Csv> read(bool names) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // byte order mark
    Csv out;
    while (at_ < text_.size()) {
      if (!read_line(out.rows)) return std::nullopt;
    }
    if (out.rows.empty()) {
      report("the file has no rows", {file_, 0, 0}).help("write rows of numbers: 0, 1");
      return std::nullopt;
    }
    out.columns.resize(out.rows.front().size());
    if (names && !take_names(out)) return std::nullopt;
    return out;
  }

 private:
  Diagnostic& report(const std::string& message, Span span) {
    found_.push_back(Diagnostic("table.csv", message).at(span).rule(kRule));
    return found_.back();
  }
  Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<int32_t>(begin), static_cast<int32_t>(end)};
  }

  bool read_line(std::vector<std::vector<CsvField>>& rows) {
    const std::size_t begin = at_, end = std::min(text_.find('\n', at_), text_.size());
    at_ = end + 1;
    const std::string_view line = text_.substr(begin, end - begin);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') return true;
    if (separator_ == '\0') separator_ = separator_of(line);
    std::vector<CsvField> row;
    if (!split(begin, end, row)) return false;
    if (!rows.empty() && row.size() != rows.front().size()) {
      report("this row has " + std::to_string(row.size()) + " fields, and the first one has " +
                 std::to_string(rows.front().size()),
             span(begin + first, end))
          .at(Span{file_, rows.front().front().span.begin, rows.front().back().span.end},
              "the first row")
          .help("give all rows one number of fields; a comma is no decimal point");
      return false;
    }
    rows.push_back(std::move(row));
    return true;
  }

  static char separator_of(std::string_view line) {
    bool quoted = false;
    std::string seen;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (!quoted) seen += c;
    }
    for (const char c : {';', '\t', ','}) {
      if (seen.find(c) != std::string::npos) return c;
    }
    return ',';
  }

  bool split(std::size_t begin, std::size_t end, std::vector<CsvField>& row) {
    while (true) {
      while (begin < end && text_[begin] != separator_ && is_blank(text_[begin])) ++begin;
      std::size_t stop = begin;
      std::string text;
      if (begin < end && text_[begin] == '"') {
        if (!unquote(begin, end, stop, text)) return false;
      } else {
        stop = std::min(text_.find(separator_, begin), end);
        text = text_.substr(begin, stop - begin);
        while (!text.empty() && is_blank(text.back())) text.pop_back();
      }
      row.push_back({text, span(begin, std::max(begin, begin + text.size()))});
      if (stop >= end) return true;
      begin = stop + 1;
    }
  }

  // A field in quotes, in which two quotes are one.
  bool unquote(std::size_t begin, std::size_t end, std::size_t& stop, std::string& text) {
    std::size_t i = begin + 1;
    for (; i < end; ++i) {
      if (text_[i] != '"') {
        text += text_[i];
      } else if (i + 1 < end && text_[i + 1] == '"') {
        text += text_[i++];
      } else {
        break;
      }
    }
    for (stop = i + 1; stop < end && text_[stop] != separator_ && is_blank(text_[stop]);) ++stop;
    if (i < end && (stop >= end || text_[stop] == separator_)) return true;
    report(i < end ? "there is something behind a field in quotes"
                   : "a field in quotes does not end on its line",
           span(begin, i < end ? stop + 1 : end))
        .help("write \" at its end, and \"\" for a quote in it");
    return false;
  }

  // Of the first row, if it is one of names.
  bool take_names(Csv& csv) {
    std::vector<CsvField> first = csv.rows.front();
    const auto is_number = [](const CsvField& field) {
      return plain_number(field.text).has_value();
    };
    if (std::any_of(first.begin(), first.end(), is_number)) return true;
    const auto is_comma_number = [](const CsvField& field) {
      return field.text.find_first_not_of("0123456789,+-eE") == std::string::npos &&
             !field.text.empty();
    };
    if (std::any_of(first.begin(), first.end(), is_comma_number)) return true;
    csv.has_names = true;
    csv.rows.erase(csv.rows.begin());
    for (std::size_t i = 0; i < first.size(); ++i) {
      csv.columns[i].name = first[i];
      if (!take_unit(csv.columns[i])) return false;
    }
    return true;
  }

  bool take_unit(CsvColumn& column) {
    std::string& name = column.name.text;
    const std::size_t open = name.rfind('[');
    if (open == std::string::npos || !name.ends_with(']')) return true;
    const std::string unit = name.substr(open + 1, name.size() - open - 2);
    column.unit = units::parse(unit);
    if (!column.unit) {
      report("there is no unit " + unit, column.name.span)
          .help("write a unit as in the language, [mV], or the name without brackets");
      return false;
    }
    name.erase(open);
    while (!name.empty() && is_blank(name.back())) name.pop_back();
    return true;
  }

  const std::string_view text_;
  const int32_t file_;
  std::vector<Diagnostic>& found_;
  std::size_t at_ = 0;
  char separator_ = '\0';
};

}  // namespace

std::optional<Csv> read_csv(const Sources& sources, int32_t file, bool names,
                            std::vector<Diagnostic>& found) {
  return Reader(sources, file, found).read(names);
}

std::optional<double> csv_number(const CsvField& field, const std::optional<units::Unit>& unit,
                                 std::vector<Diagnostic>& found) {
  const auto refuse = [&](const std::string& message, const std::string& help) {
    found.push_back(Diagnostic("table.csv", message).at(field.span).rule(kRule).help(help));
    return std::nullopt;
  };
  if (field.text.empty()) return refuse("a number is missing", "write one, or leave out the row");
  const std::optional<double> plain = plain_number(field.text);
  if (!plain) {
    const bool comma = field.text.find(',') != std::string::npos;
    return refuse(field.text + " is no number",
                  comma ? "write a decimal point: 1.5" : "write a number: -1.5e3");
  }
  double value = *plain;
  if (unit && std::isfinite(value)) {
    value = units::value_of(field.text.substr(field.text.starts_with('+') ? 1 : 0), *unit);
  }
  if (std::isfinite(value)) return value;
  return refuse(field.text + " is not finite", "leave out the row, or write a number");
}

}  // namespace cradle::model
