#include "core/plan/islands.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/basics/assert.hpp"

namespace cradle::plan {

void join_units(const Plan& plan, const IsActive& is_active, std::vector<UnitId>& units) {
  std::vector<char> seen(plan.units().size(), 0);
  for (UnitId unit : units) seen[at(unit)] = 1;
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (JunctionId junction : plan.units()[units[i]].controlled) {
      if (!is_active(junction)) continue;
      for (UnitId next : plan.units_at(junction)) {
        if (std::exchange(seen[at(next)], 1) == 0) units.push_back(next);
      }
    }
  }
  std::sort(units.begin(), units.end());
}

namespace {

// In which part each cell is. The table is as long as the list of cells and serves all searches of
// a thread: what is not of this search counts as not there.
class PartOfCell {
 public:
  explicit PartOfCell(std::size_t cells) : table_(table()) {
    CRADLE_ASSERT(!std::exchange(table_.busy, true), "one search at a time");
    if (table_.places.size() < cells) table_.places.resize(cells);
    ++table_.search;
  }
  ~PartOfCell() { table_.busy = false; }
  PartOfCell(const PartOfCell&) = delete;
  PartOfCell& operator=(const PartOfCell&) = delete;

  bool contains(CellId cell) const { return table_.places[at(cell)].search == table_.search; }
  std::size_t operator[](CellId cell) const { return table_.places[at(cell)].part; }
  void put(CellId cell, std::size_t part) { table_.places[at(cell)] = {table_.search, part}; }

 private:
  struct Place {
    uint64_t search = 0;
    std::size_t part = 0;
  };
  struct Table {
    std::vector<Place> places;
    uint64_t search = 0;
    bool busy = false;
  };
  static Table& table() {
    thread_local Table out;
    return out;
  }

  Table& table_;
};

class Search {
 public:
  Search(const Plan& plan, const IsActive& is_active, const FindIsland& find,
         std::vector<UnitId>& units)
      : plan_(plan),
        is_active_(is_active),
        find_(find),
        units_(units),
        part_of_(plan.cells().size()) {}

  std::vector<std::shared_ptr<const Island>> run() {
    const std::vector<UnitId> first = units_;
    for (UnitId unit : first) add(unit);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      while (!parts_[i].cells.empty() && !parts_[i].island) settle(i);
    }
    std::vector<std::shared_ptr<const Island>> out;
    for (UnitId unit : units_) {
      for (CellId cell : plan_.units()[unit].cells) {
        Part& part = parts_[part_of_[cell]];
        if (part.island) out.push_back(std::move(part.island));
      }
    }
    return out;
  }

 private:
  struct Part {
    std::vector<CellId> cells;  // none: it has become part of another
    std::shared_ptr<const Island> island;
  };

  void add(UnitId unit) {
    for (CellId start : plan_.units()[unit].cells) {
      if (part_of_.contains(start)) continue;
      const std::size_t part = parts_.size();
      std::vector<CellId> cells{start};
      part_of_.put(start, part);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        for (JunctionId junction : plan_.cells()[cells[i]].controlled) {
          if (!is_active_(junction)) continue;
          for (const model::BondEnd& end : plan_.model().junctions[junction].bonds) {
            const CellId next = plan_.cell_of(end.bond);
            if (part_of_.contains(next)) continue;
            part_of_.put(next, part);
            cells.push_back(next);
          }
        }
      }
      parts_.push_back({std::move(cells), nullptr});
    }
  }

  void settle(std::size_t i) {
    std::sort(parts_[i].cells.begin(), parts_[i].cells.end());
    std::shared_ptr<const Island> island = find_(parts_[i].cells);
    if (island->neighbours().empty()) {
      parts_[i].island = std::move(island);
      return;
    }
    for (CellId cell : island->neighbours()) {
      if (!part_of_.contains(cell)) join(plan_.cells()[cell].unit);
      const std::size_t other = part_of_[cell];
      if (other == i) continue;
      for (CellId moved : parts_[other].cells) part_of_.put(moved, i);
      parts_[i].cells.insert(parts_[i].cells.end(), parts_[other].cells.begin(),
                             parts_[other].cells.end());
      parts_[other] = {};
    }
  }

  void join(UnitId unit) {
    std::vector<UnitId> more{unit};
    join_units(plan_, is_active_, more);
    for (UnitId next : more) {
      if (std::find(units_.begin(), units_.end(), next) != units_.end()) continue;
      units_.push_back(next);
      add(next);
    }
    std::sort(units_.begin(), units_.end());
  }

  const Plan& plan_;
  const IsActive& is_active_;
  const FindIsland& find_;
  std::vector<UnitId>& units_;
  std::vector<Part> parts_;
  PartOfCell part_of_;
};

}  // namespace

std::vector<std::shared_ptr<const Island>> find_islands(const Plan& plan, const IsActive& is_active,
                                                        const FindIsland& find,
                                                        std::vector<UnitId>& units) {
  return Search(plan, is_active, find, units).run();
}

}  // namespace cradle::plan
