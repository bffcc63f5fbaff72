#pragma once
// Machine code of a recipe. It computes what an interpreter of the same steps computes, to the bit:
// one scalar operation for each, in the same order and never contracted, and the same functions.
// (Which of the numbers that are none comes of two of them is open, as it is in C++.)
//
// There is machine code on x86-64, with SSE2 or AVX, where memory may be executed. Elsewhere there
// is none, and whoever asks interprets.
//
// A program is immutable and may be run by any number of threads at once.

#include <cstddef>
#include <memory>

#include "core/machine/recipe.hpp"

namespace cradle::machine {

// What the processor may be asked for.
enum class Level { Sse2, Avx };

class Program {
 public:
  // Null where there can be none.
  static std::unique_ptr<const Program> make(const Recipe& recipe);
  static std::unique_ptr<const Program> make(const Recipe& recipe, Level level);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // On as many arrays as the recipe names.
#ifdef __clang__
  // What machine code is made of has no type that could be looked at.
  __attribute__((no_sanitize("function")))
#endif
  void
  run(double* a, double* b = nullptr, double* c = nullptr, double* d = nullptr) const {
    function_(a, b, c, d);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  using Function = void (*)(double*, double*, double*, double*);
  Program(Function function, std::size_t bytes, std::shared_ptr<void> memory)
      : function_(function), bytes_(bytes), memory_(std::move(memory)) {}

  Function function_;
  std::size_t bytes_;
  std::shared_ptr<void> memory_;  // where all programs are
};

// The best that this processor has.
bool has(Level level);

}  // namespace cradle::machine
