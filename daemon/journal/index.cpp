#include "journal/index.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "common/fd.hpp"
#include "common/text.hpp"
#include "proto/visitors.hpp"

namespace smartcli::journal {
namespace {
constexpr std::size_t kLargest = 1 << 20;
}

Result<void> save(const std::string& folder, const Index& index) {
  const std::string text = encode_text(index) + "\n";
  const std::string path = folder + "/" + kIndexFile;
  const std::string fresh = path + ".tmp";
  const Fd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd)
    return errno_error(ErrorCode::resource_exhausted, "cannot write " + text::quoted(fresh, 200), errno);
  std::size_t done = 0;
  while (done < text.size()) {
    const auto n = ::write(fd.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      return errno_error(ErrorCode::resource_exhausted, "cannot write " + text::quoted(fresh, 200), errno);
    done += static_cast<std::size_t>(n);
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    return errno_error(ErrorCode::resource_exhausted, "cannot rename " + text::quoted(fresh, 200), errno);
  }
  return {};
}

Result<Index> load(const std::string& folder) {
  const std::string path = folder + "/" + kIndexFile;
  const Fd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return errno_error(ErrorCode::internal, "cannot read " + text::quoted(path, 200), errno);
  std::string text;
  char block[16384];
  while (text.size() <= kLargest) {
    const auto n = ::read(fd.get(), block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error(ErrorCode::internal, "cannot read " + text::quoted(path, 200), errno);
    if (n == 0) break;
    text.append(block, static_cast<std::size_t>(n));
  }
  return decode_text<Index>(text);
}

bool has_begun(const std::string& folder) {
  DIR* dir = ::opendir(folder.c_str());
  if (dir == nullptr) return false;
  bool found = false;
  while (const auto* entry = ::readdir(dir))
    found = found || std::string_view(entry->d_name).ends_with(".events");
  ::closedir(dir);
  return found;
}

std::vector<std::string> find_folders(const std::string& sessions_dir) {
  std::vector<std::string> folders;
  DIR* dir = ::opendir(sessions_dir.c_str());
  if (dir == nullptr) return folders;
  while (const auto* entry = ::readdir(dir)) {
    if (entry->d_name[0] == '.') continue;
    const std::string folder = sessions_dir + "/" + entry->d_name;
    struct stat st {};
    if (::lstat((folder + "/" + kIndexFile).c_str(), &st) == 0 && S_ISREG(st.st_mode))
      folders.push_back(folder);
  }
  ::closedir(dir);
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace smartcli::journal
