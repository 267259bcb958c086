#include "common/text.hpp"
#include "proto/methods/doctor.hpp"

namespace smartcli {

std::string text_of(const SecondOpinion& opinion) {
  std::string out = "output bytes " + std::to_string(opinion.from) + " to " + std::to_string(opinion.to) +
                    ", screen " + std::to_string(opinion.cols) + "x" + std::to_string(opinion.rows);
  if (opinion.dropped > 0)
    out += ", " + std::to_string(opinion.dropped) + " bytes behind the valid part left out";
  out += "\n";
  for (const auto& difference : opinion.differences) {
    out += (difference.row == 0 ? "cursor" : "row " + std::to_string(difference.row)) + "\n  smartcli  " +
           text::inert_line(difference.ours) + "\n  libtsm    " + text::inert_line(difference.theirs) + "\n";
  }
  if (opinion.differences.empty()) out += "both screens are alike\n";
  return out;
}

}  // namespace smartcli
