#include "shim/header_file.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "shim/proc.hpp"
#include "shim/sys.hpp"

namespace smartcli::shim {

using namespace shim_abi;

namespace {

using Name = Text<kStemBytes + 16>;

Name name(const char* before, const char* stem, const char* after) {
  Name made;
  made.add(before).add(stem).add(after);
  return made;
}

std::uint64_t boot_id_hash() {
  char id[64];
  const std::ptrdiff_t bytes = read_small("/proc/sys/kernel/random/boot_id", id, sizeof id);
  return fnv1a(id, bytes < 36 ? 0 : 36);
}

}  // namespace

int RuntimeFiles::open_folder() {
  Fd folder(::open(folder_path_, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC));
  if (!folder) return errno;
  struct stat status {};
  if (::fstat(folder.get(), &status) != 0) return errno;
  if (status.st_uid != ::geteuid() || (status.st_mode & 022) != 0) return EPERM;
  folder_ = static_cast<Fd&&>(folder);
  return 0;
}

int RuntimeFiles::create(const StartView& start) {
  if (::strlen(start.runtime) >= sizeof folder_path_) return ENAMETOOLONG;
  ::strcpy(folder_path_, start.runtime);
  ::strcpy(stem_, start.stem);
  if (int error = open_folder()) return error;

  const Name temporary = name(".", stem_, ".new");
  header_fd_.reset(
      ::openat(folder_.get(), temporary.get(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!header_fd_) return errno;
  // Written, not only sized: a page that cannot be allocated is an errno now instead of a SIGBUS later.
  static const char zeros[kHeaderBytes] = {};
  int error = write_at(header_fd_.get(), zeros, sizeof zeros, 0);
  struct stat status {};
  if (!error && ::fstat(header_fd_.get(), &status) != 0) error = errno;
  void* mapped = MAP_FAILED;
  if (!error) {
    mapped = ::mmap(nullptr, kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, header_fd_.get(), 0);
    if (mapped == MAP_FAILED) error = errno;
  }
  if (error) {
    ::unlinkat(folder_.get(), temporary.get(), 0);
    return error;
  }
  header_inode_ = status.st_ino;
  header_ = static_cast<Header*>(mapped);
  Header& h = *header_;
  h.magic = kHeaderMagic;
  h.abi_major = kAbiMajor;
  h.abi_minor = kAbiMinor;
  h.bytes = sizeof(Header);
  ::memcpy(h.session, start.block->session, sizeof h.session);
  h.shim_pid = ::getpid();
  ProcStat self;
  if (read_stat(::getpid(), &self)) h.shim_start_ticks = self.start_ticks;
  h.boot_id_hash = boot_id_hash();
  h.created_realtime_ns = realtime_ns();
  h.spool_from = kNoSpool;
  h.spool_events_from = kNoSpool;
  h.cols = start.block->cols;
  h.rows = start.block->rows;
  return 0;
}

int RuntimeFiles::publish_header() {
  return ::renameat(folder_.get(), name(".", stem_, ".new").get(), folder_.get(),
                    name("", stem_, ".hdr").get()) == 0
             ? 0
             : errno;
}

int RuntimeFiles::bind_socket() {
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return errno;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const Name file = name("", stem_, ".sock");
  ::strcpy(address.sun_path, file.get());
  // Bound relative to the folder, for a socket's path may not be longer than 107 bytes.
  if (::fchdir(folder_.get()) != 0) return errno;
  const mode_t before = ::umask(0177);
  int error =
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  ::umask(before);
  if (::chdir("/") != 0 && !error) error = errno;
  if (error) return error;
  struct stat status {};
  if (::listen(socket.get(), 64) != 0 ||
      ::fstatat(folder_.get(), file.get(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    error = errno;
    ::unlinkat(folder_.get(), file.get(), 0);
    return error;
  }
  socket_inode_ = status.st_ino;
  listener_ = static_cast<Fd&&>(socket);
  return 0;
}

bool RuntimeFiles::is_ours(const char* suffix, std::uint64_t inode) const {
  struct stat status {};
  Text<sizeof folder_path_ + kStemBytes + 8> path;
  path.add(folder_path_).add('/').add(stem_).add(suffix);
  return ::lstat(path.get(), &status) == 0 && status.st_ino == inode;
}

void RuntimeFiles::restore() {
  const bool socket_stands = is_ours(".sock", socket_inode_), header_stands = is_ours(".hdr", header_inode_);
  if (socket_stands && header_stands) return;
  // The folder itself may be another one by now; a foreign one is refused and looked at again next time.
  if (open_folder() != 0) return;
  if (!socket_stands) {
    Fd old(listener_.release());
    // A name that is not our socket can only be what is left of an earlier try.
    ::unlinkat(folder_.get(), name("", stem_, ".sock").get(), 0);
    if (bind_socket() != 0) {
      listener_ = static_cast<Fd&&>(old);
      return;
    }
  }
  if (!header_stands) {
    const Name temporary = name(".", stem_, ".new");
    ::unlinkat(folder_.get(), temporary.get(), 0);
    Fd copy(
        ::openat(folder_.get(), temporary.get(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!copy) return;
    alignas(8) char page[kHeaderBytes] = {};
    ::memcpy(page, header_, offsetof(Header, write_offset));
    struct stat status {};
    if (write_at(copy.get(), page, sizeof page, 0) == 0 && ::fstat(copy.get(), &status) == 0 &&
        publish_header() == 0)
      header_inode_ = status.st_ino;
    else
      ::unlinkat(folder_.get(), temporary.get(), 0);
  }
}

void RuntimeFiles::remove() {
  const char* const both[][2] = {{".", ".new"}, {"", ".hdr"}, {"", ".sock"}};
  for (const auto& parts : both) ::unlinkat(folder_.get(), name(parts[0], stem_, parts[1]).get(), 0);
}

}  // namespace smartcli::shim
