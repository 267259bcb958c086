#include "common/error.hpp"

#include <cstring>
#include <stdexcept>

namespace smartcli {

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
  throw std::logic_error(std::string(info(error.code).name) + ": " + error.message + " (" +
                         where.file_name() + ":" + std::to_string(where.line()) + ")");
}

Error errno_error(ErrorCode code, std::string_view what, int errno_value) {
  const char* text = ::strerrordesc_np(errno_value);
  std::string message(what);
  message += ": ";
  message += text != nullptr ? text : "unknown error";
  return Error{code, std::move(message), text != nullptr ? text : ""};
}

}  // namespace smartcli
