#pragma once
// What `cradle conform` prints.

#include <iosfwd>

#include "cradle/conform.hpp"

namespace cradle::text {

// `shown`: at most this many violations and relations that are not covered.
void write_conformance(const Conformance& result, std::size_t shown, std::ostream& out);
void write_conformance_json(const Conformance& result, std::ostream& out);

}  // namespace cradle::text
