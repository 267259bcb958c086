#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace smartcli::test {

/// An io_context that a test drives until what it waits for has happened. Ten seconds without it fail the
/// test.
class Loop {
 public:
  /// A coroutine under way.
  template <class T>
  class Running {
   public:
    bool is_done() const { return state_->value.has_value() || state_->failure != nullptr; }
    /// Its result; a failed one throws.
    T& get() {
      if (state_->failure != nullptr) std::rethrow_exception(state_->failure);
      return state_->value.value();
    }

   private:
    friend class Loop;
    struct State {
      std::optional<T> value;
      std::exception_ptr failure;
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();
  };

  boost::asio::io_context& context() { return context_; }
  boost::asio::any_io_executor executor() { return context_.get_executor(); }

  template <class Predicate>
  void until(Predicate predicate) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!predicate()) {
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("not within 10 s");
      context_.restart();
      context_.run_one_for(std::chrono::milliseconds(20));
    }
  }

  /// Runs all that is ready now.
  void poll() {
    context_.restart();
    context_.poll();
  }

  template <class T>
  Running<T> run(boost::asio::awaitable<T> task) {
    Running<T> running;
    boost::asio::co_spawn(context_, std::move(task),
                          [state = running.state_](std::exception_ptr failure, T value) {
                            if (failure != nullptr) {
                              state->failure = failure;
                            } else {
                              state->value.emplace(std::move(value));
                            }
                          });
    return running;
  }

  /// Runs a coroutine to its end.
  template <class T>
  T await(boost::asio::awaitable<T> task) {
    auto running = run(std::move(task));
    until([&] { return running.is_done(); });
    return std::move(running.get());
  }

 private:
  boost::asio::io_context context_{1};
};

}  // namespace smartcli::test
