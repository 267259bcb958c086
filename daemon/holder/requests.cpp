// The Holder: requests as coroutines over a link.

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>

#include "holder/link.hpp"
#include "holder/start_block.hpp"

namespace smartcli::holder {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using shim_abi::MessageType;
using shim_abi::Status;
using std::chrono::milliseconds;
template <class T>
using Task = asio::awaitable<Result<T>>;
using Clock = std::chrono::steady_clock;

/// A shim answers within microseconds; one that is stopped, or on a machine that swaps, may take long and is
/// not given up for less. Whoever waits has shorter bounds of their own.
constexpr milliseconds kAnswer{10'000};
constexpr unsigned kMostSide = 0xffff;

template <class T>
std::string message(MessageType type, T body, std::string_view tail = {}) {
  body.head.type = type;
  body.head.bytes = static_cast<std::uint32_t>(sizeof body + tail.size());
  std::string packet(sizeof body, '\0');
  std::memcpy(packet.data(), &body, sizeof body);
  packet += tail;
  return packet;
}

/// The struct at `at` in a packet, if it is there whole.
template <class T>
std::optional<T> part(const std::string& packet, std::size_t at = 0) {
  if (packet.size() < at + sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, packet.data() + at, sizeof value);
  return value;
}

Error gone() {
  return Error{ErrorCode::session_gone, "the session's shim is gone, or the connection to it broke"};
}

Error no_answer(bool was_sent) {
  return Error{ErrorCode::resource_exhausted,
               was_sent ? "the session's shim does not answer; whether it acted is not known, a repeat of "
                          "the same request is safe"
                        : "the session's shim takes no messages; nothing was done, try again"};
}

Error garbled() {
  return Error{ErrorCode::internal, "the session's shim gave an answer that is none"};
}

Error error_of(const shim_abi::Reply& reply) {
  switch (reply.status) {
    case Status::failed:
      return errno_error(ErrorCode::resource_exhausted, "the session's shim could not do it",
                         reply.errno_value);
    case Status::ended: return Error{ErrorCode::session_exited, "the session's program has ended"};
    case Status::cancelled:
    case Status::busy:
      return Error{ErrorCode::session_exited, "the session is being ended by another request"};
    case Status::unsupported:
      return Error{ErrorCode::version_mismatch,
                   "the session's shim is older than this daemon and cannot do that"};
    default:
      return Error{ErrorCode::internal, "the session's shim answered with status " +
                                            std::to_string(static_cast<unsigned>(reply.status))};
  }
}

/// An exchange for as long as somebody waits for it.
class Asked {
 public:
  Asked(std::shared_ptr<Link> link, std::string packet, Fd descriptor = {})
      : link_(std::move(link)), exchange_(link_->ask(std::move(packet), std::move(descriptor))) {}
  Asked(Asked&&) = delete;
  ~Asked() { forget(); }
  bool forget() { return link_->forget(*exchange_); }
  Exchange* operator->() const { return exchange_.get(); }
  const std::shared_ptr<Exchange>& get() const { return exchange_; }

 private:
  std::shared_ptr<Link> link_;
  std::shared_ptr<Exchange> exchange_;
};

/// Waits until something about the exchange changed, or `until`. (A cancelled coroutine leaves by Asio's
/// exception.)
asio::awaitable<void> change(std::shared_ptr<Exchange> exchange, Deadline until) {
  exchange->wake.expires_at(until);
  error_code ignored;
  co_await exchange->wake.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

asio::awaitable<void> answered(std::shared_ptr<Exchange> exchange, Deadline until) {
  while (!exchange->reply && !exchange->broken && Clock::now() < until) co_await change(exchange, until);
}

/// One request and its whole answer.
Task<std::string> call(std::shared_ptr<Link> link, std::string packet, milliseconds bound, Fd descriptor = {},
                       std::vector<Fd>* descriptors = nullptr) {
  shim_abi::MessageHead head;
  std::memcpy(&head, packet.data(), sizeof head);
  Asked asked(link, std::move(packet), std::move(descriptor));
  asked->is_close = head.type == MessageType::close;
  asked->is_restart = head.type == MessageType::restart;
  co_await answered(asked.get(), Clock::now() + bound);
  if (asked->reply) {
    if (descriptors != nullptr) *descriptors = std::move(asked->descriptors);
    if (asked->reply->size() < sizeof(shim_abi::Reply)) co_return garbled();
    co_return std::move(*asked->reply);
  }
  if (asked->broken) co_return gone();
  co_return no_answer(!asked.forget());
}

/// The same for requests with nothing more in the answer than the reply.
Task<shim_abi::Reply> simple(std::shared_ptr<Link> link, std::string packet) {
  auto answer = co_await call(link, std::move(packet), kAnswer);
  if (!answer) co_return answer.error();
  const auto reply = *part<shim_abi::Reply>(answer.value());
  if (reply.status != Status::ok) co_return error_of(reply);
  co_return reply;
}

Task<std::uint64_t> revision_after(std::shared_ptr<Link> link, std::string packet) {
  const auto reply = co_await simple(link, std::move(packet));
  if (!reply) co_return reply.error();
  co_return reply->revision;
}

Task<void> done_after(std::shared_ptr<Link> link, std::string packet) {
  const auto reply = co_await simple(link, std::move(packet));
  if (!reply) co_return reply.error();
  co_return Result<void>{};
}

// --- input

/// Takes back what the terminal has not taken. The end of the input comes before the answer to that.
Task<std::uint32_t> take_back(std::shared_ptr<Link> link, std::shared_ptr<Exchange> input) {
  shim_abi::CancelInput cancel{};
  cancel.id = input->id;
  cancel.step = input->step;
  auto answer = co_await call(link, message(MessageType::cancel_input, cancel), kAnswer);
  if (input->done) co_return input->done->accepted;
  if (!answer) co_return answer.error();
  const auto reply = *part<shim_abi::Reply>(answer.value());
  if (reply.status != Status::ok) co_return error_of(reply);
  co_return reply.accepted;
}

Task<InputResult> do_input(std::shared_ptr<Link> link, InputRequest request, milliseconds stall) {
  if (request.data.empty() || request.data.size() > shim_abi::kInputBytes) {
    co_return Error{ErrorCode::internal, "an input of " + std::to_string(request.data.size()) +
                                             " bytes was asked for, the bounds are 1 and " +
                                             std::to_string(shim_abi::kInputBytes)};
  }
  const auto size = static_cast<std::uint32_t>(request.data.size());
  shim_abi::Input input{};
  input.id = request.id;
  input.step = request.step;
  input.flags = request.flags;
  input.condition = request.condition;
  Asked asked(link, message(MessageType::input, input, request.data));
  asked->id = request.id;
  asked->step = request.step;
  asked->is_input = true;
  std::fill(request.data.begin(), request.data.end(),
            '\0');  // a secret does not wait for the end of the frame

  co_await answered(asked.get(), Clock::now() + kAnswer);
  if (!asked->reply) {
    if (asked->broken) co_return gone();
    co_return no_answer(!asked.forget());
  }
  const auto reply = part<shim_abi::Reply>(*asked->reply);
  if (!reply) co_return garbled();
  InputResult result;
  result.status = reply->status;
  result.offset = reply->offset;
  result.revision = reply->revision;
  result.accepted = reply->accepted;
  result.line_flags = reply->line_flags;
  switch (reply->status) {
    case Status::ok:
    case Status::repeated: break;
    case Status::busy:
    case Status::condition:
    case Status::line_too_long:
    case Status::ended: co_return result;
    default: co_return error_of(*reply);
  }
  // Of a repeat only the shim knows whether it is still under way: what it has queued says so.
  auto& queued = link->header().input_queued;
  if (result.accepted >= size) co_return result;
  std::uint32_t left = queued.load(std::memory_order_acquire);
  if (reply->status == Status::repeated && left == 0 && !asked->done) co_return result;

  auto until = Clock::now() + stall;
  while (!asked->done && !asked->broken) {
    if (Clock::now() >= until) {
      const std::uint32_t now = queued.load(std::memory_order_acquire);
      if (now == left) break;  // full for all that time
      left = now;
      until = Clock::now() + stall;
    }
    co_await change(asked.get(), until);
  }
  if (asked->done) {
    result.accepted = asked->done->accepted;
    if (asked->done->status == Status::ended) result.status = Status::ended;
    co_return result;
  }
  if (asked->broken) co_return gone();
  const auto accepted = co_await take_back(link, asked.get());
  if (!accepted) co_return accepted.error();
  result.accepted = *accepted;
  if (asked->done && asked->done->status == Status::ended) result.status = Status::ended;
  co_return result;
}

std::string reply_message(std::uint64_t key_offset, std::uint32_t key_index, std::string_view bytes,
                          bool drop, shim_abi::WriteCondition condition) {
  shim_abi::TerminalReply reply{};
  reply.key_offset = key_offset;
  reply.key_index = key_index;
  reply.drop = drop ? 1 : 0;
  reply.condition = condition;
  return message(MessageType::terminal_reply, reply, drop ? std::string_view{} : bytes);
}

Task<Status> do_reply_if_raw(std::shared_ptr<Link> link, std::string packet) {
  auto answer = co_await call(link, std::move(packet), kAnswer);
  if (!answer) co_return answer.error();
  const auto reply = *part<shim_abi::Reply>(answer.value());
  switch (reply.status) {
    case Status::ok:
    case Status::stale:
    case Status::ended:
    case Status::busy:
    case Status::condition: co_return reply.status;
    default: co_return error_of(reply);
  }
}

// --- facts, close, restart

Task<Facts> do_facts(std::shared_ptr<Link> link) {
  auto answer = co_await call(link, message(MessageType::facts, shim_abi::FactsRequest{}), kAnswer);
  if (!answer) co_return answer.error();
  const auto reply = *part<shim_abi::Reply>(answer.value());
  if (reply.status != Status::ok) co_return error_of(reply);
  std::size_t at = sizeof reply;
  const auto head = part<shim_abi::Facts>(answer.value(), at);
  if (!head) co_return garbled();
  at += sizeof *head;
  if ((answer->size() - at) / sizeof(shim_abi::ProcessFacts) < head->processes) co_return garbled();
  Facts facts;
  facts.foreground_group = head->foreground_group;
  facts.line_flags = head->line_flags;
  facts.input_pending = head->input_pending;
  facts.processes.resize(head->processes);
  if (head->processes > 0) {
    std::memcpy(facts.processes.data(), answer->data() + at,
                head->processes * sizeof(shim_abi::ProcessFacts));
  }
  for (auto& process : facts.processes) process.name[sizeof process.name - 1] = '\0';
  co_return facts;
}

Task<CloseResult> do_close(std::shared_ptr<Link> link, milliseconds grace, bool tree) {
  shim_abi::Close close{};
  close.grace_ms = static_cast<std::uint32_t>(std::clamp<milliseconds::rep>(grace.count(), 0, 0xffffffff));
  if (tree) close.flags = shim_abi::kCloseTree;
  auto answer = co_await call(link, message(MessageType::close, close), grace + kAnswer);
  if (!answer) co_return answer.error();
  const auto reply = *part<shim_abi::Reply>(answer.value());
  if (reply.status != Status::ok) co_return error_of(reply);
  const auto head = part<shim_abi::CloseReply>(answer.value());
  if (!head || (answer->size() - sizeof *head) / sizeof(shim_abi::CloseSurvivor) < head->survivors) {
    co_return garbled();
  }
  CloseResult result;
  result.survivors.resize(head->survivors);
  if (head->survivors > 0) {
    std::memcpy(result.survivors.data(), answer->data() + sizeof *head,
                head->survivors * sizeof(shim_abi::CloseSurvivor));
  }
  for (auto& survivor : result.survivors) survivor.name[sizeof survivor.name - 1] = '\0';
  co_return result;
}

Task<std::uint64_t> do_clear(std::shared_ptr<Link> link, shim_abi::Clear clear) {
  auto cleared = co_await revision_after(link, message(MessageType::clear, clear));
  if (!cleared && cleared.error().code == ErrorCode::version_mismatch && clear.flags != 0)
    co_return co_await revision_after(link, message(MessageType::clear, shim_abi::Clear{}));
  co_return cleared;
}

Task<std::uint64_t> do_restart(std::shared_ptr<Link> link, milliseconds grace,
                               std::optional<StartSpec> spec) {
  Fd block;
  if (spec) {
    auto made = make_start_block(*spec);
    if (!made) co_return made.error();
    block = std::move(made.value());
  }
  shim_abi::Restart restart{};
  restart.grace_ms = static_cast<std::uint32_t>(std::clamp<milliseconds::rep>(grace.count(), 0, 0xffffffff));
  std::vector<Fd> descriptors;
  auto answer = co_await call(link, message(MessageType::restart, restart), grace + kAnswer, std::move(block),
                              &descriptors);
  if (!answer) co_return answer.error();
  const auto reply = part<shim_abi::RestartReply>(answer.value());
  if (!reply) co_return error_of(*part<shim_abi::Reply>(answer.value()));
  if (reply->reply.status == Status::failed) {
    // Without a spec the shim knows what it tried and this daemon does not.
    StartSpec unnamed;
    unnamed.program = "the session's program";
    co_return start_error(static_cast<shim_abi::StartStage>(reply->stage), reply->reply.errno_value,
                          spec ? *spec : unnamed);
  }
  if (reply->reply.status != Status::ok) co_return error_of(reply->reply);
  if (!descriptors.empty()) link->replace_master(std::move(descriptors.front()));
  co_return reply->reply.revision;
}

// The members start no coroutine of their own: one that outlives the holder has the link by value.
class ShimHolder final : public Holder {
 public:
  explicit ShimHolder(std::shared_ptr<Link> link) : link_(std::move(link)) {}
  ShimHolder(const ShimHolder&) = delete;
  ~ShimHolder() override { link_->shut_down(); }

  void listen(Listener* listener) override { link_->listen(listener); }
  shim_abi::Header& header() override { return link_->header(); }
  int spool() const override { return link_->spool().get(); }
  int master() const override { return link_->master().get(); }
  void drop_master() override { link_->drop_master(); }
  void arm_output(std::uint64_t seen_offset, std::uint64_t seen_events) override {
    link_->arm_output(seen_offset, seen_events);
  }
  void grant(std::uint64_t offset) override { link_->grant(offset); }

  Task<InputResult> input(InputRequest request, milliseconds stall) override {
    return do_input(link_, std::move(request), stall);
  }
  void terminal_reply(std::uint64_t key_offset, std::uint32_t key_index, std::string bytes,
                      bool drop) override {
    link_->tell(reply_message(key_offset, key_index, bytes, drop, shim_abi::WriteCondition::none));
  }
  Task<Status> terminal_reply_if_raw(std::uint64_t key_offset, std::uint32_t key_index,
                                     std::string bytes) override {
    return do_reply_if_raw(
        link_, reply_message(key_offset, key_index, bytes, false, shim_abi::WriteCondition::not_canonical));
  }
  Task<std::uint64_t> resize(int cols, int rows) override {
    shim_abi::Resize resize{};
    resize.cols = static_cast<std::uint16_t>(std::clamp<int>(cols, 1, kMostSide));
    resize.rows = static_cast<std::uint16_t>(std::clamp<int>(rows, 1, kMostSide));
    return revision_after(link_, message(MessageType::resize, resize));
  }
  Task<std::uint64_t> clear(bool keep_line) override {
    shim_abi::Clear clear{};
    if (keep_line) clear.flags = shim_abi::kClearKeepLine;
    return do_clear(link_, clear);
  }
  Task<void> signal(int number, shim_abi::SignalTarget target) override {
    shim_abi::Signal signal{};
    signal.number = number;
    signal.target = target;
    return done_after(link_, message(MessageType::signal, signal));
  }
  Task<Facts> facts() override { return do_facts(link_); }
  Task<CloseResult> close(milliseconds grace, bool tree) override { return do_close(link_, grace, tree); }
  Task<void> set_journal_cap(std::uint64_t bytes) override {
    shim_abi::JournalCap cap{};
    cap.bytes = bytes;
    return done_after(link_, message(MessageType::journal_cap, cap));
  }
  Task<std::uint64_t> restart(milliseconds grace, std::optional<StartSpec> spec) override {
    return do_restart(link_, grace, std::move(spec));
  }

 private:
  std::shared_ptr<Link> link_;
};

}  // namespace

std::unique_ptr<Holder> make_holder(std::shared_ptr<Link> link) {
  link->run();
  return std::make_unique<ShimHolder>(std::move(link));
}

}  // namespace smartcli::holder
