#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace smartcli {

enum class UnknownFields {
  refuse,  ///< of a request
  skip,    ///< of a request that a newer client may have given more to: `hello`
  ignore,  ///< of a reply; its required fields may be missing too, from an older daemon
};

/// JSON object -> struct. Errors: invalid_argument naming the JSON path, what was found, the bound, and for
/// an unknown field the nearest known one. A null for an optional field is as if it were left out.
/// Instantiated for every Request (refuse) and Reply (ignore) of the registry.
template <class T>
Result<T> decode(const nlohmann::json& object, UnknownFields unknown);

/// struct -> JSON object. Text that is no UTF-8 comes out with U+FFFD; Bytes as {b64}.
template <class T>
nlohmann::json encode(const T& value);

/// As a client keeps a reply: JSON text in, struct out; unknown fields ignored.
template <class T>
Result<T> decode_text(std::string_view json);
template <class T>
std::string encode_text(const T& value);

/// The fields of both objects in one; where both have one, `second`'s.
std::string merge_objects(std::string_view first, std::string_view second);

/// {ok: true, socket}, as `get-sockname --json` prints it.
std::string socket_json(std::string_view path);
/// A streamed answer in one: the reply with what its pieces hold of each list before its own.
std::string merge_stream(const std::vector<std::string>& chunks, std::string_view reply);
/// Bytes that the text takes in a JSON string.
std::size_t json_bytes(std::string_view text);

/// Parses one JSON value. Never throws; bounds are checked before anything is built.
/// @param values  how many names and values there may be in all
/// Errors: invalid_argument (not JSON, not UTF-8, past a bound, with its limit as the detail; a name twice in
/// one object).
Result<nlohmann::json> parse_json(std::string_view text, std::int64_t depth, std::int64_t values = INT64_MAX);
/// One line, or with `indent` blanks a level; valid UTF-8, DEL and C1 characters escaped: harmless where it
/// is printed.
std::string dump_json(const nlohmann::json& value, int indent = -1);

}  // namespace smartcli
