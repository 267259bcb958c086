#include <array>
#include <cstring>

#include "shim_abi/events.hpp"

// CRC-32C by the processor's instruction where there is one (SSE 4.2), else by eight tables. The instruction
// takes three cycles and can begin one each cycle, so long runs are cut into three lanes that advance
// together and are joined by shifting a lane's value over the zeros of the lanes behind it.

namespace smartcli::shim_abi {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected

using Table = std::array<std::uint32_t, 256>;

constexpr Table byte_table() {
  Table table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) ? (value >> 1) ^ kPolynomial : value >> 1;
    table[i] = value;
  }
  return table;
}

constexpr std::array<Table, 8> sliced_tables() {
  std::array<Table, 8> tables{};
  tables[0] = byte_table();
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t i = 0; i < 256; ++i)
      tables[k][i] = (tables[k - 1][i] >> 8) ^ tables[0][tables[k - 1][i] & 0xff];
  return tables;
}

constexpr std::array<Table, 8> kSliced = sliced_tables();

std::uint32_t by_table(std::uint32_t crc, const unsigned char* data, std::size_t bytes) {
  for (; bytes >= 8; data += 8, bytes -= 8) {
    std::uint32_t low, high;
    std::memcpy(&low, data, 4);
    std::memcpy(&high, data + 4, 4);
    low ^= crc;
    crc = kSliced[7][low & 0xff] ^ kSliced[6][(low >> 8) & 0xff] ^ kSliced[5][(low >> 16) & 0xff] ^
          kSliced[4][low >> 24] ^ kSliced[3][high & 0xff] ^ kSliced[2][(high >> 8) & 0xff] ^
          kSliced[1][(high >> 16) & 0xff] ^ kSliced[0][high >> 24];
  }
  for (; bytes > 0; ++data, --bytes) crc = (crc >> 8) ^ kSliced[0][(crc ^ *data) & 0xff];
  return crc;
}

#if defined(__x86_64__)

constexpr std::size_t kLane = 1024;

// Four tables that carry a CRC over kLane zero bytes, one for each of its bytes (the operation is linear).
constexpr std::array<Table, 4> lane_tables() {
  std::array<Table, 4> tables{};
  const Table step = byte_table();
  std::array<std::uint32_t, 32> bits{};
  for (std::size_t bit = 0; bit < 32; ++bit) {
    std::uint32_t value = std::uint32_t{1} << bit;
    for (std::size_t i = 0; i < kLane; ++i) value = (value >> 8) ^ step[value & 0xff];
    bits[bit] = value;
  }
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t i = 0; i < 256; ++i)
      for (std::size_t bit = 0; bit < 8; ++bit)
        if (i >> bit & 1) tables[k][i] ^= bits[8 * k + bit];
  return tables;
}

constexpr std::array<Table, 4> kOverLane = lane_tables();

std::uint32_t over_lane(std::uint32_t crc) {
  return kOverLane[0][crc & 0xff] ^ kOverLane[1][(crc >> 8) & 0xff] ^ kOverLane[2][(crc >> 16) & 0xff] ^
         kOverLane[3][crc >> 24];
}

std::uint64_t word(const unsigned char* data) {
  std::uint64_t value;
  std::memcpy(&value, data, 8);
  return value;
}

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::uint32_t seed, const unsigned char* data,
                                                               std::size_t bytes) {
  std::uint64_t crc = seed;
  for (; bytes >= 3 * kLane; data += 3 * kLane, bytes -= 3 * kLane) {
    std::uint64_t second = 0, third = 0;
    for (std::size_t i = 0; i < kLane; i += 8) {
      crc = __builtin_ia32_crc32di(crc, word(data + i));
      second = __builtin_ia32_crc32di(second, word(data + kLane + i));
      third = __builtin_ia32_crc32di(third, word(data + 2 * kLane + i));
    }
    crc = over_lane(static_cast<std::uint32_t>(crc)) ^ second;
    crc = over_lane(static_cast<std::uint32_t>(crc)) ^ third;
  }
  for (; bytes >= 8; data += 8, bytes -= 8) crc = __builtin_ia32_crc32di(crc, word(data));
  auto narrow = static_cast<std::uint32_t>(crc);
  for (; bytes > 0; ++data, --bytes) narrow = __builtin_ia32_crc32qi(narrow, *data);
  return narrow;
}

#endif

}  // namespace

std::uint32_t crc32c(std::uint32_t seed, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const unsigned char*>(data);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return ~by_instruction(~seed, from, bytes);
#endif
  return ~by_table(~seed, from, bytes);
}

}  // namespace smartcli::shim_abi
