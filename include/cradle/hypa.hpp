#pragma once
// Models as processes of the hybrid process algebra HyPA (docs/hypa.md). Includes no third-party
// header.

#include <string>

#include "cradle/cradle.hpp"

namespace cradle {

struct HypaOptions {
  enum class Format { Text, Latex, Json } format = Format::Text;
  bool eliminate = false;  // the normal form: parallel composition eliminated
  bool explain = false;    // with what was dropped or merged, and why
  bool bonds = false;      // write the bonds' processes out
  bool values = false;     // numbers in place of the names of parameters
  int max_alternatives = 256;
};

struct HypaResult {
  std::string text;
  std::string diagnostics;  // rendered; empty if there is nothing to say
  bool ok() const { return diagnostics.empty(); }
};

// The model as a parallel composition of constitutive processes. It must be ok().
HypaResult processes_of(const Model& model, const HypaOptions& options = {});
// The same of processes that are written in the notation itself.
HypaResult processes_from_text(const std::string& name, const std::string& text,
                               const HypaOptions& options = {});

}  // namespace cradle
