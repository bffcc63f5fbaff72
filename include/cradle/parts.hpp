#pragma once
// The parts of the standard library, as their own texts describe them. Includes no third-party
// header.

#include <string>
#include <utility>
#include <vector>

namespace cradle {

struct LibraryPart {
  struct Port {
    enum class Kind { Power, Input, Output } kind = Kind::Power;
    std::string name;
    std::string about;   // the comment behind it; may be empty
    std::string domain;  // of a power port; empty: any
  };
  struct Parameter {
    std::string name, value, about;  // value as it is written
  };
  std::string name;
  std::string file;       // as an import writes it
  bool is_block = false;  // signals only
  std::string purpose;    // the first sentence of what is said of it
  std::string about;      // all of it, in paragraphs
  std::vector<Port> ports;
  std::vector<Parameter> parameters;
};

// All of them, by file and in the order of the text.
const std::vector<LibraryPart>& library_parts();

}  // namespace cradle
