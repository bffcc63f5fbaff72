#pragma once
// What an element means (Cuijpers, Broenink, Mosterman: Constitutive Hybrid Processes, section 3).
//
// Each element is defined once, in a file of its own, by relations over its ports that hold while
// time flows:   Σ aᵢ·eᵢ + Σ bᵢ·fᵢ = right-hand side.
// The relations across a jump follow from them by integration over the jump: e becomes
// p′ = p⁺ − p⁻ and f becomes q′ = q⁺ − q⁻. Nothing else in the tree knows what a capacitor is.

#include <span>
#include <string_view>
#include <vector>

namespace cradle::elements {

enum class Variable { Effort, Flow };

// A coefficient of a relation: a plain number, or ± the element's modulus (n of TF, r of GY).
struct Coefficient {
  double factor = 1;
  bool modulus = false;
};

struct Term {
  Variable variable;
  int port;
  Coefficient coefficient;
};

enum class Right {
  Zero,
  StateLaw,  // law of the stored quantities of all ports
  PowerLaw,  // law of the effort or flow named in Relation::argument: dissipation
  Source,    // a signal, which may carry an impulse
};

struct Relation {
  std::vector<Term> left;
  Right right = Right::Zero;
  Variable argument = Variable::Flow;  // for PowerLaw
  int port = 0;                        // whose law
};

// What an element keeps, if anything: p (the integral of its effort) or q (of its flow).
enum class Storage { None, Momentum, Displacement };

enum class Kind {
#define ELEMENT(name, definition) name,
#include "language/elements/names.def"
};

struct Definition {
  Kind kind;
  std::string_view name;  // as written in a model
  std::string_view noun;  // "inertia", for messages
  int ports;              // −1: as many as its law has (fields)
  Storage storage;
  bool power_in;  // its half-arrows must point to it (stores, resistors)
  bool through;   // one half-arrow in, one out (TF, GY)
  // Preferred causality, for SCAP: which variable the element sets on its bond by necessity
  // (sources), by preference (stores), or either.
  enum class Causality { SetsEffort, SetsFlow, PrefersEffort, PrefersFlow, Either, Same, Crossed };
  Causality causality;
  // The relations while time flows, for n ports. `law_of_effort`: the law of a PowerLaw element
  // was written as f = law(e) instead of e = law(f).
  std::vector<Relation> (*flow)(int ports, bool law_of_effort);
};

// Does a signal set one of its variables? Does it turn power into heat? As its relations say.
bool is_source(Kind kind);
bool is_dissipative(Kind kind);

const Definition& definition(Kind kind);
const Definition* find(std::string_view name);  // nullptr if no element has this name
std::span<const Definition* const> all();

}  // namespace cradle::elements
