#pragma once
// One connection as httplib reads and writes it, with an end to its patience: the library's own
// limits hold for each single read, so that a client who sends a byte now and then stays forever.

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>

namespace cradle::serve {

class Connection final : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;

  // Owns the socket, which does not block.
  Connection(int socket, const std::atomic<bool>& stopping, std::size_t max_bytes,
             Clock::duration request_time, Clock::duration response_time);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override;

  // The request may have so many bytes more than allowed so far.
  void allow(std::size_t more) { max_bytes_ += more; }
  // Says that nothing more comes and waits a moment for the client to have read it: closing while
  // it still sends would take the response away from it.
  void linger();

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* data, size_t size) override;
  ssize_t write(const char* data, size_t size) override;
  using Stream::write;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  bool wait(short events, Clock::time_point deadline) const;

  const int socket_;
  const std::atomic<bool>& stopping_;
  std::size_t max_bytes_;
  std::size_t received_ = 0;
  Clock::duration response_time_;
  Clock::time_point read_deadline_;
  Clock::time_point write_deadline_;
  bool writing_ = false;
  std::array<char, 16384> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is in the buffer and not yet read
};

}  // namespace cradle::serve
