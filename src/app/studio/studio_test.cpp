#include "app/studio/studio.hpp"

#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

namespace cradle::studio {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

// Does what `cradle` does as far as the studio can see; the text says what happens.
constexpr const char* kStandIn = R"(
input=$(cat)
case $input in
  *spin*) trap 'echo "{\"format\":\"partial\"}"; exit 3' INT
          echo '{"t":0.25,"until":1,"rows":3}' >&2
          while :; do sleep 0.05; done ;;
  *deaf*) trap '' INT; echo '{"t":1}' >&2; while :; do :; done ;;
  *crash*) kill -SEGV $$ ;;
  *hog*) x=aaaaaaaa; while :; do x=$x$x; done ;;
  *usage*) echo 'error: there is no y' >&2; exit 2 ;;
  *fault*) if [ "$1" = fmt ]; then echo bad >&2; exit 1; fi
           found='{"ok":false,"diagnostics":[{"message":"wrong"}]}'
           if [ "$1" = check ]; then echo "[$found]"; else echo "$found"; fi
           exit 1 ;;
esac
case $1 in
  fmt) echo formatted ;;
  check) printf '[{"file":"x","arguments":"'; printf '%s|' "$@"; echo '"}]' ;;
  *) printf '{"format":"x","arguments":"'; printf '%s|' "$@"; echo '"}' ;;
esac
)";

class StudioTest : public ::testing::Test {
 protected:
  StudioTest() {
    std::string name = (fs::temp_directory_path() / "cradle-studio-XXXXXX").string();
    top_ = fs::canonical(::mkdtemp(name.data()));
    fs::create_directories(top_ / "models");
    std::ofstream(top_ / "stand-in.sh") << kStandIn;
    std::ofstream(top_ / "models/a.cradle") << "// A\nmodel A { until 1 }\n";
    Choices choices;
    choices.folder = (top_ / "models").string();
    choices.open = "a.cradle";
    choices.token = token_;
    choices.program = {"/bin/sh", (top_ / "stand-in.sh").string()};
    choices.memory = 512u << 20;
    choices.check_time = 2s;
    choices.jobs.patience = 300ms;
    studio_ = std::make_unique<Studio>(choices);
    serve::Settings settings;
    settings.admit = [this](const serve::Request& request) { return studio_->admit(request); };
    settings.handle = [this](const serve::Request& request) { return studio_->answer(request); };
    server_ = std::make_unique<serve::Server>(settings);
    server_->start();
  }
  ~StudioTest() override {
    studio_->stop();
    server_->stop();
    fs::remove_all(top_);
  }

  struct Answer {
    int status = 0;
    json body;
  };
  Answer ask(const std::string& method, const std::string& path, const std::string& body = "",
             httplib::Headers headers = {}) const {
    httplib::Client client("127.0.0.1", server_->port());
    client.set_read_timeout(30s);
    if (headers.find("X-Cradle-Token") == headers.end()) headers.emplace("X-Cradle-Token", token_);
    const httplib::Result result = method == "GET"      ? client.Get(path, headers)
                                   : method == "DELETE" ? client.Delete(path, headers)
                                   : method == "PUT"
                                       ? client.Put(path, headers, body, "application/json")
                                       : client.Post(path, headers, body, "application/json");
    if (!result) return {};
    return {result->status, json::parse(result->body, nullptr, false)};
  }
  Answer post(const std::string& path, const json& body) const {
    return ask("POST", path, body.dump());
  }
  std::string run(const std::string& text, const std::string& path = "a.cradle") const {
    const Answer answer = post("/api/run", {{"path", path}, {"text", text}});
    EXPECT_EQ(answer.status, 202) << answer.body;
    return answer.body.value("id", "");
  }
  json wait_for(const std::string& id, const std::function<bool(const json&)>& enough) const {
    const auto end = Clock::now() + 20s;
    for (;;) {
      const Answer answer = ask("GET", "/api/run/" + id);
      if (answer.status != 200 || enough(answer.body) || Clock::now() > end) return answer.body;
    }
  }
  json wait_for_end(const std::string& id) const {
    return wait_for(
        id, [](const json& run) { return run["state"] != "waiting" && run["state"] != "running"; });
  }

  const std::string token_ = make_token();
  fs::path top_;
  std::unique_ptr<Studio> studio_;
  std::unique_ptr<serve::Server> server_;
};

TEST_F(StudioTest, TokensAreLongAndDiffer) {
  EXPECT_EQ(token_.size(), 64u);
  EXPECT_NE(make_token(), make_token());
  EXPECT_TRUE(same_token("abc", "abc"));
  EXPECT_FALSE(same_token("abd", "abc"));
  EXPECT_FALSE(same_token("", "abc"));
  EXPECT_FALSE(same_token("abcd", "abc"));
}

TEST_F(StudioTest, ThePageNeedsTheToken) {
  httplib::Client client("127.0.0.1", server_->port());
  const auto page = client.Get("/?token=" + token_);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8");
  // The script of the page carries the nonce of its policy.
  const std::string policy = page->get_header_value("Content-Security-Policy");
  const std::size_t begin = policy.find("'nonce-") + 7;
  const std::string nonce = policy.substr(begin, policy.find('\'', begin) - begin);
  EXPECT_EQ(nonce.size(), 32u);
  EXPECT_NE(page->body.find("<script nonce=\"" + nonce + "\">"), std::string::npos);
  EXPECT_EQ(policy.find("script-src 'unsafe"), std::string::npos);
  EXPECT_NE(client.Get("/?token=" + token_)->body, page->body);
  for (const std::string& wrong : {std::string("/"), "/?token=" + token_.substr(1) + "0",
                                   "/?token=x&token=" + token_, std::string("/?token=")}) {
    const auto refused = client.Get(wrong);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 401) << wrong;
    EXPECT_NE(refused->body.find("cradle studio"), std::string::npos);
  }
}

// The page takes the token out of its address, and must be found again when it is reloaded.
TEST_F(StudioTest, TheCookieOpensThePageAndNothingElse) {
  httplib::Client client("127.0.0.1", server_->port());
  const auto page = client.Get("/?token=" + token_);
  ASSERT_TRUE(page);
  const std::string given = page->get_header_value("Set-Cookie");
  EXPECT_NE(given.find("; HttpOnly; SameSite=Strict"), std::string::npos);
  EXPECT_EQ(given.find(token_), std::string::npos);
  const std::string cookie = given.substr(0, given.find(';'));
  EXPECT_EQ(client.Get("/", {{"Cookie", "other=1; " + cookie}})->status, 200);
  EXPECT_EQ(client.Get("/", {{"Cookie", cookie + "0"}})->status, 401);
  EXPECT_EQ(client.Get("/?token=wrong", {{"Cookie", cookie}})->status, 401);
  EXPECT_EQ(client.Get("/api/folder", {{"Cookie", cookie}})->status, 401);
}

TEST_F(StudioTest, EveryAnswerNeedsTheToken) {
  for (const auto& [method, path] :
       std::vector<std::pair<std::string, std::string>>{{"GET", "/api/folder"},
                                                        {"GET", "/api/folder?token=" + token_},
                                                        {"GET", "/api/file?path=a.cradle"},
                                                        {"PUT", "/api/file"},
                                                        {"POST", "/api/new"},
                                                        {"POST", "/api/check"},
                                                        {"POST", "/api/format"},
                                                        {"POST", "/api/run"},
                                                        {"GET", "/api/run/1"},
                                                        {"GET", "/api/run/1/view"},
                                                        {"DELETE", "/api/run/1"},
                                                        {"GET", "/anything"}}) {
    const Answer answer = ask(method, path, "{}", {{"X-Cradle-Token", "wrong"}});
    EXPECT_EQ(answer.status, 401) << method << path;
    EXPECT_TRUE(answer.body.contains("error"));
  }
  EXPECT_EQ(ask("GET", "/api/folder", "", {{"Origin", "http://evil.example"}}).status, 403);
  EXPECT_EQ(ask("GET", "/api/folder", "", {{"Host", "evil.example"}}).status, 403);
}

TEST_F(StudioTest, TheFolder) {
  const Answer answer = ask("GET", "/api/folder");
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body["name"], "models");
  EXPECT_EQ(answer.body["open"], "a.cradle");
  EXPECT_EQ(answer.body["more"], 0);
  EXPECT_EQ(answer.body["files"],
            json::array({{{"path", "a.cradle"}, {"title", "A"}, {"model", "A"}}}));
  bool found = false;
  for (const json& model : answer.body["gallery"]) {
    EXPECT_FALSE(model["title"].get<std::string>().empty()) << model["path"];
    EXPECT_TRUE(model["model"].is_string()) << model["path"];
    found = found || (model["path"] == "mosterman/cradle.cradle" && model["group"] == "mosterman" &&
                      model["model"] == "Cradle");
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(answer.body["library"][0]["name"].get<std::string>().substr(0, 4), "std/");
}

TEST_F(StudioTest, Files) {
  const Answer read = ask("GET", "/api/file?path=a.cradle");
  ASSERT_EQ(read.status, 200);
  const auto put = [&](const json& body) { return ask("PUT", "/api/file", body.dump()); };
  const Answer saved =
      put({{"path", "a.cradle"}, {"text", "new ⟨\n"}, {"stamp", read.body["stamp"]}});
  EXPECT_EQ(saved.status, 200);
  EXPECT_EQ(ask("GET", "/api/file?path=a.cradle").body["text"], "new ⟨\n");
  EXPECT_EQ(put({{"path", "a.cradle"}, {"text", "x"}, {"stamp", read.body["stamp"]}}).status, 409);
  EXPECT_EQ(put({{"path", "a.cradle"}, {"text", "x"}}).status, 409);
  EXPECT_EQ(put({{"path", "b.cradle"}, {"text", "x"}}).status, 200);
  EXPECT_EQ(ask("GET", "/api/file?path=none.cradle").status, 404);
  EXPECT_EQ(ask("GET", "/api/file?path=%2e%2e/stand-in.sh").status, 400);
  EXPECT_EQ(ask("GET", "/api/file?path=..%2fx.cradle").status, 400);
  EXPECT_EQ(ask("GET", "/api/file?path=a.cradle%00").status, 400);
  EXPECT_EQ(ask("GET", "/api/file?path=/etc/passwd").status, 400);
  EXPECT_EQ(ask("GET", "/api/file").status, 400);
}

TEST_F(StudioTest, NewModels) {
  const Answer made = post("/api/new", {{"path", "two_balls.cradle"}});
  ASSERT_EQ(made.status, 200);
  EXPECT_NE(made.body["text"].get<std::string>().find("model TwoBalls {"), std::string::npos);
  EXPECT_EQ(ask("GET", "/api/file?path=two_balls.cradle").body, made.body);
  EXPECT_EQ(post("/api/new", {{"path", "two_balls.cradle"}}).status, 409);
  for (const char* wrong : {"", "x", ".cradle", "1.cradle", "a b.cradle", "../x.cradle", "x/"})
    EXPECT_EQ(post("/api/new", {{"path", wrong}}).status, 400) << wrong;
  EXPECT_EQ(post("/api/new", {{"path", "none/x.cradle"}}).status, 404);
}

TEST_F(StudioTest, ChecksAndFormats) {
  const Answer checked = post("/api/check", {{"path", "-s.cradle"}, {"text", "fine"}});
  EXPECT_EQ(checked.status, 200);
  EXPECT_FALSE(checked.body.contains("file"));
  EXPECT_EQ(checked.body["arguments"],
            "check|-|--as=-s.cradle|--root=" + (top_ / "models").string() + "|--json|--names|");
  EXPECT_EQ(post("/api/check", {{"path", "a.cradle"}, {"text", "fault"}}).body["ok"], false);
  EXPECT_EQ(post("/api/format", {{"path", "a.cradle"}, {"text", "fine"}}).body["text"],
            "formatted\n");
  EXPECT_EQ(post("/api/format", {{"path", "a.cradle"}, {"text", "fault"}}).body["diagnostics"][0],
            json({{"message", "wrong"}}));
  const Answer crashed = post("/api/check", {{"path", "a.cradle"}, {"text", "crash"}});
  EXPECT_EQ(crashed.status, 500);
  EXPECT_EQ(crashed.body["error"], "the process crashed (SIGSEGV)");
  const Answer late = post("/api/check", {{"path", "a.cradle"}, {"text", "deaf"}});
  EXPECT_EQ(late.status, 500);
  EXPECT_EQ(late.body["error"], "it took longer than 2 s");
}

TEST_F(StudioTest, Runs) {
  const Answer started = post("/api/run", {{"path", "a.cradle"},
                                           {"text", "fine"},
                                           {"settings",
                                            {{{"name", "x"}, {"value", 0.1}},
                                             {{"name", "l"}, {"value", "[1, 2]"}},
                                             {{"name", "b"}, {"value", true}}}},
                                           {"until", 2},
                                           {"select", {"p", "q.e"}}});
  ASSERT_EQ(started.status, 202);
  const std::string id = started.body["id"];
  EXPECT_EQ(wait_for_end(id)["state"], "finished");
  const Answer view = ask("GET", "/api/run/" + id + "/view");
  EXPECT_EQ(view.status, 200);
  EXPECT_EQ(view.body["arguments"],
            "report|-|--as=a.cradle|--root=" + (top_ / "models").string() +
                "|--json=-|--progress=json|--set=x=0.1|--set=l=[1, 2]|--set=b=true|--until=2|"
                "--select=p|--select=q.e|");

  const std::string faulty = run("fault");
  EXPECT_EQ(wait_for_end(faulty)["state"], "finished");
  EXPECT_EQ(ask("GET", "/api/run/" + faulty + "/view").status, 422);

  const std::string crashed = run("crash");
  EXPECT_EQ(wait_for_end(crashed)["state"], "failed");
  EXPECT_EQ(wait_for_end(crashed)["error"], "the process crashed (SIGSEGV)");
  EXPECT_EQ(ask("GET", "/api/run/" + crashed + "/view").status, 409);

  const std::string misused = run("usage");
  EXPECT_EQ(wait_for_end(misused)["error"], "there is no y");
  EXPECT_EQ(wait_for_end(run("hog"))["state"], "failed");

  for (const char* missing : {"/api/run/999", "/api/run/999/view", "/api/run/", "/api/run/%2e%2e"})
    EXPECT_EQ(ask("GET", missing).status, 404) << missing;
  EXPECT_EQ(ask("DELETE", "/api/run/999").status, 404);
}

TEST_F(StudioTest, Cancel) {
  const std::string id = run("spin");
  const json running = wait_for(id, [](const json& status) { return status["t"] > 0; });
  EXPECT_EQ(running["state"], "running");
  EXPECT_EQ(running["t"], 0.25);
  EXPECT_EQ(running["until"], 1);
  EXPECT_EQ(running["rows"], 3);
  EXPECT_EQ(ask("GET", "/api/run/" + id + "/view").status, 409);
  EXPECT_EQ(ask("DELETE", "/api/run/" + id).status, 200);
  EXPECT_EQ(wait_for_end(id)["state"], "cancelled");
  const Answer view = ask("GET", "/api/run/" + id + "/view");
  EXPECT_EQ(view.status, 200);
  EXPECT_EQ(view.body["format"], "partial");
}

TEST_F(StudioTest, APageReplacesWhatItWaitsForAndNothingOfOthers) {
  const std::string first = run("deaf", "a.cradle"), second = run("deaf", "b.cradle");
  for (const auto& id : {first, second})
    wait_for(id, [](const json& status) { return status["t"] > 0; });
  const auto wait_in = [&](const char* tab) {
    return post("/api/run", {{"path", "a.cradle"}, {"text", "fine"}, {"tab", tab}})
        .body.value("id", "");
  };
  const std::string mine = wait_in("1"), theirs = wait_in("2"), newer = wait_in("1");
  EXPECT_EQ(ask("GET", "/api/run/" + mine).body["state"], "cancelled");
  EXPECT_EQ(ask("GET", "/api/run/" + theirs).body["state"], "waiting");
  // What is given up makes room at once, whether it listens or not.
  EXPECT_EQ(ask("DELETE", "/api/run/" + first + "?discard=yes").status, 200);
  EXPECT_EQ(wait_for_end(theirs)["state"], "finished");
  EXPECT_EQ(wait_for_end(newer)["state"], "finished");
}

TEST_F(StudioTest, OthersAreAnsweredWhileRunsSpin) {
  const std::string first = run("deaf", "a.cradle"), second = run("deaf", "b.cradle");
  for (const auto& id : {first, second})
    wait_for(id, [](const json& status) { return status["t"] > 0; });
  std::atomic<int> fine = 0;
  std::vector<std::thread> checks;
  for (int i = 0; i < 20; ++i) {
    checks.emplace_back([&] {
      if (post("/api/check", {{"path", "a.cradle"}, {"text", "fine"}}).status == 200) ++fine;
    });
  }
  const auto begin = Clock::now();
  EXPECT_EQ(ask("GET", "/api/folder").status, 200);
  EXPECT_LT(Clock::now() - begin, 2s);
  for (auto& thread : checks) thread.join();
  EXPECT_EQ(fine, 20);
  EXPECT_EQ(ask("GET", "/api/run/" + first).body["state"], "running");
}

TEST_F(StudioTest, SurvivesWhateverIsAsked) {
  std::vector<std::string> bodies = {
      "",
      "null",
      "[]",
      "{",
      "\"x\"",
      "{\"path\":1,\"text\":2}",
      "{\"path\":\"a.cradle\"}",
      "{\"text\":\"x\"}",
      "{\"path\":\"../a.cradle\",\"text\":\"x\"}",
      "{\"path\":\"a.cradle\",\"text\":null}",
      "{\"path\":[\"a.cradle\"],\"text\":\"x\"}",
      "{\"path\":\"a\\u0000.cradle\",\"text\":\"x\"}",
      "{\"path\":\"/a.cradle\",\"text\":\"\"}",
      "\xff\xfe",
      std::string(100000, '['),
      "{\"path\":" + std::string(100000, '[') + "}",
      "{\"path\":\"" + std::string(9000, 'a') + ".cradle\",\"text\":\"x\"}"};
  for (const char* settings :
       {"1", "{}", "[1]", "[{}]", "[{\"name\":1,\"value\":1}]", "[{\"name\":\"x\"}]",
        "[{\"name\":\"\",\"value\":1}]", "[{\"name\":\"a=b\",\"value\":1}]",
        "[{\"name\":\"x\",\"value\":{}}]", "[{\"name\":\"x\",\"value\":\"\\u0000\"}]"})
    bodies.push_back(std::string("{\"path\":\"a.cradle\",\"text\":\"x\",\"settings\":") + settings +
                     "}");
  std::mt19937 random(7);
  for (int i = 0; i < 40; ++i) {
    std::string text = R"({"path":"a.cradle","text":"x","settings":[],"stamp":"1"})";
    for (int k = 0; k < 3; ++k) text[random() % text.size()] = static_cast<char>(random() % 256);
    bodies.push_back(text);
  }
  for (const auto& body : bodies) {
    for (const auto& [method, path] : std::vector<std::pair<std::string, std::string>>{
             {"PUT", "/api/file"}, {"POST", "/api/new"}, {"POST", "/api/run"}}) {
      const Answer answer = ask(method, path, body);
      EXPECT_NE(answer.status, 0) << body.substr(0, 80);
      EXPECT_NE(answer.status, 500) << body.substr(0, 80);
      EXPECT_TRUE(answer.body.is_object());
    }
  }
  for (const char* field : {"\"until\":\"x\"", "\"until\":[]", "\"until\":1e999", "\"select\":1",
                            "\"select\":[1]", "\"select\":\"\"", "\"select\":\"\\u0000\""}) {
    const std::string body = std::string("{\"path\":\"a.cradle\",\"text\":\"x\",") + field + "}";
    EXPECT_EQ(ask("POST", "/api/run", body).status, 400) << body;
  }
  EXPECT_EQ(post("/api/check", {{"path", "a.cradle"}, {"text", std::string(5 << 20, 'x')}}).status,
            413);
  EXPECT_EQ(ask("POST", "/api/check", std::string(9 << 20, 'x')).status, 413);
  EXPECT_EQ(ask("GET", "/api/none").status, 404);
  EXPECT_EQ(ask("DELETE", "/api/folder").status, 404);
  EXPECT_EQ(ask("GET", "/api/folder").status, 200);
  EXPECT_FALSE(fs::exists(top_ / "a.cradle"));
}

}  // namespace
}  // namespace cradle::studio
