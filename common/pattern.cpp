#include "common/pattern.hpp"

#include <re2/re2.h>

#include "common/text.hpp"

namespace smartcli {

struct Pattern::Impl {
  std::string text;
  re2::RE2 re;
  Impl(std::string source, const re2::RE2::Options& options) : text(source), re(source, options) {}
};

Pattern::Pattern(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view text, Options wanted) {
  if (text.size() > kPatternBytes) {
    return Error{ErrorCode::invalid_pattern, "the pattern has " + std::to_string(text.size()) +
                                                 " bytes, the limit is " + std::to_string(kPatternBytes)};
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemory);
  options.set_literal(wanted.literal);
  options.set_case_sensitive(!wanted.ignore_case);
  const bool has_flag = wanted.multi_line && !wanted.literal;
  auto impl = std::make_unique<Impl>((has_flag ? "(?m)" : "") + std::string(text), options);
  if (!impl->re.ok()) {
    std::string message = "pattern " + text::quoted(text) + ": " + impl->re.error();
    if (impl->re.error_code() == re2::RE2::ErrorBadPerlOp ||
        impl->re.error_code() == re2::RE2::ErrorBadEscape) {
      message += " (RE2 syntax: no look-around, no back-references)";
    }
    return Error{ErrorCode::invalid_pattern, text::inert_line(message), impl->re.error()};
  }
  return Pattern(std::move(impl));
}

bool Pattern::find(std::string_view text, std::size_t from, Match& match) const {
  if (from > text.size()) return false;
  const int groups = impl_->re.NumberOfCapturingGroups();
  std::vector<re2::StringPiece> pieces(static_cast<std::size_t>(groups) + 1);
  const re2::StringPiece subject(text.data(), text.size());
  if (!impl_->re.Match(subject, from, text.size(), re2::RE2::UNANCHORED, pieces.data(), groups + 1))
    return false;
  match.begin = static_cast<std::size_t>(pieces[0].data() - text.data());
  match.end = match.begin + pieces[0].size();
  match.groups.clear();
  for (int i = 1; i <= groups; ++i) {
    const auto& piece = pieces[static_cast<std::size_t>(i)];
    match.groups.emplace_back(piece.data() == nullptr ? "" : std::string(piece.data(), piece.size()));
  }
  return true;
}

std::optional<std::size_t> Pattern::begin_of(std::string_view text, std::size_t from) const {
  if (from > text.size()) return std::nullopt;
  re2::StringPiece whole;
  const re2::StringPiece subject(text.data(), text.size());
  if (!impl_->re.Match(subject, from, text.size(), re2::RE2::UNANCHORED, &whole, 1)) return std::nullopt;
  return static_cast<std::size_t>(whole.data() - text.data());
}

bool Pattern::matches(std::string_view text) const {
  return impl_->re.Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED,
                         nullptr, 0);
}

const std::string& Pattern::text() const {
  return impl_->text;
}

}  // namespace smartcli
