#pragma once
// Predicates: conjunctions of relations, made smaller without changing what they say.

#include <string>
#include <unordered_set>

#include "theory/hypa/term.hpp"

namespace cradle::hypa {

// Sets to zero what is zero, drops what is said twice or always true. False if the relations
// contradict each other; then `reason` says which.
bool tidy(Vocabulary& v, Predicate& predicate, std::string& reason);

// Removes these leaves by solving an equation in which they are linear and putting the solution
// everywhere else; from inequalities by adding what bounds them from both sides. What cannot be
// removed stays.
void eliminate(Vocabulary& v, Predicate& predicate, const std::unordered_set<ExprId>& unwanted);

// Does the relation follow from the predicate? False: not that we can see.
bool implies(Vocabulary& v, const Predicate& predicate, ExprId relation);

}  // namespace cradle::hypa
