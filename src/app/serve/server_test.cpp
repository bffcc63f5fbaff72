#include "app/serve/server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>

namespace cradle::serve {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Settings echo() {
  Settings settings;
  settings.threads = 8;
  settings.handle = [](const Request& request) {
    if (request.path == "/throw") throw std::runtime_error("inside");
    return Response{
        200, "text/plain", request.method + " " + request.path + " " + request.body, {}, {}};
  };
  return settings;
}

class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { ::close(socket_); }
  bool connected() const { return connected_; }
  bool send(const std::string& text) {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }
  std::string read_all() {
    std::string out;
    char piece[4096];
    for (ssize_t n; (n = ::recv(socket_, piece, sizeof piece, 0)) > 0;)
      out.append(piece, static_cast<std::size_t>(n));
    return out;
  }

 private:
  int socket_;
  bool connected_ = false;
};

// "403", or "" if the connection was closed without a word.
std::string status_of(int port, const std::string& request) {
  Client client(port);
  client.send(request);
  const std::string response = client.read_all();
  return response.starts_with("HTTP/1.1 ") ? response.substr(9, 3) : "";
}

std::string with_host(const Server& server, const std::string& line, const std::string& rest = "") {
  return line + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n" + rest +
         "\r\n";
}

TEST(Server, AnswersWithHeadersThatProtect) {
  Server server(echo());
  server.start();
  httplib::Client client("127.0.0.1", server.port());
  const auto answer = client.Get("/a%20b");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "GET /a b ");
  EXPECT_EQ(answer->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(answer->get_header_value("X-Frame-Options"), "DENY");
  EXPECT_EQ(answer->get_header_value("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(answer->get_header_value("Cache-Control"), "no-store");
  EXPECT_NE(answer->get_header_value("Content-Security-Policy").find("default-src 'none'"),
            std::string::npos);
  EXPECT_FALSE(answer->has_header("Access-Control-Allow-Origin"));
  const auto posted = client.Post("/p", "body", "application/json");
  ASSERT_TRUE(posted);
  EXPECT_EQ(posted->body, "POST /p body");
}

TEST(Server, KnowsOnlyItsOwnNames) {
  Server server(echo());
  server.start();
  const std::string port = ":" + std::to_string(server.port());
  const auto status = [&](const std::string& headers) {
    return status_of(server.port(), "GET / HTTP/1.1\r\n" + headers + "\r\n");
  };
  EXPECT_EQ(status("Host: 127.0.0.1" + port + "\r\n"), "200");
  EXPECT_EQ(status("Host: localhost" + port + "\r\n"), "200");
  EXPECT_EQ(status("Host: evil.example" + port + "\r\n"), "403");
  EXPECT_EQ(status("Host: 127.0.0.1\r\n"), "403");
  EXPECT_EQ(status("Host: 127.0.0.1" + port + ".evil.example\r\n"), "403");
  EXPECT_EQ(status(""), "403");
  EXPECT_EQ(status("Host: 127.0.0.1" + port + "\r\nHost: evil.example\r\n"), "403");
  const std::string own = "Host: 127.0.0.1" + port + "\r\n";
  EXPECT_EQ(status(own + "Origin: http://127.0.0.1" + port + "\r\n"), "200");
  EXPECT_EQ(status(own + "Origin: http://localhost" + port + "\r\n"), "403");
  EXPECT_EQ(status(own + "Origin: http://evil.example\r\n"), "403");
  EXPECT_EQ(status(own + "Origin: null\r\n"), "403");
  EXPECT_EQ(status(own + "Origin: https://127.0.0.1" + port + "\r\n"), "403");
}

TEST(Server, RefusesBeforeTheBodyIsRead) {
  Settings settings = echo();
  settings.admit = [](const Request& request) -> std::optional<Response> {
    if (request.header("x-cradle-token") == "right") return std::nullopt;
    return refusal(403, "no");
  };
  Server server(settings);
  server.start();
  // The body never comes, the answer does.
  EXPECT_EQ(status_of(server.port(), with_host(server, "POST /x", "Content-Length: 5\r\n")), "403");
  EXPECT_EQ(status_of(server.port(), with_host(server, "POST /x",
                                               "X-Cradle-Token: right\r\nContent-Length: 5\r\n") +
                                         "hello"),
            "200");
  EXPECT_EQ(status_of(server.port(), with_host(server, "OPTIONS /x")), "405");
}

TEST(Server, BoundsBodies) {
  Settings settings = echo();
  settings.max_body = 1000;
  Server server(settings);
  server.start();
  const auto status = [&](const std::string& headers, const std::string& body = "") {
    return status_of(server.port(), with_host(server, "POST /x", headers) + body);
  };
  EXPECT_EQ(status("Content-Length: 1000\r\n", std::string(1000, 'x')), "200");
  EXPECT_EQ(status("Content-Length: 1001\r\n", std::string(1001, 'x')), "413");
  EXPECT_EQ(status("Content-Length: 99999999999999999999999\r\n"), "400");
  EXPECT_EQ(status("Content-Length: -1\r\n"), "400");
  EXPECT_EQ(status("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"), "400");
  EXPECT_EQ(status(""), "411");
  EXPECT_EQ(status("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"), "411");
  EXPECT_EQ(status("Content-Length: 3\r\nContent-Encoding: gzip\r\n", "abc"), "411");
  EXPECT_EQ(status("Content-Length: 3\r\nContent-Type: multipart/form-data; boundary=x\r\n", "abc"),
            "415");
  EXPECT_EQ(status_of(server.port(), with_host(server, "GET /x", "Content-Length: 3\r\n") + "abc"),
            "400");
  // A client that sends much more than it may still gets its answer.
  httplib::Client client("127.0.0.1", server.port());
  const auto answer = client.Post("/x", std::string(20 << 20, 'x'), "application/json");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
}

TEST(Server, SurvivesNonsense) {
  Settings settings = echo();
  settings.request_time = 500ms;
  Server server(settings);
  server.start();
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const std::string& text :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), bytes, bytes + "\r\n\r\n",
        std::string(300000, 'A'), "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n",
        std::string("GET / HTTP/9.9\r\nHost: x\r\n\r\n"), with_host(server, "GET /%00%ff%zz%"),
        with_host(server, "BREW /"), with_host(server, "GET /throw"),
        with_host(server, "GET /" + std::string(5000, 'a')),
        with_host(server, "GET /", "Range: bytes=0-,1-,2-,-5,99999999999-\r\n"),
        with_host(server, "GET /", std::string(200, 'H') + ": " + std::string(9000, 'v') + "\r\n"),
        with_host(server, "GET /", "no colon at all\r\n")}) {
    Client client(server.port());
    client.send(text);
    client.read_all();
  }
  EXPECT_EQ(status_of(server.port(), with_host(server, "GET /throw")), "500");
  EXPECT_EQ(status_of(server.port(), with_host(server, "GET /" + std::string(5000, 'a'))), "414");
  EXPECT_EQ(status_of(server.port(), with_host(server, "GET /fine")), "200");
}

TEST(Server, DoesNotWaitForever) {
  Settings settings = echo();
  settings.threads = 2;
  settings.request_time = 300ms;
  Server server(settings);
  server.start();
  // Both threads are held, over and over, by clients who send a byte now and then. They are given
  // up after 0.3 s each, and nobody lingers for them as for one who was answered, which is 2 s.
  std::atomic<bool> enough = false;
  std::vector<std::thread> slow;
  for (int i = 0; i < 12; ++i) {
    slow.emplace_back([&] {
      Client client(server.port());
      while (!enough && client.send("G")) std::this_thread::sleep_for(50ms);
    });
  }
  std::this_thread::sleep_for(50ms);
  const auto begin = Clock::now();
  EXPECT_EQ(status_of(server.port(), with_host(server, "GET /")), "200");
  EXPECT_LT(Clock::now() - begin, 10s);
  enough = true;
  for (auto& thread : slow) thread.join();
}

TEST(Server, EndsAndGivesThePortBack) {
  int port = 0;
  {
    Server server(echo());
    port = server.port();
    server.start();
    Settings same = echo();
    same.port = port;
    EXPECT_THROW(Server second(same), std::system_error);
    Client idle(port);  // holds a thread, says nothing
    std::this_thread::sleep_for(50ms);
    const auto begin = Clock::now();
    server.stop();
    EXPECT_LT(Clock::now() - begin, 2s);
  }
  EXPECT_FALSE(Client(port).connected());
  Settings again = echo();
  again.port = port;
  Server server(again);
  server.start();
  EXPECT_EQ(status_of(port, with_host(server, "GET /")), "200");
}

}  // namespace
}  // namespace cradle::serve
