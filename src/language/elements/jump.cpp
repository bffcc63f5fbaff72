#include "language/elements/jump.hpp"

namespace cradle::elements {

std::vector<Relation> jump(const Relation& flow) {
  Relation integrated = flow;
  switch (flow.right) {
    case Right::Zero:
    case Right::Source:
      return {integrated};
    case Right::StateLaw:
      integrated.right = Right::Zero;
      return {integrated};
    case Right::PowerLaw:
      break;
  }
  const int port = flow.left[0].port;
  return {{.left = {{Variable::Effort, port, {}}}}, {.left = {{Variable::Flow, port, {}}}}};
}

}  // namespace cradle::elements
