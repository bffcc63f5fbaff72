#pragma once
// Bytes on their way into a file. Many small pieces are written as one, and none waits longer than
// half a second, whether or not another one comes: a thread looks after that.

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <streambuf>
#include <string>
#include <string_view>
#include <thread>

#include "app/cli/output_file.hpp"

namespace cradle::cli {

class Spool : public std::streambuf {
 public:
  // Owns the descriptor. `before`: what stands in the file already.
  Spool(int descriptor, uint64_t bytes_before, uint64_t checksum_before);
  ~Spool() override;

  // False if it, or something before it, could not be written: see error().
  bool add(std::string_view text);
  bool flush();
  bool settle();  // and on disk
  bool close();
  int error() const { return error_; }  // errno
  uint64_t bytes() const { return bytes_; }
  uint64_t checksum() const { return checksum_; }

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override { return flush() ? 0 : -1; }

 private:
  void look_after();
  void write_out();  // with the lock held
  void cut_to_a_line(std::size_t written);

  int descriptor_;
  std::mutex lock_;
  std::condition_variable closing_;
  bool closed_ = false;
  std::string waiting_;
  uint64_t bytes_, checksum_;
  int error_ = 0;
  std::thread keeper_;
};

}  // namespace cradle::cli
