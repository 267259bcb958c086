#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstring>

#include "holder/connect.hpp"
#include "holder/link.hpp"
#include "holder/process.hpp"

namespace smartcli::holder {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kSuffix = ".hdr";

/// Who the shim is; the first bytes of its header, which also a renewed name has.
struct Identity {
  std::uint64_t magic;
  std::uint16_t abi_major, abi_minor;
  std::uint32_t bytes;
  std::uint8_t session[16];
  std::int32_t shim_pid;
  std::uint32_t reserved0;
  std::uint64_t shim_start_ticks;
  std::uint64_t boot_id_hash;
};
static_assert(offsetof(shim_abi::Header, shim_pid) == offsetof(Identity, shim_pid));
static_assert(offsetof(shim_abi::Header, boot_id_hash) == offsetof(Identity, boot_id_hash));

Result<Identity> identity_in(const std::string& path) {
  const Error gone{ErrorCode::session_gone, "there is no live shim of `" + path + "`"};
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT) return gone;
    return errno_error(ErrorCode::resource_exhausted, "cannot read `" + path + "`", errno);
  }
  Identity identity{};
  if (::pread(file.get(), &identity, sizeof identity, 0) != static_cast<ssize_t>(sizeof identity))
    return gone;
  if (identity.magic != shim_abi::kHeaderMagic) return gone;
  // The layout behind the version is that version's: look no further.
  if (identity.abi_major != shim_abi::kAbiMajor) {
    return Error{ErrorCode::version_mismatch,
                 "the shim of `" + path + "` has version " + std::to_string(identity.abi_major) +
                     ", this daemon knows " + std::to_string(shim_abi::kAbiMajor)};
  }
  const std::uint64_t boot = boot_id_hash();
  if (boot != 0 && identity.boot_id_hash != boot) return gone;
  return identity;
}

asio::awaitable<Result<std::unique_ptr<Holder>>> adopt_shim(asio::any_io_executor executor,
                                                            std::string runtime_dir, std::string stem,
                                                            Deadline deadline) {
  const auto identity = identity_in(runtime_dir + "/" + stem + std::string(kSuffix));
  if (!identity) co_return identity.error();
  auto pidfd = open_process(identity->shim_pid, identity->shim_start_ticks);
  if (!pidfd) co_return pidfd.error();
  auto socket = co_await connect(executor, runtime_dir, stem, pidfd->get(), deadline);
  if (!socket) co_return socket.error();
  auto owned = co_await take_over(executor, std::move(socket.value()), deadline);
  if (!owned) co_return owned.error();
  if (std::memcmp(owned->header->session, identity->session, sizeof identity->session) != 0 ||
      owned->header->shim_pid != identity->shim_pid) {
    co_return Error{ErrorCode::session_gone, "behind `" + stem + "` answers the shim of another session"};
  }
  co_return make_holder(std::make_shared<Link>(executor, runtime_dir, stem, std::move(pidfd.value()),
                                               std::move(owned.value())));
}

}  // namespace

asio::awaitable<Result<std::unique_ptr<Holder>>> adopt(asio::any_io_executor executor,
                                                       std::string runtime_dir, std::string stem,
                                                       std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  try {
    co_return co_await adopt_shim(executor, std::move(runtime_dir), std::move(stem), deadline);
  } catch (const boost::system::system_error& failure) {
    // Asio's own: no room in its reactor. A cancelled caller is not a failure.
    if (failure.code() == asio::error::operation_aborted) throw;
    co_return Error{ErrorCode::resource_exhausted,
                    std::string("cannot watch the session's shim: ") + failure.what()};
  }
}

std::vector<std::string> find_shims(const std::string& runtime_dir) {
  std::vector<std::string> stems;
  struct CloseDir {
    void operator()(DIR* dir) const { ::closedir(dir); }
  };
  const std::unique_ptr<DIR, CloseDir> dir(::opendir(runtime_dir.c_str()));
  if (!dir) return stems;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (!name.ends_with(kSuffix) || name.size() == kSuffix.size() || name.front() == '.') continue;
    stems.emplace_back(name.substr(0, name.size() - kSuffix.size()));
  }
  std::sort(stems.begin(), stems.end());  // the same order each time
  return stems;
}

}  // namespace smartcli::holder
