#include "common/pattern.hpp"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>

#include "common/text.hpp"

namespace smartcli {

struct Pattern::Impl {
  std::string text;
  Options wanted;
  re2::RE2 re;
  Impl(std::string source, Options wanted_options, const re2::RE2::Options& options)
      : text(source), wanted(wanted_options), re(source, options) {}
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
  auto impl = std::make_unique<Impl>((has_flag ? "(?m)" : "") + std::string(text), wanted, options);
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

struct PatternSet::Impl {
  re2::RE2::Set set;
  bool is_usable = true, is_empty = false;
  explicit Impl(const re2::RE2::Options& options) : set(options, re2::RE2::UNANCHORED) {}
};

PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;
PatternSet::~PatternSet() = default;

PatternSet::PatternSet(const std::vector<const Pattern*>& patterns) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemory);
  impl_ = std::make_unique<Impl>(options);
  for (const auto* pattern : patterns) {
    const auto& one = *pattern->impl_;
    const std::string body = one.wanted.literal ? re2::RE2::QuoteMeta(one.text) : one.text;
    if (impl_->set.Add((one.wanted.ignore_case ? "(?mi:" : "(?m:") + body + ")", nullptr) < 0)
      impl_->is_usable = false;
  }
  impl_->is_empty = patterns.empty();
  if (!impl_->set.Compile()) impl_->is_usable = false;
}

bool may_look_at_many(std::string_view pattern) {
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
      // `\Q` quotes what follows, a parenthesis around the pattern too.
      if (pattern[i] == 'A' || pattern[i] == 'z' || pattern[i] == 'C' || pattern[i] == 'Q') return false;
    } else if (pattern[i] == '(' && pattern[i + 1] == '?') {
      const auto flags = pattern.substr(i + 2, pattern.find_first_of(":)<", i + 2) - i - 2);
      if (flags.find_first_of("m-") != std::string_view::npos) return false;
    }
  }
  return true;
}

bool PatternSet::takes(const Pattern& pattern) {
  return pattern.impl_->wanted.literal || may_look_at_many(pattern.impl_->text);
}

namespace {

/// Past the last newline no line begins.
re2::StringPiece without_last_newline(std::string_view lines) {
  if (lines.ends_with('\n')) lines.remove_suffix(1);
  return {lines.data(), lines.size()};
}

}  // namespace

std::optional<std::vector<int>> PatternSet::which(std::string_view lines) const {
  std::vector<int> found;
  if (impl_->is_empty || lines.empty()) return found;
  if (!impl_->is_usable) return std::nullopt;
  re2::RE2::Set::ErrorInfo error{};
  if (!impl_->set.Match(without_last_newline(lines), &found, &error) &&
      error.kind != re2::RE2::Set::kNoError) {
    return std::nullopt;
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool PatternSet::may_match(std::string_view lines) const {
  if (impl_->is_empty || lines.empty()) return false;
  if (!impl_->is_usable) return true;
  re2::RE2::Set::ErrorInfo error{};
  return impl_->set.Match(without_last_newline(lines), nullptr, &error) ||
         error.kind != re2::RE2::Set::kNoError;
}

}  // namespace smartcli
