#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "holder/holder.hpp"
#include "support/journal_writer.hpp"

namespace smartcli::test {

/// A Holder without a shim: the test is the program. Output goes to a real journal in `folder`, so that a
/// Reader over `header()` and `spool()` sees what it would see of a shim. What was asked is recorded; answers
/// are scripted or, by default, as of a program that takes everything.
class FakeHolder final : public holder::Holder {
 public:
  FakeHolder(boost::asio::any_io_executor executor, std::string folder)
      : executor_(std::move(executor)), journal_(std::move(folder), memory_.get()) {
    auto& header = memory_.get();
    header.shim_pid = 1000;
    header.child_pid = 1001;
    header.credit = shim_abi::kQuietCredit;
    header.phase = static_cast<std::uint32_t>(shim_abi::Phase::running);
  }
  FakeHolder(const FakeHolder&) = delete;

  // --- the program's side

  void output(std::string_view bytes) {
    journal_.output(bytes);
    wake();
  }
  /// The program ends; its terminal stays open until `hang_up`.
  void exit(shim_abi::ExitKind kind, std::int32_t value) {
    auto& header = memory_.get();
    journal_.exit(kind, value);
    header.exit_kind = static_cast<std::uint32_t>(kind);
    header.exit_value = value;
    header.exit_offset = journal_.offset();
    header.exit_realtime_ns = journal_.now_ns();
    header.phase = static_cast<std::uint32_t>(shim_abi::Phase::ended);
    post([](FakeHolder& self) {
      if (self.listener_ != nullptr) self.listener_->on_exited();
    });
    wake();
  }
  void hang_up() {
    memory_.get().hung_up = 1;
    post([](FakeHolder& self) {
      if (self.listener_ != nullptr) self.listener_->on_hung_up();
    });
  }
  /// The shim dies: every answer from now on is session_gone.
  void lose() {
    is_lost_ = true;
    post([](FakeHolder& self) {
      if (self.listener_ != nullptr) self.listener_->on_lost();
    });
  }
  void fail_disk(int reason) {
    journal_.fail_disk(reason);
    post([](FakeHolder& self) {
      if (self.listener_ != nullptr) self.listener_->on_journal_health();
    });
    wake();
  }
  void recover_disk() {
    journal_.recover();
    post([](FakeHolder& self) {
      if (self.listener_ != nullptr) self.listener_->on_journal_health();
    });
  }
  JournalWriter& journal() { return journal_; }
  void set_master(Fd master) { master_ = std::move(master); }

  // --- scripts

  /// Called when an input was recorded and fenced, before it is answered: what the program does about it.
  std::function<void(const holder::InputRequest&)> on_input;
  /// The next inputs are answered by these; `offset` and `revision` of a 0 are filled in. Empty: everything
  /// is taken.
  std::deque<Result<holder::InputResult>> input_results;
  /// LineFlags that inputs report.
  std::uint32_t line_flags =
      shim_abi::kLineCanonical | shim_abi::kLineEcho | shim_abi::kLineIcrnl | shim_abi::kLineSignals;
  std::deque<Result<holder::Facts>> facts_results;  ///< the last one stays
  holder::CloseResult close_result;
  std::optional<Error> next_error;  ///< of the next request that is none of the above

  // --- what was asked

  struct Reply {
    std::uint64_t key_offset;
    std::uint32_t key_index;
    std::string bytes;
    bool drop, if_raw;
  };
  std::vector<holder::InputRequest> inputs;  ///< all but repeats
  std::vector<Reply> replies;                ///< all but stale ones
  std::vector<std::pair<int, int>> resizes;
  std::vector<std::pair<int, shim_abi::SignalTarget>> signals;
  std::vector<std::pair<std::chrono::milliseconds, bool>> closes;
  std::vector<std::optional<holder::StartSpec>> restarts;
  std::vector<std::uint64_t> caps;
  int clears = 0, repeats = 0, facts_asked = 0, outputs_told = 0;

  /// Of all input so far.
  std::string typed() const {
    std::string all;
    for (const auto& request : inputs) all += request.data;
    return all;
  }

  // --- Holder

  void listen(holder::Listener* listener) override { listener_ = listener; }
  shim_abi::Header& header() override { return memory_.get(); }
  int spool() const override { return journal_.spool(); }
  int master() const override { return master_.get(); }
  void drop_master() override { master_.reset(); }

  void arm_output(std::uint64_t seen_offset, std::uint64_t seen_events) override {
    auto& header = memory_.get();
    header.output_armed = 1;
    if (header.write_offset > seen_offset || header.event_bytes > seen_events) wake();
  }
  void grant(std::uint64_t offset) override {
    auto& header = memory_.get();
    if (offset > header.credit) header.credit = offset;
  }

  boost::asio::awaitable<Result<holder::InputResult>> input(holder::InputRequest request,
                                                            std::chrono::milliseconds) override {
    co_await settle();
    if (is_lost_) co_return gone();
    for (const auto& [id, step, result] : seen_) {
      if (id != request.id || step != request.step || id == shim_abi::RequestId{}) continue;
      ++repeats;
      auto again = result;
      again.status = shim_abi::Status::repeated;
      co_return again;
    }
    auto& header = memory_.get();
    holder::InputResult result;
    result.offset = header.write_offset;
    result.revision = revision();
    result.accepted = static_cast<std::uint32_t>(request.data.size());
    result.line_flags = line_flags;
    if (!input_results.empty()) {
      auto scripted = input_results.front();
      input_results.pop_front();
      if (!scripted) co_return scripted.error();
      if (scripted->offset == 0) scripted->offset = result.offset;
      if (scripted->revision == 0) scripted->revision = result.revision;
      result = *scripted;
      if (result.status != shim_abi::Status::ok) co_return result;
    } else if (static_cast<shim_abi::Phase>(header.phase.load()) != shim_abi::Phase::running) {
      result.status = shim_abi::Status::ended;
      result.accepted = 0;
      co_return result;
    } else if (request.condition == shim_abi::WriteCondition::canonical_no_echo &&
               (line_flags & (shim_abi::kLineCanonical | shim_abi::kLineEcho)) != shim_abi::kLineCanonical) {
      result.status = shim_abi::Status::condition;
      result.accepted = 0;
      co_return result;
    }
    const std::uint64_t number = header.marks_written;
    shim_abi::Mark& mark = header.marks[number % shim_abi::kMarks];
    mark.id = request.id;
    mark.step = request.step;
    mark.bytes = static_cast<std::uint32_t>(request.data.size());
    mark.accepted = result.accepted;
    mark.state = static_cast<std::uint32_t>(result.accepted == mark.bytes ? shim_abi::MarkState::done
                                                                          : shim_abi::MarkState::cancelled);
    mark.offset = result.offset;
    mark.revision = result.revision;
    header.marks_written = number + 1;
    header.line_flags = line_flags;
    const bool ends_line =
        !request.data.empty() && (request.data.back() == '\r' || request.data.back() == '\n');
    journal_.input(request.id, request.step, mark.bytes, line_flags,
                   request.flags | (ends_line ? static_cast<std::uint32_t>(shim_abi::kInputEndsLine) : 0));
    seen_.emplace_back(request.id, request.step, result);
    inputs.push_back(request);
    wake();
    if (on_input) on_input(request);
    co_return result;
  }

  void terminal_reply(std::uint64_t key_offset, std::uint32_t key_index, std::string bytes,
                      bool drop) override {
    take_reply({key_offset, key_index, std::move(bytes), drop, false});
  }
  boost::asio::awaitable<Result<shim_abi::Status>> terminal_reply_if_raw(std::uint64_t key_offset,
                                                                         std::uint32_t key_index,
                                                                         std::string bytes) override {
    co_await settle();
    if (is_lost_) co_return gone();
    if ((line_flags & shim_abi::kLineCanonical) != 0) co_return shim_abi::Status::condition;
    co_return take_reply({key_offset, key_index, std::move(bytes), false, true});
  }

  boost::asio::awaitable<Result<std::uint64_t>> resize(int cols, int rows) override {
    co_await settle();
    if (const auto error = refusal()) co_return *error;
    resizes.emplace_back(cols, rows);
    journal_.resize(cols, rows);
    wake();
    co_return revision();
  }
  boost::asio::awaitable<Result<std::uint64_t>> clear(bool keep_line) override {
    co_await settle();
    if (const auto error = refusal()) co_return *error;
    ++clears;
    journal_.clear(keep_line ? std::uint64_t{shim_abi::kClearKeepLine} : 0);
    wake();
    co_return revision();
  }
  boost::asio::awaitable<Result<void>> signal(int number, shim_abi::SignalTarget target) override {
    co_await settle();
    if (const auto error = refusal()) co_return *error;
    signals.emplace_back(number, target);
    co_return Result<void>{};
  }
  boost::asio::awaitable<Result<holder::Facts>> facts() override {
    co_await settle();
    if (is_lost_) co_return gone();
    ++facts_asked;
    if (facts_results.empty()) co_return holder::Facts{1001, line_flags, 0, {}};
    auto result = facts_results.front();
    if (facts_results.size() > 1) facts_results.pop_front();
    co_return result;
  }
  boost::asio::awaitable<Result<holder::CloseResult>> close(std::chrono::milliseconds grace,
                                                            bool tree) override {
    co_await settle();
    if (const auto error = refusal()) co_return *error;
    closes.emplace_back(grace, tree);
    auto& header = memory_.get();
    if (header.exit_kind == 0) {
      journal_.exit(shim_abi::ExitKind::signal, 1);
      header.exit_kind = static_cast<std::uint32_t>(shim_abi::ExitKind::signal);
      header.exit_value = 1;
      header.exit_offset = journal_.offset();
    }
    header.hung_up = 1;
    header.phase = static_cast<std::uint32_t>(shim_abi::Phase::closed);
    wake();
    co_return close_result;
  }
  boost::asio::awaitable<Result<void>> set_journal_cap(std::uint64_t bytes) override {
    co_await settle();
    if (const auto error = refusal()) co_return *error;
    caps.push_back(bytes);
    memory_.get().journal_cap = bytes;
    co_return Result<void>{};
  }
  boost::asio::awaitable<Result<std::uint64_t>> restart(std::chrono::milliseconds,
                                                        std::optional<holder::StartSpec> spec) override {
    co_await settle();
    if (const auto error = refusal()) co_return *error;
    auto& header = memory_.get();
    restarts.push_back(spec);
    ++header.child_pid;
    header.exit_kind = 0;
    header.hung_up = 0;
    journal_.restart(header.child_pid, spec ? spec->cols : header.cols, spec ? spec->rows : header.rows);
    header.phase = static_cast<std::uint32_t>(shim_abi::Phase::running);
    wake();
    co_return revision();
  }

 private:
  /// No answer comes within the call, as it would not from a shim.
  boost::asio::awaitable<void> settle() { return boost::asio::post(executor_, boost::asio::use_awaitable); }

  static Error gone() { return Error{ErrorCode::session_gone, "the session's shim is gone"}; }
  std::optional<Error> refusal() { return is_lost_ ? gone() : std::exchange(next_error, std::nullopt); }
  std::uint64_t revision() { return memory_.get().write_offset + memory_.get().revision_steps; }

  shim_abi::Status take_reply(Reply reply) {
    auto& header = memory_.get();
    const auto key = std::pair(reply.key_offset, reply.key_index);
    if (key <= std::pair(header.reply_offset.load(), header.reply_index.load()))
      return shim_abi::Status::stale;
    header.reply_offset = reply.key_offset;
    header.reply_index = reply.key_index;
    journal_.reply(reply.key_offset, reply.key_index, reply.drop);
    replies.push_back(std::move(reply));
    wake();
    return shim_abi::Status::ok;
  }

  void wake() {
    if (memory_.get().output_armed.exchange(0) == 0) return;
    post([](FakeHolder& self) {
      ++self.outputs_told;
      if (self.listener_ != nullptr) self.listener_->on_output();
    });
  }

  template <class Function>
  void post(Function function) {
    boost::asio::post(executor_, [this, alive = std::weak_ptr<bool>(alive_), function] {
      if (!alive.expired()) function(*this);
    });
  }

  boost::asio::any_io_executor executor_;
  MemoryHeader memory_;
  JournalWriter journal_;
  Fd master_;
  holder::Listener* listener_ = nullptr;
  bool is_lost_ = false;
  std::vector<std::tuple<shim_abi::RequestId, std::uint32_t, holder::InputResult>> seen_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace smartcli::test
