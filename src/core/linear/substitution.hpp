#pragma once
// What RankRevealingLu::solve computes, number by number, for whoever wants some of it only, or
// writes it down as code. Each node is
//
//     factor · b[row] + Σ factor · node
//
// over nodes before it. What is zero by structure is left out, and what equals another node is that
// node, so that of a chain of junctions little remains.

#include <span>
#include <vector>

namespace cradle::linear {

struct Substitution {
  struct Term {
    int node;
    double factor;
  };
  struct Node {
    int row;  // −1: none
    double factor;
    int begin;  // in terms; they end where those of the next begin
  };
  std::vector<Node> nodes;  // and one that only ends the last
  std::vector<Term> terms;
  std::vector<int> node_of;  // by column: −1 is zero

  int size() const { return static_cast<int>(nodes.size()) - 1; }
  std::span<const Term> terms_of(int node) const {
    const auto n = static_cast<std::size_t>(node);
    return std::span(terms).subspan(static_cast<std::size_t>(nodes[n].begin),
                                    static_cast<std::size_t>(nodes[n + 1].begin - nodes[n].begin));
  }
  std::size_t bytes() const {
    return sizeof *this + nodes.capacity() * sizeof(Node) + terms.capacity() * sizeof(Term) +
           node_of.capacity() * sizeof(int);
  }
};

}  // namespace cradle::linear
