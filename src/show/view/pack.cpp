#include "show/view/pack.hpp"

#include <zlib.h>

#include <array>
#include <bit>
#include <ostream>

#include "base/basics/assert.hpp"

namespace cradle::view {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are packed as they lie");

class Base64 {
 public:
  explicit Base64(std::ostream& out) : out_(out) {}

  void add(const unsigned char* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      bits_ = bits_ << 8 | data[i];
      if (++held_ == 3) put(4);
    }
  }
  void finish() {
    static constexpr std::string_view padding = "==";
    if (held_ > 0) {
      const unsigned missing = 3 - held_;
      bits_ <<= 8 * missing;
      put(4 - missing);
      text_ += padding.substr(0, missing);
    }
    flush();
  }

 private:
  void put(unsigned digits) {
    static constexpr char kDigits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (unsigned i = 0; i < digits; ++i) text_ += kDigits[bits_ >> (18 - 6 * i) & 63];
    bits_ = held_ = 0;
    if (text_.size() > 1 << 16) flush();
  }
  void flush() {
    out_ << text_;
    text_.clear();
  }

  std::ostream& out_;
  std::string text_;
  uint32_t bits_ = 0;
  unsigned held_ = 0;  // bytes in bits_
};

void deflate_into(const void* data, std::size_t size, Base64& out) {
  z_stream stream = {};
  // Doubles of a run hardly shrink by a harder search: the fastest level is nearly as good.
  CRADLE_ASSERT(deflateInit(&stream, Z_BEST_SPEED) == Z_OK, "zlib is there");
  std::array<unsigned char, 1 << 16> chunk;
  const auto* next = static_cast<const unsigned char*>(data);
  constexpr std::size_t kMost = 1 << 30;  // zlib counts in 32 bits
  int result = Z_OK;
  do {
    if (stream.avail_in == 0 && size > 0) {
      const std::size_t part = std::min(size, kMost);
      stream.next_in = const_cast<unsigned char*>(next);
      stream.avail_in = static_cast<uInt>(part);
      next += part;
      size -= part;
    }
    stream.next_out = chunk.data();
    stream.avail_out = chunk.size();
    result = deflate(&stream, size == 0 ? Z_FINISH : Z_NO_FLUSH);
    out.add(chunk.data(), chunk.size() - stream.avail_out);
  } while (result != Z_STREAM_END);
  deflateEnd(&stream);
}

void write(const char* type, std::size_t length, const void* data, std::size_t bytes,
           std::ostream& out) {
  out << "{\"type\":\"" << type << "\",\"length\":" << length << ",\"data\":\"";
  Base64 text(out);
  if (length > 0) deflate_into(data, bytes, text);
  text.finish();
  out << "\"}";
}

template <class T>
void write(const char* type, const std::vector<T>& values, std::ostream& out) {
  write(type, values.size(), values.data(), values.size() * sizeof(T), out);
}

}  // namespace

void pack(const std::vector<double>& values, std::ostream& out) { write("f64", values, out); }
void pack(const std::vector<float>& values, std::ostream& out) { write("f32", values, out); }
void pack(const std::vector<int32_t>& values, std::ostream& out) { write("i32", values, out); }
void pack(const std::vector<uint32_t>& values, std::ostream& out) { write("u32", values, out); }
void pack(const std::vector<uint8_t>& values, std::ostream& out) { write("u8", values, out); }
void pack_json(std::string_view json, std::ostream& out) {
  write("json", json.size(), json.data(), json.size(), out);
}

}  // namespace cradle::view
