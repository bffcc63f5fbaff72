#pragma once
// Values as bytes and back. What a type consists of is listed once, in a function
// `fields(archive, value)`, and both directions follow from it.

#include <concepts>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/basics/ids.hpp"
#include "base/basics/pile.hpp"

namespace cradle {

// Little-endian, eight bytes for each number.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }

 private:
  void bits(uint64_t value) {
    char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>((value >> (8 * i)) & 0xff);
    out_.append(bytes, sizeof bytes);
  }
  void write(double value) {
    uint64_t word;
    std::memcpy(&word, &value, sizeof word);
    bits(word);
  }
  template <class T>
  requires std::integral<T> || std::is_enum_v<T>
  void write(T value) { bits(static_cast<uint64_t>(static_cast<int64_t>(value))); }
  template <class Tag>
  void write(Id<Tag> id) {
    write(id.index);
  }
  void write(const std::string& text) {
    write(text.size());
    out_ += text;
  }
  template <class A, class B>
  void write(const std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class Range>
  void write_all(const Range& range) {
    write(range.size());
    for (const auto& item : range) write(item);
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write_all(values);
  }
  template <class T>
  void write(const Pile<T>& pile) {
    write_all(pile);
  }
  template <class T, std::size_t n>
  void write(const std::array<T, n>& values) {
    for (const T& value : values) write(value);
  }
  template <class T>
  void write(const std::set<T>& values) {
    write_all(values);
  }
  template <class K, class V>
  void write(const std::map<K, V>& values) {
    write_all(values);
  }
  // In the order of keys, so that equal values give equal bytes.
  template <class K, class V>
  void write(const std::unordered_map<K, V>& values) {
    write(std::map<K, V>(values.begin(), values.end()));
  }
  template <class T>
  requires requires(ByteWriter& w, const T& value) { fields(w, value); }
  void write(const T& value) { fields(*this, value); }

  std::string& out_;
};

// Throws std::runtime_error where the bytes end too early or a length cannot be right.
class ByteReader {
 public:
  explicit ByteReader(std::string_view in) : in_(in) {}

  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  bool at_end() const { return in_.empty(); }

 private:
  std::string_view take(std::size_t count) {
    if (in_.size() < count) throw std::runtime_error("the bytes end too early");
    const std::string_view out = in_.substr(0, count);
    in_.remove_prefix(count);
    return out;
  }
  uint64_t bits() {
    uint64_t value = 0;
    const std::string_view bytes = take(8);
    for (int i = 7; i >= 0; --i) {
      value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    }
    return value;
  }
  // What has so many items needs at least a byte for each.
  std::size_t length() {
    const uint64_t count = bits();
    if (count > in_.size()) throw std::runtime_error("a length is not possible");
    return static_cast<std::size_t>(count);
  }
  void read(double& value) {
    const uint64_t word = bits();
    std::memcpy(&value, &word, sizeof value);
  }
  template <class T>
  requires std::integral<T> || std::is_enum_v<T>
  void read(T& value) { value = static_cast<T>(static_cast<int64_t>(bits())); }
  template <class Tag>
  void read(Id<Tag>& id) {
    read(id.index);
  }
  void read(std::string& text) { text = std::string(take(length())); }
  template <class A, class B>
  void read(std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool there = false;
    read(there);
    if (there) {
      read(value.emplace());
    } else {
      value.reset();
    }
  }
  template <class T>
  void read(std::vector<T>& values) {
    values.clear();
    for (std::size_t i = length(); i > 0; --i) read(values.emplace_back());
  }
  template <class T>
  void read(Pile<T>& pile) {
    pile.clear();
    std::vector<T> list;
    for (std::size_t i = length(); i > 0; --i) {
      read(list);
      pile.push_back(list);
    }
  }
  template <class T, std::size_t n>
  void read(std::array<T, n>& values) {
    for (T& value : values) read(value);
  }
  template <class T>
  void read(std::set<T>& values) {
    values.clear();
    for (std::size_t i = length(); i > 0; --i) {
      T item{};
      read(item);
      values.insert(values.end(), std::move(item));
    }
  }
  template <class Map>
  void read_map(Map& values) {
    values.clear();
    for (std::size_t i = length(); i > 0; --i) {
      typename Map::key_type key{};
      read(key);
      read(values[key]);
    }
  }
  template <class K, class V>
  void read(std::map<K, V>& values) {
    read_map(values);
  }
  template <class K, class V>
  void read(std::unordered_map<K, V>& values) {
    read_map(values);
  }
  template <class T>
  requires requires(ByteReader& r, T& value) { fields(r, value); }
  void read(T& value) { fields(*this, value); }

  std::string_view in_;
};

}  // namespace cradle
