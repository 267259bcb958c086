// packaging/protocol.md: what it shows is what happens.

#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "support/daemon_fixture.hpp"
#include "support/temp_folder.hpp"
#include "support/wire.hpp"

using namespace smartcli::test;

namespace {

/// The page's block of that language.
std::string block(const std::string& language) {
  const auto page = contents(SMARTCLI_SOURCE "/packaging/protocol.md");
  const auto fence = "```" + language + "\n";
  const auto begin = page.find(fence);
  REQUIRE(begin != std::string::npos);
  const auto end = page.find("```\n", begin + fence.size());
  REQUIRE(end != std::string::npos);
  return page.substr(begin + fence.size(), end - begin - fence.size());
}

}  // namespace

TEST_CASE("the ten-line client of the page on the wire works as it stands", "[integration]") {
  DaemonFixture f;
  const auto client = block("python");
  CHECK(std::count(client.begin(), client.end(), '\n') == 10);
  const auto output = f.run({"/usr/bin/python3", write_file(f.folder + "/client.py", client)});
  CHECK(output.err.empty());
  CHECK(output.status == 0);
  CHECK(output.out == "hello, wire\n");
}

TEST_CASE("the exchange of the page on the wire is what goes over it", "[integration]") {
  // Runs of lines with one sign, `>` or `<`: who says these bytes.
  std::vector<std::pair<char, std::string>> said;
  std::istringstream lines(block("hexdump"));
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    const auto offset = std::stoul(line.substr(2, 4), nullptr, 16);
    if (offset == 0) said.emplace_back(line[0], "");
    REQUIRE(said.back().second.size() == offset);
    std::istringstream bytes(line.substr(7, 47));
    std::string shown;
    for (std::string byte; bytes >> byte;) {
      said.back().second += static_cast<char>(std::stoi(byte, nullptr, 16));
      const char c = said.back().second.back();
      shown += c >= ' ' && c <= '~' ? c : '.';
    }
    CHECK(line.substr(55) == shown);
  }
  CHECK(said.size() == 4);
  DaemonFixture f;
  f.ok({"daemon", "start"});
  Wire wire(f.socket());
  for (const auto& [who, bytes] : said) {
    if (who == '>') {
      wire.send(bytes);
      continue;
    }
    std::string got(bytes.size(), '\0');
    REQUIRE(::recv(wire.fd(), got.data(), got.size(), MSG_WAITALL) == static_cast<ssize_t>(bytes.size()));
    CHECK(got == bytes);
  }
}
