#include "proto/registry.hpp"
#include "proto/visitors.hpp"

namespace smartcli {

#define SMARTCLI_ROW(M)                                                                 \
  template Result<M::Request> decode<M::Request>(const nlohmann::json&, UnknownFields); \
  template std::string encode_text<M::Request>(const M::Request&);
SMARTCLI_METHODS(SMARTCLI_ROW)
SMARTCLI_ROW(Hello)
#undef SMARTCLI_ROW

}  // namespace smartcli
