#include "cradle/new_model.hpp"

#include <string_view>

#include "language/elements/element.hpp"
#include "language/syntax/lexer.hpp"

namespace cradle {

namespace {

constexpr std::string_view kBond = R"(// A ball falls on a pad of rubber, and bounces.
//
// The pad is a spring with a damper, which is all that a bond graph needs to know of rubber. They
// act on the ball only while it touches the pad: a junction with an automaton says when that is.
model NAME {
  // Parameters. For one run: cradle run … --set height=5
  param mass = 1, height = 2
  param stiffness = 400, damping = 4
  param g = 9.81
  require mass > 0 and stiffness > 0, "a ball has mass, and rubber is elastic"

  // Elements. I keeps momentum, as masses and coils do; C keeps displacement or charge, as springs
  // and capacitors do; R turns power into heat; Se and Sf are sources of effort and flow.
  I ball(mass)
  Se weight = -mass * g
  C spring(1 / stiffness)
  R damper(damping)

  // Junctions: at a 1 all bonds have one flow (here: a velocity) and efforts add up; at a 0 all have
  // one effort (a force) and flows add up.
  1 v, press

  // This one is controlled: while it is off no force goes through it. `after eps` is for what takes
  // time in the real world, however little; without it, a transition is inferred in no time.
  0 contact initially off {
    off -> on after eps when y <= spring.q and v.f < 0
    on -> off after eps when contact.e > 0
  }

  // Bonds. The half-arrow points where power counts as positive.
  weight -> v -> ball
  v -> contact -> press
  press -> spring
  press -> damper

  // Signals: whatever follows from efforts, flows, states and time.
  y = integral(v.f, height)  // of the ball's lowest point, above the pad at rest

  // How long a run is, and what it shows.
  until 6
  show y, v.f, spring.q, contact.e

  // What to draw of it: circles, boxes and lines, at places that the model knows.
  animate {
    box pad at (0, (spring.q - 0.5) / 2) size (1.5, spring.q + 0.5) fill green
    circle ball at (0, y + 0.2) radius 0.2 fill orange
    line ground from (-1.5, -0.5) to (1.5, -0.5)
  }
}
)";

constexpr std::string_view kSignals = R"(// A room with a thermostat.
//
// Signals alone: no bond graph. The room loses heat to the outside, and the heater is a modal model,
// which switches between two modes with some distance between the temperatures at which it does.
model NAME {
  // Parameters. For one run: cradle run … --set target=22
  param target = 20, band = 1
  param outside = 5, start = 12
  param loss = 0.1  // of the difference to the outside, in a unit of time
  param power = 3   // of the heater, in degrees in a unit of time
  require band > 0, "without a band the heater would switch without end"

  // A signal is defined by an equation. They may read one another in any order, and in circles that
  // an integral breaks.
  temperature = integral(loss * (outside - temperature) + heat, start)

  // An event is there at instants only: here, whenever the temperature passes
  // the target on its way up.
  warm = rising(temperature - target)
  since = hold(sample(time, warm), 0)

  // A modal model is in one of its modes at a time, and each has equations of its own.
  modal heater initially heating {
    mode heating {
      given = power
    }
    mode resting {
      given = 0
    }
    heating -> resting when temperature >= target + band
    resting -> heating when temperature <= target - band
  }
  heat = default(heater.given, 0)

  // How long a run is, and what it shows.
  until 20
  show temperature, heat, since

  // What to draw of it: circles, boxes and lines, at places that the model knows.
  animate {
    box tube at (0, 0.75 * target) size (6, 1.5 * target)
    box mercury at (0, temperature / 2) size (4, temperature) fill vermilion
    line wanted from (-5, target) to (5, target)
    circle lamp at (9, target) radius 2 fill orange when heater.heating
    circle dark at (9, target) radius 2 fill grey when heater.resting
  }
}
)";

bool is_name(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  const syntax::Lexed lexed = syntax::lex(sources, sources.add("name", text), diagnostics);
  return !diagnostics.has_errors() && lexed.tokens.size() == 2 &&
         lexed.tokens[0].kind == syntax::Tok::Name && lexed.comments.empty();
}

}  // namespace

std::string new_model_text(const std::string& model_name, ModelTemplate kind) {
  std::string text(kind == ModelTemplate::Bond ? kBond : kSignals);
  constexpr std::string_view place = "NAME";
  return text.replace(text.find(place), place.size(), model_name);
}

std::optional<std::string> model_name_for(const std::string& file_stem) {
  std::string name;
  bool begins = true;
  if (file_stem.starts_with('-')) return std::nullopt;
  for (const char c : file_stem) {
    if (c == '-' || c == '_') {
      begins = true;
      continue;
    }
    const bool small = c >= 'a' && c <= 'z';
    name += begins && small ? static_cast<char>(c - 'a' + 'A') : c;
    begins = false;
  }
  if (!is_name(name)) return std::nullopt;
  // model C { … } would hide the element.
  return elements::find(name) != nullptr ? name + "Model" : name;
}

}  // namespace cradle
