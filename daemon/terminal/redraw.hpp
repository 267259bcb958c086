#pragma once

#include <string>
#include <vector>

#include "terminal/terminal.hpp"

namespace smartcli::terminal {

/// What a person sees of a terminal, kept apart from it: what a viewer was shown last.
struct Picture {
  /// Blanks are empty, styles are `seen_style`s, `style.link` is 0.
  std::vector<std::vector<ShownCell>> rows;  ///< each as long as the screen is wide
  CursorState cursor;
  bool reverse_video = false;

  Size size() const {
    return {rows.empty() ? 0 : static_cast<std::int64_t>(rows.front().size()),
            static_cast<std::int64_t>(rows.size())};
  }
};

/// Cost: the screen's cells.
Picture picture_of(const Terminal& terminal);

/// A stream that shows this picture on a terminal of its size, whatever that showed before: it begins with
/// DECSTR, so margins, origin, insert mode and character sets do not matter, and leaves the primary or
/// alternate screen as it is. Control sequences are ours alone; the text of cells and the addresses of links
/// hold no controls.
std::string redraw(const Picture& to);
/// The same for a terminal that shows `from` and nothing else since: only what differs. Sizes differ: as
/// above.
std::string redraw(const Picture& from, const Picture& to);

}  // namespace smartcli::terminal
