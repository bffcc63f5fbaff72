#include "theory/hypa/term.hpp"

namespace cradle::hypa {

using Kind = Term::Kind;

Term flow(Predicate predicate) {
  Term term;
  term.clause.predicate = std::move(predicate);
  return term;
}

Term reinitialise(Predicate predicate, Term then) {
  Term term;
  term.kind = Kind::Reinitialise;
  term.clause.predicate = std::move(predicate);
  term.parts.push_back(std::move(then));
  return term;
}

namespace {

Term compound(Kind kind, std::vector<Term> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  Term term;
  term.kind = kind;
  term.parts = std::move(parts);
  return term;
}

}  // namespace

Term disrupt(Term first, Term then) {
  std::vector<Term> parts;
  parts.push_back(std::move(first));
  parts.push_back(std::move(then));
  return compound(Kind::Disrupt, std::move(parts));
}

Term choice(std::vector<Term> parts) { return compound(Kind::Choice, std::move(parts)); }
Term parallel(std::vector<Term> parts) { return compound(Kind::Parallel, std::move(parts)); }

Term name(std::string of) {
  Term term;
  term.kind = Kind::Name;
  term.name = std::move(of);
  return term;
}

const Process* Specification::find(const std::string& name) const {
  for (const Process& process : processes) {
    if (process.name == name) return &process;
  }
  return nullptr;
}

std::optional<std::vector<Alternative>> alternatives(const Term& body) {
  std::vector<Alternative> found;
  std::vector<const Term*> open = {&body};
  while (!open.empty()) {
    const Term& term = *open.back();
    open.pop_back();
    if (term.kind == Kind::Choice) {
      for (std::size_t i = term.parts.size(); i-- > 0;) open.push_back(&term.parts[i]);
      continue;
    }
    if (term.kind != Kind::Reinitialise || term.clause.variables) return std::nullopt;
    const Term& rest = term.parts[0];
    if (rest.kind != Kind::Disrupt || rest.parts[0].kind != Kind::Flow ||
        rest.parts[0].clause.variables || rest.parts[1].kind != Kind::Name) {
      return std::nullopt;
    }
    found.push_back({term.clause.predicate, rest.parts[0].clause.predicate, rest.parts[1].name});
  }
  return found;
}

Term term_of(const std::vector<Alternative>& alternatives) {
  std::vector<Term> parts;
  parts.reserve(alternatives.size());
  for (const Alternative& a : alternatives) {
    parts.push_back(reinitialise(a.jump, disrupt(flow(a.flow), name(a.next))));
  }
  return choice(std::move(parts));
}

}  // namespace cradle::hypa
