// Whatever the bytes, they are read as a recorded run or refused with a reason.

#include <string>

#include "base/basics/assert.hpp"
#include "theory/conform/read_run.hpp"

using namespace cradle;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string problem;
  const auto run =
      conform::read_run(std::string(reinterpret_cast<const char*>(data), size), problem);
  CRADLE_ASSERT(run.has_value() == problem.empty(), "a run, or a reason");
  if (!run) return 0;
  for (const auto& row : run->rows) {
    CRADLE_ASSERT(row.cells.size() == run->columns.size(), "a cell for every column");
  }
  return 0;
}
