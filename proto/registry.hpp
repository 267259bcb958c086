#pragma once

#include <tuple>

#include "proto/methods/daemon.hpp"
#include "proto/methods/doctor.hpp"
#include "proto/methods/input.hpp"
#include "proto/methods/read.hpp"
#include "proto/methods/screen.hpp"
#include "proto/methods/session.hpp"
#include "proto/methods/wait.hpp"

namespace smartcli {

/// THE list of methods. A method that is here and has no handler does not build.
// clang-format off
#define SMARTCLI_METHODS(method) \
  method(Spawn) \
  method(List) \
  method(Status) \
  method(Snapshot) \
  method(Read) \
  method(Search) \
  method(SendText) \
  method(SendLine) \
  method(SendKeys) \
  method(WaitRegex) \
  method(WaitAny) \
  method(WaitGone) \
  method(WaitChange) \
  method(WaitVisualChange) \
  method(WaitReady) \
  method(WaitExit) \
  method(Alive) \
  method(Resize) \
  method(Clear) \
  method(Restart) \
  method(Signal) \
  method(Close) \
  method(Version) \
  method(ShowLimits) \
  method(DaemonStatus) \
  method(DaemonStop) \
  method(Doctor) \
  method(Cancel)
// clang-format on

template <class... M>
struct MethodList {};

/// All methods but `hello`, which only opens a connection.
#define SMARTCLI_ROW(M) , M
template <class Skip, class... M>
MethodList<M...> make_method_list(MethodList<Skip, M...>);
using Methods = decltype(make_method_list(MethodList<void SMARTCLI_METHODS(SMARTCLI_ROW)>{}));
#undef SMARTCLI_ROW

/// Calls `visit.template operator()<M>()` for every method, in order.
template <class Visit>
void for_each_method(Visit&& visit) {
  [&]<class... M>(MethodList<M...>) { (visit.template operator()<M>(), ...); }(Methods{});
}

}  // namespace smartcli
