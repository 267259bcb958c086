#include "holder/start_block.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace smartcli::holder {
namespace {

using shim_abi::StartStage;

std::string quoted(const std::string& text) {
  return "`" + text + "`";
}

/// Whether the program's file is there, seen from the working directory.
bool is_there(const StartSpec& spec) {
  const Fd folder(::open(spec.cwd.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat info {};
  return ::fstatat(folder ? folder.get() : AT_FDCWD, spec.program.c_str(), &info, 0) == 0;
}

Error exec_error(int errno_value, const StartSpec& spec) {
  const std::string what = "cannot start " + quoted(spec.program);
  switch (errno_value) {
    case ENOENT:
      if (is_there(spec)) {
        return Error{ErrorCode::not_executable, what + ": the interpreter that it names is not there",
                     ::strerrordesc_np(errno_value)};
      }
      return errno_error(ErrorCode::program_not_found, what, errno_value);
    case ENOTDIR:
    case ENAMETOOLONG: return errno_error(ErrorCode::program_not_found, what, errno_value);
    case EACCES:
    case EPERM:
    case ENOEXEC:
    case EISDIR:
    case ETXTBSY:
    case ELOOP:
    case ELIBBAD:
    case EINVAL: return errno_error(ErrorCode::not_executable, what, errno_value);
    case E2BIG:
      return Error{ErrorCode::spawn_failed,
                   what + ": its arguments and environment are too long for the kernel",
                   ::strerrordesc_np(errno_value)};
    default:
      return errno_error(is_shortage(errno_value) ? ErrorCode::resource_exhausted : ErrorCode::spawn_failed,
                         what, errno_value);
  }
}

}  // namespace

bool is_shortage(int errno_value) {
  switch (errno_value) {
    case EAGAIN:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
    case EDQUOT:
    case ENOBUFS: return true;
    default: return false;
  }
}

Error start_error(StartStage stage, int errno_value, const StartSpec& spec) {
  const auto code = is_shortage(errno_value) ? ErrorCode::resource_exhausted : ErrorCode::spawn_failed;
  const std::string what = "cannot start " + quoted(spec.program) + ": ";
  switch (stage) {
    case StartStage::exec: return exec_error(errno_value, spec);
    case StartStage::chdir: return errno_error(code, what + "its directory " + quoted(spec.cwd), errno_value);
    case StartStage::pty:
      if (errno_value == ENOSPC) {
        return Error{code, what + "the system has no more terminals (PTYs)", ::strerrordesc_np(errno_value)};
      }
      return errno_error(code, what + "no terminal (PTY)", errno_value);
    case StartStage::journal:
      return errno_error(code, what + "its journal in " + quoted(spec.journal_dir), errno_value);
    case StartStage::runtime:
    case StartStage::socket:
      return errno_error(code, what + "its files in " + quoted(spec.runtime_dir), errno_value);
    case StartStage::fork: return errno_error(code, what + "no new process", errno_value);
    case StartStage::invalid:
      return Error{ErrorCode::internal, what + "the shim does not understand its order"};
    case StartStage::running: break;
  }
  return errno_error(code, what + "the shim failed", errno_value);
}

Result<Fd> make_start_block(const StartSpec& spec) {
  const std::string what = "cannot start " + quoted(spec.program);
  if (spec.argv.empty()) return Error{ErrorCode::invalid_argument, what + " without an argv[0]"};
  std::string strings;
  bool is_clean = true;
  const auto add = [&](const std::string& text) {
    is_clean = is_clean && text.find('\0') == std::string::npos;
    strings.append(text.c_str(), text.size() + 1);
  };
  add(spec.runtime_dir);
  add(spec.journal_dir);
  add(spec.stem);
  add(spec.program);
  add(spec.cwd);
  for (const std::string& argument : spec.argv) add(argument);
  for (const std::string& entry : spec.env) add(entry);
  if (!is_clean)
    return Error{ErrorCode::invalid_argument, what + ": a path, argument or variable holds a NUL byte"};
  if (sizeof(shim_abi::StartBlock) + strings.size() > shim_abi::kStartBytes) {
    return Error{ErrorCode::spawn_failed, what + ": arguments and environment take " +
                                              std::to_string(strings.size()) + " bytes, the bound is " +
                                              std::to_string(shim_abi::kStartBytes)};
  }

  shim_abi::StartBlock block{};
  block.magic = shim_abi::kStartMagic;
  block.abi_major = shim_abi::kAbiMajor;
  block.abi_minor = shim_abi::kAbiMinor;
  block.strings_bytes = static_cast<std::uint32_t>(strings.size());
  block.argc = static_cast<std::uint32_t>(spec.argv.size());
  block.envc = static_cast<std::uint32_t>(spec.env.size());
  block.cols = static_cast<std::uint16_t>(std::clamp(spec.cols, 1, 0xffff));
  block.rows = static_cast<std::uint16_t>(std::clamp(spec.rows, 1, 0xffff));
  block.umask = spec.umask;
  block.nofile_soft = spec.nofile_soft;
  block.nofile_hard = spec.nofile_hard;
  block.journal_cap = spec.journal_cap;
  std::memcpy(block.session, spec.session, sizeof block.session);
  if (spec.core) {
    block.flags |= shim_abi::kStartCore;
    block.core_soft = spec.core->first;
    block.core_hard = spec.core->second;
  }

  Fd memory(::memfd_create("start", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) return errno_error(ErrorCode::resource_exhausted, what, errno);
  std::string whole(sizeof block, '\0');
  std::memcpy(whole.data(), &block, sizeof block);
  whole += strings;
  for (std::size_t done = 0; done < whole.size();) {
    const ssize_t n =
        ::pwrite(memory.get(), whole.data() + done, whole.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return errno_error(ErrorCode::resource_exhausted, what, n < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(n);
  }
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (::fcntl(memory.get(), F_ADD_SEALS, kSeals) != 0) return errno_error(ErrorCode::internal, what, errno);
  return memory;
}

}  // namespace smartcli::holder
