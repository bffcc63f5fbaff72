#include "app/studio/studio.hpp"

#include <sys/random.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "api/embedded.hpp"
#include "app/studio/gallery.hpp"
#include "cradle/new_model.hpp"
#include "show/pages/pages.hpp"

namespace cradle::studio {
namespace {

using nlohmann::json;
using serve::Request;
using serve::Response;
using namespace std::chrono_literals;

constexpr int kMaxNesting = 6;  // of what is asked
constexpr std::size_t kMaxSettings = 1000;
constexpr std::size_t kMaxArgument = 64u << 10;  // bytes; the system has a bound as well

constexpr std::size_t kEnding = std::string_view(".cradle").size();

constexpr const char* kRefusalPage = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Cradle</title>
</head>
<body>
<h1>This studio is not open to this address</h1>
<p>Open the whole address that <code>cradle studio</code> has printed, with its token.</p>
</body>
</html>
)";

std::string hexadecimal_random(std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) {
    unsigned char byte = 0;
    if (::getrandom(&byte, 1, 0) != 1) throw Refused(500, "there is no randomness");
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    out += digits;
  }
  return out;
}

Response reply(int status, const json& value) {
  // What is not UTF-8 (in the messages of a process) becomes a replacement character.
  return {status,
          "application/json",
          value.dump(-1, ' ', false, json::error_handler_t::replace),
          {},
          {}};
}

Response reply_text(int status, std::string json_text) {
  return {status, "application/json", std::move(json_text), {}, {}};
}

json to_json(const Description& description) {
  json out = {{"title", description.title}, {"model", nullptr}};
  if (description.model) out["model"] = *description.model;
  return out;
}

json to_json(const FileText& file) {
  return {{"path", file.path}, {"text", file.text}, {"stamp", file.stamp}};
}

json to_json(const RunStatus& run) {
  json out = {{"id", run.id}, {"state", to_string(run.phase)}, {"t", run.t}, {"until", nullptr}};
  if (run.until) out["until"] = *run.until;
  if (run.rows) out["rows"] = *run.rows;
  if (!run.error.empty()) out["error"] = run.error;
  return out;
}

// An object, not nested deeper than anything that is asked here.
json parse_body(const std::string& body) {
  const auto watch_depth = [](int depth, json::parse_event_t, json&) {
    if (depth > kMaxNesting) throw Refused(400, "nested too deeply");
    return true;
  };
  json value;
  try {
    value = json::parse(body, watch_depth);
  } catch (const json::exception&) {
    throw Refused(400, "the body is not JSON");
  }
  if (!value.is_object()) throw Refused(400, "the body is not a JSON object");
  return value;
}

std::string text_field(const json& body, const char* name) {
  const auto found = body.find(name);
  if (found == body.end() || !found->is_string())
    throw Refused(400, std::string("\"") + name + "\" must be a string");
  return found->get<std::string>();
}

std::string model_text(const json& body) {
  std::string text = text_field(body, "text");
  if (text.size() > kMaxText) throw Refused(413, "the text is too large for the studio");
  return text;
}

bool is_given(const json& body, const char* name) {
  const auto found = body.find(name);
  return found != body.end() && !found->is_null();
}

std::string argument(const std::string& option, const std::string& value) {
  if (value.size() > kMaxArgument || value.find('\0') != std::string::npos)
    throw Refused(400, "a value for " + option + " cannot be passed on");
  return option + "=" + value;
}

// A number or a boolean as the language writes it; a string is an expression.
std::string setting_value(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || (value.is_number() && std::isfinite(value.get<double>())))
    return value.dump();
  throw Refused(400, "the \"value\" of a setting must be a number, a boolean or a string");
}

void add_settings(std::vector<std::string>& arguments, const json& body) {
  if (!is_given(body, "settings")) return;
  const json& settings = body["settings"];
  if (!settings.is_array() || settings.size() > kMaxSettings)
    throw Refused(400, "\"settings\" must be a list, not too long");
  for (const json& setting : settings) {
    if (!setting.is_object() || !setting.contains("value"))
      throw Refused(400, "a setting is {\"name\", \"value\"}");
    const std::string name = text_field(setting, "name");
    if (name.empty() || name.find('=') != std::string::npos)
      throw Refused(400, "a setting needs the name of a parameter");
    arguments.push_back(argument("--set", name + "=" + setting_value(setting["value"])));
  }
}

void add_until(std::vector<std::string>& arguments, const json& body) {
  if (!is_given(body, "until")) return;
  const json& until = body["until"];
  if (!until.is_number() || !std::isfinite(until.get<double>()))
    throw Refused(400, "\"until\" must be a number");
  arguments.push_back(argument("--until", until.dump()));
}

void add_select(std::vector<std::string>& arguments, const json& body) {
  if (!is_given(body, "select")) return;
  const json names = body["select"].is_array() ? body["select"] : json::array({body["select"]});
  for (const json& name : names) {
    if (!name.is_string() || name.get<std::string>().empty())
      throw Refused(400, "\"select\" must be a name or a list of names");
    arguments.push_back(argument("--select", name.get<std::string>()));
  }
}

// A list of texts, each an argument of this option.
void add_texts(std::vector<std::string>& arguments, const json& body, const char* field,
               const std::string& option) {
  if (!is_given(body, field)) return;
  const json& texts = body[field];
  if (!texts.is_array() || texts.size() > kMaxSettings)
    throw Refused(400, std::string("\"") + field + "\" must be a list, not too long");
  for (const json& text : texts) {
    if (!text.is_string() || text.get<std::string>().empty())
      throw Refused(400, std::string("\"") + field + "\" must be a list of texts");
    arguments.push_back(argument(option, text.get<std::string>()));
  }
}

bool is_view(const std::string& output) {
  const json value = json::parse(output, nullptr, false);
  return value.is_object() && value.contains("format");
}

}  // namespace

std::string make_token() { return hexadecimal_random(32); }

bool same_token(const std::string& given, const std::string& right) {
  // The length is no secret.
  if (given.size() != right.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    difference = static_cast<unsigned char>(difference | (given[i] ^ right[i]));
  return difference == 0;
}

Studio::Studio(Choices choices)
    : choices_(std::move(choices)),
      cookie_name_("cradle-" + hexadecimal_random(4)),
      cookie_(hexadecimal_random(32)),
      folder_(choices_.folder),
      jobs_(choices_.jobs) {}

bool Studio::has_cookie(const Request& request) const {
  std::istringstream cookies(request.header("cookie"));
  const std::string opening = cookie_name_ + "=";
  for (std::string one; std::getline(cookies, one, ';');) {
    one.erase(0, one.find_first_not_of(' '));
    if (one.starts_with(opening) && same_token(one.substr(opening.size()), cookie_)) return true;
  }
  return false;
}

std::optional<Response> Studio::admit(const Request& request) const {
  const bool is_page = request.path == "/" && request.method == "GET";
  const std::string given = is_page ? request.parameter("token") : request.header("x-cradle-token");
  if (same_token(given, choices_.token)) return std::nullopt;
  if (is_page && !request.query.contains("token") && has_cookie(request)) return std::nullopt;
  if (is_page) return Response{401, "text/html; charset=utf-8", kRefusalPage, {}, {}};
  return serve::refusal(401, "the token is missing or wrong");
}

Response Studio::answer(const Request& request) {
  try {
    return route(request);
  } catch (const Refused& refused) {
    return reply(refused.status, {{"error", refused.what()}});
  }
}

Response Studio::route(const Request& request) {
  const std::string& path = request.path;
  const auto is = [&](const char* method, const char* place) {
    return request.method == method && path == place;
  };
  if (is("GET", "/")) return page();
  if (is("GET", "/api/folder")) return folder();
  if (is("GET", "/api/file") || is("PUT", "/api/file")) return file(request);
  if (is("POST", "/api/new")) return make_new(request);
  if (is("POST", "/api/check")) return check(request);
  if (is("POST", "/api/format")) return format(request);
  if (is("POST", "/api/run")) return start_run(request);
  if (is("POST", "/api/sweep")) return start_sweep(request);
  constexpr std::string_view runs = "/api/run/";
  if (path.starts_with(runs)) {
    std::string id = path.substr(runs.size());
    const bool view = id.ends_with("/view");
    if (view) id.resize(id.size() - 5);
    if (request.method == "GET") return view ? run_view(id) : run_status(id);
    if (request.method == "DELETE" && !view) return cancel(request, id);
  }
  throw Refused(404, "there is nothing here");
}

// Its script runs because of the nonce, and no other does. Styles are inline because the editor
// writes them while it works; they can load nothing.
Response Studio::page() const {
  constexpr std::string_view script = "\n<script>";
  const std::string nonce = hexadecimal_random(16);
  std::string text(pages::studio_template());
  const std::size_t body = text.find("<div id=\"page\">");
  const std::size_t place = text.find(script, body == std::string::npos ? 0 : body);
  if (place != std::string::npos)
    text.insert(place + script.size() - 1, " nonce=\"" + nonce + "\"");
  return {200,
          "text/html; charset=utf-8",
          std::move(text),
          "default-src 'none'; script-src 'nonce-" + nonce +
              "'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
              "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
          {},
          cookie_name_ + "=" + cookie_ + "; Path=/; HttpOnly; SameSite=Strict"};
}

Response Studio::folder() {
  const Listing listing = folder_.list();
  json files = json::array(), gallery = json::array(), library = json::array();
  for (const ModelFile& file : listing.files) {
    json entry = to_json(file.description);
    entry["path"] = file.path;
    files.push_back(std::move(entry));
  }
  for (const auto& [name, text] : embedded_models()) {
    json entry = to_json(describe(text));
    entry["path"] = name;
    entry["group"] = name.substr(0, name.find('/'));
    entry["text"] = text;
    gallery.push_back(std::move(entry));
  }
  for (const auto& [name, text] : embedded_library())
    library.push_back({{"name", name}, {"text", text}});
  json out = {
      {"id", folder_id()},    {"name", folder_.name()},        {"files", std::move(files)},
      {"more", listing.more}, {"gallery", std::move(gallery)}, {"library", std::move(library)},
      {"open", nullptr}};
  if (choices_.open) out["open"] = *choices_.open;
  return reply(200, out);
}

Response Studio::file(const Request& request) {
  if (request.method == "GET") return reply(200, to_json(folder_.read(request.parameter("path"))));
  const json body = parse_body(request.body);
  std::optional<std::string> stamp;
  if (is_given(body, "stamp")) stamp = text_field(body, "stamp");
  return reply(200,
               to_json(folder_.save(text_field(body, "path"), text_field(body, "text"), stamp)));
}

Response Studio::make_new(const Request& request) {
  const json body = parse_body(request.body);
  const std::string path = text_field(body, "path");
  const std::string file = path.substr(path.rfind('/') + 1);
  const auto name = model_name_for(file.substr(0, file.size() - std::min(file.size(), kEnding)));
  if (!name || !file.ends_with(".cradle"))
    throw Refused(400,
                  "no name for a model: it begins with a letter, and letters, digits, - and _ "
                  "follow, then .cradle");
  return reply(200, to_json(folder_.save(path, new_model_text(*name), std::nullopt)));
}

std::vector<std::string> Studio::command(std::vector<std::string> arguments) const {
  std::vector<std::string> out = choices_.program;
  out.insert(out.end(), arguments.begin(), arguments.end());
  return out;
}

Ended Studio::finish(std::vector<std::string> arguments, const std::string& input) {
  Task task;
  task.needs_json = arguments.front() != "fmt";
  task.command = command(std::move(arguments));
  task.input = input;
  task.folder = folder_.path();
  task.time_limit = choices_.check_time;
  task.memory = choices_.memory;
  task.max_output = 64u << 20;
  std::optional<Ended> ended = jobs_.finish(std::move(task));
  if (!ended) throw Refused(503, "too much is waiting already");
  if (!ended->error.empty()) throw Refused(500, ended->error);
  return std::move(*ended);
}

// `check` tells of a list of files; here it is one.
json Studio::checked(const std::string& path, const std::string& text) {
  const Ended ended = finish({"check", "-", argument("--as", path),
                              argument("--root", folder_.path()), "--json", "--names"},
                             text);
  json list = json::parse(ended.output, nullptr, false);
  if (!list.is_array() || list.size() != 1 || !list[0].is_object())
    throw Refused(500, "the check gave no answer");
  list[0].erase("file");
  return std::move(list[0]);
}

Response Studio::check(const Request& request) {
  const json body = parse_body(request.body);
  const std::string path = text_field(body, "path");
  folder_.check_path(path);
  return reply(200, checked(path, model_text(body)));
}

Response Studio::format(const Request& request) {
  const json body = parse_body(request.body);
  const std::string path = text_field(body, "path");
  folder_.check_path(path);
  const std::string text = model_text(body);
  Ended ended = finish({"fmt", "-"}, text);
  if (ended.exit == 0) return reply(200, {{"text", ended.output}});
  return reply(200, {{"diagnostics", checked(path, text).at("diagnostics")}});
}

std::vector<std::string> Studio::on_text(const char* what, const std::string& path) const {
  folder_.check_path(path);
  return {what,
          "-",
          argument("--as", path),
          argument("--root", folder_.path()),
          "--json=-",
          "--progress=json"};
}

Response Studio::start_run(const Request& request) {
  const json body = parse_body(request.body);
  std::vector<std::string> arguments = on_text("report", text_field(body, "path"));
  add_settings(arguments, body);
  add_until(arguments, body);
  add_select(arguments, body);
  return start("", std::move(arguments), body);
}

// A sweep is a run as others: it has a name, tells how far it is, and can be cancelled.
Response Studio::start_sweep(const Request& request) {
  const json body = parse_body(request.body);
  std::vector<std::string> arguments = on_text("sweep", text_field(body, "path"));
  add_settings(arguments, body);
  add_until(arguments, body);
  add_texts(arguments, body, "vary", "--vary");
  add_texts(arguments, body, "measure", "--measure");
  add_texts(arguments, body, "curve", "--curve");
  if (is_given(body, "dark") && body["dark"] == true) arguments.emplace_back("--dark");
  return start("sweep", std::move(arguments), body);
}

// Of what one page waits for the newest of its kind is enough; other pages wait for their own.
Response Studio::start(const std::string& kind, std::vector<std::string> arguments,
                       const json& body) {
  Task task;
  task.command = command(std::move(arguments));
  task.input = model_text(body);
  task.folder = folder_.path();
  task.needs_json = true;
  task.time_limit = choices_.run_time;
  task.memory = choices_.memory;
  const std::string tab = is_given(body, "tab") ? text_field(body, "tab") : "";
  const std::string key = text_field(body, "path") + '\n' + tab + '\n' + kind;
  const std::optional<std::string> id = jobs_.start_run(key, std::move(task));
  if (!id) throw Refused(503, "too many runs are waiting already");
  return reply(202, {{"id", *id}});
}

Response Studio::run_status(const std::string& id) {
  const std::optional<RunStatus> status = jobs_.status(id, 1000ms);
  if (!status) throw Refused(404, "there is no such run");
  return reply(200, to_json(*status));
}

Response Studio::run_view(const std::string& id) {
  const std::optional<RunStatus> status = jobs_.status(id);
  if (!status) throw Refused(404, "there is no such run");
  const std::shared_ptr<const Ended> ended = jobs_.result(id);
  if (!ended) throw Refused(409, "the run has not ended");
  if (ended->forgotten) throw Refused(410, ended->error);
  if (!ended->error.empty()) throw Refused(409, ended->error);
  // Status 1: the model cannot run, or it ran into its end at once.
  const bool ran = ended->exit != 1 || is_view(ended->output);
  return reply_text(ran ? 200 : 422, ended->output);
}

Response Studio::cancel(const Request& request, const std::string& id) {
  const bool discard = request.parameter("discard") == "yes";
  if (!jobs_.cancel(id, discard ? Jobs::Wanted::Nothing : Jobs::Wanted::WhatItHas))
    throw Refused(404, "there is no such run");
  return run_status(id);
}

}  // namespace cradle::studio
