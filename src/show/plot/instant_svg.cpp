// The inside of an instant as SVG: hyperdense time runs to the right, a column for each step.
//
//   g.step      the head of a column; it, every state and every value have data-eps, data-step
//               and data-kind
//   g.note      between two columns, who moved and why: data-into counts columns from 0;
//               data-number, where notes stand in a list
//   g.state     an automaton in one step: data-automaton, data-state
//   g.value     a signal in one step: data-column, data-value, and data-weight of an impulse; class
//               absent or unknown where it has no value, truth if it is true or false, huge where
//               no panel can hold it
//   path.join   from step to step; class tried to and from mythical ones
//   g.energy    one that gave or took: data-name, data-kind, data-amount
//   text.more   how many steps, automata, notes or energies are not shown
//
// Marks: before is a hollow diamond, mythical a hollow circle, pinnacle a solid circle, real a
// solid square, and where the run ends without a value a cross.
//
// Text never overlaps: columns are as wide as their numbers, and notes that do not fit between
// them stand in a list below, by number.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cradle/plot.hpp"
#include "show/plot/instant_layout.hpp"
#include "show/plot/palette.hpp"
#include "show/text/table.hpp"

namespace cradle::plot {
namespace {

std::string title_of(const InstantLayout& layout) {
  const Explanation& told = layout.told;
  const std::string name = layout.options.title.empty() ? told.model : layout.options.title;
  const std::string when =
      "t = " + with_minus(text::short_number(told.found ? told.t : told.asked));
  constexpr double kTitle = 18 * 1.1;  // bold
  const double all = layout.width - 2 * kMargin;
  const double room = all - text_width(" at " + when, kTitle);
  if (room < text_width("abc…", kTitle)) return shortened(when, all, kTitle);
  return shortened(name, room, kTitle) + " at " + when;
}

void write_head(const InstantLayout& layout, const std::string& title, Pen& pen) {
  const Explanation& told = layout.told;
  pen.put("title", kMargin, 28, title);
  pen.y = 38;
  const auto say = [&](const std::string& text, std::size_t most_lines) {
    pen.put_lines("soft", kMargin, layout.width - 2 * kMargin, text, most_lines);
  };
  if (!told.found) {
    say("Nothing happens there or near it.", 2);
    return;
  }
  if (!told.exact) {
    say("Nothing happens at " + format_number(told.asked) +
            "; this is the nearest instant at which something does.",
        3);
  }
  std::string causes;
  for (const std::string& cause : told.causes) causes += (causes.empty() ? "" : "; ") + cause;
  if (!causes.empty()) say("Time stops here because " + causes + ".", 2);
  pen.y += 6;
}

// Columns of odd ε-steps stand on a darker ground.
std::string grounds(const InstantLayout& layout, double top, double bottom) {
  Pen pen;
  for (std::size_t first = 0; first < layout.columns();) {
    const std::size_t last = layout.last_of_epsilon(first);
    if (layout.step(first).at.eps % 2 != 0) {
      pen.add(
          "<rect class=\"odd\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
          layout.edge(first), top, layout.edge(last) + layout.slot - layout.edge(first),
          bottom - top);
    }
    first = last + 1;
  }
  return pen.out;
}

void write_end(const InstantLayout& layout, Pen& pen) {
  const Outcome& outcome = layout.told.outcome;
  if (layout.told.ended) {
    std::string why = std::string("The run ends here (") + to_string(outcome.ending) + ")";
    const auto error = std::find_if(
        outcome.diagnostics.begin(), outcome.diagnostics.end(),
        [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Error; });
    if (error != outcome.diagnostics.end()) why += ": " + error->message;
    pen.y += 4;
    pen.put_lines("strong", kMargin, layout.width - 2 * kMargin, why, 4);
  }
  pen.y += 10;
}

// Why modes could only be tried.
void write_strains(const InstantLayout& layout, Pen& pen) {
  constexpr std::size_t kMost = 6;
  std::size_t count = 0;
  for (std::size_t c = 0; c < layout.columns(); ++c) {
    for (const ExplainedStrain& strain : layout.step(c).strains) {
      if (++count > kMost) continue;
      pen.add("<g class=\"strain\" data-at=\"{}\">", c);
      pen.put_lines(
          "soft", kMargin, layout.width - 2 * kMargin,
          "Strain at " + text::short_instant(layout.step(c).at) + ": " + strain.text + ".", 3);
      pen.out += "</g>\n";
    }
  }
  if (count > kMost) {
    pen.put_lines("soft", kMargin, layout.width - 2 * kMargin,
                  fmt::format("… {} more", count - kMost), 1);
  }
  if (count > 0) pen.y += 6;
}

void write_below(const InstantLayout& layout, Pen& pen) {
  if (layout.listed) write_note_list(layout, pen);
  write_strains(layout, pen);
  write_energy(layout, pen);
  write_end(layout, pen);
}

std::string colours_of(const Palette& palette) {
  std::string out = fmt::format(
      ".ground{{fill:{0}}}text{{fill:{1}}}.inverse{{fill:{0}}}.badge{{fill:{1}}}"
      ".frame,.zero{{stroke:{2}}}.bracket,.axis{{stroke:{1}}}"
      ".mark{{stroke:currentColor}}"
      ".mark.before,.mark.mythical{{fill:{0}}}.number{{stroke:{0}}}"
      ".step{{color:{1}}}.odd{{fill:{2}}}\n",
      palette.ground, palette.ink, palette.faint);
  for (std::size_t i = 0; i < palette.colours.size(); ++i) {
    out += fmt::format(".c{}{{color:{}}}", i, palette.colours[i]);
  }
  return out + "\n";
}

std::string style_of(PlotOptions::Theme theme) {
  std::string out = fmt::format(
      "<style>\n"
      "text{{font:{}px \"DejaVu Sans\",Verdana,system-ui,sans-serif}}\n"
      ".title{{font-size:18px;font-weight:bold}}.strong{{font-weight:bold}}\n"
      ".soft{{fill-opacity:.75}}.right{{text-anchor:end}}.middle{{text-anchor:middle}}\n"
      ".odd{{fill-opacity:.35}}.frame{{fill:none}}.zero{{stroke-dasharray:2 3}}\n"
      ".bracket,.axis{{fill:none;stroke-opacity:.55}}\n"
      ".mark{{fill:currentColor;stroke-width:1.8}}\n"
      ".join{{fill:none;stroke:currentColor;stroke-width:1.2}}.tried{{stroke-dasharray:3 3}}\n"
      ".arrow{{stroke:currentColor;stroke-width:2;fill:currentColor}}\n"
      ".mythical .arrow{{stroke-dasharray:4 2}}.mythical .head{{fill:none;stroke-dasharray:none}}"
      "\n"
      ".number{{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}}\n"
      ".cell{{fill:currentColor;fill-opacity:.35;stroke:currentColor}}\n"
      ".pinnacle .cell{{fill-opacity:.6}}\n"
      ".mythical .cell{{fill:none;stroke-width:1.4;stroke-dasharray:4 3}}\n"
      ".fails .cell{{fill:none}}\n"
      ".swatch{{stroke:currentColor;stroke-width:4}}.bar,.key{{fill:currentColor}}\n",
      kSmall);
  out += colours_of(theme == PlotOptions::Theme::Dark ? kDark : kLight);
  if (theme == PlotOptions::Theme::Automatic) {
    out += "@media (prefers-color-scheme:dark){\n" + colours_of(kDark) + "}\n";
  }
  return out + "</style>\n";
}

std::string instant_picture(const Explanation& told, const PlotOptions& options) {
  const InstantLayout layout(told, options);
  const std::string title = title_of(layout);
  Pen pen;
  write_head(layout, title, pen);
  if (layout.columns() > 0) {
    write_legend(layout, pen);
    const std::size_t ground_at = pen.out.size();
    const double top = pen.y;
    write_columns(layout, pen);
    write_bands(layout, pen);
    Pen trial;
    write_below(layout, trial);
    write_panels(layout, trial.y, pen);
    pen.out.insert(ground_at, grounds(layout, top, pen.y));
  }
  write_below(layout, pen);
  const double height = std::max<double>(options.height, std::ceil(pen.y));
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
             "width=\"{0:.0f}\" height=\"{1:.0f}\" style=\"max-width:100%;height:auto\" "
             "role=\"img\">\n<title>{2}</title>\n",
             layout.width, height, escaped(title)) +
         style_of(options.theme) + "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n" +
         pen.out + "</svg>\n";
}

}  // namespace
}  // namespace cradle::plot

std::string cradle::instant_svg(const Explanation& told, const PlotOptions& options) {
  return plot::instant_picture(told, options);
}
