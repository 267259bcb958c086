#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace smartcli {

/// THE table of what help and the reference page explain beside the verbs. The text is Markdown that reads
/// well as it stands: lines of at most 78 columns, code indented by four.
struct Topic {
  std::string_view name;  ///< as in `smartcli help NAME`
  std::string_view doc;   ///< one line
  std::string text;
  std::vector<std::vector<std::string>> table;  ///< after the text, headings first; may be empty
};

const std::vector<Topic>& topics();

}  // namespace smartcli
