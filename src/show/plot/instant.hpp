#pragma once
// What is drawn of the inside of one instant, before pixels. Its steps ⟨t + kε, n⟩ are columns; of
// a long one the middle is left out. Between two columns stands a note: who moved, on what numbers,
// and which operators spoke.

#include <string>
#include <vector>

#include "cradle/explain.hpp"
#include "show/plot/picture.hpp"

namespace cradle::plot {

struct NoteItem {
  std::string what;              // F23: on → off
  std::vector<std::string> why;  // abs(impulse(F23.e)) > J_break: 0.6 > 0.5
  bool operator==(const NoteItem&) const = default;
};

struct Note {
  std::size_t column =
      0;  // that it leads into; the number of columns: into no mode that has values
  std::vector<NoteItem> items;
  std::size_t number = 0;  // from 1, where notes stand in a list; equal notes have one number
};

struct InstantPicture {
  std::vector<std::size_t> steps;   // by column: of Explanation::steps
  std::size_t left_out = 0;         // steps
  std::size_t left_out_before = 0;  // this column
  Trajectory rows;                  // one for each column
  Picture picture;                  // of these rows: panels, bands, states
  std::vector<Note> notes;          // at most one into each column

  bool is_torn(std::size_t column) const { return left_out > 0 && column == left_out_before; }
};

InstantPicture unfold(const Explanation& told, std::size_t most_columns);

}  // namespace cradle::plot
