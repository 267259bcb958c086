// Any token is a key or an error that may be shown; any key in any modes is 1 to 64 bytes or, without kitty
// flags, not encodable.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proto/keys.hpp"
#include "terminal/key_encoder.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_message(const smartcli::Error& error) {
  require(!error.message.empty() && error.message.size() < 2000);
  for (const char c : error.message) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smartcli;
  if (size < 2) return 0;
  Modes modes;
  modes.application_cursor = (data[0] & 1U) != 0;
  modes.application_keypad = (data[0] & 2U) != 0;
  modes.newline = (data[0] & 4U) != 0;
  modes.backarrow_sends_bs = (data[0] & 8U) != 0;
  modes.modify_other_keys = (data[0] >> 4U) & 3U;
  modes.kitty_flags = data[1] & 31U;
  const std::string_view token(reinterpret_cast<const char*>(data) + 2, size - 2);

  if (const auto character = terminal::encode_character(token, modes))
    require(token.size() > 1 && !character->empty() && character->size() < 200);

  const auto key = parse_key(token);
  if (!key) {
    require(key.error().code == ErrorCode::invalid_argument);
    check_message(key.error());
    return 0;
  }
  const auto bytes = terminal::encode_key(key.value(), modes);
  if (!bytes) {
    require(bytes.error().code == ErrorCode::not_encodable);
    require(modes.kitty_flags == 0);
    check_message(bytes.error());
  } else {
    require(!bytes->empty() && bytes->size() <= 64);
  }
  // How a key is spelled is the same press.
  const auto again = parse_key(spell_key(key.value()));
  require(again.has_value());
  const auto same = terminal::encode_key(again.value(), modes);
  require(same.has_value() == bytes.has_value());
  if (key->modifiers != 0) return 0;
  require(!bytes || same.value() == bytes.value());
  return 0;
}
