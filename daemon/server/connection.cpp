#include "server/connection.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "common/log.hpp"
#include "common/text.hpp"
#include "proto/codec.hpp"
#include "server/peer.hpp"

namespace smartcli::server {
namespace {

using namespace std::chrono_literals;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;

constexpr auto kGreetingTime = 10s;
constexpr auto kStuckTime = 30s;
constexpr int kBadLines = 10;
constexpr std::size_t kClientIdBytes = 64;
constexpr std::size_t kReadBytes = 16 << 10;
constexpr std::size_t kRequestCost = 4096;  ///< each request under way counts at least so much

}  // namespace

Connection::Connection(Socket socket, dispatch::Handlers& handlers, const Limits& limits,
                       std::function<void(Connection*)> gone)
    : socket_(std::move(socket)),
      handlers_(handlers),
      limits_(limits),
      gone_(std::move(gone)),
      lines_(static_cast<std::size_t>(limits[LimitId::line_bytes])),
      room_(socket_.get_executor(), boost::asio::steady_timer::time_point::max()),
      greeting_(socket_.get_executor(), kGreetingTime),
      writer_(socket_.get_executor(), boost::asio::steady_timer::time_point::max()),
      stuck_(socket_.get_executor()),
      stream_turn_(socket_.get_executor()),
      stream_room_(socket_.get_executor(), boost::asio::steady_timer::time_point::max()) {}

/// What a client that reads slowly costs: half its queue, so that it can still ask for something else, and
/// the one piece that is in the making.
class Connection::ReplyStream final : public dispatch::Stream {
 public:
  ReplyStream(std::shared_ptr<Connection> connection, std::shared_ptr<session::Cancellation> cancel,
              std::string id)
      : Stream(std::move(id)), connection_(std::move(connection)), cancel_(std::move(cancel)) {}

  boost::asio::awaitable<std::optional<session::FifoLock::Hold>> turn() override {
    const auto connection = connection_;
    const auto cancel = cancel_;
    auto hold = co_await connection->stream_turn_.take(boost::asio::steady_timer::time_point::max(), cancel);
    const auto token = cancel->subscribe([connection] { connection->stream_room_.cancel(); });
    const auto room = static_cast<std::size_t>(connection->limits_[LimitId::client_queue_bytes]) / 2;
    boost::system::error_code ignored;
    while (hold && !cancel->fired() && connection->queued_bytes_ > room) {
      co_await connection->stream_room_.async_wait(redirect_error(use_awaitable, ignored));
    }
    cancel->unsubscribe(token);
    if (cancel->fired()) hold.reset();
    co_return hold;
  }

 protected:
  void put(std::string line) override { connection_->send(std::move(line)); }

 private:
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<session::Cancellation> cancel_;
};

void Connection::start() {
  for (const auto loop : {&Connection::read_loop, &Connection::write_loop, &Connection::watch_greeting}) {
    boost::asio::co_spawn(
        socket_.get_executor(),
        [](std::shared_ptr<Connection> self, auto its_loop) -> boost::asio::awaitable<void> {
          co_await (*self.*its_loop)();
        }(shared_from_this(), loop),
        boost::asio::detached);
  }
}

boost::asio::awaitable<void> Connection::watch_greeting() {
  boost::system::error_code error;
  co_await greeting_.async_wait(redirect_error(use_awaitable, error));
  if (!error && !greeted_) drop();
}

bool Connection::is_crowded() const {
  return queued_bytes_ > static_cast<std::size_t>(limits_[LimitId::client_queue_bytes]) ||
         busy_bytes_ > 2 * static_cast<std::size_t>(limits_[LimitId::line_bytes]);
}

boost::asio::awaitable<void> Connection::read_loop() {
  std::array<char, kReadBytes> block;
  boost::system::error_code error;
  while (!dropped_ && !finishing_) {
    if (is_crowded()) {
      room_.expires_at(boost::asio::steady_timer::time_point::max());
      co_await room_.async_wait(redirect_error(use_awaitable, error));
      continue;
    }
    const std::size_t room = std::min(block.size(), lines_.room());
    const std::size_t n = co_await socket_.async_read_some(boost::asio::buffer(block.data(), room),
                                                           redirect_error(use_awaitable, error));
    if (error) break;
    lines_.append(std::string_view(block.data(), n));
    bool goes_on = true;
    while (goes_on && !dropped_ && !finishing_) {
      const auto line = lines_.next();
      if (!line) break;
      goes_on = take_line(*line);
      // A request a turn: others get theirs between two of a peer that sends thousands, and what it has not
      // read yet is seen before more is taken.
      co_await boost::asio::post(socket_.get_executor(), use_awaitable);
      while (goes_on && is_crowded() && !dropped_ && !finishing_) {
        room_.expires_at(boost::asio::steady_timer::time_point::max());
        co_await room_.async_wait(redirect_error(use_awaitable, error));
      }
    }
    if (goes_on && lines_.too_long()) {
      send(error_line("null", over_limit(LimitId::line_bytes, limits_[LimitId::line_bytes],
                                         "the request's line is too long")));
      goes_on = false;
    }
    if (!goes_on) {
      finish(1s);
      co_return;
    }
  }
  if (dropped_ || finishing_) co_return;
  // The peer writes no more. If it only shut down that side, it still gets its replies; else nobody wants
  // them.
  if (error == boost::asio::error::eof && !has_hung_up(socket_.native_handle())) {
    finishing_ = true;
    writer_.cancel();
    co_await socket_.async_wait(Socket::wait_error, redirect_error(use_awaitable, error));
  }
  drop();
}

bool Connection::take_line(std::string_view line) {
  std::string id;
  auto frame = parse_request(line, limits_[LimitId::json_depth], id, limits_[LimitId::json_values]);
  if (!frame) {
    send(error_line(id, frame.error()));
    return greeted_ && ++bad_lines_ < kBadLines;
  }
  if (!greeted_) return take_hello(*frame);
  if (frame->method == Hello::info.name) {
    send(error_line(frame->id, Error{ErrorCode::invalid_argument, "hello was said already"}));
    return true;
  }
  if (!frame->is_notification && in_flight_.contains(frame->id)) {
    send(error_line(frame->id, Error{ErrorCode::invalid_argument,
                                     "a request with id " + frame->id + " is still under way"}));
    return true;
  }
  serve(std::move(*frame), line.size());
  return true;
}

bool Connection::take_hello(const RequestFrame& frame) {
  if (frame.method != Hello::info.name) {
    send(error_line(frame.id, Error{ErrorCode::invalid_argument, "the first message must be 'hello'"}));
    return false;
  }
  // Fields of a newer hello are not refused: its version range decides.
  auto hello = decode<Hello::Request>(*frame.params, UnknownFields::skip);
  if (!hello) {
    send(error_line(frame.id, hello.error()));
    return false;
  }
  const auto& theirs = hello->protocol;
  if (theirs.min > theirs.max) {
    send(error_line(frame.id, Error{ErrorCode::invalid_argument,
                                    "'protocol.min' must be at most 'protocol.max', " +
                                        std::to_string(theirs.max) + ", not " + std::to_string(theirs.min),
                                    "protocol.min"}));
    return false;
  }
  if (theirs.max < kProtocolMin || theirs.min > kProtocolMax) {
    const auto range = [](std::int64_t min, std::int64_t max) {
      return std::to_string(min) + (min == max ? "" : " to " + std::to_string(max));
    };
    send(error_line(
        frame.id,
        Error{
            ErrorCode::version_mismatch,
            "the daemon (" + std::string(dispatch::version()) + ") speaks protocol " +
                range(kProtocolMin, kProtocolMax) + ", the client " + range(theirs.min, theirs.max) +
                "; use a client of the daemon's version, or `smartcli daemon stop` (sessions go on) and this "
                "one"}));
    return false;
  }
  if (hello->client_id && hello->client_id->size() > kClientIdBytes) {
    send(error_line(frame.id,
                    Error{ErrorCode::invalid_argument,
                          "'client_id' must have at most " + std::to_string(kClientIdBytes) + " bytes"}));
    return false;
  }
  greeted_ = true;
  greeting_.cancel();
  client_id_ = hello->client_id.value_or("");
  Hello::Reply reply;
  reply.protocol = std::min(kProtocolMax, theirs.max);
  reply.version = dispatch::version();
  send(reply_line_of(frame.id, reply));
  return true;
}

void Connection::serve(RequestFrame frame, std::size_t bytes) {
  const auto cancel = std::make_shared<session::Cancellation>();
  const std::string id = frame.id;
  const bool answered = !frame.is_notification;
  if (answered) in_flight_[id] = cancel;
  const std::size_t cost = std::max(bytes, kRequestCost);
  busy_bytes_ += cost;
  dispatch::Call call;
  call.client_id = client_id_;
  call.cancel = cancel;
  call.stream = std::make_shared<ReplyStream>(shared_from_this(), cancel, id);
  call.cancel_other = [this, self = shared_from_this()](const std::string& other) {
    const auto found = in_flight_.find(other);
    if (found == in_flight_.end()) return false;
    found->second->fire();
    return true;
  };
  boost::asio::co_spawn(
      socket_.get_executor(), dispatch::dispatch(handlers_, std::move(frame), std::move(call)),
      [self = shared_from_this(), id, answered, cost](std::exception_ptr failure, std::string line) {
        self->busy_bytes_ -= cost;
        if (answered) self->in_flight_.erase(id);
        if (failure) line = error_line(id, Error{ErrorCode::internal, "a bug of ours; the log has it"});
        if (answered) self->send(std::move(line));
        if (!self->is_crowded()) self->room_.cancel();
        if (self->finishing_) self->writer_.cancel();
      });
}

void Connection::send(std::string line) {
  if (dropped_) return;
  queued_bytes_ += line.size();
  queue_.push_back(std::move(line));
  writer_.cancel();
}

boost::asio::awaitable<void> Connection::write_loop() {
  boost::system::error_code error;
  while (!dropped_) {
    if (queue_.empty()) {
      if (finishing_ && in_flight_.empty()) break;
      writer_.expires_at(boost::asio::steady_timer::time_point::max());
      co_await writer_.async_wait(redirect_error(use_awaitable, error));
      continue;
    }
    std::string line = std::move(queue_.front());
    queue_.pop_front();
    for (std::size_t done = 0; done < line.size() && !dropped_;) {
      stuck_.expires_after(kStuckTime);
      stuck_.async_wait([weak = weak_from_this()](boost::system::error_code cancelled) {
        const auto self = weak.lock();
        if (cancelled || !self) return;
        log::warning("a client that does not read its replies was dropped");
        self->drop();
      });
      done += co_await socket_.async_write_some(boost::asio::buffer(line.data() + done, line.size() - done),
                                                redirect_error(use_awaitable, error));
      stuck_.cancel();
      if (error) {
        drop();
        co_return;
      }
    }
    queued_bytes_ -= line.size();
    stream_room_.cancel();
    if (!is_crowded()) room_.cancel();
  }
  drop();
}

void Connection::finish(std::chrono::milliseconds patience) {
  if (dropped_ || finishing_) return;
  finishing_ = true;
  writer_.cancel();
  room_.cancel();
  greeting_.expires_after(patience);
  greeting_.async_wait([weak = weak_from_this()](boost::system::error_code cancelled) {
    const auto self = weak.lock();
    if (!cancelled && self) self->drop();
  });
}

void Connection::drop() {
  if (dropped_) return;
  dropped_ = true;
  const auto self = shared_from_this();
  const auto in_flight = in_flight_;
  for (const auto& [id, cancel] : in_flight) cancel->fire();
  boost::system::error_code ignored;
  socket_.close(ignored);
  writer_.cancel();
  room_.cancel();
  greeting_.cancel();
  stuck_.cancel();
  gone_(this);
}

}  // namespace smartcli::server
