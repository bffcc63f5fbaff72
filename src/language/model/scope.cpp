#include "language/model/scope.hpp"

namespace cradle::model {

const Turn* find_turn(const Turn* turn, std::string_view variable) {
  while (turn != nullptr && turn->variable != variable) turn = turn->outer;
  return turn;
}

std::string indexed_name(std::string_view base, const std::vector<int64_t>& indices) {
  std::string name(base);
  for (int64_t index : indices) {
    name += '[';
    name += std::to_string(index);
    name += ']';
  }
  return name;
}

}  // namespace cradle::model
