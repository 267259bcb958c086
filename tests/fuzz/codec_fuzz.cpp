// Any JSON is a request of each method, or is refused in a message that may be shown; what is taken is
// written and read again as the same text.

#include "proto/codec.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "proto/registry.hpp"
#include "require.hpp"

namespace {

using namespace smartcli;
using fuzz::require;

template <class Request>
void check_request(const nlohmann::json& json) {
  const auto lenient = decode<Request>(json, UnknownFields::ignore);
  if (lenient) {
    fuzz::require_plain(encode_text(*lenient));
  } else {
    fuzz::require_bounded(lenient.error());
  }
  const auto request = decode<Request>(json, UnknownFields::refuse);
  require(!request || (lenient && encode_text(*lenient) == encode_text(*request)));
  if (!request) {
    require(request.error().code == ErrorCode::invalid_argument);
    fuzz::require_bounded(request.error());
    return;
  }
  const std::string text = encode_text(*request);
  fuzz::require_plain(text);
  const auto parsed = parse_json(text, 64);
  require(parsed.has_value());
  const auto again = decode<Request>(*parsed, UnknownFields::refuse);
  require(again.has_value());
  require(encode_text(*again) == text);
}

template <class Reply>
void check_reply(std::string_view text) {
  if (const auto reply = decode_text<Reply>(text); !reply) fuzz::require_bounded(reply.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = parse_json(text, 64);
  if (!parsed) {
    fuzz::require_bounded(parsed.error());
    return 0;
  }
  const std::string dumped = dump_json(*parsed);
  fuzz::require_plain(dumped);
  const auto same = parse_json(dumped, 64);
  require(same && *same == *parsed);
  const auto check = [&]<class M>() {
    check_request<typename M::Request>(*parsed);
    check_reply<typename M::Reply>(text);
  };
  for_each_method(check);
  check.operator()<Hello>();
  return 0;
}
