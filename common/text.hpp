#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace smartcli::text {

/// Makes text harmless for a person's terminal: every control character but newline and tab (C0, DEL, C1, as
/// bytes or as code points), every bidi control, tag and other character that only hides becomes `\u{..}`;
/// bytes that are no UTF-8 become U+FFFD.
std::string inert(std::string_view text);
/// As `inert`, but SGR sequences (ESC [ digits ; : m) stay: text with its colours.
std::string inert_sgr(std::string_view text);
/// As `inert`, for one line: newline and tab are shown too.
std::string inert_line(std::string_view text);

/// The text in single quotes for an error message: one inert line, cut after about `most` characters.
std::string quoted(std::string_view text, std::size_t most = 60);

std::string_view trim_right(std::string_view text);

/// The nearest of `known` to a misspelt word, or nothing if none is near (Damerau-Levenshtein, at most a
/// third of its length).
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);
/// ": did you mean 'X'?" or nothing, to end a message with.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// "500ms", "30s", "5m", "1h", "2d"; a bare number is seconds, a fraction is allowed.
/// Errors: invalid_argument naming the forms.
Result<std::int64_t> parse_millis(std::string_view text);

std::string base64(std::string_view bytes);
/// Errors: invalid_argument.
Result<std::string> from_base64(std::string_view text);

/// `words` as a shell would need them typed; for people, never for execution.
std::string shell_words(std::span<const std::string> words);

}  // namespace smartcli::text
