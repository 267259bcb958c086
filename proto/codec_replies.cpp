#include "proto/frame.hpp"
#include "proto/registry.hpp"
#include "proto/visitors.hpp"

namespace smartcli {

template <class T>
std::string reply_line_of(std::string_view id, const T& reply) {
  return reply_line(id, encode(reply));
}

/// What smartcli-crosscheck prints for the daemon.
template std::string encode_text<Doctor::Reply>(const Doctor::Reply&);

template <class T>
std::string stream_line_of(std::string_view id, std::int64_t seq, const T& chunk) {
  return stream_line(id, seq, encode(chunk));
}

#define SMARTCLI_ROW(C)                                                             \
  template std::string stream_line_of<C>(std::string_view, std::int64_t, const C&); \
  template Result<C> decode_text<C>(std::string_view);
SMARTCLI_ROW(Read::Chunk)
#undef SMARTCLI_ROW

// Some methods share a reply.
#define SMARTCLI_ROW(R)                                              \
  template std::string reply_line_of<R>(std::string_view, const R&); \
  template Result<R> decode_text<R>(std::string_view);
SMARTCLI_ROW(Spawn::Reply)
SMARTCLI_ROW(List::Reply)
SMARTCLI_ROW(Status::Reply)
SMARTCLI_ROW(Snapshot::Reply)
SMARTCLI_ROW(Read::Reply)
SMARTCLI_ROW(Search::Reply)
SMARTCLI_ROW(InputReply)
SMARTCLI_ROW(WaitRegex::Reply)
SMARTCLI_ROW(WaitReply)
SMARTCLI_ROW(WaitAny::Reply)
SMARTCLI_ROW(WaitGone::Reply)
SMARTCLI_ROW(WaitChange::Reply)
SMARTCLI_ROW(WaitReady::Reply)
SMARTCLI_ROW(Alive::Reply)
SMARTCLI_ROW(Signal::Reply)
SMARTCLI_ROW(Resize::Reply)
SMARTCLI_ROW(Clear::Reply)
SMARTCLI_ROW(Restart::Reply)
SMARTCLI_ROW(Close::Reply)
SMARTCLI_ROW(Version::Reply)
SMARTCLI_ROW(ShowLimits::Reply)
SMARTCLI_ROW(DaemonStatus::Reply)
SMARTCLI_ROW(DaemonStop::Reply)
SMARTCLI_ROW(Doctor::Reply)
SMARTCLI_ROW(Cancel::Reply)
SMARTCLI_ROW(Hello::Reply)
#undef SMARTCLI_ROW

}  // namespace smartcli
