#pragma once

// Small meeting points for coroutines of the one loop thread.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace smartcli::session {

/// Tells a request that its client does not want it any more. Fires once; a late subscriber is called at
/// once.
class Cancellation {
 public:
  using Token = std::uint64_t;
  Token subscribe(std::function<void()> call) {
    if (fired_) {
      call();
      return 0;
    }
    calls_.emplace(++next_, std::move(call));
    return next_;
  }
  void unsubscribe(Token token) { calls_.erase(token); }
  void fire() {
    if (fired_) return;
    fired_ = true;
    const auto calls = std::move(calls_);
    calls_.clear();
    for (const auto& [token, call] : calls) call();
  }
  bool fired() const { return fired_; }

 private:
  std::map<Token, std::function<void()>> calls_;
  Token next_ = 0;
  bool fired_ = false;
};

/// A lock that is taken in order of arrival.
class FifoLock {
 public:
  class Hold {
   public:
    explicit Hold(FifoLock* lock) : lock_(lock) {}
    Hold(Hold&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold() {
      if (lock_ != nullptr) lock_->release();
    }

   private:
    FifoLock* lock_;
  };

  explicit FifoLock(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  using Time = boost::asio::steady_timer::time_point;
  /// Nothing if the deadline passed or `cancel` fired first.
  boost::asio::awaitable<std::optional<Hold>> take(Time deadline, std::shared_ptr<Cancellation> cancel) {
    if (!taken_) {
      taken_ = true;
      co_return std::optional<Hold>(std::in_place, this);
    }
    auto turn = std::make_shared<Turn>(executor_, deadline);
    line_.push_back(turn);
    Cancellation::Token token = 0;
    if (cancel) token = cancel->subscribe([turn] { turn->timer.cancel(); });
    boost::system::error_code ignored;
    if (!cancel || !cancel->fired()) {
      co_await turn->timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
    if (cancel) cancel->unsubscribe(token);
    if (turn->has_lock) co_return std::optional<Hold>(std::in_place, this);
    std::erase(line_, turn);
    co_return std::nullopt;
  }

 private:
  struct Turn {
    Turn(const boost::asio::any_io_executor& executor, Time deadline) : timer(executor, deadline) {}
    boost::asio::steady_timer timer;
    bool has_lock = false;
  };
  void release() {
    if (line_.empty()) {
      taken_ = false;
      return;
    }
    const auto next = std::move(line_.front());
    line_.pop_front();
    next->has_lock = true;  // handed over, still taken
    next->timer.cancel();
  }

  boost::asio::any_io_executor executor_;
  std::deque<std::shared_ptr<Turn>> line_;
  bool taken_ = false;
};

}  // namespace smartcli::session
