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
  // From here on nobody asks for the checksum, which would take longer than the text.
  void do_without_checksum() { sums_ = false; }
  int error() const { return error_; }  // errno
  int descriptor() const { return descriptor_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t checksum() const { return checksum_; }

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override { return flush() ? 0 : -1; }

 private:
  void look_after();
  // With the lock held.
  void write_out();
  void write_out(std::string_view text);
  void cut_to_a_line(std::string_view written);

  int descriptor_;
  std::mutex lock_;
  std::condition_variable closing_;
  bool closed_ = false;
  std::string waiting_;
  uint64_t bytes_, checksum_;
  bool sums_ = true;
  int error_ = 0;
  std::thread keeper_;
};

}  // namespace cradle::cli
