// Laws of elements. What an element is follows from its definition alone: stores have a law of what
// they keep, dissipators one of flow or effort, sources a signal, the rest a modulus.

#include <cmath>

#include "cradle/instant.hpp"
#include "language/model/expressions.hpp"
#include "language/model/matrix.hpp"
#include "language/model/structure.hpp"

namespace cradle::model {

using elements::Storage;
using expr::Op;

namespace {

enum class Role { Store, Dissipator, Source, Modulus };

Role role_of(const elements::Definition& definition) {
  if (definition.storage != Storage::None) return Role::Store;
  if (definition.through) return Role::Modulus;
  auto right = definition.flow(1, false).front().right;
  return right == elements::Right::Source ? Role::Source : Role::Dissipator;
}

const char* stored(const elements::Definition& definition) {
  return definition.storage == Storage::Momentum ? "p" : "q";
}
const char* power(const elements::Definition& definition) {
  return definition.storage == Storage::Momentum ? "f" : "e";
}

// How the element can be written, for help.
std::string usage(const elements::Definition& definition) {
  std::string name(definition.name);
  switch (role_of(definition)) {
    case Role::Store: {
      std::string s = stored(definition);
      return name + " x(number, " + s + " = …), " + name + " x(law(" + s + ") = …) or " + name +
             " x(matrix = [[…]])";
    }
    case Role::Dissipator:
      return name + " x(number), " + name + " x(law(f) = …) or " + name + " x(law(e) = …)";
    case Role::Source:
      return name + " x = …";
    case Role::Modulus:
      break;
  }
  return name + " x(number)";
}

class LawReader {
 public:
  LawReader(Elaboration& e, ElementId id)
      : e_(e),
        element_(e.model.elements[id]),
        source_(e.element_sources[static_cast<std::size_t>(id.index)]),
        declaration_(*source_.declaration),
        definition_(elements::definition(element_.kind)),
        role_(role_of(definition_)),
        owner_{&element_.name, element_.span},
        context_(source_.place) {
    context_.owner = &owner_;
  }

  void read() {
    if (!sort_arguments()) return;
    if (role_ == Role::Store) initial_values();
    if (!source_.matrix.empty()) return field_laws();
    if (law_ != nullptr) return written_law();
    if (value_ == nullptr) {
      if (matrix_ == nullptr) report_missing();
      return;
    }
    std::string user = "the " + quantity() + " of " + element_.name;
    ExprId value = evaluate_number(e_, context_, *value_, user);
    if (!value.valid()) return;
    if (role_ == Role::Store || role_ == Role::Dissipator) {
      linear_law(value);
    } else {
      element_.signal = value;
    }
  }

 private:
  std::string quantity() const {
    switch (role_) {
      case Role::Source:
        return definition_.causality == elements::Definition::Causality::SetsEffort ? "effort"
                                                                                    : "flow";
      case Role::Modulus:
        return "modulus";
      default:
        return std::string(definition_.noun);
    }
  }
  void report(Diagnostic diagnostic) { e_.report.add(std::move(diagnostic), source_.place); }
  void report_missing() {
    report(Diagnostic("argument.missing", element_.name + " has no " + quantity())
               .at(element_.span)
               .help("write " + usage(definition_)));
  }

  bool sort_arguments() {
    bool fine = true;
    for (const syntax::Argument& argument : declaration_.arguments) {
      if (argument.value) fine = sort_argument(argument) && fine;
    }
    if (declaration_.value) {
      if (role_ == Role::Source && value_ == nullptr) {
        value_ = declaration_.value.get();
      } else {
        report(Diagnostic("argument.misplaced", "the " + quantity() + " of " + element_.name +
                                                    (value_ != nullptr && role_ == Role::Source
                                                         ? " is given twice"
                                                         : " is not written with ="))
                   .at(declaration_.value->span)
                   .help("write " + usage(definition_)));
        fine = false;
      }
    }
    if (fine && (value_ != nullptr) + (law_ != nullptr) + (matrix_ != nullptr) > 1) {
      report(Diagnostic("argument.conflict", element_.name + " has more than one law")
                 .at((law_ != nullptr ? law_->value.get() : matrix_)->span, "this one")
                 .at((value_ != nullptr ? value_ : matrix_)->span, "and this one")
                 .help("write " + usage(definition_)));
      fine = false;
    }
    return fine;
  }

  bool sort_argument(const syntax::Argument& argument) {
    const std::string& name = argument.name.text;
    if (!argument.parameters.empty()) {
      bool allowed = role_ == Role::Store || role_ == Role::Dissipator;
      if (!allowed) return unknown_argument(argument);
      return set(law_, &argument, argument, "law");
    }
    if (name.empty()) {
      if (value_ == nullptr) {
        value_ = argument.value.get();
        return true;
      }
      report(Diagnostic("argument.extra", element_.name + " has one argument too many")
                 .at(argument.value->span)
                 .help("write " + usage(definition_)));
      return false;
    }
    if (role_ != Role::Store) return unknown_argument(argument);
    const syntax::Expr* value = argument.value.get();
    if (name == "matrix") return set(matrix_, value, argument, name);
    if (name == stored(definition_)) return set(initial_stored_, value, argument, name);
    if (name == power(definition_)) return set(initial_power_, value, argument, name);
    return unknown_argument(argument);
  }

  template <class T>
  bool set(const T*& slot, const T* value, const syntax::Argument& argument,
           const std::string& name) {
    if (slot == nullptr) {
      slot = value;
      return true;
    }
    report(Diagnostic("argument.duplicate", name + " is given twice")
               .at(argument.value->span, "again"));
    return false;
  }

  bool unknown_argument(const syntax::Argument& argument) {
    const std::string& name = argument.name.text.empty() ? "law" : argument.name.text;
    report(Diagnostic("argument.unknown",
                      "an element " + std::string(definition_.name) + " has no " + name)
               .at(argument.name.span.known() ? argument.name.span : argument.value->span)
               .help("write " + usage(definition_)));
    return false;
  }

  // f = p / m, e = q / c, e = r · f.
  void linear_law(ExprId value) {
    expr::Pool& pool = e_.model.pool;
    ExprId local = pool.leaf(Op::Local, 0);
    const bool fixed = pool.is_fixed(value);
    double number = fixed ? e_.decide(value, Decision::Kind::Sign) : 1;
    if (role_ == Role::Store) {
      if (!(number > 0) || !std::isfinite(number)) report_not_positive(number);
      element_.laws = {pool.binary(Op::Div, local, value)};
      return;
    }
    if (std::isnan(number) || std::isinf(number)) {
      report_not_positive(number);
    } else if (number < 0) {
      e_.decide(value, Decision::Kind::Asked);  // it is said
      report(Diagnostic("element.active-resistor",
                        "the resistance of " + element_.name + " is " + format_number(number))
                 .warning()
                 .at(value_->span, "negative")
                 .rule("a resistance below zero creates energy"));
    }
    element_.laws = {pool.binary(Op::Mul, value, local)};
  }

  void report_not_positive(double number) {
    report(Diagnostic("element.not-positive",
                      "the " + quantity() + " of " + element_.name + " is " + format_number(number))
               .at(value_->span, format_number(number))
               .rule(role_ == Role::Store
                         ? "the " + quantity() + " of a store is a positive, finite number"
                         : "a resistance is a finite number"));
  }

  void written_law() {
    const std::vector<syntax::Name>& parameters = law_->parameters;
    bool one = parameters.size() == 1;
    bool fits =
        one && (role_ == Role::Store ? parameters[0].text == stored(definition_)
                                     : parameters[0].text == "f" || parameters[0].text == "e");
    if (!fits) {
      std::string wanted = role_ == Role::Store ? stored(definition_) : "f or of e";
      report(
          Diagnostic("law.argument", "the law of " + element_.name + " is a function of " + wanted)
              .at(parameters.front().span)
              .help("write " + usage(definition_)));
      return;
    }
    element_.law_of_effort = role_ == Role::Dissipator && parameters[0].text == "e";
    Context context = context_;
    context.locals = &parameters;
    ExprId law = evaluate_number(e_, context, *law_->value, "the law of " + element_.name);
    if (law.valid()) element_.laws = {law};
  }

  // Port i: Σ inverse[i][j] · Local(j).
  void field_laws() {
    std::vector<std::vector<double>> inverse;
    if (!invert(source_.matrix, inverse)) {
      report(Diagnostic("field.singular", "the matrix of " + element_.name + " has no inverse")
                 .at(matrix_->span)
                 .rule("flows follow from momenta, and efforts from displacements, by the inverse")
                 .help("its rows depend on each other: use fewer ports, or a looser coupling"));
      return;
    }
    element_.matrix = source_.matrix;
    expr::Pool& pool = e_.model.pool;
    for (const std::vector<double>& row : inverse) {
      ExprId sum = pool.constant(0);
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (row[j] == 0) continue;
        ExprId local = pool.leaf(Op::Local, static_cast<int32_t>(j));
        sum = pool.binary(Op::Add, sum, pool.binary(Op::Mul, pool.constant(row[j]), local));
      }
      element_.laws.push_back(sum);
    }
  }

  void initial_values() {
    if (initial_stored_ != nullptr && initial_power_ != nullptr) {
      report(Diagnostic("argument.conflict", element_.name + " has two initial values")
                 .at(initial_power_->span, "this one")
                 .at(initial_stored_->span, "and this one")
                 .help("keep one: the other follows from the law"));
      return;
    }
    const syntax::Expr* given = initial_stored_ != nullptr ? initial_stored_ : initial_power_;
    std::vector<Value> values(element_.states.size(), Value::number(0));
    if (given != nullptr && !read_initial(*given, values)) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      State& state = e_.model.states[element_.states[i]];
      state.initial = e_.slot(values[i]);
      state.initial_is_power = initial_power_ != nullptr;
    }
  }

  bool read_initial(const syntax::Expr& given, std::vector<Value>& values) {
    std::string what = "the initial value of " + element_.name;
    if (source_.matrix.empty()) {
      auto value = fixed_number(e_, context_, given, what);
      if (value) values[0] = *value;
      return value && check_finite(given, *value);
    }
    Value list = evaluate(e_, context_.constants(what), given);
    if (list.bad()) return false;
    if (list.kind != Value::Kind::List) {
      is_of_kind(e_, context_, list, Value::Kind::List, given.span, what);
      return false;
    }
    if (list.items->size() != values.size()) {
      report(Diagnostic("argument.length", "the initial value of " + element_.name + " has " +
                                               std::to_string(list.items->size()) + " items")
                 .at(given.span, std::to_string(values.size()) + " ports"));
      return false;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Value& item = (*list.items)[i];
      if (!is_of_kind(e_, context_, item, Value::Kind::Number, given.span, what)) return false;
      values[i] = item.constant ? item : Value::number(NAN);
      if (!check_finite(given, values[i])) return false;
    }
    return true;
  }

  bool check_finite(const syntax::Expr& given, const Value& number) {
    const double value = e_.decide(number, Decision::Kind::Finite);
    if (std::isfinite(value)) return true;
    report(Diagnostic("element.not-finite",
                      "the initial value of " + element_.name + " is " + format_number(value))
               .at(given.span));
    return false;
  }

  Elaboration& e_;
  Element& element_;
  const ElementSource& source_;
  const syntax::Declaration& declaration_;
  const elements::Definition& definition_;
  Role role_;
  Owner owner_;
  Context context_;
  const syntax::Expr *value_ = nullptr, *matrix_ = nullptr;
  const syntax::Expr *initial_stored_ = nullptr, *initial_power_ = nullptr;
  const syntax::Argument* law_ = nullptr;
};

}  // namespace

void define_elements(Elaboration& e) {
  for (std::size_t i = 0; i < e.model.elements.size() && !e.stopped; ++i) {
    LawReader(e, ElementId(i)).read();
  }
}

}  // namespace cradle::model
