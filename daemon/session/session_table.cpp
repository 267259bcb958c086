#include "session/session_table.hpp"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cerrno>

#include "common/log.hpp"
#include "common/text.hpp"

namespace smartcli::session {
namespace {

using namespace std::chrono_literals;

constexpr auto kAdoptTimeout = 1s;  ///< slow is not dead: the shim is left alone, and asked again
constexpr auto kAskAgain = 1s;
constexpr auto kNameReturns = 40s;  ///< a shim makes a name that was cleaned away again within 30 s

bool header_exists(const std::string& shims_dir, const std::string& stem) {
  return ::access((shims_dir + "/" + stem + ".hdr").c_str(), F_OK) == 0;
}

std::string hex(const std::uint8_t (&bytes)[16]) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const auto byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace

std::vector<std::shared_ptr<Session>> SessionTable::all() const {
  std::vector<std::shared_ptr<Session>> sessions;
  for (const auto& [sid, session] : sessions_) sessions.push_back(session);
  std::stable_sort(sessions.begin(), sessions.end(), [](const auto& a, const auto& b) {
    return a->index().started_ms < b->index().started_ms;
  });
  return sessions;
}

std::size_t SessionTable::live() const {
  return static_cast<std::size_t>(std::count_if(sessions_.begin(), sessions_.end(),
                                                [](const auto& entry) { return entry.second->alive(); })) +
         starting_.size();
}

std::size_t SessionTable::waits() const {
  std::size_t count = 0;
  for (const auto& [sid, session] : sessions_) count += session->waits();
  return count;
}

// --- adoption

Session::Setup SessionTable::setup_of(journal::Index index, std::string folder) {
  Session::Setup setup;
  setup.index = std::move(index);
  setup.folder = std::move(folder);
  setup.history_bytes = static_cast<std::size_t>((*setup_.limits)[LimitId::history_bytes]);
  setup.clock = setup_.clock;
  setup.files = &files_;
  return setup;
}

Awaitable<void> SessionTable::adopt_one(std::string folder) {
  auto index = journal::load(folder);
  if (!index) {
    log::warning("left alone: " + index.error().message);
    co_return;
  }
  const std::string sid = index->sid.text, stem = index->stem;
  if (sessions_.contains(sid)) {
    log::warning("left alone: a second journal of session '" + sid + "' in " + folder);
    co_return;
  }
  auto holder = co_await holder::adopt(setup_.executor, setup_.paths.shims_dir, stem, kAdoptTimeout);
  if (index->grave && !holder) {
    bury(*index, folder);
    co_return;
  }
  auto origin = Session::Origin::adopted;
  if (!holder) {
    const bool has_ended = journal::Reader(folder, nullptr, -1).exit().has_value();
    const bool is_gone = holder.error().code == ErrorCode::session_gone;
    if (is_gone && !journal::has_begun(folder)) {
      journal::remove(folder);  // its daemon died before the shim began
      co_return;
    }
    // A missing name says little: a shim whose folder was cleaned makes it again within half a minute.
    if (!has_ended && (!is_gone || !header_exists(setup_.paths.shims_dir, stem))) {
      log::warning("session '" + sid + "': " + holder.error().message);
      origin = Session::Origin::unreachable;
    }
  }
  // The daemon before this one was about to end it.
  const auto index_grave = index->grave ? std::optional(index->grave->reason) : std::nullopt;
  auto session = std::make_shared<Session>(setup_.executor, pump_, setup_of(std::move(*index), folder),
                                           holder ? std::move(*holder) : nullptr);
  session->begin(origin);
  sessions_[sid] = session;
  if (index_grave) retire_later(session, *index_grave);
  if (origin == Session::Origin::unreachable) {
    boost::asio::co_spawn(setup_.executor, adopt_later(session), boost::asio::detached);
  }
}

Awaitable<void> SessionTable::adopt_later(std::shared_ptr<Session> session) {
  const auto began = setup_.clock->now();
  for (;;) {
    boost::asio::steady_timer pause(setup_.executor, kAskAgain);
    boost::system::error_code ignored;
    co_await pause.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    const auto& stem = session->index().stem;
    auto holder = co_await holder::adopt(setup_.executor, setup_.paths.shims_dir, stem, kAdoptTimeout);
    const auto found = sessions_.find(session->sid());
    if (found == sessions_.end() || found->second != session) co_return;
    const bool may_return =
        setup_.clock->now() - began < kNameReturns && !header_exists(setup_.paths.shims_dir, stem);
    if (!holder && (holder.error().code != ErrorCode::session_gone || may_return)) continue;
    const bool is_live = holder.has_value();
    auto again =
        std::make_shared<Session>(setup_.executor, pump_, setup_of(session->index(), session->folder()),
                                  is_live ? std::move(*holder) : nullptr);
    again->begin(Session::Origin::adopted);
    found->second = again;
    session->end_waits(is_live ? Reason::cancelled : Reason::lost);
    session->detach();
    log::info("session '" + session->sid() + "' " + (is_live ? "answers again" : "is lost"));
    co_return;
  }
}

Awaitable<void> SessionTable::adopt_all() {
  const auto folders = journal::find_folders(setup_.paths.sessions_dir);
  adopting_ = folders.size();
  const auto done = [this] {
    if (--adopting_ > 0) return;
    adopted_ = true;
    forget_oldest_ended();
    clear_tombstones();
    watch_idle();
    for (auto* timer : waiting_) timer->cancel();
  };
  if (folders.empty()) {
    adopting_ = 1;
    done();
    co_return;
  }
  log::info("adopting " + std::to_string(folders.size()) + " sessions");
  for (const auto& folder : folders) {
    boost::asio::co_spawn(setup_.executor, adopt_one(folder), [done, folder](std::exception_ptr failure) {
      if (failure) log::error("adoption of " + folder + " failed");
      done();
    });
  }
}

Awaitable<void> SessionTable::until_adopted() {
  if (adopted_) co_return;
  boost::asio::steady_timer timer(setup_.executor, boost::asio::steady_timer::time_point::max());
  waiting_.push_back(&timer);
  boost::system::error_code ignored;
  co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  std::erase(waiting_, &timer);
}

// --- spawn

std::string SessionTable::make_sid(const std::string& program) {
  std::string name;
  for (const char c : program.substr(program.rfind('/') + 1)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.' || c == '-';
    if (plain && (!name.empty() || (c != '_' && c != '.' && c != '-'))) name += c;
  }
  name = name.substr(0, 40);
  if (name.empty()) name = "session";
  std::string sid;
  do {
    sid = name + "-" + std::to_string(++made_[name]);
  } while (sessions_.contains(sid) || starting_.contains(sid) || tombs_.contains(sid));
  return sid;
}

holder::StartSpec SessionTable::spec_of(NewProgram program, const std::string& sid, Size size) const {
  holder::StartSpec spec;
  spec.shim_path = setup_.shim_path;
  spec.runtime_dir = setup_.paths.shims_dir;
  spec.program = std::move(program.program);
  spec.argv = std::move(program.argv);
  spec.env = std::move(program.env);
  spec.env.push_back("SMARTCLI_SID=" + sid);
  spec.cwd = std::move(program.cwd);
  spec.cols = static_cast<int>(size.cols);
  spec.rows = static_cast<int>(size.rows);
  spec.umask = program.umask;
  spec.nofile_soft = setup_.nofile_soft;
  spec.nofile_hard = setup_.nofile_hard;
  spec.journal_cap = static_cast<std::uint64_t>((*setup_.limits)[LimitId::journal_bytes]);
  return spec;
}

Awaitable<Result<std::uint64_t>> SessionTable::resize(std::shared_ptr<Session> session, Size size) {
  const auto now = session->size();
  if (now.cols == size.cols && now.rows == size.rows) co_return session->revision();
  co_return co_await session->resize(static_cast<int>(size.cols), static_cast<int>(size.rows));
}

Awaitable<Result<std::uint64_t>> SessionTable::restart(std::shared_ptr<Session> session,
                                                       std::optional<NewProgram> wanted, Size size,
                                                       std::chrono::milliseconds grace) {
  const auto cap = (*setup_.limits)[LimitId::sessions];
  if (!session->alive() && static_cast<std::int64_t>(live()) >= cap) {
    co_return over_limit(LimitId::sessions, cap,
                         std::to_string(live()) + " sessions live, one more was asked for");
  }
  std::optional<holder::StartSpec> spec;
  if (wanted) {
    // The folders and names do not count, but stand in every order.
    spec = spec_of(std::move(*wanted), session->sid(), size);
    spec->stem = session->index().stem;
    spec->journal_dir = session->folder();
  }
  // The shim starts what it keeps at the size in force: that is changed before, or, where there is no program
  // now, after.
  if (!spec && session->alive()) {
    if (auto resized = co_await resize(session, size);
        !resized && resized.error().code != ErrorCode::session_exited)
      co_return resized.error();
  }
  auto restarted = co_await session->restart(grace, std::move(spec));
  if (restarted) {
    if (auto resized = co_await resize(session, size); !resized) log::warning(resized.error().message);
  }
  watch_idle();
  if (restarted)
    log::info("session '" + session->sid() + "' restarted: pid " + std::to_string(session->child_pid()));
  co_return restarted;
}

Awaitable<Result<std::shared_ptr<Session>>> SessionTable::spawn(NewSession wanted) {
  co_await until_adopted();
  if (!wanted.sid.empty() && (sessions_.contains(wanted.sid) || starting_.contains(wanted.sid))) {
    co_return Error{ErrorCode::session_exists,
                    "there is a session '" + wanted.sid + "' already; close it first, or give another name"};
  }
  if (tombs_.contains(wanted.sid)) {
    co_return Error{ErrorCode::session_exists, "the name '" + wanted.sid +
                                                   "' is taken by a session that the system ended; "
                                                   "`smartcli close -s " +
                                                   wanted.sid + "` frees it, or give another name"};
  }
  const auto cap = (*setup_.limits)[LimitId::sessions];
  while (wanted.evict && static_cast<std::int64_t>(live()) >= cap) {
    std::shared_ptr<Session> oldest;
    for (const auto& [name, session] : sessions_) {
      if (session->alive() && (!oldest || session->last_active() < oldest->last_active())) oldest = session;
    }
    if (!oldest) break;
    co_await retire(oldest, EndReason::evicted);
    if (oldest->alive()) break;
  }
  if (static_cast<std::int64_t>(live()) >= cap) {
    co_return over_limit(LimitId::sessions, cap,
                         std::to_string(live()) + " sessions live, one more was asked for");
  }
  const std::string sid = wanted.sid.empty() ? make_sid(wanted.program) : wanted.sid;
  starting_[sid] = 1;
  struct Release {
    std::map<std::string, int>& names;
    std::string name;
    ~Release() { names.erase(name); }
  } release{starting_, sid};

  const Size size{wanted.cols, wanted.rows};
  holder::StartSpec spec = spec_of(static_cast<NewProgram&&>(wanted), sid, size);
  if (::getrandom(spec.session, sizeof spec.session, 0) != sizeof spec.session) {
    co_return errno_error(ErrorCode::resource_exhausted, "no random bytes for a new session", errno);
  }
  spec.stem = hex(spec.session);
  spec.journal_dir = setup_.paths.sessions_dir + "/" + spec.stem;
  if (::mkdir(spec.journal_dir.c_str(), 0700) != 0) {
    co_return errno_error(ErrorCode::resource_exhausted, "cannot make the journal folder " + spec.journal_dir,
                          errno);
  }
  journal::Index index;
  index.sid = SessionName{sid};
  index.stem = spec.stem;
  for (const auto& argument : spec.argv) index.argv.push_back(Bytes{argument});
  index.cwd = Bytes{spec.cwd};
  index.started_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(setup_.clock->wall().time_since_epoch()).count();
  index.cols = size.cols;
  index.rows = size.rows;
  index.scrollback = wanted.scrollback;
  index.detect_child_exit = wanted.detect_child_exit;
  index.idle_timeout_ms = wanted.idle_timeout_ms;
  auto setup = setup_of(std::move(index), spec.journal_dir);
  // Before the program runs: a daemon that dies now leaves a session that the next one finds.
  if (auto saved = journal::save(setup.folder, setup.index); !saved) {
    journal::remove(setup.folder);
    co_return saved.error();
  }
  auto holder = co_await holder::start(setup_.executor, std::move(spec));
  if (!holder) {
    journal::remove(setup.folder);
    co_return holder.error();
  }
  auto session = std::make_shared<Session>(setup_.executor, pump_, std::move(setup), std::move(*holder));
  session->begin(Session::Origin::spawned);
  sessions_[sid] = session;
  log::info("session '" + sid + "' started: pid " + std::to_string(session->child_pid()));
  forget_oldest_ended();
  watch_idle();
  co_return session;
}

Awaitable<Result<std::shared_ptr<Session>>> SessionTable::find(std::string sid) {
  co_await until_adopted();
  const auto found = sessions_.find(sid);
  if (found != sessions_.end()) {
    found->second->note_use();
    co_return found->second;
  }
  if (const auto tomb = tombs_.find(sid); tomb != tombs_.end()) co_return gone(tomb->second.index);
  std::vector<std::string> names;
  for (const auto& [name, session] : sessions_) names.push_back(name);
  const auto nearest = text::did_you_mean(sid, names);
  co_return Error{
      ErrorCode::session_not_found,
      "no session '" + sid + "'" + (nearest.empty() ? "; `smartcli list` shows those there are" : nearest)};
}

Awaitable<Result<holder::CloseResult>> SessionTable::close(std::shared_ptr<Session> session,
                                                           std::chrono::milliseconds grace, bool tree) {
  auto closed = co_await session->close(grace, tree);
  if (!closed) co_return closed.error();
  session->detach();
  const auto found = sessions_.find(session->sid());
  if (found != sessions_.end() && found->second == session) {
    sessions_.erase(found);
    if (session->index().grave) {
      (void)session->mark_grave(session->index().grave->reason);
      bury(session->index(), session->folder());
    } else {
      journal::remove(session->folder());
    }
    log::info("session '" + session->sid() + "' closed");
  }
  co_return closed;
}

void SessionTable::end_all_waits() {
  for (const auto& [sid, session] : sessions_) session->end_waits(Reason::cancelled);
}

void SessionTable::detach_all() {
  idle_timer_.cancel();
  for (const auto& [sid, session] : sessions_) session->detach();
}

}  // namespace smartcli::session
