// Grammar-aware mutation for the targets that take terminal output (two bytes of size, then output, resizes
// in it as 0xff 0xfe C R): most steps put in, change or cut out a whole sequence, some insert a control byte
// at any place (T17), the rest are libFuzzer's own.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Random = std::minstd_rand;

int below(Random& random, int n) {
  return static_cast<int>(random() % static_cast<unsigned>(n));
}

template <class T, std::size_t N>
const T& one_of(Random& random, const T (&choices)[N]) {
  return choices[below(random, static_cast<int>(N))];
}

std::string number(Random& random) {
  static constexpr const char* kNumbers[] = {
      "",   "0",  "1",  "2",  "3",   "4",   "5",   "7",     "8",     "9",          "10",
      "24", "80", "81", "99", "255", "256", "999", "65535", "65536", "2147483647", "99999999999999999999"};
  return one_of(random, kNumbers);
}

std::string parameters(Random& random) {
  std::string out;
  for (int n = below(random, 5); n > 0; --n) out += number(random) + (below(random, 8) == 0 ? ":" : ";");
  if (below(random, 40) == 0)
    for (int n = 0; n < 200; ++n) out += "1;";
  return out + number(random);
}

std::string text(Random& random) {
  static constexpr const char* kTexts[] = {"a",
                                           "hello",
                                           " ",
                                           "0123456789012345678901234567890123456789",
                                           "\xc3\xa9",
                                           "e\xcc\x81",
                                           "\xcc\x81",
                                           "\xe4\xb8\xad\xe6\x96\x87",
                                           "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd",
                                           "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7",
                                           "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa",
                                           "\xe2\x9d\xa4\xef\xb8\x8f",
                                           "\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8",
                                           "\xff",
                                           "\xc3",
                                           "\xed\xa0\x80",
                                           "\xf4\x90\x80\x80",
                                           "\xe0\x80\xaf",
                                           "\xc2\x9b",
                                           "\xe2\x80\x8b",
                                           "\xe2\x80\x8d",
                                           "\xe2\x80\xae",
                                           "\xc2\xad",
                                           "\xf3\xa0\x81\xa7"};
  return one_of(random, kTexts);
}

std::string sequence(Random& random) {
  static constexpr const char* kModes[] = {
      "4",    "20",   "1",    "3",    "5",    "6",    "7",    "9",    "12",   "25",   "40",
      "42",   "45",   "47",   "66",   "67",   "69",   "1000", "1002", "1003", "1004", "1005",
      "1006", "1015", "1016", "1047", "1048", "1049", "2004", "2026", "2027", "2031", "2048"};
  switch (below(random, 14)) {
    case 0:
    case 1:
    case 2: {  // any control sequence, most of them known ones
      static constexpr const char* kPrefixes[] = {"", "", "", "", "?", ">", "=", "<"};
      static constexpr const char* kIntermediates[] = {"",   "",  "",  "",  "",  " ", "!",
                                                       "\"", "$", "'", "*", "#", "$$"};
      std::string out = std::string("\033[") + one_of(random, kPrefixes) + parameters(random) +
                        one_of(random, kIntermediates);
      return out + static_cast<char>('@' + below(random, 63));
    }
    case 3: return "\033[" + number(random) + ";" + number(random) + "H";
    case 4:
      return "\033[" + number(random) +
             static_cast<char>("ABCDEFGIJKLMPSTXZ@`abdeghlmnqrstu"[below(random, 33)]);
    case 5:
      return std::string("\033[") + (below(random, 5) ? "?" : "") + one_of(random, kModes) +
             static_cast<char>("hlsr"[below(random, 4)]);
    case 6: return "\033[" + parameters(random) + "m";
    case 7: {
      static constexpr const char* kMargins[] = {
          "\033[r",   "\033[?69h\033[3;7s", "\033[?69l",         "\033[2;4r",
          "\033[?6h", "\033[3;3r",          "\033[?69h\033[1;2s"};
      return one_of(random, kMargins);
    }
    case 8: {
      static constexpr const char* kEscapes[] = {
          "\0337",  "\0338",  "\033D",  "\033E",  "\033H",  "\033M",  "\033c", "\0336", "\0339",
          "\033#8", "\033(0", "\033)0", "\033*A", "\033(K", "\033%G", "\033n", "\033o", "\033N",
          "\033O",  "\033V",  "\033W",  "\033=",  "\033>",  "\033\\", "\033("};
      return one_of(random, kEscapes);
    }
    case 9: {
      static constexpr const char* kStrings[] = {"\033]0;title",
                                                 "\033]2;t\xc3\xa9",
                                                 "\033]4;1;?",
                                                 "\033]4;1;#abc",
                                                 "\033]10;?;?;?",
                                                 "\033]104",
                                                 "\033]111",
                                                 "\033]8;;http://example.invalid",
                                                 "\033]8;;",
                                                 "\033]7;file://h/p",
                                                 "\033]52;c;aGk=",
                                                 "\033]52;c;?",
                                                 "\033]133;A",
                                                 "\033]133;D;1",
                                                 "\033]633;P;Cwd=/",
                                                 "\033]1337;CurrentDir=/",
                                                 "\033]9;9;/x",
                                                 "\033P$qm",
                                                 "\033P$q\"p",
                                                 "\033P+q544E;zz",
                                                 "\033Pq#0;2;0;0;0~",
                                                 "\033_Gi=1;AAAA",
                                                 "\033^private",
                                                 "\033Xstring",
                                                 "\033Ptmux;\033\033[c"};
      static constexpr const char* kEnds[] = {"\007", "\033\\", "\033\\", "\030", "\032", "", "\033[c"};
      return std::string(one_of(random, kStrings)) + one_of(random, kEnds);
    }
    case 10: {
      static constexpr const char* kRects[] = {"\033[1;1;3;3;1;2;2;1$v",
                                               "\033[88;1;1;3;9$x",
                                               "\033[1;1;2;99$z",
                                               "\033[1;2;3;4${",
                                               "\033[1;1;3;3;7$r",
                                               "\033[1;1;3;3;1$t",
                                               "\033[2*x",
                                               "\033[3'}",
                                               "\033[3'~",
                                               "\033[2 @",
                                               "\033[2 A",
                                               "\033[1\"q",
                                               "\033[5b"};
      return one_of(random, kRects);
    }
    case 11: {
      static constexpr const char* kControls[] = {"\n", "\r\n", "\r", "\b", "\t", "\v", "\016", "\017", "\a"};
      return one_of(random, kControls);
    }
    case 12:
      return std::string("\xff\xfe") + static_cast<char>(below(random, 256)) +
             static_cast<char>(below(random, 256));
    default: return text(random);
  }
}

/// Where sequences begin, roughly: the next ESC, control or resize from `at` on.
std::size_t next_start(std::string_view input, std::size_t at) {
  while (at < input.size() && static_cast<unsigned char>(input[at]) >= 0x20 && input[at] != '\xff') ++at;
  return at;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  Random random(seed);
  std::string input(reinterpret_cast<const char*>(data), size);
  if (input.size() < 2) input.resize(2, '\x0f');
  const int kind = below(random, 10);
  if (kind == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (int steps = 1 + below(random, 4); steps > 0; --steps) {
    std::size_t at = 2 + static_cast<std::size_t>(below(random, static_cast<int>(input.size() - 1)));
    at = std::min(at, input.size());
    if (below(random, 3) > 0) at = next_start(input, at);
    switch (kind) {
      case 1: {  // a control at any place
        static constexpr char kBytes[] = {'\033', '\x18', '\x1a', '\a', '\n', '\b',
                                          '\x9b', '\x9c', '\x7f', '\0', ';',  ':'};
        input.insert(at, 1, one_of(random, kBytes));
        break;
      }
      case 2: {  // a sequence less
        const std::size_t end = next_start(input, std::min(at + 1, input.size()));
        input.erase(at, end - at);
        break;
      }
      case 3: {  // one more of the same
        const std::size_t end = next_start(input, std::min(at + 1, input.size()));
        input.insert(at, input.substr(at, end - at));
        break;
      }
      case 4: {  // another number
        const std::size_t digit = input.find_first_of("0123456789", at);
        if (digit == input.npos) break;
        const std::size_t end = std::min(input.find_first_not_of("0123456789", digit), input.size());
        input.replace(digit, end - digit, number(random));
        break;
      }
      case 5:
        input[static_cast<std::size_t>(below(random, 2))] = static_cast<char>(below(random, 256));
        break;
      default: input.insert(at, sequence(random)); break;
    }
  }
  const std::size_t n = std::min(input.size(), max_size);
  std::memcpy(data, input.data(), n);
  return n;
}
