#!/usr/bin/env python3
"""Runs inside xterm for oracle.py: xterm_slave.py SOCKET SCREEN_FILE. Writes what it is told to the terminal and says what it
shows: the screen as xterm prints it (CSI i), the cursor by CPR."""
import base64
import fcntl
import json
import os
import re
import socket
import struct
import sys
import termios
import time
import tty
import unicodedata

tty.setraw(0)
peer = socket.socket(socket.AF_UNIX)
peer.connect(sys.argv[1])
lines = peer.makefile("rw", encoding="utf-8")
screen_file = sys.argv[2]
pending = b""


def ask(text, pattern):
    """Writes a query and returns its answer; nothing waits for time."""
    global pending
    os.write(1, text)
    while True:
        found = re.search(pattern, pending)
        if found:
            pending = b""
            return found
        pending += os.read(0, 65536)


def size():
    rows, cols = struct.unpack("HHHH", fcntl.ioctl(1, termios.TIOCGWINSZ, bytes(8)))[:2]
    return cols, rows


def resize(cols, rows):
    while size() != (cols, rows):
        ask(b"\x1b[8;%d;%dt\x1b[6n" % (rows, cols), rb"\x1b\[\d+;\d+R")


def write(data):
    while data:
        data = data[os.write(1, data):]


def whole(row):
    """Without the mark that xterm prints for a wide character's second half; one whose first half is gone is a blank."""
    out = ""
    for n, c in enumerate(row):
        if c != "\uffff":
            out += c
        elif n == 0 or unicodedata.east_asian_width(row[n - 1]) not in "WF":
            out += " "
    return unicodedata.normalize("NFC", out)


def look():
    if os.path.exists(screen_file):
        os.unlink(screen_file)
    cursor = ask(b"\x18\x1b[6n", rb"\x1b\[(\d+;\d+)R").group(1).decode()
    alt = ask(b"\x1b[?1047$p", rb"\x1b\[\?1047;(\d)\$y").group(1) == b"1"
    ask(b"\x1b[?19h\x1b[0i\x1b[6n", rb"\x1b\[\d+;\d+R")
    # The printer is a process of its own: the last row is what tells that it is done.
    text = ""
    while text.count("\n") < size()[1]:
        time.sleep(0.001)
        if os.path.exists(screen_file):
            with open(screen_file, encoding="utf-8", errors="replace") as printed:
                text = printed.read().replace("\r", "").replace("\f", "")
    rows = [whole(row).rstrip(" ") for row in text.split("\n")[:size()[1]]]
    return {"rows": rows, "cursor": cursor, "alt": alt}


for line in lines:
    request = json.loads(line)
    # RIS leaves what the alternate screen held and saved, and the level that a case chose.
    write(b"\x18\x1b[?1049l\x1bc\x1b[?1047h\x1b[2J\x1b[H\x1b7\x1b[?1047l")
    resize(request["cols"], request["rows"])
    write(b"\x1bc\x1b[64;1\"p")
    looks = []
    for step in request["steps"]:
        if "feed" in step:
            write(base64.b64decode(step["feed"]))
        elif "resize" in step:
            resize(*step["resize"])
        else:
            looks.append(look())
    lines.write(json.dumps({"looks": looks}) + "\n")
    lines.flush()
