#include "cli/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace smartcli::cli {
namespace {

/// A field's name as the command line has it, without the dashes.
std::string spelled(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

/// As the daemon would refuse it: the detail is the field's name, or past its bounds the limit's.
Error wrong(const Field& field, const std::string& text, const std::string& wanted,
            const Limit* past = nullptr) {
  return Error{ErrorCode::invalid_argument,
               "--" + spelled(field.name) + ": must be " + wanted + ", not " + text::quoted(text) +
                   (past != nullptr ? " (limit '" + std::string(past->name) + "')" : ""),
               std::string(past != nullptr ? past->name : field.name)};
}

/// As CLI11 takes an option's names.
std::string joined(std::span<const std::string> names) {
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ",") + name;
  return all;
}

}  // namespace

std::string read_stdin() {
  std::string all;
  char block[65536];
  for (;;) {
    const auto n = ::read(0, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return all;
    all.append(block, static_cast<std::size_t>(n));
  }
}

Result<void> Options::convert(const Field&, const std::string& text, std::string& value) {
  value = text;
  return {};
}

Result<void> Options::convert(const Field&, const std::string& text, Bytes& value) {
  value.data = text;
  return {};
}

Result<void> Options::convert(const Field& field, const std::string& text, SessionName& value) {
  if (text.empty()) return wrong(field, text, "a session's name");
  value.text = text;  // its shape is the daemon's to judge
  return {};
}

Result<void> Options::convert(const Field& field, const std::string& text, std::int64_t& value) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = status == std::errc{} && end == text.data() + text.size();
  if (field.limit != nullptr && (!whole || value < field.limit->least || value > field.limit->most)) {
    return wrong(field, text,
                 "a whole number from " + std::to_string(field.limit->least) + " to " +
                     std::to_string(field.limit->most),
                 whole || status == std::errc::result_out_of_range ? field.limit : nullptr);
  }
  if (!whole) return wrong(field, text, "a whole number");
  return {};
}

Result<void> Options::convert(const Field& field, const std::string& text, Millis& value) {
  auto millis = text::parse_millis(text);
  if (!millis)
    return Error{millis.error().code,
                 "--" + spelled(field.name.substr(0, field.name.size() - 3)) + ": " + millis.error().message};
  value.count = *millis;
  if (field.limit != nullptr && (value.count < field.limit->least || value.count > field.limit->most)) {
    return wrong(
        field, text,
        "from " + std::to_string(field.limit->least) + " to " + std::to_string(field.limit->most) + " ms",
        field.limit);
  }
  return {};
}

Result<void> Options::convert(const Field& field, const std::string& text, Region& value) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (auto* part : {&value.row, &value.col, &value.rows, &value.cols}) {
    const auto [rest, status] = std::from_chars(at, end, *part);
    const bool is_last = part == &value.cols;
    if (status != std::errc{} || *part < 1 || (rest == end) != is_last || (!is_last && *rest != ',')) {
      return wrong(field, text, "ROW,COL,ROWS,COLS, four whole numbers from 1");
    }
    at = rest + 1;
  }
  return {};
}

Result<void> Options::choose(const Field& field, const std::string& text,
                             std::span<const std::string_view> names, std::size_t& chosen) {
  std::string all;
  for (chosen = 0; chosen < names.size(); ++chosen) {
    if (names[chosen] == text) return {};
    all += (all.empty() ? "" : ", ") + std::string(names[chosen]);
  }
  Error error = wrong(field, text, "one of " + all);
  error.message += text::did_you_mean(text, {names.begin(), names.end()});
  return error;
}

void Options::flag(const FieldDescription& described, std::function<void(bool)> use) {
  auto& set = flags_.emplace_back(false);
  auto* option = app_.add_flag(joined(option_names(described)), set);
  assignments_.push_back([option, &set, use]() -> Result<void> {
    if (option->count() > 0) use(set);  // `--flag=false` too
    return {};
  });
}

void Options::single(const FieldDescription& described, std::function<Result<void>(const std::string&)> use) {
  const Field& field = described.field;
  auto& text = texts_.emplace_back();
  auto names = option_names(described);
  CLI::Option* option = nullptr;
  CLI::Option* in_ms = nullptr;
  if (field.name == info_.positional) {
    option = app_.add_option(std::string(field.name), text);
    if (described.is_required) option->required();
  } else {
    if (described.shape.type == Shape::Type::duration) {
      in_ms = app_.add_option(names.back(), text);
      names.pop_back();
    }
    option = app_.add_option(joined(names), text);
    if (in_ms != nullptr) in_ms->excludes(option);
  }
  option->take_last();
  const bool is_text = field.name == info_.positional && field.name == "text";
  assignments_.push_back([option, in_ms, &text, use, is_text, field]() -> Result<void> {
    if (in_ms != nullptr && in_ms->count() > 0) {
      if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
        return wrong(field, text, "a whole number of milliseconds");
      }
      return use(text + "ms");
    }
    if (option->count() == 0) return {};
    return use(is_text && text == "-" ? read_stdin() : text);
  });
}

void Options::list(const FieldDescription& described,
                   std::function<Result<void>(const std::vector<std::string>&)> use) {
  auto& texts = lists_.emplace_back();
  if (described.field.name == info_.positional) {
    has_list_argument_ = true;
    auto* option = app_.add_option(std::string(described.field.name), texts)->expected(-1);
    if (described.is_required) option->required();
  } else {
    app_.add_option(joined(option_names(described)), texts)->allow_extra_args(false);
  }
  assignments_.push_back([&texts, use]() -> Result<void> {
    // The guard that `guard_positionals` put there.
    for (auto& text : texts) {
      if (!text.empty() && text[0] == kGuard) text.erase(0, 1);
    }
    return use(texts);
  });
}

Result<void> Options::assign() {
  for (const auto& assignment : assignments_) {
    if (auto done = assignment(); !done) return done;
  }
  return {};
}

}  // namespace smartcli::cli
