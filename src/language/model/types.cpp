// The types of signals, number, boolean or a vector of either, before any expression is evaluated:
// signals may read one another in any order, and in circles. A signal that has to wait for another
// is looked at again when that one is known; what waits in a circle makes do with the operands that
// are known, and if there are none it is a number.

#include "language/model/expressions.hpp"

namespace cradle::model {

namespace {

using expr::Type;
using syntax::BinaryOp;

class TypeInference {
 public:
  explicit TypeInference(Elaboration& e) : e_(e), waiters_(e.signal_sources.size()) {}

  void run() {
    for (std::size_t i = 0; i < e_.signal_sources.size(); ++i) queue_.push_back(i);
    settle();
    lenient_ = true;
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < e_.signal_sources.size(); ++i) {
        if (e_.signal_sources[i].type) continue;
        queue_.push_back(i);
        settle();
        again = again || e_.signal_sources[i].type.has_value();
      }
    }
    for (SignalSource& source : e_.signal_sources) {
      if (!source.type) source.type = Type::Number;
    }
  }

 private:
  // What an expression says about its type.
  struct Answer {
    enum class Kind : uint8_t { Known, Waits, Nothing } kind = Kind::Nothing;
    Type type = Type::Number;
    std::size_t size = 0;  // of a vector
    bool is_vector() const { return kind == Kind::Known && size > 0; }
  };
  static Answer known(Type type) { return {Answer::Kind::Known, type, 0}; }
  static Answer vector(Type type, std::size_t size) { return {Answer::Kind::Known, type, size}; }

  void settle() {
    while (!queue_.empty()) {
      std::size_t at = queue_.back();
      queue_.pop_back();
      if (e_.signal_sources[at].type) continue;
      current_ = at;
      Answer answer = of_signal(e_.signal_sources[at]);
      if (answer.kind != Answer::Kind::Known) continue;
      e_.signal_sources[at].type = answer.type;
      e_.signal_sources[at].size = answer.size;
      queue_.insert(queue_.end(), waiters_[at].begin(), waiters_[at].end());
      waiters_[at].clear();
    }
  }

  Answer of_signal(const SignalSource& source) {
    if (source.merged != nullptr) return of_merged(*source.merged);
    if (source.value == nullptr) return {};
    return of(source.place, *source.value);
  }

  Answer of_merged(const MergedSignal& merged) {
    Answer answer;
    for (const auto& [state, signal] : merged.parts) {
      if (decided(answer)) return answer;
      answer = better(answer, of_known(signal));
    }
    for (const MergedSignal::Output& output : merged.outputs) {
      if (decided(answer)) return answer;
      answer = better(answer, of(output.place, *output.value));
    }
    return answer;
  }

  // Whether operands behind this one need not be asked.
  bool decided(const Answer& answer) const {
    return answer.kind == Answer::Kind::Known || (answer.kind == Answer::Kind::Waits && !lenient_);
  }
  static Answer better(const Answer& before, const Answer& after) {
    return after.kind == Answer::Kind::Nothing ? before : after;
  }

  Answer of_known(SignalId signal) {
    auto at = static_cast<std::size_t>(signal.index);
    const SignalSource& source = e_.signal_sources[at];
    if (source.type) return {Answer::Kind::Known, *source.type, source.size};
    waiters_[at].push_back(current_);
    return {Answer::Kind::Waits, Type::Number, 0};
  }

  Answer of(const Place& place, const syntax::Expr& expr) {
    if (auto* path = std::get_if<syntax::PathExpr>(&expr.node)) return of_path(place, path->path);
    if (auto* choice = std::get_if<syntax::IfExpr>(&expr.node)) return of_if(place, *choice);
    if (auto* call = std::get_if<syntax::CallExpr>(&expr.node)) return of_call(place, *call);
    if (auto* binary = std::get_if<syntax::BinaryExpr>(&expr.node)) {
      return of_operands(place, {binary->left.get(), binary->right.get()},
                         binary->op < BinaryOp::Add ? Type::Boolean : Type::Number);
    }
    if (auto* unary = std::get_if<syntax::UnaryExpr>(&expr.node)) {
      bool is_not = unary->op == syntax::UnaryOp::Not;
      return of_operands(place, {unary->operand.get()}, is_not ? Type::Boolean : Type::Number);
    }
    if (auto* list = std::get_if<syntax::ListExpr>(&expr.node)) return of_list(place, *list);
    if (auto* reduction = std::get_if<syntax::ReduceExpr>(&expr.node)) {
      const std::string& name = reduction->function.text;
      if (name.empty()) return of_turns(place, *reduction);
      return known(name == "any" || name == "all" ? Type::Boolean : Type::Number);
    }
    bool boolean = std::holds_alternative<syntax::BoolLiteral>(expr.node);
    return known(boolean ? Type::Boolean : Type::Number);
  }

  Answer first_of(const Place& place, const std::vector<const syntax::Expr*>& operands) {
    Answer answer;
    for (const syntax::Expr* operand : operands) {
      if (decided(answer)) return answer;
      if (operand != nullptr) answer = better(answer, of(place, *operand));
    }
    return answer;
  }

  // A vector is of the type of its items.
  Answer of_list(const Place& place, const syntax::ListExpr& list) {
    std::vector<const syntax::Expr*> items;
    for (const syntax::ExprPtr& item : list.items) items.push_back(item.get());
    Answer first = first_of(place, items);
    if (first.kind == Answer::Kind::Waits && !lenient_) return first;
    return vector(first.kind == Answer::Kind::Known ? first.type : Type::Number, items.size());
  }

  // [x[i] for i in 1..N]
  Answer of_turns(const Place& place, const syntax::ReduceExpr& reduction) {
    if (!reduction.from || !reduction.to || !reduction.body) return {};
    Context context(place);
    context.quiet = true;
    const Value from = evaluate(e_, context.constants(""), *reduction.from);
    const Value to = evaluate(e_, context.constants(""), *reduction.to);
    if (!from.constant || !to.constant || !(to.now >= from.now)) return known(Type::Number);
    e_.turns.push_back({place.turn, reduction.variable.text, static_cast<int64_t>(from.now)});
    const Answer first = of({place.scope, &e_.turns.back()}, *reduction.body);
    if (first.kind == Answer::Kind::Waits && !lenient_) return first;
    return vector(first.kind == Answer::Kind::Known ? first.type : Type::Number,
                  static_cast<std::size_t>(to.now - from.now) + 1);
  }

  // One number or boolean, unless one of the operands is a vector.
  Answer of_operands(const Place& place, const std::vector<const syntax::Expr*>& operands,
                     Type type) {
    bool waits = false;
    for (const syntax::Expr* operand : operands) {
      if (operand == nullptr) continue;
      Answer answer = of(place, *operand);
      if (answer.is_vector()) return vector(type, answer.size);
      waits = waits || answer.kind == Answer::Kind::Waits;
    }
    if (waits && !lenient_) return {Answer::Kind::Waits, type, 0};
    return known(type);
  }

  Answer of_if(const Place& place, const syntax::IfExpr& choice) {
    if (choice.condition) {
      Context context(place);
      context.quiet = true;
      // A condition over parameters picks its branch, as evaluation does.
      Value condition = evaluate(e_, context.constants(""), *choice.condition);
      if (condition.kind == Value::Kind::Boolean && condition.constant) {
        return first_of(place, {(e_.holds(condition) ? choice.then : choice.otherwise).get()});
      }
    }
    return first_of(place, {choice.then.get(), choice.otherwise.get()});
  }

  Answer of_call(const Place& place, const syntax::CallExpr& call) {
    const std::string& name = call.function.text;
    auto argument = [&](std::size_t i, std::string_view known_as) -> const syntax::Expr* {
      for (const syntax::Argument& given : call.arguments) {
        if (given.name.text == known_as) return given.value.get();
      }
      bool positional = i < call.arguments.size() && call.arguments[i].name.text.empty();
      return positional ? call.arguments[i].value.get() : nullptr;
    };
    if (name == "der" || name == "pre" || name == "inhibit" || name == "sample" ||
        name == "delay") {
      return first_of(place, {argument(0, "x")});
    }
    if (name == "time_delay") return first_of(place, {argument(2, "start"), argument(0, "x")});
    if (name == "integral") {
      return of_operands(place, {argument(1, "start"), argument(0, "derivative")}, Type::Number);
    }
    if (name == "fby") return first_of(place, {argument(0, "start"), argument(1, "x")});
    if (name == "hold") return first_of(place, {argument(1, "start"), argument(0, "x")});
    if (name == "default" || name == "merge") {
      std::vector<const syntax::Expr*> all;
      for (const syntax::Argument& given : call.arguments) all.push_back(given.value.get());
      return first_of(place, all);
    }
    Scope* home = nullptr;
    if (const syntax::Function* function = find_function(place.scope, name, &home)) {
      return of_body(place, call, *function, home);
    }
    if (name == "event") return of_schedule(place, argument(1, "value"));
    if (name == "clock") return of_schedule(place, argument(2, "values"));
    static constexpr std::string_view kBoolean[] = {
        "pulse", "any", "all", "is_present", "is_constant", "rising", "falling", "crossing"};
    for (std::string_view boolean : kBoolean) {
      if (name == boolean) return known(Type::Boolean);
    }
    return known(Type::Number);
  }

  // What a function of the model says of its arguments; one in itself is reported elsewhere.
  Answer of_body(const Place& place, const syntax::CallExpr& call, const syntax::Function& function,
                 Scope* home) {
    constexpr std::size_t kDeep = 50;
    if (!function.value || bodies_.size() > kDeep) return known(Type::Number);
    Body body{&function, {}};
    for (const syntax::Argument& argument : call.arguments) {
      body.arguments.push_back(argument.value ? of(place, *argument.value) : Answer{});
      if (body.arguments.back().kind == Answer::Kind::Waits && !lenient_) {
        return body.arguments.back();
      }
    }
    bodies_.push_back(std::move(body));
    const Answer answer = of({home, nullptr}, *function.value);
    bodies_.pop_back();
    return answer;
  }

  const Answer* of_argument(std::string_view name) const {
    if (bodies_.empty()) return nullptr;
    const Body& body = bodies_.back();
    for (std::size_t i = 0; i < body.function->parameters.size(); ++i) {
      if (body.function->parameters[i].text != name) continue;
      return i < body.arguments.size() ? &body.arguments[i] : nullptr;
    }
    return nullptr;
  }

  // One of its values at a time; without values it is true.
  Answer of_schedule(const Place& place, const syntax::Expr* values) {
    if (values == nullptr) return known(Type::Boolean);
    Answer answer = of(place, *values);
    if (answer.kind == Answer::Kind::Waits && !lenient_) return answer;
    return known(answer.kind == Answer::Kind::Known ? answer.type : Type::Number);
  }

  Answer of_path(const Place& place, const syntax::Path& path) {
    if (path.segments.empty()) return known(Type::Number);
    bool plain = path.segments.size() == 1 && path.segments[0].indices.empty();
    const std::string& first = path.segments[0].name.text;
    if (const Answer* argument = plain ? of_argument(first) : nullptr) return *argument;
    if (plain && first == "absent") return {};
    if (plain && (find_turn(place.turn, first) != nullptr || is_constant_of_nature(first))) {
      return known(Type::Number);
    }
    Context context(place);
    context.quiet = true;
    Target target;
    if (!resolve(e_, context, path, target)) return known(Type::Number);
    return of_target(path, target);
  }

  Answer of_target(const syntax::Path& path, const Target& target) {
    auto at = static_cast<std::size_t>(target.entity->index);
    switch (target.entity->kind) {
      case EntityKind::Signal:
        return of_known(SignalId(at));
      case EntityKind::Mode:
        return known(Type::Boolean);
      case EntityKind::Parameter: {
        const Value& value = target.scope->parameters[at];
        const Value* item = &value;
        while (item->kind == Value::Kind::List && !item->items->empty())
          item = &item->items->front();
        Type type = item->kind == Value::Kind::Boolean ? Type::Boolean : Type::Number;
        bool whole = value.kind == Value::Kind::List && target.indices.empty();
        return whole ? vector(type, value.items->size()) : known(type);
      }
      case EntityKind::Junction: {
        const std::string& member = path.segments.back().name.text;
        bool power = member == "e" || member == "f" || member == "p" || member == "q";
        bool state = target.next + 1 == path.segments.size() && !power;
        return known(state ? Type::Boolean : Type::Number);
      }
      default:
        return known(Type::Number);
    }
  }

  Elaboration& e_;
  std::vector<std::vector<std::size_t>> waiters_;  // by signal: who asked for its type
  std::vector<std::size_t> queue_;
  std::size_t current_ = 0;
  bool lenient_ = false;
  struct Body {
    const syntax::Function* function;
    std::vector<Answer> arguments;
  };
  std::vector<Body> bodies_;  // of functions of the model, the one being read last
};

}  // namespace

void infer_types(Elaboration& e) { TypeInference(e).run(); }

// The first item takes the place of the vector; the others follow behind all signals.
void split_vectors(Elaboration& e) {
  std::size_t count = e.signal_sources.size();
  for (std::size_t at = 0; at < count; ++at) {
    if (e.signal_sources[at].size == 0) continue;
    const std::string name = e.model.signals[SignalId(at)].name;
    const Span span = e.model.signals[SignalId(at)].span;
    Scope& scope = *e.signal_sources[at].scope;
    for (std::size_t i = 0; i < e.signal_sources[at].size; ++i) {
      if (!e.room_for_things(span, e.signal_sources[at].place)) return;
      SignalId item = i == 0 ? SignalId(at) : e.model.signals.add({});
      if (i > 0) {
        SignalSource source;
        source.place = e.signal_sources[at].place;
        source.type = e.signal_sources[at].type;
        source.is_item = true;
        e.signal_sources.push_back(source);
      }
      const std::string index = "[" + std::to_string(i + 1) + "]";
      e.model.signals[item].name = name + index;
      e.model.signals[item].span = span;
      e.model.signals[item].region = scope.region;
      e.signal_sources[at].items.push_back(item);
      scope.names.try_emplace(e.signal_sources[at].key + index,
                              Entity{EntityKind::Signal, item.index, span});
    }
    scope.names.find(e.signal_sources[at].key)->second.kind = EntityKind::Vector;
  }
}

}  // namespace cradle::model
