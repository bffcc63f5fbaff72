#pragma once
// What a run records: what is selected, what the model shows, or everything.

#include <memory>
#include <vector>

#include "api/implementation.hpp"
#include "core/engine/engine.hpp"
#include "cradle/cradle.hpp"
#include "language/model/model.hpp"

namespace cradle::api {

// p and q that no element stores are integrated only if something reads them. If the run asks for
// some, this is the model once more, with their integrals; otherwise the model itself.
std::shared_ptr<const Model::Impl> model_for(const Model& model, const Options& options);
// Throws std::invalid_argument for a name that the model does not have.
std::vector<engine::RecordedColumn> columns_for(const plan::Plan& plan, const Options& options);

// What the animation needs, if it is asked for.
std::vector<engine::RecordedColumn> drawn_columns(const plan::Plan& plan, const Options& options);
// The shapes of the animation, and which of these columns each part of them is in.
std::vector<Shape> shapes_of(const plan::Plan& plan);

}  // namespace cradle::api
