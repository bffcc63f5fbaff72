// cradle completion: what shells complete, and the manual page, from the commands themselves.

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/cli/failure.hpp"
#include "cradle/cradle.hpp"

namespace cradle::cli {
namespace {

using Commands = std::vector<const CLI::App*>;

Commands commands_of(const CLI::App& program) {
  Commands out;
  for (const CLI::App* command : program.get_subcommands(nullptr)) out.push_back(command);
  return out;
}

std::vector<std::pair<std::string, std::string>> options_of(const CLI::App& command) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      out.emplace_back(name, option->get_description());
    }
  }
  return out;
}

// Up to the first full stop, without what a shell would take for its own.
std::string in_short(std::string text, const std::string& but) {
  text = text.substr(0, text.find_first_of(";("));
  std::erase_if(text, [&](char c) { return but.find(c) != std::string::npos || c == '\n'; });
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

void write_bash(const CLI::App& program) {
  std::string names;
  for (const CLI::App* command : commands_of(program)) names += " " + command->get_name();
  std::cout << "# bash completion for cradle\n"
               "_cradle() {\n"
               "  local cur=${COMP_WORDS[COMP_CWORD]} options=\n"
               "  COMPREPLY=()\n"
               "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
               "    COMPREPLY=($(compgen -W \""
            << names.substr(1)
            << "\" -- \"$cur\"))\n"
               "    return\n"
               "  fi\n"
               "  case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* command : commands_of(program)) {
    std::cout << "    " << command->get_name() << ") options=\"";
    const char* before = "";
    for (const auto& [name, about] : options_of(*command)) {
      std::cout << before << "--" << name;
      before = " ";
    }
    std::cout << "\" ;;\n";
  }
  std::cout << "  esac\n"
               "  case $cur in\n"
               "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
               "    *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
               "  esac\n"
               "}\n"
               "complete -o filenames -F _cradle cradle\n";
}

void write_zsh(const CLI::App& program) {
  const std::string bad = "'\":[]\\";
  std::cout << "#compdef cradle\n_cradle() {\n  local -a commands options\n  commands=(\n";
  for (const CLI::App* command : commands_of(program)) {
    std::cout << "    '" << command->get_name() << ":" << in_short(command->get_description(), bad)
              << "'\n";
  }
  std::cout << "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n"
               "  fi\n  case $words[2] in\n";
  for (const CLI::App* command : commands_of(program)) {
    std::cout << "    " << command->get_name() << ")\n      options=(\n";
    for (const auto& [name, about] : options_of(*command)) {
      std::cout << "        '--" << name << ":" << in_short(about, bad) << "'\n";
    }
    std::cout << "      ) ;;\n";
  }
  std::cout << "  esac\n  if [[ $PREFIX == -* ]]; then\n    _describe option options\n  else\n"
               "    _files\n  fi\n}\n_cradle \"$@\"\n";
}

void write_fish(const CLI::App& program) {
  const std::string bad = "'\\";
  std::cout << "# fish completion for cradle\n";
  for (const CLI::App* command : commands_of(program)) {
    std::cout << "complete -c cradle -n __fish_use_subcommand -f -a " << command->get_name()
              << " -d '" << in_short(command->get_description(), bad) << "'\n";
    for (const auto& [name, about] : options_of(*command)) {
      std::cout << "complete -c cradle -n '__fish_seen_subcommand_from " << command->get_name()
                << "' -l " << name << " -d '" << in_short(about, bad) << "'\n";
    }
  }
}

// Text in roff: a line that begins with a point or an apostrophe would be a request.
std::string in_roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    begins = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

void write_man(const CLI::App& program) {
  std::cout << ".TH CRADLE 1 \"\" \"cradle " << version() << "\" \"User Commands\"\n"
            << ".SH NAME\ncradle \\- simulate hybrid bond graphs, causal signals and modal models\n"
               ".SH SYNOPSIS\n.B cradle\n.I COMMAND\n[\\fIOPTIONS\\fR] \\fIFILE\\fR...\n"
               ".SH DESCRIPTION\n"
            << in_roff(program.get_description()) << "\n.SH COMMANDS\n";
  for (const CLI::App* command : commands_of(program)) {
    std::cout << ".SS cradle " << command->get_name() << "\n"
              << in_roff(command->get_description()) << "\n";
    for (const CLI::Option* option : command->get_options()) {
      const std::string type = option->get_type_name();
      std::cout << ".TP\n\\fB" << in_roff(option->get_name(false, true)) << "\\fR"
                << (option->get_expected_max() > 0 && !type.empty() ? " " + in_roff(type) : "")
                << "\n"
                << in_roff(option->get_description()) << "\n";
    }
    if (command->get_footer().empty()) continue;
    std::cout << ".PP\n.nf\n" << in_roff(command->get_footer()) << "\n.fi\n";
  }
  std::cout << ".SH EXIT STATUS\n"
               "0 fine, 1 the model is at fault, 2 wrong usage, 3 the run ended early (what was "
               "computed is written).\n";
}

}  // namespace

void add_completion(CLI::App& program, int& status) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand(
      "completion", "Print what a shell completes of these commands, or the manual page");
  command->add_option("shell", *shell, "bash, zsh, fish, or man for the manual page")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}))
      ->type_name("SHELL");
  command->footer(
      "An installed Cradle has all of them in their places.\n"
      "\n"
      "Example:\n"
      "  source <(cradle completion bash)");
  command->callback([&program, shell, &status] {
    if (*shell == "bash") write_bash(program);
    if (*shell == "zsh") write_zsh(program);
    if (*shell == "fish") write_fish(program);
    if (*shell == "man") write_man(program);
    status = kFine;
  });
}

}  // namespace cradle::cli
