#pragma once
// A small HTTP server for this machine only: it listens on 127.0.0.1, believes no Host and no
// Origin but its own, and bounds what anyone can make it hold: connections, bytes, time. What it
// answers is the handler's business.

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace cradle::serve {

struct Request {
  std::string method;                          // GET (also for HEAD), POST, PUT or DELETE
  std::string path;                            // decoded; any bytes
  std::map<std::string, std::string> query;    // decoded; of equal names the first
  std::map<std::string, std::string> headers;  // names in lower case; of equal ones the first
  std::string body;

  // Empty if it is not there.
  std::string header(const std::string& lower_case_name) const;
  std::string parameter(const std::string& name) const;
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  // Content-Security-Policy; empty: nothing may be loaded, run or framed.
  std::string policy;
  std::string location = {};  // of a redirection; empty: none
  std::string cookie = {};    // Set-Cookie; empty: none
};

struct Settings {
  int port = 0;                      // 0: a free one
  int threads = 64;                  // so many connections at once; others wait in the kernel
  std::size_t max_body = 8u << 20;   // bytes
  std::size_t max_head = 64u << 10;  // request line and headers
  std::chrono::milliseconds request_time{5000};    // for the whole request to arrive
  std::chrono::milliseconds response_time{60000};  // for the whole response to leave
  // Asked when the headers are there and the body is not yet read; a response refuses.
  std::function<std::optional<Response>(const Request&)> admit;
  // Called on several threads at once. What it throws is answered with status 500.
  std::function<Response(const Request&)> handle;
};

// { "error": text }
Response refusal(int status, const std::string& text);

class Server {
 public:
  // Takes the port. Throws std::system_error if that is not possible.
  explicit Server(Settings settings);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  int port() const;
  // From now on requests are answered, on threads of its own.
  void start();
  // Ends all connections and gives the port back. Handlers that are at work are waited for.
  void stop();

 private:
  class Http;
  std::unique_ptr<Http> http_;
};

}  // namespace cradle::serve
