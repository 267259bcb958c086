#include "proto/frame.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/text.hpp"
#include "common/utf8.hpp"
#include "proto/codec.hpp"

namespace smartcli {

using nlohmann::json;

namespace {

std::string string_at(const json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

void LineSplitter::append(std::string_view bytes) {
  if (start_ > 0 && start_ == buffer_.size()) {
    buffer_.clear();
    start_ = scanned_ = 0;
  } else if (start_ > (64 << 10) && start_ > buffer_.size() / 2) {
    buffer_.erase(0, start_);
    scanned_ -= start_;
    start_ = 0;
  }
  buffer_.append(bytes);
}

std::optional<std::string_view> LineSplitter::next() {
  const auto end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    return std::nullopt;
  }
  std::string_view line(buffer_.data() + start_, end - start_);
  start_ = scanned_ = end + 1;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

Result<RequestFrame> parse_request(std::string_view line, std::int64_t depth, std::string& id,
                                   std::int64_t values) {
  id = "null";
  auto parsed = parse_json(line, depth, values);
  if (!parsed) return parsed.error();
  json& message = *parsed;
  const auto wrong = [](std::string what) { return Error{ErrorCode::invalid_argument, std::move(what)}; };
  if (!message.is_object()) return wrong("a request is a JSON object; batches are not taken");
  RequestFrame frame;
  const auto found_id = message.find("id");
  if (found_id == message.end()) {
    frame.is_notification = true;
  } else if (found_id->is_number_integer() || found_id->is_string()) {
    id = frame.id = dump_json(*found_id);
    if (id.size() > 256) {
      id = "null";
      return wrong("'id' is longer than 256 bytes");
    }
  } else {
    return wrong("'id' must be a string or a whole number");
  }
  const auto version = message.find("jsonrpc");
  if (version == message.end() || *version != "2.0") return wrong("'jsonrpc' must be \"2.0\"");
  const auto method = message.find("method");
  if (method == message.end() || !method->is_string()) return wrong("'method' must be a string");
  frame.method = method->get<std::string>();
  const auto params = message.find("params");
  frame.params = std::make_shared<json>(json::object());
  if (params != message.end()) {
    if (!params->is_object()) return wrong("'params' must be an object");
    *frame.params = std::move(*params);
  }
  for (const auto& [name, unused] : message.items()) {
    if (name != "id" && name != "jsonrpc" && name != "method" && name != "params") {
      return wrong("unknown field " + text::quoted(name) +
                   text::did_you_mean(name, {"id", "jsonrpc", "method", "params"}));
    }
  }
  return frame;
}

std::string request_line(std::int64_t id, std::string_view method, std::string_view params_json) {
  std::string line = "{\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + ",\"method\":\"" +
                     std::string(method) + "\",\"params\":";
  line += params_json;
  line += "}\n";
  return line;
}

std::string reply_line(std::string_view id, json result) {
  result["ok"] = true;
  std::string line = "{\"jsonrpc\":\"2.0\",\"id\":";
  line += id;
  line += ",\"result\":";
  line += dump_json(result);
  line += "}\n";
  return line;
}

std::string stream_line(std::string_view id, std::int64_t seq, json chunk) {
  chunk["seq"] = seq;
  std::string params = dump_json(chunk);
  std::string line = "{\"jsonrpc\":\"2.0\",\"method\":\"stream\",\"params\":{\"id\":";
  line += id;
  line += ',';
  line += std::string_view(params).substr(1);
  line += "}\n";
  return line;
}

std::string error_line(std::string_view id, const Error& error) {
  const auto& row = info(error.code);
  const json body{{"code", row.number},
                  {"message", utf8::to_valid(error.message)},
                  {"data", {{"code", row.name}, {"detail", utf8::to_valid(error.detail)}}}};
  std::string line = "{\"jsonrpc\":\"2.0\",\"id\":";
  line += id;
  line += ",\"error\":";
  line += dump_json(body);
  line += "}\n";
  return line;
}

Result<ReplyFrame> parse_reply(std::string_view line) {
  auto parsed = parse_json(line, 128);
  if (!parsed) return Error{ErrorCode::internal, "the daemon's answer: " + parsed.error().message};
  const json& message = *parsed;
  ReplyFrame frame;
  if (string_at(message, "method") == "stream" && message.contains("params") &&
      message["params"].is_object() && message["params"].contains("id")) {
    frame.id = dump_json(message["params"]["id"]);
    frame.result = dump_json(message["params"]);
    frame.is_stream = true;
    return frame;
  }
  if (!message.is_object() || !message.contains("id") ||
      (!message.contains("result") && !message.contains("error"))) {
    return Error{ErrorCode::internal, "the daemon's answer is not a JSON-RPC reply: " + text::quoted(line)};
  }
  frame.id = dump_json(message["id"]);
  if (message.contains("error")) {
    const json& body = message["error"];
    Error error;
    error.message = string_at(body, "message");
    const json data = body.is_object() && body.contains("data") ? body["data"] : json();
    const std::string name = string_at(data, "code");
    error.detail = string_at(data, "detail");
    for (const auto& row : kErrors) {
      if (row.name == name) error.code = row.code;
    }
    frame.error = std::move(error);
    return frame;
  }
  frame.result = dump_json(message["result"]);
  return frame;
}

std::string trace_line(std::string_view direction, std::string_view method, std::string_view message) {
  if (message.ends_with('\n')) message.remove_suffix(1);
  std::string line = "{\"dir\":" + dump_json(direction) + ",\"method\":" + dump_json(method) +
                     ",\"pid\":" + std::to_string(::getpid()) + ",\"message\":";
  if (json::accept(message)) {
    line += message;
  } else {
    line += dump_json(message);
  }
  return line + "}\n";
}

std::string error_json(const Error& error) {
  return dump_json(json{{"ok", false},
                        {"error",
                         {{"code", info(error.code).name},
                          {"message", utf8::to_valid(error.message)},
                          {"detail", utf8::to_valid(error.detail)}}}});
}

}  // namespace smartcli
