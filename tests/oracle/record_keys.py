#!/usr/bin/env python3
"""Records what a real xterm sends for keys and mouse, and what terminfo says of keys: tests/golden/keys/*.txt.

Usage: record_keys.py [FOLDER]      needs Debian's xvfb, xterm, libx11-6, libxtst6, ncurses-bin

Run by hand where xterm's version or the keys change; the unit tests read what it wrote.

Keys are pressed through XTEST inside a private Xvfb, with the keyboard mapping set here (US caps, plus a few
keys that no US keyboard has), so that the tables do not depend on the machine. After each press a key with a
character of its own is pressed: what came before that character is the answer, and nothing waits for time.
"""
import ctypes
import os
import re
import select
import subprocess
import sys
import tempfile
import termios
import tty

# Resources that differ from xterm's defaults, each with its reason.
RESOURCES = [
    "*metaSendsEscape: true",  # Alt is ESC: the default sets the eighth bit
    "*altSendsEscape: true",
    # Keys and clicks that xterm keeps for itself (Alt+Enter, Shift+PageUp, Shift+Insert, Ctrl+click) go out.
    "*omitTranslation: fullscreen,paging,popup-menu,reset,scroll-lock,select,shift-fonts",
    "*numLock: false",  # NumLock only picks the keysym, so that DECKPAM is seen with the digits too
    "*font: fixed",
    "*allowWindowOps: true",  # answers the cell's size
]

SENTINEL = "\u2603"
SHIFT, ALT, CTRL = 1, 2, 4
MODIFIER_KEYCODES = {SHIFT: 50, ALT: 64, CTRL: 37}
NUM_LOCK = 77
COMBINATIONS = ["", "S-", "M-", "M-S-", "C-", "C-S-", "C-M-", "C-M-S-"]  # index: modifier bits

# X keysyms (X11/keysymdef.h).
NAMED = {
    "Enter": 0xFF0D, "Tab": (0xFF09, 0xFE20), "Escape": 0xFF1B, "Backspace": 0xFF08, "Space": 0x20,
    "Insert": 0xFF63, "Delete": 0xFFFF, "Up": 0xFF52, "Down": 0xFF54, "Left": 0xFF51, "Right": 0xFF53,
    "Home": 0xFF50, "End": 0xFF57, "PageUp": 0xFF55, "PageDown": 0xFF56,
}
NAMED.update({f"F{n}": 0xFFBD + n for n in range(1, 25)})
KEYPAD = {"KPDecimal": (0xFF9F, 0xFFAE), "KPDivide": 0xFFAF, "KPMultiply": 0xFFAA, "KPSubtract": 0xFFAD,
          "KPAdd": 0xFFAB, "KPEnter": 0xFF8D, "KPEqual": 0xFFBD}
# Insert End Down PageDown Left Begin Right Home Up PageUp
for digit, keysym in enumerate([0xFF9E, 0xFF9C, 0xFF99, 0xFF9B, 0xFF96, 0xFF9D, 0xFF98, 0xFF95, 0xFF97, 0xFF9A]):
    KEYPAD[f"KP{digit}"] = (keysym, 0xFFB0 + digit)
UNSHIFTED = "`1234567890-=[]\\;',./abcdefghijklmnopqrstuvwxyz"
SHIFTED = "~!@#$%^&*()_+{}|:\"<>?ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CHARACTERS = {low: (ord(low), ord(high)) for low, high in zip(UNSHIFTED, SHIFTED)}
CHARACTERS.update({"é": (0xE9, 0xC9), "ß": 0xDF, "ж": (0x6D6, 0x6F6), "中": 0x1004E2D})

# Section, the one that it is told by, and what sets it.
KEY_MODES = [
    ("legacy", "", ""),
    ("application_cursor", "legacy", "\x1b[?1h"),
    ("application_keypad", "legacy", "\x1b="),
    ("application_cursor application_keypad", "application_keypad", "\x1b[?1h\x1b="),
    ("newline", "legacy", "\x1b[20h"),
    ("backarrow", "legacy", "\x1b[?67h"),
    ("other_keys=1", "legacy", "\x1b[>4;1m"),
    ("other_keys=1 backarrow", "other_keys=1", "\x1b[>4;1m\x1b[?67h"),
    ("other_keys=1 newline", "other_keys=1", "\x1b[>4;1m\x1b[20h"),
    ("other_keys=2", "legacy", "\x1b[>4;2m"),
    ("other_keys=2 backarrow", "other_keys=2", "\x1b[>4;2m\x1b[?67h"),
    ("other_keys=2 newline", "other_keys=2", "\x1b[>4;2m\x1b[20h"),
    ("other_keys=2 application_cursor application_keypad", "other_keys=2", "\x1b[>4;2m\x1b[?1h\x1b="),
]
KEY_MODES_OFF = "\x1b[?1l\x1b>\x1b[20l\x1b[?67l\x1b[>4;0m"

MOUSE_MODES = {"x10": 9, "click": 1000, "drag": 1002, "any": 1003}
MOUSE_ENCODINGS = {"plain": 0, "utf8": 1005, "sgr": 1006, "urxvt": 1015, "sgr_pixels": 1016}
PLACES = [(9, 4), (0, 0), (94, 0), (95, 2), (222, 4), (223, 4), (250, 20), (2014, 1), (2015, 1)]
BUTTONS = {"left": 1, "middle": 2, "right": 3, "wheel_up": 4, "wheel_down": 5, "wheel_left": 6, "wheel_right": 7}


def shown(data):
    """Bytes as the golden files have them: `^[` is ESC, `\\xNN` what is no printable ASCII, `-` nothing."""
    if not data:
        return "-"
    out = ""
    for byte in data:
        if byte == 0x1B:
            out += "^["
        elif 0x20 < byte < 0x7F and byte != 0x5C:
            out += chr(byte)
        else:
            out += f"\\x{byte:02x}"
    return out


class Hand:
    """Keyboard and mouse of the X server, and the terminal that they reach."""

    def __init__(self):
        self.x11 = ctypes.CDLL("libX11.so.6")
        self.xtst = ctypes.CDLL("libXtst.so.6")
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.x11.XOpenDisplay(None))
        self.window = int(os.environ["WINDOWID"])
        self.keycodes = {}
        tty.setraw(0)
        self.ask("\x1b[c", rb"\x1b\[\?[0-9;]*c")  # drawn, so mapped
        self.x11.XSetInputFocus(self.display, ctypes.c_ulong(self.window), 1, ctypes.c_ulong(0))
        self.x11.XSync(self.display, 0)

    def write(self, text):
        os.write(1, text.encode())

    def read_until(self, pattern):
        data = b""
        while True:
            found = re.search(pattern, data, re.DOTALL)
            if found:
                return data[: found.start()], found
            if not select.select([0], [], [], 10)[0]:
                raise TimeoutError(f"no {pattern!r} in {data!r}")
            data += os.read(0, 4096)

    def ask(self, query, pattern):
        self.write(query)
        return self.read_until(pattern)[1]

    def lay_out(self, keys):
        """Gives each of `keys` a keycode that XKB ties to no modifier, switch or level of its own."""
        taken = {*MODIFIER_KEYCODES.values(), *range(62, 128), *range(203, 208), 133, 134}
        free = [code for code in range(10, 256) if code not in taken]
        symbols = ctypes.c_ulong * 2
        for name, keysyms in keys.items():
            low, high = keysyms if isinstance(keysyms, tuple) else (keysyms, keysyms)
            code = self.keycodes[name] = free.pop(0)
            self.x11.XChangeKeyboardMapping(self.display, code, 2, symbols(low, high), 1)
        self.x11.XSync(self.display, 0)

    def key(self, keycode, is_down):
        self.xtst.XTestFakeKeyEvent(self.display, keycode, int(is_down), ctypes.c_ulong(0))

    def hold(self, modifiers, is_down):
        for bit, keycode in MODIFIER_KEYCODES.items():
            if modifiers & bit:
                self.key(keycode, is_down)

    def until_sentinel(self):
        for is_down in (True, False):
            self.key(self.keycodes[SENTINEL], is_down)
        self.x11.XFlush(self.display)
        return self.read_until(SENTINEL.encode())[0]

    def press(self, name, modifiers):
        self.hold(modifiers, True)
        for is_down in (True, False):
            self.key(self.keycodes[name], is_down)
        self.hold(modifiers, False)
        return self.until_sentinel()

    def toggle_num_lock(self):
        for is_down in (True, False):
            self.key(NUM_LOCK, is_down)
        self.x11.XSync(self.display, 0)

    def move(self, x, y):
        self.x11.XWarpPointer(self.display, ctypes.c_ulong(0), ctypes.c_ulong(self.window), 0, 0, 0, 0, x, y)

    def button(self, number, is_down):
        self.xtst.XTestFakeButtonEvent(self.display, number, int(is_down), ctypes.c_ulong(0))

    def set_modes(self, text):
        self.ask(text + "\x1b[5n", rb"\x1b\[0n")


def header(what, columns):
    version = subprocess.run(["xterm", "-version"], capture_output=True, text=True).stdout.strip()
    lines = [f"# What {version} sends for {what}, as tests/oracle/record_keys.py recorded it.",
             "# US layout, -u8, resources: " + RESOURCES[0]]
    lines += ["#   " + line for line in RESOURCES[1:]]
    return "\n".join(lines + ["# `^[` is ESC, `\\xNN` a byte, `-` nothing.", columns]) + "\n"


def record_keys(hand, out):
    ordinary = {**CHARACTERS, **NAMED}
    hand.lay_out({**ordinary, **KEYPAD, SENTINEL: 0x1002603})
    out.write(header("keys", "# A section holds the keys whose row differs from the section named after its bracket. Columns: key, then\n"
                     "# no modifier, S, M, M-S, C, C-S, C-M, C-M-S. `KP` rows: NumLock on; `KP` with `/off`: NumLock off."))
    sections = {"": {}}
    for name, base, sequence in KEY_MODES:
        hand.set_modes(KEY_MODES_OFF + sequence)
        rows = {key: [hand.press(key, m) for m in range(8)] for key in ordinary}
        rows.update({key + "/off": [hand.press(key, m) for m in range(8)] for key in KEYPAD})
        hand.toggle_num_lock()
        rows.update({key: [hand.press(key, m) for m in range(8)] for key in KEYPAD})
        hand.toggle_num_lock()
        sections[name] = rows
        out.write(f"\n[{name}] {base}".rstrip() + "\n")
        for key, row in rows.items():
            if row != sections[base].get(key):
                out.write(" ".join([key, *map(shown, row)]) + "\n")


def mouse_rows(hand, at, other):
    """One hand's tour over a cell: (event, button) and the bytes for each set of modifiers."""

    def step(modifiers, act):
        hand.hold(modifiers, True)
        act()
        hand.hold(modifiers, False)
        return hand.until_sentinel()

    def away():
        hand.move(*other)
        hand.until_sentinel()

    away()
    hand.move(*at)
    hand.until_sentinel()
    for name, number in BUTTONS.items():
        pairs = [[step(m, lambda down=is_down: hand.button(number, down)) for is_down in (True, False)]
                 for m in range(8)]
        yield "press", name, [pair[0] for pair in pairs]
        yield "release", name, [pair[1] for pair in pairs]
    for name in ("none", "left", "middle", "right"):
        row = []
        for modifiers in range(8):
            away()
            if name != "none":
                hand.button(BUTTONS[name], True)
                hand.until_sentinel()
            row.append(step(modifiers, lambda: hand.move(*at)))
            if name != "none":
                hand.button(BUTTONS[name], False)
                hand.until_sentinel()
        yield "move", name, row


def record_mouse(hand, out):
    hand.lay_out({SENTINEL: 0x1002603})
    cell = hand.ask("\x1b[16t", rb"\x1b\[6;(\d+);(\d+)t")
    height, width = int(cell[1]), int(cell[2])
    out.write(header("the mouse", "# Sections: mode, encoding. Columns: event, button, column and row (from 0), then the bytes for\n"
                     "# no modifier, S, M, M-S, C, C-S, C-M, C-M-S. Shift is let through by CSI > 1 s. The pointer is in the\n"
                     f"# middle of its cell.\ncell {width} {height}"))

    def middle(col, row):
        border = 2  # internalBorder
        return border + col * width + width // 2, border + row * height + height // 2

    for mode, number in MOUSE_MODES.items():
        for encoding, encoding_number in MOUSE_ENCODINGS.items():
            hand.set_modes("\x1b[>1s" + "".join(f"\x1b[?{n}l" for n in (9, 1000, 1002, 1003, 1005, 1006, 1015, 1016)))
            if encoding_number:
                hand.set_modes(f"\x1b[?{encoding_number}h")
            hand.set_modes(f"\x1b[?{number}h")
            out.write(f"\n[{mode} {encoding}]\n")
            for col, row in PLACES if mode == "any" else PLACES[:1]:
                for event, button, data in mouse_rows(hand, middle(col, row), middle(col + 3, row + 2)):
                    if (col, row) == PLACES[0] or button in ("left", "wheel_down"):
                        out.write(" ".join([event, button, str(col), str(row), *map(shown, data)]) + "\n")


def record_terminfo(out):
    """Key capabilities of TERM=xterm-256color: name and bytes."""
    out.write("# The keys of terminfo's xterm-256color, in the modes that smkx sets (infocmp -x -1).\n"
              "# `^[` is ESC, `\\xNN` a byte.\n")
    listing = subprocess.run(["infocmp", "-x", "-1", "xterm-256color"], capture_output=True, text=True, check=True)
    for name, value in re.findall(r"^\t(k[A-Za-z0-9]+)=(.*),$", listing.stdout, re.MULTILINE):
        data = value.replace("\\E", "\x1b").replace("^?", "\x7f").replace("^H", "\b")
        out.write(f"{name} {shown(data.encode())}\n")


def record(folder):
    saved = termios.tcgetattr(0)
    hand = Hand()
    try:
        for name, recorder in (("xterm_379.txt", record_keys), ("xterm_379_mouse.txt", record_mouse)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                recorder(hand, out)
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, saved)


def main():
    if os.environ.get("RECORD_INSIDE"):
        try:
            record(sys.argv[1])
        except BaseException as error:  # the xterm's window is not seen by anybody
            with open(os.environ["RECORD_INSIDE"], "w", encoding="utf-8") as log:
                import traceback
                log.write("".join(traceback.format_exception(error)))
        return 0
    folder = os.path.abspath(sys.argv[1] if len(sys.argv) > 1
                             else os.path.join(os.path.dirname(__file__), "../golden/keys"))
    with open(os.path.join(folder, "terminfo.txt"), "w", encoding="utf-8") as out:
        record_terminfo(out)
    with tempfile.TemporaryDirectory() as place:
        read_end, write_end = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "12800x500x24", "-nolisten", "tcp"],
                                  pass_fds=[write_end], stderr=subprocess.DEVNULL)
        os.close(write_end)
        try:
            display = ":" + os.read(read_end, 16).decode().strip()
            log = os.path.join(place, "log")
            resources = [word for line in RESOURCES for word in ("-xrm", line)]
            subprocess.run(["xterm", "-u8", "-tn", "xterm-256color", "-geometry", "2100x30+0+0", *resources, "-e",
                            sys.executable, os.path.abspath(__file__), folder],
                           env={**os.environ, "DISPLAY": display, "RECORD_INSIDE": log, "LC_ALL": "C.UTF-8"},
                           check=True, timeout=900)
            if os.path.exists(log):
                with open(log, encoding="utf-8") as report:
                    sys.exit(report.read())
        finally:
            server.terminate()
            server.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
