#pragma once
// What `cradle studio` answers: the page, and under /api what the page asks for. The contract is
// web/src/data/api.ts. Everything needs the token of the address that was printed, so that neither
// pages from elsewhere nor other people on this machine can ask.

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/server.hpp"
#include "app/studio/folder.hpp"
#include "app/studio/jobs.hpp"

namespace cradle::studio {

struct Choices {
  std::string folder;               // absolute, without links
  std::optional<std::string> open;  // a file in it, to begin with
  std::string token;
  std::vector<std::string> program = {"/proc/self/exe"};  // cradle, for the processes of its own
  uint64_t memory = 0;                                    // bytes for each of them; 0: no bound
  std::chrono::milliseconds run_time{600000};             // for a run
  std::chrono::milliseconds check_time{10000};            // for a check, and for formatting
  JobLimits jobs;
};

// 256 random bits, in hexadecimal.
std::string make_token();
// In a time that does not tell how much of it is right.
bool same_token(const std::string& given, const std::string& right);

class Studio {
 public:
  explicit Studio(Choices choices);

  // For serve::Settings.
  std::string folder_id() const { return folder_.id(); }
  std::optional<serve::Response> admit(const serve::Request& request) const;
  serve::Response answer(const serve::Request& request);

  // Ends all runs. Requests that wait for one are answered.
  void stop() { jobs_.stop(); }

 private:
  serve::Response route(const serve::Request& request);
  serve::Response page() const;
  serve::Response folder();
  serve::Response file(const serve::Request& request);
  serve::Response make_new(const serve::Request& request);
  serve::Response check(const serve::Request& request);
  serve::Response format(const serve::Request& request);
  serve::Response start_run(const serve::Request& request);
  serve::Response start_sweep(const serve::Request& request);
  serve::Response start(const std::string& kind, std::vector<std::string> arguments,
                        const nlohmann::json& body);
  serve::Response run_status(const std::string& id);
  serve::Response run_view(const std::string& id);
  serve::Response cancel(const serve::Request& request, const std::string& id);

  // Of a command that gets the text of a model, as if it stood in that file, and answers with JSON.
  std::vector<std::string> on_text(const char* what, const std::string& path) const;
  std::vector<std::string> command(std::vector<std::string> arguments) const;
  // Of a small process; throws Refused if it has no result.
  Ended finish(std::vector<std::string> arguments, const std::string& input);
  nlohmann::json checked(const std::string& path, const std::string& text);

  bool has_cookie(const serve::Request& request) const;

  const Choices choices_;
  // Opens the page again and nothing else. Its name is its own, for cookies know no ports, and
  // there may be other studios on this machine.
  const std::string cookie_name_, cookie_;
  Folder folder_;
  Jobs jobs_;
};

}  // namespace cradle::studio
