// cradle lib: the parts of the standard library.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>
#include <memory>

#include "app/cli/commands.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/terminal.hpp"
#include "cradle/diagnostic.hpp"
#include "cradle/parts.hpp"
#include "show/text/table.hpp"

namespace cradle::cli {
namespace {

using Port = LibraryPart::Port;

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string names_of_ports(const LibraryPart& part, Port::Kind kind) {
  std::string out;
  for (const Port& port : part.ports) {
    if (port.kind == kind) out += (out.empty() ? "" : ", ") + port.name;
  }
  return out;
}

std::ptrdiff_t count_words(const LibraryPart& part, const std::vector<std::string>& words) {
  const std::string text = in_lower_case(part.name + " " + part.file + " " + part.about);
  return std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    return text.find(in_lower_case(word)) != std::string::npos;
  });
}

// Where no part has all of them.
std::vector<const LibraryPart*> parts_with_most(const std::vector<std::string>& words) {
  std::vector<const LibraryPart*> found;
  std::ptrdiff_t most = 1;
  for (const LibraryPart& part : library_parts()) {
    const std::ptrdiff_t count = count_words(part, words);
    if (count > most) found.clear();
    most = std::max(most, count);
    if (count == most) found.push_back(&part);
  }
  return found;
}

// In lines of this width, each behind so many blanks.
std::string in_lines(const std::string& text, std::size_t width, const std::string& indent) {
  std::string out, line;
  const auto end_line = [&] {
    if (!line.empty()) out += indent + line + '\n';
    line.clear();
  };
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.compare(at, 2, "\n\n") == 0) {
      end_line();
      out += '\n';
      at += 2;
      continue;
    }
    const std::size_t stop = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, stop - at);
    const auto wide = [](const std::string& words) {
      return static_cast<std::size_t>(text::display_width(words));
    };
    if (!line.empty() && wide(line) + 1 + wide(word) + indent.size() > width) end_line();
    if (!line.empty()) line += ' ';
    line += word;
    at = stop;
    if (at < text.size() && text[at] == ' ') ++at;
  }
  end_line();
  return out;
}

void show_part(const LibraryPart& part) {
  const auto width = static_cast<std::size_t>(std::min(terminal_options().width, 100));
  std::cout << part.name << (part.is_block ? " (block)" : "") << "\n  import \"" << part.file
            << "\"\n";
  if (!part.about.empty()) std::cout << '\n' << in_lines(part.about, width, "  ");
  text::Table table;
  for (const char* header : {"", "name", "default", ""}) {
    table.add_column(header, text::Table::Align::Left);
  }
  for (const LibraryPart::Parameter& parameter : part.parameters) {
    table.add_row({"param", parameter.name, parameter.value, parameter.about});
  }
  for (const Port& port : part.ports) {
    const char* noun = port.kind == Port::Kind::Power   ? "port"
                       : port.kind == Port::Kind::Input ? "input"
                                                        : "output";
    const std::string domain = port.domain.empty() ? "" : port.domain + " ";
    table.add_row({domain + noun, port.name, "", port.about});
  }
  std::cout << '\n' << table.text();
}

void list_parts(const std::vector<const LibraryPart*>& parts) {
  std::string file;
  std::size_t widest = 0;
  for (const LibraryPart* part : parts) widest = std::max(widest, part->name.size());
  const int width = terminal_options().width;
  for (const LibraryPart* part : parts) {
    if (part->file != file) {
      std::cout << (file.empty() ? "" : "\n") << "import \"" << part->file << "\"\n";
      file = part->file;
    }
    std::string call = names_of_ports(*part, Port::Kind::Power);
    const std::string inputs = names_of_ports(*part, Port::Kind::Input);
    if (!inputs.empty()) call += (call.empty() ? "" : "; ") + inputs;
    const std::string about = part->purpose + (call.empty() ? "" : "  [" + call + "]");
    const std::string indent(widest + 4, ' ');
    std::string lines = in_lines(about, static_cast<std::size_t>(width), indent);
    if (lines.empty()) lines = indent + "\n";
    lines.replace(2, part->name.size(), part->name);
    std::cout << lines;
  }
}

// "drive line" in quotes are two words.
std::vector<std::string> split(const std::vector<std::string>& asked) {
  std::vector<std::string> out;
  for (const std::string& some : asked) {
    std::istringstream stream(some);
    for (std::string word; stream >> word;) out.push_back(word);
  }
  return out;
}

int show_library(const std::vector<std::string>& asked) {
  const std::vector<std::string> words = split(asked);
  std::vector<const LibraryPart*> found;
  for (const LibraryPart& part : library_parts()) {
    if (words.size() == 1 && part.name == words[0]) {
      show_part(part);
      return kFine;
    }
    if (count_words(part, words) == std::ssize(words)) found.push_back(&part);
  }
  if (found.size() == 1 && !words.empty()) {
    show_part(*found[0]);
    return kFine;
  }
  if (found.empty() && words.size() > 1) found = parts_with_most(words);
  if (found.empty()) {
    std::vector<std::string> names;
    for (const LibraryPart& part : library_parts()) names.push_back(part.name);
    const std::string near = suggest(words.back(), names);
    throw Failure(kWrongUsage, "nothing in the library is about '" + words.back() + "'" +
                                   (near.empty() ? "" : "; did you mean '" + near + "'?") +
                                   " (cradle lib lists all)");
  }
  list_parts(found);
  if (words.empty()) std::cout << "\nMore about one of them: cradle lib NAME\n";
  return kFine;
}

}  // namespace

void add_lib(CLI::App& program, int& status) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      program.add_subcommand("lib", "List and search the parts of the standard library");
  command
      ->add_option("words", *words, "The name of a part, or words that stand in what is said of it")
      ->type_name("WORDS");
  command->footer(
      "Each part stands with what it is for and, in brackets, its ports and inputs.\n"
      "\n"
      "Examples:\n"
      "  cradle lib\n"
      "  cradle lib Diode\n"
      "  cradle lib restitution");
  command->callback([words, &status] { status = show_library(*words); });
}

}  // namespace cradle::cli
