// What an instance is opened with: parameters, inputs, outputs, ports.

#include <algorithm>
#include <cmath>

#include "cradle/instant.hpp"
#include "language/model/expressions.hpp"
#include "language/model/structure.hpp"
#include "language/model/walk.hpp"

namespace cradle::model {

namespace {

// Arguments of an instance by what they set.
struct GivenArguments {
  std::vector<const syntax::Expr*> parameters;  // by position in Component::parameters
  std::vector<const syntax::Expr*> inputs;      // by position in Component::inputs
};

// What a list is a list of; its length is the modeller's to choose.
const Value* first_item(const Value& list) {
  return list.items->empty() ? nullptr : &list.items->front();
}

std::string type_of(const Value& value) {
  if (value.kind != Value::Kind::List) return noun(value.kind);
  const Value* item = first_item(value);
  if (item == nullptr) return "a list";
  for (const Value& other : *value.items) {
    if (other.kind != item->kind) return "a list of mixed items";
  }
  return item->kind == Value::Kind::List      ? "a list of lists"
         : item->kind == Value::Kind::Boolean ? "a list of booleans"
                                              : "a list of numbers";
}

std::string example_of(const Value& like) {
  if (like.kind == Value::Kind::Boolean) return "true";
  if (like.kind != Value::Kind::List) return "1";
  const Value* item = first_item(like);
  const std::string one = item != nullptr ? example_of(*item) : "1";
  return "[" + one + ", " + one + "]";
}

// The value that is given, as one of the type that the parameter has: for a boolean 0 and 1 do,
// too. Nothing if the types do not agree.
std::optional<Value> converted_like(const Value& old, const Value& given) {
  const bool truth = given.kind == Value::Kind::Number && (given.now == 0 || given.now == 1);
  if (old.kind == Value::Kind::Boolean && truth) return Value::boolean(given.now != 0);
  if (old.kind != given.kind) return std::nullopt;
  if (old.kind != Value::Kind::List) return given;
  const Value* like = first_item(old);
  auto items = std::make_shared<std::vector<Value>>();
  for (const Value& item : *given.items) {
    std::optional<Value> converted = like != nullptr ? converted_like(*like, item) : item;
    if (!converted) return std::nullopt;
    items->push_back(std::move(*converted));
  }
  return Value{Value::Kind::List, false, 0, {}, std::move(items)};
}

bool has_no_value(const Value& value) {
  if (value.kind == Value::Kind::List) {
    return std::any_of(value.items->begin(), value.items->end(), has_no_value);
  }
  return value.kind == Value::Kind::Number && value.constant && std::isnan(value.now);
}

class InstanceOpener {
 public:
  InstanceOpener(Elaboration& e, int32_t instance)
      : e_(e),
        instance_(instance),
        scope_(e.scopes[static_cast<std::size_t>(instance)]),
        component_(*scope_.component),
        source_(e.instance_sources[static_cast<std::size_t>(instance)]),
        place_{&scope_, scope_.outer != nullptr ? source_.parent.turn : nullptr} {}

  void open() {
    arguments_.parameters.assign(component_.parameters.size(), nullptr);
    arguments_.inputs.assign(component_.inputs.size(), nullptr);
    if (source_.declaration != nullptr) match_arguments();
    declare_parameters();
    for (int parameter : component_.parameter_order) compute(static_cast<std::size_t>(parameter));
    list_parameters();
    if (component_.definition->is_model && scope_.outer == nullptr) declare_inputs_of_model();
    if (component_.definition->is_model || scope_.outer != nullptr) return;
    declare_ports();
    declare_inputs();
    for (const syntax::Port* output : component_.outputs) {
      if (!output->value) continue;
      declare_signal(e_, place_, output->name, {}, {place_, output->value.get()});
    }
  }

 private:
  const std::string& type() const { return component_.definition->name.text; }
  void report_outside(Diagnostic diagnostic) {
    e_.report.add(std::move(diagnostic), source_.parent);
  }

  void match_arguments() {
    const syntax::Declaration& declaration = *source_.declaration;
    std::size_t position = 0;
    for (const syntax::Argument& argument : declaration.arguments) {
      if (!argument.value) continue;
      if (argument.name.text.empty() && argument.parameters.empty()) {
        match_positional(argument, position++);
      } else {
        match_named(argument);
      }
    }
    if (declaration.value) {
      report_outside(Diagnostic("argument.misplaced", "an instance of " + type() + " is no signal")
                         .at(declaration.value->span, "given with =")
                         .help("put it in parentheses: " + declaration.name.name.text + "(…)"));
    }
  }

  void match_positional(const syntax::Argument& argument, std::size_t position) {
    if (position < arguments_.parameters.size()) {
      set(arguments_.parameters[position], argument, component_.parameters[position]->name);
      return;
    }
    std::size_t count = component_.parameters.size();
    report_outside(Diagnostic("argument.extra", type() + " has " + std::to_string(count) +
                                                    (count == 1 ? " parameter" : " parameters"))
                       .at(argument.value->span, "one argument too many")
                       .help("inputs are set by name: u = …"));
  }

  void match_named(const syntax::Argument& argument) {
    const std::string& name = argument.name.text;
    if (int index = component_.find_parameter(name); index >= 0 && argument.parameters.empty()) {
      auto at = static_cast<std::size_t>(index);
      set(arguments_.parameters[at], argument, component_.parameters[at]->name);
      return;
    }
    for (std::size_t i = 0; i < component_.inputs.size(); ++i) {
      if (component_.inputs[i]->name.text != name || !argument.parameters.empty()) continue;
      set(arguments_.inputs[i], argument, component_.inputs[i]->name);
      return;
    }
    Diagnostic diagnostic("argument.unknown", type() + " has no parameter or input " + name);
    diagnostic.at(argument.name.span);
    std::string near = did_you_mean(name, settable_names());
    if (!near.empty()) diagnostic.help(near);
    report_outside(std::move(diagnostic));
  }

  std::vector<std::string> settable_names() const {
    std::vector<std::string> names;
    for (const syntax::Param* parameter : component_.parameters) {
      names.push_back(parameter->name.text);
    }
    for (const syntax::Port* input : component_.inputs) names.push_back(input->name.text);
    return names;
  }

  void set(const syntax::Expr*& slot, const syntax::Argument& argument, const syntax::Name& name) {
    if (slot == nullptr) {
      slot = argument.value.get();
      return;
    }
    report_outside(Diagnostic("argument.duplicate", name.text + " is given twice")
                       .at(argument.value->span, "here")
                       .at(slot->span, "and here"));
  }

  void declare_parameters() {
    scope_.parameters.resize(component_.parameters.size());
    is_signal_.assign(component_.parameters.size(), false);
    for (std::size_t i = 0; i < component_.parameters.size(); ++i) {
      const syntax::Name& name = component_.parameters[i]->name;
      e_.declare(place_, name.text, {}, name.span, EntityKind::Parameter, static_cast<int32_t>(i));
    }
  }

  // A parameter that is given as a signal is one in this instance, as an input is; and so are those
  // that by default are computed from it. A value from outside (--set) beats both.
  bool is_signal(std::size_t at) const {
    const syntax::Param& parameter = *component_.parameters[at];
    if (e_.overrides.contains(scope_.prefix + parameter.name.text)) return false;
    if (const syntax::Expr* argument = arguments_.parameters[at]) {
      return reads_signals(e_, source_.parent, *argument);
    }
    bool reads_one = false;
    if (parameter.value) {
      for_each_name(*parameter.value, [&](std::string_view name) {
        const int needed = component_.find_parameter(name);
        reads_one = reads_one || (needed >= 0 && is_signal_[static_cast<std::size_t>(needed)]);
      });
    }
    return reads_one && reads_signals(e_, place_, *parameter.value);
  }

  void declare_as_signal(std::size_t at) {
    const syntax::Name& name = component_.parameters[at]->name;
    SignalSource source{source_.parent, arguments_.parameters[at]};
    if (source.value == nullptr) source = {place_, component_.parameters[at]->value.get()};
    source.is_parameter = true;
    is_signal_[at] = true;
    scope_.names.erase(name.text);
    declare_signal(e_, place_, name, {}, source);
  }

  void compute(std::size_t at) {
    if (is_signal(at)) return declare_as_signal(at);
    const syntax::Param& parameter = *component_.parameters[at];
    const syntax::Expr* argument = arguments_.parameters[at];
    // A signal that a value from outside replaces has no value to be computed.
    const bool replaced = argument != nullptr &&
                          e_.overrides.contains(scope_.prefix + parameter.name.text) &&
                          reads_signals(e_, source_.parent, *argument);
    if (replaced) argument = nullptr;
    const syntax::Expr* expr = argument != nullptr ? argument : parameter.value.get();
    if (expr == nullptr) return;
    Context context(argument != nullptr ? source_.parent : place_);
    context.known = Context::Known::Parameters;
    std::string what = "parameter " + parameter.name.text;
    context.what = what;
    Value value = evaluate(e_, context, *expr);
    note_source(at, context.place, expr);
    if (value.kind == Value::Kind::Text) {
      expect(e_, context, value, Value::Kind::Number, expr->span, what);
      value = {};
    }
    Span span = expr->span;
    const Value definition = value;
    const bool given = override_value(parameter, value, span);
    if (has_no_value(value)) {
      e_.report.add(Diagnostic("param.undefined", what + " has no value")
                        .at(span, "is not a number")
                        .help("look for 0 / 0, inf - inf, or the root or logarithm of a negative "
                              "number"),
                    context.place);
      value = {};
    }
    if (value.constant) {
      value = e_.parameter(scope_.prefix + parameter.name.text, definition,
                           given ? std::optional(value.now) : std::nullopt);
    }
    scope_.parameters[at] = std::move(value);
  }

  void note_source(std::size_t at, const Place& place, const syntax::Expr* expr) {
    const syntax::Param& parameter = *component_.parameters[at];
    const std::string name = scope_.prefix + parameter.name.text;
    const auto set = e_.overrides.find(name);
    e_.parameter_sources.push_back({&scope_, at, name, place, expr, place_, parameter.value.get(),
                                    set == e_.overrides.end() ? nullptr : set->second.expr});
  }

  static std::string how_to_give(const Value& value, const std::string& name, bool in_file) {
    const std::string what = "give " + type_of(value) + ": ";
    return in_file ? what + name + ": " + example_of(value)
                   : what + "--set '" + name + "=" + example_of(value) + "'";
  }

  // What --set says and where, if it does.
  bool override_value(const syntax::Param& parameter, Value& value, Span& span) {
    if (e_.overrides.empty()) return false;
    auto found = e_.overrides.find(scope_.prefix + parameter.name.text);
    if (found == e_.overrides.end()) return false;
    Override& given = found->second;
    given.used = true;
    if (value.bad() || given.value.bad()) return false;
    std::optional<Value> converted = converted_like(value, given.value);
    if (!converted) {
      e_.report.add(Diagnostic("param.type", found->first + " is " + type_of(value) +
                                                 " and cannot be set to " + type_of(given.value))
                        .at(parameter.name.span, type_of(value))
                        .at(given.span, type_of(given.value))
                        .help(how_to_give(value, found->first, given.in_file)));
      return false;
    }
    value = std::move(*converted);
    span = given.span;
    return true;
  }

  void list_parameters() {
    for (std::size_t i = 0; i < component_.parameters.size(); ++i) {
      const Value& value = scope_.parameters[i];
      if (!value.constant) continue;
      const syntax::Name& name = component_.parameters[i]->name;
      const bool slot = value.expr.valid();
      e_.model.parameters.push_back(
          {scope_.prefix + name.text, value.now, name.span,
           slot ? SlotId(static_cast<std::size_t>(e_.model.pool[value.expr].ref)) : SlotId()});
    }
  }

  void declare_ports() {
    for (const syntax::Port* port : component_.ports) {
      if (component_.definition->is_block) {
        e_.declare(place_, port->name.text, {}, port->name.span, EntityKind::Faulty, -1);
        continue;
      }
      auto index = static_cast<int32_t>(e_.ports.size());
      if (e_.declare(place_, port->name.text, {}, port->name.span, EntityKind::Port, index)) {
        e_.ports.push_back({&scope_, port, instance_, -1, -1});
      }
    }
  }

  // Nobody reads them off anything: they are set from outside while the model runs.
  void declare_inputs_of_model() {
    for (const syntax::Port* input : component_.inputs) {
      SignalSource source{place_, input->value.get()};
      source.type = expr::Type::Number;
      source.outside = true;
      declare_signal(e_, place_, input->name, {}, source);
      if (source.value != nullptr) continue;
      const std::string& name = input->name.text;
      e_.report.add(Diagnostic("input.start", "input " + name + " has no value to begin with")
                        .at(input->name.span)
                        .rule("an input of a model is a number that holds until it is set")
                        .help("write input " + name + " = 0"),
                    place_);
    }
  }

  // An input is a signal of the instance whose expression is read where the instance is declared.
  void declare_inputs() {
    for (std::size_t i = 0; i < component_.inputs.size(); ++i) {
      const syntax::Port& input = *component_.inputs[i];
      SignalSource source{source_.parent, arguments_.inputs[i]};
      if (source.value == nullptr) source = {place_, input.value.get()};
      declare_signal(e_, place_, input.name, {}, source);
      if (source.value != nullptr) continue;
      const syntax::Name& name = source_.declaration->name.name;
      report_outside(
          Diagnostic("argument.missing",
                     "input " + input.name.text + " of " + name.text + " is not set")
              .at(name.span, "a " + type())
              .at(input.name.span, "has no default")
              .help("write " + type() + " " + name.text + "(" + input.name.text + " = …)"));
    }
  }

  Elaboration& e_;
  int32_t instance_;
  Scope& scope_;
  const Component& component_;
  InstanceSource source_;
  Place place_;
  GivenArguments arguments_;
  std::vector<bool> is_signal_;  // by parameter
};

const SignalSource* signal_parameter(const Elaboration& e, const Scope* scope,
                                     std::string_view name) {
  for (; scope != nullptr; scope = scope->outer) {
    const Entity* entity = scope->find(name);
    if (entity == nullptr || entity->kind != EntityKind::Signal) continue;
    const SignalSource& source = e.signal_sources[static_cast<std::size_t>(entity->index)];
    if (source.is_parameter) return &source;
  }
  return nullptr;
}

// A requirement over parameters that are signals here: nothing judges it, which is said.
// False if it is none.
bool report_not_judged(Elaboration& e, const Place& place, const syntax::Require& require) {
  const SignalSource* signal = nullptr;
  for_each_name(*require.condition, [&](std::string_view name) {
    if (signal == nullptr) signal = signal_parameter(e, place.scope, name);
  });
  if (signal == nullptr || !reads_signals(e, place, *require.condition)) return false;
  if (e.report.said("require.signal", require.condition->span)) return true;
  e.report.add(Diagnostic("require.signal", "a requirement on " + signal->key +
                                                ", which is a signal here, is not judged")
                   .warning()
                   .at(signal->value->span, "given as a signal")
                   .at(require.condition->span, "not judged")
                   .rule("requirements are judged when the model is built, from parameters alone")
                   .help("give a number, or keep the signal within bounds: max(x, 0)"),
               place);
  return true;
}

}  // namespace

void open_instance(Elaboration& e, int32_t instance) { InstanceOpener(e, instance).open(); }

void check_require(Elaboration& e, const Place& place, const syntax::Require& require) {
  if (!require.condition) return;
  e.requirements.push_back({place, require.condition.get()});
  Context context(place);
  context.known = Context::Known::Parameters;
  if (report_not_judged(e, place, require)) return;
  const std::size_t before = e.model.decisions.size();
  auto holds = constant_boolean(e, context, *require.condition, "a requirement");
  for (std::size_t i = before; i < e.model.decisions.size(); ++i) {
    Decision& decision = e.model.decisions[i];
    // What is made of the same later on says so by itself.
    if (e.decided.erase({decision.of, decision.kind}) > 0) decision.kind = Decision::Kind::Asked;
  }
  if (!holds || *holds || e.report.said("require.failed", require.condition->span)) return;
  Diagnostic diagnostic("require.failed",
                        require.message.empty()
                            ? e.report.source_text(require.condition->span) + " does not hold"
                            : require.message);
  diagnostic.at(require.condition->span, "is false");
  // The instance is what the user can change, so it is shown too.
  for (std::size_t i = 1; i < e.scopes.size(); ++i) {
    if (&e.scopes[i] != place.scope || e.instance_sources[i].declaration == nullptr) continue;
    diagnostic.at(e.instance_sources[i].declaration->name.name.span, "required here");
  }
  e.report.add(std::move(diagnostic), place);
}

namespace {

std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  if (names.empty()) return "the model has no parameters";
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

}  // namespace

void report_unused_settings(Elaboration& e) {
  std::vector<std::string> unused;
  for (const auto& [name, entry] : e.overrides) {
    if (!entry.used) unused.push_back(name);
  }
  if (unused.empty()) return;
  std::sort(unused.begin(), unused.end());
  std::vector<std::string> candidates;
  for (const Scope& scope : e.scopes) {
    for (const syntax::Param* parameter : scope.component->parameters) {
      candidates.push_back(scope.prefix + parameter->name.text);
    }
  }
  for (const std::string& name : unused) {
    Diagnostic diagnostic("name.unknown-parameter", "there is no parameter " + name + " to set");
    const Override& given = e.overrides.at(name);
    if (given.in_file && given.span.known()) diagnostic.at(given.span);
    std::string near = did_you_mean(name, candidates);
    if (!near.empty()) diagnostic.help(near);
    diagnostic.note("known", first_of(candidates));
    e.report.add(std::move(diagnostic));
  }
}

}  // namespace cradle::model
