#pragma once
// Terms of the restricted hybrid process algebra of Cuijpers, Broenink and Mosterman (Constitutive
// Hybrid Processes, section 2):
//
//   (V | P)       flow clause: time flows while P holds; the variables in V do not jump before it
//   [V | P] ≫ x   re-initialisation: the variables in V may jump as P allows, then x
//   x ⊕ y         alternative: x or y
//   x ▶ y         disrupt: y may take over from x at any moment
//   x ∥ y         parallel: both, synchronised
//   X             what X ≈ … defines
//
// ▶ binds strongest, then ≫, ∥, ⊕.

#include <optional>
#include <string>
#include <vector>

#include "theory/hypa/vocabulary.hpp"

namespace cradle::hypa {

// One conjunct of a predicate: a boolean expression, and who says so ("body1", "F13").
struct Relation {
  ExprId holds;
  std::string from;
  bool operator==(const Relation& o) const { return holds == o.holds; }
};
using Predicate = std::vector<Relation>;

struct Clause {
  std::optional<std::vector<VariableId>> variables;  // V; none: all of them, which is not written
  Predicate predicate;
  bool operator==(const Clause&) const = default;
};

struct Term {
  enum class Kind { Flow, Reinitialise, Choice, Disrupt, Parallel, Name } kind = Kind::Flow;
  Clause clause;            // Flow, Reinitialise
  std::vector<Term> parts;  // Reinitialise: 1; Disrupt: 2; Choice, Parallel: 2 or more
  std::string name;         // Name
  bool operator==(const Term&) const = default;
};

Term flow(Predicate predicate);
Term reinitialise(Predicate predicate, Term then);
Term disrupt(Term first, Term then);
Term choice(std::vector<Term> parts);    // one part: that part
Term parallel(std::vector<Term> parts);  // one part: that part
Term name(std::string of);

// What a process is of.
enum class Role { Physics, Bond, Automaton, Integral, Signal, Arrival };

struct Process {
  std::string name;
  Term body;
  std::string what;  // "I", "0/E", "modal model", …: for people
  Role role = Role::Physics;
  bool operator==(const Process& o) const { return name == o.name && body == o.body; }
};

// X₁ ≈ …, X₂ ≈ …; the first is what is meant.
struct Specification {
  Vocabulary vocabulary;
  std::vector<Process> processes;
  const Process* find(const std::string& name) const;
};

// One alternative of a constitutive process: [jump] ≫ (flow) ▶ X.
struct Alternative {
  Predicate jump;
  Predicate flow;
  std::string next;
};
// The alternatives of X ≈ [..] ≫ (..) ▶ Y ⊕ …; nullopt if the term has another form.
std::optional<std::vector<Alternative>> alternatives(const Term& body);
Term term_of(const std::vector<Alternative>& alternatives);

}  // namespace cradle::hypa
