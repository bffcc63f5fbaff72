#pragma once
// Parts of the declaring pass.

#include <string>
#include <vector>

#include "language/model/elaboration.hpp"

namespace cradle::model {

struct Context;

// Declares parameters, inputs, outputs and ports of an instance, and computes its parameters from
// overrides, arguments and defaults, in this order of strength.                     (instance.cpp)
void open_instance(Elaboration& e, int32_t instance);
void check_require(Elaboration& e, const Place& place, const syntax::Require& require);
void report_unused_settings(Elaboration& e);

bool declare_signal(Elaboration& e, const Place& place, const syntax::Name& name,
                    const std::vector<int64_t>& indices, const SignalSource& source);
// What stands in a mode.                                                           (structure.cpp)
void declare_items(Elaboration& e, Scope& scope, const Turn* turn);

// As if they had been written there.
void declare_made(Elaboration& e, const Place& place, const syntax::Junction& junction, Span span);
void declare_made(Elaboration& e, const Place& place, const syntax::Declaration& element,
                  Span span);
void declare_made(Elaboration& e, const Place& place, const syntax::BondChain& bonds, Span span);
// Nodes and bonds of parts that stand between nodes.                                 (placing.cpp)
void place_parts(Elaboration& e);

// A modal model with its modes, and the names that they share.                         (modal.cpp)
void declare_modal(Elaboration& e, const Place& place, const syntax::Modal& syntax,
                   const std::vector<int64_t>& indices);

// The states of a junction's automaton; its guards come later.                      (automata.cpp)
inline constexpr std::size_t kMaxStates = 250;
AutomatonId declare_automaton(Elaboration& e, const Place& place, const syntax::Junction& syntax,
                              const std::string& name, JunctionId junction);

// The matrix of a field, empty for other elements. False if it is at fault.             (laws.cpp)
bool read_matrix(Elaboration& e, const Context& context, const syntax::Declaration& declaration,
                 const elements::Definition& definition, const std::string& name,
                 std::vector<std::vector<double>>& matrix);

}  // namespace cradle::model
