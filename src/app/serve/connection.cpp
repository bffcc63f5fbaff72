#include "app/serve/connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace cradle::serve {

using namespace std::chrono_literals;

Connection::Connection(int socket, const std::atomic<bool>& stopping, std::size_t max_bytes,
                       Clock::duration request_time, Clock::duration response_time)
    : socket_(socket),
      stopping_(stopping),
      max_bytes_(max_bytes),
      response_time_(response_time),
      read_deadline_(Clock::now() + request_time) {}

Connection::~Connection() { ::close(socket_); }

// In slices, so that the end of the server is noticed.
bool Connection::wait(short events, Clock::time_point deadline) const {
  while (!stopping_) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd watched = {socket_, events, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::min<long long>(left, 200)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

bool Connection::is_readable() const { return begin_ < end_ || wait(POLLIN, read_deadline_); }

bool Connection::is_writable() const { return wait(POLLOUT, Clock::now() + response_time_); }

ssize_t Connection::read(char* data, size_t size) {
  if (begin_ == end_) {
    if (received_ >= max_bytes_ || !wait(POLLIN, read_deadline_)) return -1;
    const std::size_t room = std::min(buffer_.size(), max_bytes_ - received_);
    const ssize_t got = ::recv(socket_, buffer_.data(), room, 0);
    if (got <= 0) return got;
    begin_ = 0;
    end_ = static_cast<std::size_t>(got);
    received_ += end_;
  }
  const std::size_t n = std::min(size, end_ - begin_);
  std::memcpy(data, buffer_.data() + begin_, n);
  begin_ += n;
  return static_cast<ssize_t>(n);
}

ssize_t Connection::write(const char* data, size_t size) {
  if (!writing_) {
    writing_ = true;
    write_deadline_ = Clock::now() + response_time_;
  }
  for (;;) {
    const ssize_t sent = ::send(socket_, data, size, MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno == EINTR) continue;
    if ((errno != EAGAIN && errno != EWOULDBLOCK) || !wait(POLLOUT, write_deadline_)) return -1;
  }
}

void Connection::linger() {
  if (!writing_) return;  // nothing was answered, so nothing can get lost
  ::shutdown(socket_, SHUT_WR);
  const Clock::time_point deadline = Clock::now() + 2s;
  std::size_t thrown_away = 0;
  while (thrown_away < (64u << 20) && wait(POLLIN, deadline)) {
    const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    if (got <= 0) return;
    thrown_away += static_cast<std::size_t>(got);
  }
}

// It is this machine, and nobody asks.
void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = "127.0.0.1";
  port = 0;
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  ip = "127.0.0.1";
  port = 0;
}

}  // namespace cradle::serve
