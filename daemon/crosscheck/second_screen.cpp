#include "crosscheck/second_screen.hpp"

#include <libtsm.h>

#include <new>

#include "common/utf8.hpp"

namespace smartcli::crosscheck {

struct SecondScreen::Impl {
  tsm_screen* screen = nullptr;
  tsm_vte* vte = nullptr;
};

SecondScreen::SecondScreen(int cols, int rows) : impl_(std::make_unique<Impl>()) {
  const auto ignore_answers = [](tsm_vte*, const char*, std::size_t, void*) {};
  if (tsm_screen_new(&impl_->screen, nullptr, nullptr) < 0 ||
      tsm_vte_new(&impl_->vte, impl_->screen, ignore_answers, nullptr, nullptr, nullptr) < 0) {
    throw std::bad_alloc();
  }
  resize(cols, rows);
}

SecondScreen::~SecondScreen() {
  tsm_vte_unref(impl_->vte);
  tsm_screen_unref(impl_->screen);
}

void SecondScreen::feed(std::string_view bytes) {
  tsm_vte_input(impl_->vte, bytes.data(), bytes.size());
}

void SecondScreen::resize(int cols, int rows) {
  tsm_screen_resize(impl_->screen, static_cast<unsigned>(cols), static_cast<unsigned>(rows));
}

std::vector<std::string> SecondScreen::lines() const {
  std::vector<std::string> lines(tsm_screen_get_height(impl_->screen));
  const auto draw = [](tsm_screen*, std::uint64_t, const std::uint32_t* text, std::size_t length,
                       unsigned width, unsigned, unsigned row, const tsm_screen_attr*, tsm_age_t,
                       void* data) {
    auto& all = *static_cast<std::vector<std::string>*>(data);
    if (row >= all.size()) return 0;
    for (std::size_t i = 0; i < length; ++i) utf8::append(all[row], text[i]);
    // Width 0 is the second half of a wide character.
    if (length == 0 && width > 0) all[row] += ' ';
    return 0;
  };
  tsm_screen_draw(impl_->screen, draw, &lines);
  for (auto& line : lines) line.resize(line.find_last_not_of(' ') + 1);
  return lines;
}

int SecondScreen::cursor_row() const {
  return static_cast<int>(tsm_screen_get_cursor_y(impl_->screen));
}

int SecondScreen::cursor_col() const {
  return static_cast<int>(tsm_screen_get_cursor_x(impl_->screen));
}

}  // namespace smartcli::crosscheck
