#include "app/serve/server.hpp"

#include <arpa/inet.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <csignal>
#include <system_error>
#include <thread>
#include <vector>

#include "app/serve/connection.hpp"

namespace cradle::serve {
namespace {

using namespace std::chrono_literals;

constexpr const char* kNothing =
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
// Routes are regular expressions, whose cost grows with the path.
constexpr std::size_t kMaxPath = 2048;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

int listen_on_loopback(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) fail("socket");
  // Not SO_REUSEPORT: a port that is taken is taken.
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket, 128) != 0) {
    const int why = errno;
    ::close(socket);
    errno = why;
    fail("bind");
  }
  return socket;
}

int port_of(int socket) {
  sockaddr_in address = {};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) fail("getsockname");
  return ntohs(address.sin_port);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Request translate(const httplib::Request& from) {
  Request to;
  to.method = from.method == "HEAD" ? "GET" : from.method;
  to.path = from.path;
  for (const auto& [name, value] : from.params) to.query.emplace(name, value);
  for (const auto& [name, value] : from.headers) to.headers.emplace(lower(name), value);
  return to;
}

void put(Response from, httplib::Response& to) {
  to.status = from.status;
  to.headers.erase("Content-Security-Policy");
  to.set_header("Content-Security-Policy", from.policy.empty() ? kNothing : from.policy);
  if (!from.location.empty()) to.set_header("Location", from.location);
  if (!from.cookie.empty()) to.set_header("Set-Cookie", from.cookie);
  to.headers.erase("Content-Type");
  to.set_header("Content-Type", from.type);
  to.body = std::move(from.body);
}

// How long the body is, as the client says: nothing, a number, or nonsense.
std::optional<std::size_t> content_length(const httplib::Request& request) {
  const std::string text = request.get_header_value("Content-Length");
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return length;
}

bool may_have_body(const std::string& method) { return method == "POST" || method == "PUT"; }

}  // namespace

std::string Request::header(const std::string& lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? std::string() : found->second;
}

std::string Request::parameter(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

Response refusal(int status, const std::string& text) {
  std::string body = "{\"error\":\"";
  for (char c : text) {
    if (c == '"' || c == '\\') body += '\\';
    body += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return {status, "application/json", body + "\"}", {}, {}};
}

// httplib reads requests and writes responses; sockets, threads and limits are our own.
class Server::Http : public httplib::Server {
 public:
  explicit Http(Settings settings)
      : settings_(std::move(settings)), socket_(listen_on_loopback(settings_.port)) {
    port_ = port_of(socket_);
    set_payload_max_length(settings_.max_body);
    set_default_headers({{"X-Content-Type-Options", "nosniff"},
                         {"X-Frame-Options", "DENY"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cross-Origin-Resource-Policy", "same-origin"},
                         {"Cross-Origin-Opener-Policy", "same-origin"},
                         {"Cache-Control", "no-store"}});
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      const std::optional<Response> refused = refuse(request);
      if (!refused) return HandlerResponse::Unhandled;
      put(*refused, response);
      return HandlerResponse::Handled;
    });
    const auto answer = [this](const httplib::Request& from, httplib::Response& to) {
      Request request = translate(from);
      request.body = from.body;
      put(settings_.handle(request), to);
    };
    Get(".*", answer).Post(".*", answer).Put(".*", answer).Delete(".*", answer);
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
          put(refusal(500, "the server could not do that"), response);
        });
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty())
        put(refusal(response.status, "this is no request for this server"), response);
    });
  }
  ~Http() override {
    stop();
    ::close(socket_);
  }

  int port() const { return port_; }

  void start() {
    // Signals are for the thread that started us.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 0; i < settings_.threads; ++i) threads_.emplace_back([this] { work(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void stop() {
    stopping_ = true;
    ::shutdown(socket_, SHUT_RDWR);  // wakes who waits in accept
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void work() {
    while (!stopping_) {
      const int client = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (client >= 0) {
        converse(client);
      } else if (!stopping_ && errno != EINTR && errno != ECONNABORTED) {
        std::this_thread::sleep_for(10ms);  // out of descriptors or memory: it may pass
      }
    }
  }

  // One request for each connection: on loopback a new one costs next to nothing, and what follows
  // a request that was refused unread is never taken for another.
  void converse(int client) {
    Connection connection(client, stopping_, settings_.max_head, settings_.request_time,
                          settings_.response_time);
    bool closed = false;
    try {
      process_request(connection, true, closed, [&](httplib::Request& request) {
        connection.allow(std::min(content_length(request).value_or(0), settings_.max_body));
        // Compressing takes longer than loopback, and nobody needs parts.
        request.headers.erase("Accept-Encoding");
        request.headers.erase("Range");
        request.ranges.clear();
      });
    } catch (const std::exception&) {
      return;  // out of memory: this connection ends, the others go on
    }
    connection.linger();
  }

  bool own_host(const std::string& host) const {
    const std::string port = ":" + std::to_string(port_);
    return host == "127.0.0.1" + port || host == "localhost" + port ||
           (port_ == 80 && (host == "127.0.0.1" || host == "localhost"));
  }

  std::optional<Response> refuse(const httplib::Request& request) const {
    // Another name for this machine means that a page from elsewhere is asking (DNS rebinding).
    const std::string host = request.get_header_value("Host");
    if (request.get_header_value_count("Host") != 1 || !own_host(host))
      return refusal(403, "this server does not go by that name");
    const std::size_t origins = request.get_header_value_count("Origin");
    if (origins > 1 || (origins == 1 && request.get_header_value("Origin") != "http://" + host))
      return refusal(403, "requests from other origins are refused");
    const std::string& method = request.method;
    if (method != "GET" && method != "HEAD" && method != "DELETE" && !may_have_body(method))
      return refusal(405, "there is no such method here");
    if (request.path.size() > kMaxPath) return refusal(414, "the path is too long");
    if (auto refused = refuse_body(request)) return refused;
    return settings_.admit ? settings_.admit(translate(request)) : std::nullopt;
  }

  std::optional<Response> refuse_body(const httplib::Request& request) const {
    if (request.has_header("Transfer-Encoding") || request.has_header("Content-Encoding"))
      return refusal(411, "a body must come as it is, with its length");
    const std::size_t lengths = request.get_header_value_count("Content-Length");
    const std::optional<std::size_t> length = content_length(request);
    if (lengths > 1 || (lengths == 1 && !length)) return refusal(400, "what length is that?");
    if (may_have_body(request.method) && !length) return refusal(411, "the length is missing");
    if (!may_have_body(request.method) && length.value_or(0) > 0)
      return refusal(400, "there is nothing to do with this body");
    if (length.value_or(0) > settings_.max_body) return refusal(413, "that is too much");
    const std::string type = lower(request.get_header_value("Content-Type"));
    if (type.starts_with("multipart/") || type.starts_with("application/x-www-form-urlencoded"))
      return refusal(415, "forms are not read here");
    return std::nullopt;
  }

  Settings settings_;
  const int socket_;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

Server::Server(Settings settings) : http_(std::make_unique<Http>(std::move(settings))) {}
Server::~Server() = default;
int Server::port() const { return http_->port(); }
void Server::start() { http_->start(); }
void Server::stop() { http_->stop(); }

}  // namespace cradle::serve
