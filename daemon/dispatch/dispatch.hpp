#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "dispatch/handlers.hpp"
#include "proto/frame.hpp"

namespace smartcli::dispatch {

/// Decode, admit, handle, encode. Returns the reply's line; errors become error replies here and nowhere
/// else.
boost::asio::awaitable<std::string> dispatch(Handlers& handlers, RequestFrame request, Call call);

}  // namespace smartcli::dispatch
