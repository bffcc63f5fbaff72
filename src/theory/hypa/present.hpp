#pragma once
// What `cradle hypa` shows: the composition of a model or its normal form.

#include <string>

#include "theory/hypa/compose.hpp"

namespace cradle::hypa {

enum class Format { Text, Latex, Json };

struct Presentation {
  Format format = Format::Text;
  bool eliminate = false;  // the normal form
  bool explain = false;    // and what was dropped or merged, and why
  bool bonds = false;      // write out ṗ = e, q̇ = f, Ė = e·f
  std::size_t max_alternatives = 256;
};

// `problem`: why there is no normal form, if it was asked for and there is none.
std::string present(const model::Model& model, const Presentation& wanted, std::string& problem);
// Of a specification in the notation: its first process is the composition of others.
std::string present(Specification specification, const Presentation& wanted, std::string& problem);

}  // namespace cradle::hypa
