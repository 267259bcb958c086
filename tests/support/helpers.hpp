#pragma once

// The small programs that the scenarios of the public reports run; python3, standard library only.

namespace smartcli::test {

/// Raw reader: writes its argument (escapes decoded) and READY, then prints every read as hex; `q` ends it.
inline constexpr const char* kRawReader = R"py(import os, sys, tty
tty.setraw(0)
start = sys.argv[1] if len(sys.argv) > 1 else ""
os.write(1, start.encode().decode("unicode_escape").encode("latin-1") + b"READY\r\n")
while True:
    data = os.read(0, 65536)
    os.write(1, data.hex(" ").encode() + b"\r\n")
    if data == b"q":
        break
)py";

/// Writes its arguments (escapes decoded) 0.4 s apart, then stays 2 s.
inline constexpr const char* kPiecewise = R"py(import os, sys, time
for n, piece in enumerate(sys.argv[1:]):
    if n:
        time.sleep(0.4)
    os.write(1, piece.encode().decode("unicode_escape").encode("latin-1"))
time.sleep(2)
)py";

/// Writes its argument, prints as hex what comes back within 2 s.
inline constexpr const char* kQuery = R"py(import os, select, sys, termios, time, tty
old = termios.tcgetattr(0)
tty.setraw(0)
until = time.time() + 2
got = b""
os.write(1, sys.argv[1].encode().decode("unicode_escape").encode("latin-1"))
while time.time() < until:
    if select.select([0], [], [], 0.3)[0]:
        got += os.read(0, 4096)
    elif got:
        break
termios.tcsetattr(0, termios.TCSADRAIN, old)
print("\r\nREPLY", got.hex(" ") or "none")
)py";

/// Paste-aware input box: a read that is exactly CR submits, anything longer is content.
inline constexpr const char* kInputBox = R"py(import os, tty
tty.setraw(0)
size = 0
os.write(1, b"\x1b[?2004h> ")
while True:
    data = os.read(0, 65536)
    if data == b"\r":
        os.write(1, b"\r\nSUBMITTED %d\r\n> " % size)
        size = 0
    elif data == b"\x03":
        break
    else:
        size += len(data)
        os.write(1, b".")
)py";

}  // namespace smartcli::test
