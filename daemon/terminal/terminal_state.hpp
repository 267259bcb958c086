#pragma once

#include <algorithm>
#include <cstdint>

#include "terminal/interpreter.hpp"
#include "terminal/parser.hpp"
#include "terminal/terminal.hpp"

namespace smartcli::terminal {

inline int clamp_cols(std::int64_t n) {
  return static_cast<int>(std::clamp<std::int64_t>(n, 1, kMaxCols));
}
inline int clamp_rows(std::int64_t n) {
  return static_cast<int>(std::clamp<std::int64_t>(n, 1, kMaxRows));
}

/// All of a terminal. What is added here, or to what it holds, has its line in keyframe.cpp too.
struct Terminal::Impl {
  Impl(Size size, HistoryLimits limits)
      : interpreter(clamp_cols(size.cols), clamp_rows(size.rows)), limits(limits) {}

  Parser parser;
  Interpreter interpreter;
  HistoryLimits limits;

  Screen& screen() { return interpreter.screen; }
  const Screen& screen() const { return interpreter.screen; }
};

}  // namespace smartcli::terminal
