#pragma once

// The owned connection to one shim: packets out and in, wake-ups, the shim's life. No coroutines here;
// requests.cpp puts them on top.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "holder/connect.hpp"
#include "holder/holder.hpp"

namespace smartcli::holder {

/// One request on its way. Whoever waits for it waits on `wake`, which is cancelled when anything changed.
struct Exchange {
  explicit Exchange(boost::asio::any_io_executor executor) : wake(executor) {}

  std::uint64_t tag = 0;
  RequestId id{};  ///< of an input: after a takeover its end comes without a tag
  std::uint32_t step = 0;
  bool is_input = false;
  bool is_close = false;    ///< its success means that the shim goes for good
  bool is_restart = false;  ///< after its success another exit may come

  std::optional<std::string> reply;
  std::vector<Fd> descriptors;  ///< came with the reply
  std::optional<shim_abi::InputDone> done;
  bool broken = false;  ///< the connection ended
  boost::asio::steady_timer wake;
};

class Link : public std::enable_shared_from_this<Link> {
 public:
  Link(boost::asio::any_io_executor executor, std::string runtime_dir, std::string stem, Fd pidfd,
       Owned owned);
  ~Link();

  /// Begins to read. Apart from the constructor, for handlers hold shared pointers.
  void run();
  /// The holder is gone: nothing is told any more, whoever waits is woken with `broken`.
  void shut_down();

  void listen(Listener* listener);
  void arm_output(std::uint64_t seen_offset, std::uint64_t seen_events);
  void grant(std::uint64_t offset);

  shim_abi::Header& header() { return *header_; }
  const Fd& spool() const { return spool_; }
  const Fd& master() const { return master_; }
  void drop_master() { master_.reset(); }
  void replace_master(Fd master);

  const boost::asio::any_io_executor& executor() const { return executor_; }

  /// Sends `packet` (a whole message; its tag is written here) and expects its reply in the exchange.
  std::shared_ptr<Exchange> ask(std::string packet, Fd descriptor = {});
  /// Nobody waits for it any more. True if it never left this process, and now never will.
  bool forget(const Exchange& exchange);
  /// Sends without expecting anything; dropped if too much is queued.
  void tell(std::string packet);

  bool is_dead() const { return is_dead_; }

 private:
  struct Outgoing {
    std::string packet;
    Fd descriptor;
    std::uint64_t tag;
  };

  std::uint64_t stamp(std::string& packet);
  void push(Outgoing outgoing);
  void flush();
  void wait_to_write();
  void wait_to_read();
  void wait_for_output();
  void wait_for_death();
  bool drain();  ///< true if there may be more to read
  void handle(std::span<const char> bytes, std::vector<Fd>& descriptors);
  void finish_input(const shim_abi::InputDone& done);
  void lose_connection();
  void break_all();
  void on_death();
  void take(Owned owned);
  static boost::asio::awaitable<void> reconnect(std::shared_ptr<Link> self);

  void arm();
  bool has_grown() const;
  void look_at_output();
  void look_at_state();
  template <class Function>
  void post(Function function);

  boost::asio::any_io_executor executor_;
  std::string runtime_dir_, stem_;
  Listener* listener_ = nullptr;
  std::shared_ptr<shim_abi::Header> header_;
  Fd master_, spool_, credit_event_;
  boost::asio::posix::stream_descriptor socket_, output_event_, pidfd_;

  std::uint64_t next_tag_ = 2;  // 1 was the hello
  std::map<std::uint64_t, std::shared_ptr<Exchange>> exchanges_;
  std::deque<Outgoing> outgoing_;
  std::size_t outgoing_bytes_ = 0;
  bool is_writing_ = false;       ///< waits for room in the socket
  std::uint64_t connection_ = 0;  ///< counts them: handlers of an old one are ignored
  bool is_connected_ = true, is_reconnecting_ = false;
  std::chrono::steady_clock::time_point connected_at_;
  bool was_reconnected_ = false;

  bool is_output_wanted_ = false;
  std::uint64_t seen_offset_ = 0, seen_events_ = 0;

  bool is_exit_told_ = false, is_hang_up_told_ = false, is_loss_told_ = false;
  std::uint32_t health_told_ = 0;
  bool is_dead_ = false, is_closed_ = false, is_shut_down_ = false;
};

/// The Holder over a link.
std::unique_ptr<Holder> make_holder(std::shared_ptr<Link> link);

}  // namespace smartcli::holder
