#pragma once
// For the tests of this room: plans from text.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/plan/plan.hpp"
#include "language/model/elaborate.hpp"

namespace cradle::plan::testing {

inline std::shared_ptr<const Plan> plan_of(const std::string& items) {
  model::Loaded loaded =
      model::elaborate({"test.cradle", "model M {\n" + items + "\nuntil 1\n}\n"}, {}, {});
  for (const Diagnostic& diagnostic : loaded.diagnostics.items()) {
    ADD_FAILURE() << render_text(diagnostic, loaded.sources);
  }
  return make_plan(std::move(loaded.model));
}

}  // namespace cradle::plan::testing
