#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace smartcli::crosscheck {

/// A screen as libtsm keeps it. The only door to libtsm. Not for the daemon: hostile output reads outside its
/// arrays (DESIGN section 4).
class SecondScreen {
 public:
  SecondScreen(int cols, int rows);
  ~SecondScreen();

  void feed(std::string_view bytes);
  void resize(int cols, int rows);
  /// One string a row, trailing blanks trimmed.
  std::vector<std::string> lines() const;
  /// From 0.
  int cursor_row() const;
  int cursor_col() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace smartcli::crosscheck
