#include "holder/link.hpp"

#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <cstring>

#include "holder/process.hpp"

namespace smartcli::holder {

namespace asio = boost::asio;
using boost::system::error_code;
using shim_abi::MessageHead;
using shim_abi::MessageType;
using Descriptor = asio::posix::stream_descriptor;

namespace {

/// What may wait for room in a socket whose shim is stopped; beyond, terminal replies are dropped as the shim
/// would.
constexpr std::size_t kOutgoingBytes = 1 << 20;
/// Packets read in one go, before others have their turn.
constexpr int kPackets = 32;
/// A connection that was made again and ended before this is not made again: then somebody else wants the
/// shim.
constexpr auto kSettled = std::chrono::seconds(10);
constexpr auto kReconnect = std::chrono::seconds(5);

template <class T>
std::optional<T> as(std::span<const char> bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

Link::Link(asio::any_io_executor executor, std::string runtime_dir, std::string stem, Fd pidfd, Owned owned)
    : executor_(executor),
      runtime_dir_(std::move(runtime_dir)),
      stem_(std::move(stem)),
      header_(std::move(owned.header)),
      master_(std::move(owned.master)),
      spool_(std::move(owned.spool)),
      credit_event_(std::move(owned.credit_event)),
      socket_(executor, owned.socket.release()),
      output_event_(executor, owned.output_event.release()),
      pidfd_(executor, pidfd.release()),
      connected_at_(std::chrono::steady_clock::now()) {}

Link::~Link() = default;

void Link::run() {
  wait_to_read();
  wait_for_output();
  wait_for_death();
}

void Link::shut_down() {
  is_shut_down_ = true;
  listener_ = nullptr;
  ++connection_;
  error_code ignored;
  socket_.close(ignored);
  output_event_.close(ignored);
  pidfd_.close(ignored);
  break_all();
}

template <class Function>
void Link::post(Function function) {
  asio::post(executor_, [self = shared_from_this(), function] { function(*self); });
}

// --- what the shim says by itself

void Link::listen(Listener* listener) {
  listener_ = listener;
  if (listener_ == nullptr) return;
  post([](Link& link) {
    link.look_at_state();
    link.look_at_output();
  });
}

void Link::look_at_state() {
  // Each call of the listener may end in `listen(nullptr)` or in the holder's end.
  if (listener_ == nullptr) return;
  const auto phase = static_cast<shim_abi::Phase>(header_->phase.load(std::memory_order_acquire));
  const bool ended = phase == shim_abi::Phase::ended || phase == shim_abi::Phase::closed;
  if (ended && !std::exchange(is_exit_told_, true)) listener_->on_exited();
  if (listener_ == nullptr) return;
  const bool hung_up = header_->hung_up.load(std::memory_order_acquire) != 0;
  if (hung_up && !std::exchange(is_hang_up_told_, true)) listener_->on_hung_up();
  if (listener_ == nullptr) return;
  const std::uint32_t health = header_->journal_health.load(std::memory_order_acquire);
  if (health != std::exchange(health_told_, health)) listener_->on_journal_health();
  if (listener_ == nullptr) return;
  const bool lost = is_dead_ && !is_closed_ && phase != shim_abi::Phase::closed;
  if (lost && !std::exchange(is_loss_told_, true)) listener_->on_lost();
}

bool Link::has_grown() const {
  // Sequentially consistent, as the store in `arm`: of the two sides that each store and then look, one sees
  // the other.
  return header_->write_offset.load(std::memory_order_seq_cst) > seen_offset_ ||
         header_->event_bytes.load(std::memory_order_seq_cst) > seen_events_;
}

void Link::arm_output(std::uint64_t seen_offset, std::uint64_t seen_events) {
  seen_offset_ = seen_offset;
  seen_events_ = seen_events;
  is_output_wanted_ = true;
  arm();
}

void Link::arm() {
  header_->output_armed.store(1, std::memory_order_seq_cst);
  if (has_grown()) post([](Link& link) { link.look_at_output(); });
}

void Link::look_at_output() {
  if (!is_output_wanted_ || listener_ == nullptr) return;
  if (!has_grown()) {
    arm();
    return;
  }
  is_output_wanted_ = false;
  header_->output_armed.store(0, std::memory_order_relaxed);  // spares the shim a signal nobody waits for
  listener_->on_output();
}

void Link::wait_for_output() {
  output_event_.async_wait(Descriptor::wait_read, [self = shared_from_this()](error_code error) {
    if (error || self->is_shut_down_) return;
    std::uint64_t count = 0;
    while (::read(self->output_event_.native_handle(), &count, sizeof count) < 0 && errno == EINTR) {
    }
    self->look_at_output();
    if (!self->is_shut_down_) self->wait_for_output();
  });
}

void Link::grant(std::uint64_t offset) {
  if (offset <= header_->credit.load(std::memory_order_relaxed)) return;
  header_->credit.store(offset, std::memory_order_seq_cst);
  if (header_->credit_wanted.exchange(0, std::memory_order_seq_cst) == 0) return;
  const std::uint64_t one = 1;
  // EAGAIN would mean a counter at its limit, that is a shim already signalled.
  while (::write(credit_event_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void Link::replace_master(Fd master) {
  if (master) master_ = std::move(master);
}

// --- packets out

std::uint64_t Link::stamp(std::string& packet) {
  const std::uint64_t tag = next_tag_++;
  std::memcpy(packet.data() + offsetof(MessageHead, tag), &tag, sizeof tag);
  return tag;
}

std::shared_ptr<Exchange> Link::ask(std::string packet, Fd descriptor) {
  auto exchange = std::make_shared<Exchange>(executor_);
  exchange->tag = stamp(packet);
  if (is_shut_down_ || is_dead_ || (!is_connected_ && !is_reconnecting_)) {
    exchange->broken = true;
    return exchange;
  }
  exchanges_.emplace(exchange->tag, exchange);
  push({std::move(packet), std::move(descriptor), exchange->tag});
  return exchange;
}

bool Link::forget(const Exchange& exchange) {
  exchanges_.erase(exchange.tag);
  for (auto it = outgoing_.begin(); it != outgoing_.end(); ++it) {
    if (it->tag != exchange.tag) continue;
    outgoing_bytes_ -= it->packet.size();
    outgoing_.erase(it);
    return true;
  }
  return false;
}

void Link::tell(std::string packet) {
  if (is_shut_down_ || is_dead_ || (!is_connected_ && !is_reconnecting_)) return;
  if (outgoing_bytes_ + packet.size() > kOutgoingBytes) return;
  const std::uint64_t tag = stamp(packet);
  push({std::move(packet), {}, tag});
}

void Link::push(Outgoing outgoing) {
  outgoing_bytes_ += outgoing.packet.size();
  outgoing_.push_back(std::move(outgoing));
  flush();
}

void Link::flush() {
  while (is_connected_ && !is_writing_ && !outgoing_.empty()) {
    const Outgoing& next = outgoing_.front();
    if (!send(socket_.native_handle(), next.packet, next.descriptor.get())) {
      if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) {
        wait_to_write();
        return;
      }
      // What the shim said last may still be there to read; the reading side meets the end by itself.
      return;
    }
    outgoing_bytes_ -= next.packet.size();
    outgoing_.pop_front();
  }
}

void Link::wait_to_write() {
  is_writing_ = true;
  socket_.async_wait(Descriptor::wait_write,
                     [self = shared_from_this(), mine = connection_](error_code error) {
                       if (mine != self->connection_) return;
                       self->is_writing_ = false;
                       if (!error) self->flush();
                     });
}

// --- packets in

void Link::wait_to_read() {
  socket_.async_wait(Descriptor::wait_read,
                     [self = shared_from_this(), mine = connection_](error_code error) {
                       if (error || mine != self->connection_) return;
                       self->drain();
                       if (mine == self->connection_) self->wait_to_read();
                     });
}

bool Link::drain() {
  const auto mine = connection_;
  // One for all links: it is used up before anything else can run.
  static thread_local std::array<char, shim_abi::kMessageBytes> buffer;
  for (int i = 0; i < kPackets; ++i) {
    Packet packet = receive(socket_.native_handle(), buffer);
    if (packet.bytes < 0 && errno == EAGAIN) return false;
    if (packet.bytes <= 0) {
      lose_connection();
      return false;
    }
    handle({buffer.data(), static_cast<std::size_t>(packet.bytes)}, packet.descriptors);
    if (mine != connection_) return false;
  }
  return true;
}

void Link::handle(std::span<const char> bytes, std::vector<Fd>& descriptors) {
  const auto head = as<MessageHead>(bytes);
  if (!head || head->bytes > bytes.size()) return;
  switch (head->type) {
    case MessageType::reply: {
      const auto found = exchanges_.find(head->tag);
      if (found == exchanges_.end()) return;  // nobody waits (any more)
      // Here, not where it is waited for: the shim's end, or that of its next program, may be seen before
      // that.
      if (const auto reply = as<shim_abi::Reply>(bytes); reply && reply->status == shim_abi::Status::ok) {
        if (found->second->is_close) is_closed_ = true;
        if (found->second->is_restart) is_exit_told_ = is_hang_up_told_ = false;
      }
      found->second->reply.emplace(bytes.data(), bytes.size());
      found->second->descriptors = std::move(descriptors);
      found->second->wake.cancel();
      return;
    }
    case MessageType::input_done:
      if (const auto done = as<shim_abi::InputDone>(bytes)) finish_input(*done);
      return;
    case MessageType::exited:
    case MessageType::hung_up:
    case MessageType::journal: look_at_state(); return;
    default: return;  // of a newer shim: what it says there is in no version of ours
  }
}

void Link::finish_input(const shim_abi::InputDone& done) {
  for (const auto& [tag, exchange] : exchanges_) {
    if (!exchange->is_input) continue;
    const bool same = done.id != RequestId{} && exchange->id == done.id && exchange->step == done.step;
    if (done.head.tag != tag && !same) continue;
    exchange->done = done;
    exchange->wake.cancel();
  }
}

// --- ends

void Link::break_all() {
  outgoing_.clear();
  outgoing_bytes_ = 0;
  for (const auto& [tag, exchange] : std::exchange(exchanges_, {})) {
    exchange->broken = true;
    exchange->wake.cancel();
    if (exchange->is_restart)
      is_exit_told_ = is_hang_up_told_ = false;  // it may have been done; better told twice
  }
}

void Link::lose_connection() {
  ++connection_;
  is_connected_ = is_writing_ = false;
  error_code ignored;
  socket_.close(ignored);
  break_all();
  // Whether the shim lives, its pidfd says. If it does, this end may be a mishap, or another daemon's
  // takeover: once more.
  const bool settled = std::chrono::steady_clock::now() - connected_at_ >= kSettled;
  if (is_shut_down_ || is_dead_ || (was_reconnected_ && !settled)) return;
  if (has_ended(pidfd_.native_handle())) return;
  const auto phase = static_cast<shim_abi::Phase>(header_->phase.load(std::memory_order_acquire));
  if (is_closed_ || phase == shim_abi::Phase::closed) return;
  is_reconnecting_ = true;
  asio::co_spawn(executor_, reconnect(shared_from_this()), asio::detached);
}

void Link::take(Owned owned) {
  // Header, spool and eventfds are the same objects as before; only the connection is new.
  error_code error;
  is_reconnecting_ = false;
  if (is_shut_down_ || is_dead_) return;
  const int fd = owned.socket.release();
  socket_.assign(fd, error);
  if (error) {
    ::close(fd);
    break_all();
    return;
  }
  is_connected_ = was_reconnected_ = true;
  connected_at_ = std::chrono::steady_clock::now();
  wait_to_read();
  flush();
  look_at_state();
  if (is_output_wanted_) arm();
}

asio::awaitable<void> Link::reconnect(std::shared_ptr<Link> self) {
  const auto deadline = std::chrono::steady_clock::now() + kReconnect;
  auto socket = co_await connect(self->executor_, self->runtime_dir_, self->stem_,
                                 self->pidfd_.native_handle(), deadline);
  if (socket.has_value() && !self->is_shut_down_) {
    auto owned = co_await take_over(self->executor_, std::move(socket.value()), deadline);
    if (owned.has_value()) {
      self->take(std::move(owned.value()));
      co_return;
    }
  }
  self->is_reconnecting_ = false;
  self->break_all();
}

void Link::wait_for_death() {
  pidfd_.async_wait(Descriptor::wait_read, [self = shared_from_this()](error_code error) {
    if (error || self->is_shut_down_) return;
    self->on_death();
  });
}

void Link::on_death() {
  is_dead_ = true;
  is_reconnecting_ = false;
  // Its last words may wait in the socket: the answer to `close` does.
  while (is_connected_ && drain()) {
  }
  if (is_shut_down_) return;
  if (is_connected_) lose_connection();
  look_at_state();
}

}  // namespace smartcli::holder
