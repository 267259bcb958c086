#pragma once

// Cells as a person or a program outside reads them: colours by name, text with SGR sequences.

#include <optional>
#include <span>
#include <string>

#include "terminal/terminal.hpp"

namespace smartcli::terminal {

/// "0" to "255", the index of the palette; "#rrggbb"; nothing for the default.
std::optional<std::string> colour_name(Colour colour);

/// The columns from `from` to before `to`, one cell each, blank where the row has none. A wide character that
/// an edge cuts is blank, too.
std::vector<ShownCell> cut_columns(std::span<const ShownCell> row, std::size_t from, std::size_t to);

/// The cells' characters, trailing blanks trimmed.
std::string plain_text(std::span<const ShownCell> row);

/// The same with its colours: SGR sequences and no other, the style reset at the end. Blanks at the end stay
/// where something of them is seen. The characters are inert (common/text.hpp), whatever the cells hold.
std::string coloured_text(std::span<const ShownCell> row);

}  // namespace smartcli::terminal
