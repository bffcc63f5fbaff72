#pragma once
// Long lists as text: base64 of the zlib stream of little-endian numbers.

#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

namespace cradle::view {

// {"type":…,"length":…,"data":"…"}
void pack(const std::vector<double>& values, std::ostream& out);
void pack(const std::vector<float>& values, std::ostream& out);
void pack(const std::vector<int32_t>& values, std::ostream& out);
void pack(const std::vector<uint32_t>& values, std::ostream& out);
void pack(const std::vector<uint8_t>& values, std::ostream& out);
void pack_json(std::string_view json, std::ostream& out);

}  // namespace cradle::view
