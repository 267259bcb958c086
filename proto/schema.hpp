#pragma once

// What `smartcli schema` prints: the tables as one JSON document. Shapes are JSON Schema, draft 2020-12.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "proto/describe.hpp"

namespace smartcli {

/// Changes when a field of the document changes its meaning; new fields do not count.
inline constexpr std::int64_t kSchemaVersion = 1;

/// {schema_version, version, protocol, methods, streams, commands, limits, errors, exit_statuses, variables,
/// keys}. @param version  of this build
nlohmann::json schema_document(std::string_view version);

/// A method's row in it.
nlohmann::json method_schema(const MethodDescription& method);

/// What the decoder takes: bounds are those of the limits' rows, unknown fields are refused.
nlohmann::json request_schema(const MethodDescription& method);
/// What the daemon replies, with its `ok`; fields may be added.
nlohmann::json reply_schema(const MethodDescription& method);

/// The document, or the row of a method named as on the wire or as a verb, as JSON text with `ok`.
/// @param indent  blanks a level; -1: one line
/// Errors: unknown_method with the nearest name.
Result<std::string> schema_text(std::string_view version, std::string_view method, int indent);

}  // namespace smartcli
