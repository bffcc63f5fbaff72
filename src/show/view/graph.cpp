#include "show/view/graph.hpp"

#include <ostream>
#include <set>

#include "api/implementation.hpp"
#include "show/draw/draw.hpp"
#include "show/view/pack.hpp"
#include "show/view/text.hpp"

namespace cradle::view {
namespace {

using causality::Mode;

constexpr std::size_t kMostModes = 64;
constexpr std::size_t kMostBytes = 16 << 20;  // of all pictures
constexpr std::size_t kMostBonds = 1500;      // to lay out a larger one takes seconds

// In the order of the run.
std::vector<Mode> visited_modes(const Trajectory& rows) {
  std::vector<Mode> out;
  std::set<Mode> seen;
  Mode mode(rows.automata().size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bool changed = row == 0;
    for (std::size_t a = 0; a < mode.size(); ++a) {
      const int state = rows.state(row, a);
      changed |= state != mode[a];
      mode[a] = state;
    }
    if (changed && seen.insert(mode).second) out.push_back(mode);
  }
  return out;
}

void write_modes(const Model& model, const Trajectory& rows, std::ostream& out) {
  const model::Model& flat = model.impl().folded();
  std::vector<Mode> modes = visited_modes(rows);
  if (modes.empty()) modes.push_back(causality::initial_mode(flat));
  std::string json = "[";
  std::size_t drawn = 0;
  if (is_drawn(model)) {
    const draw::Drawing drawing(flat, model.sources());
    for (; drawn < std::min(modes.size(), kMostModes) && json.size() < kMostBytes; ++drawn) {
      const Mode& mode = modes[drawn];
      const std::string svg =
          drawing.svg(causality::assign_causality(flat, mode), draw::Colours::Page);
      if (drawn > 0) json += ",";
      json += text::dump({{"states", mode}, {"svg", svg}});
    }
  }
  json += "]";
  out << "{\"modes\":";
  pack_json(json, out);
  out << ",\"more_modes\":" << modes.size() - drawn;
}

using Impulses = std::vector<const BondRecord::Impulse*>;

void write_bond(const BondRecord& record, std::size_t bond, const Impulses& impulses,
                std::ostream& out) {
  const std::size_t width = 2 * record.bonds.size();
  std::vector<float> effort(record.rows.size()), flow(record.rows.size());
  for (std::size_t row = 0; row < effort.size(); ++row) {
    effort[row] = record.values[row * width + 2 * bond];
    flow[row] = record.values[row * width + 2 * bond + 1];
  }
  std::vector<uint32_t> struck;
  std::vector<double> p, q;
  for (const BondRecord::Impulse* impulse : impulses) {
    struck.push_back(impulse->row);
    p.push_back(impulse->p);
    q.push_back(impulse->q);
  }
  out << ",\"e\":";
  pack(effort, out);
  out << ",\"f\":";
  pack(flow, out);
  if (!struck.empty()) {
    out << ",\"impulses\":{\"rows\":";
    pack(struck, out);
    out << ",\"p\":";
    pack(p, out);
    out << ",\"q\":";
    pack(q, out);
    out << '}';
  }
}

}  // namespace

bool is_drawn(const Model& model) { return model.impl().flat().bonds.size() <= kMostBonds; }

void write_graph(const Model& model, const Simulation& run, std::ostream& out) {
  const model::Model& flat = model.impl().folded();
  if (flat.bonds.empty() && flat.automata.empty()) {
    out << "null";
    return;
  }
  write_modes(model, run.trajectory(), out);
  const BondRecord& record = run.bonds();
  std::vector<Impulses> impulses(record.bonds.size());
  for (const BondRecord::Impulse& impulse : record.impulses) {
    impulses[impulse.bond].push_back(&impulse);
  }
  out << ",\"bonds\":[";
  for (std::size_t bond = 0; bond < record.bonds.size() && is_drawn(model); ++bond) {
    out << (bond == 0 ? "" : ",") << "{\"name\":" << text_of(record.bonds[bond]);
    write_bond(record, bond, impulses[bond], out);
    out << '}';
  }
  out << "],\"rows\":";
  pack(record.rows, out);
  out << '}';
}

}  // namespace cradle::view
