#!/usr/bin/env python3
"""The same bytes through several terminals, compared.

usage: oracle.py BIN_FOLDER cases|streams|programs|random [--count N] [--seed S] [--engines A,B,...] [--verbose]
       oracle.py BIN_FOLDER scores [FILE]    all of them, as a page

Engines: smartcli (ours), xterm (real, under Xvfb: the judge), xterm.js (with $SMARTCLI_XTERM_JS, a node_modules folder that
holds @xterm/headless), tmux, libtsm. What is not installed is left out and said. A difference between ours and xterm that
differences.json does not name fails the run, and so does one that it names and that is gone.
"""
import argparse
import base64
import collections
import json
import os
import random
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "..", "golden", "cases")
TIME_LIMIT = 20  # of one request; xterm.js needs minutes for a few sequences


class Hung(Exception):
    pass


class Engine:
    """Answers requests {cols, rows, steps} with a list of looks {rows, cursor, alt}; `cursor` as CPR tells it."""
    name = "?"

    def version(self):
        return ""

    def show(self, request):
        raise NotImplementedError

    def close(self):
        pass


class Pipe(Engine):
    """A program that answers a line of JSON for each."""

    def __init__(self, name, argv):
        self.name, self.argv, self.process = name, argv, None

    def show(self, request):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.process.stdin.write(json.dumps({**request, "engine": self.name}).encode() + b"\n")
            self.process.stdin.flush()
            line = b""
            deadline = time.monotonic() + TIME_LIMIT
            while not line.endswith(b"\n"):
                ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
                block = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
                if not block:
                    raise Hung
                line += block
        except (Hung, BrokenPipeError):
            self.close()
            raise Hung from None
        return json.loads(line)["looks"]

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class Xterm(Engine):
    """Started again where it crashes, as xterm 379 does on SS2 before a wide character at the margin."""
    name = "xterm"

    def __init__(self):
        self.start()

    def start(self):
        self.folder = tempfile.mkdtemp(prefix="oracle-")
        read_end, write_end = os.pipe()
        self.xvfb = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1600x1400x24"],
                                     pass_fds=[write_end], stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as told:
            display = told.readline().strip()
        path = os.path.join(self.folder, "socket")
        screen = os.path.join(self.folder, "screen")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        resources = ["*printerCommand: cat > " + screen, "*printAttributes: 0", "*printerAutoClose: true",
                     "*allowWindowOps: true"]
        argv = ["xterm", "-u8"]
        for resource in resources:
            argv += ["-xrm", "XTerm" + resource]
        argv += ["-e", sys.executable, os.path.join(HERE, "xterm_slave.py"), path, screen]
        self.xterm = subprocess.Popen(argv, env={**os.environ, "DISPLAY": ":" + display, "LC_ALL": "C.UTF-8"},
                                      stderr=subprocess.DEVNULL)
        listener.settimeout(TIME_LIMIT)
        self.peer = listener.accept()[0]
        self.peer.settimeout(TIME_LIMIT)
        self.lines = self.peer.makefile("rw", encoding="utf-8")

    def version(self):
        return subprocess.run(["xterm", "-version"], stdout=subprocess.PIPE).stdout.decode().strip()

    def show(self, request):
        try:
            self.lines.write(json.dumps(request) + "\n")
            self.lines.flush()
            return json.loads(self.lines.readline())["looks"]
        except (OSError, ValueError):
            self.close()
            self.start()
            raise Hung from None

    def close(self):
        self.peer.close()
        for process in (self.xterm, self.xvfb):
            process.terminate()
            process.wait()
        shutil.rmtree(self.folder)


class Tmux(Engine):
    """A pane whose program writes the bytes; it cannot be asked for where a pending wrap leaves the cursor."""
    name = "tmux"
    PATIENCE = 5

    def __init__(self):
        self.count = 0
        self.folder = tempfile.mkdtemp(prefix="oracle-")
        self.argv = ["tmux", "-u", "-f", "/dev/null", "-S", os.path.join(self.folder, "socket")]
        self.env = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.env.pop("TMUX", None)

    def version(self):
        return subprocess.run(["tmux", "-V"], stdout=subprocess.PIPE).stdout.decode().strip()

    def tmux(self, *argv):
        return subprocess.run([*self.argv, *argv], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=self.PATIENCE).stdout.decode()

    def name_now(self):
        return "o%d" % self.count

    def show(self, request):
        # A name, a pipe and a signal for each: nothing of the one before can be taken for its own.
        before, self.count = self.name_now(), self.count + 1
        fifo = os.path.join(self.folder, self.name_now())
        os.mkfifo(fifo)
        try:
            # The pane's program copies the pipe and says when it has; each feed opens it anew.
            self.tmux("new-session", "-d", "-s", self.name_now(), "-x", str(request["cols"]), "-y", str(request["rows"]),
                      "stty raw -echo; while cat %s; do tmux wait-for -S %s; done" % (fifo, self.name_now()))
            self.tmux("kill-session", "-t", before)
            self.tmux("set", "-g", "status", "off")
            self.tmux("resize-window", "-t", self.name_now(), "-x", str(request["cols"]), "-y", str(request["rows"]))
            looks = []
            for step in request["steps"]:
                if "feed" in step:
                    self.feed(fifo, base64.b64decode(step["feed"]))
                    self.tmux("wait-for", self.name_now())
                elif "resize" in step:
                    self.tmux("resize-window", "-t", self.name_now(), "-x", str(step["resize"][0]), "-y", str(step["resize"][1]))
                else:
                    looks.append(self.look())
            return looks
        except (subprocess.TimeoutExpired, Hung):
            subprocess.run([*self.argv, "kill-server"], stderr=subprocess.DEVNULL)
            raise Hung from None

    def feed(self, fifo, data):
        # Without a reader there is no pane any more.
        deadline = time.monotonic() + self.PATIENCE
        while True:
            try:
                out = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise Hung from None
                time.sleep(0.002)
        os.set_blocking(out, True)
        with os.fdopen(out, "wb") as pipe:
            pipe.write(data)

    def look(self):
        # The program has written it all; tmux has read it when the screen stands still over two looks.
        before = None
        for _ in range(50):
            rows = [row.rstrip() for row in self.tmux("capture-pane", "-p", "-t", self.name_now()).split("\n")[:-1]]
            where = self.tmux("display-message", "-p", "-t", self.name_now(), "#{cursor_y} #{cursor_x} #{alternate_on}").split()
            if len(where) != 3:
                raise Hung
            row, col, alt = where
            now = {"rows": rows, "cursor": "%d;%d" % (int(row) + 1, int(col) + 1), "alt": alt == "1"}
            if now == before:
                return now
            before = now
        raise Hung

    def close(self):
        subprocess.run([*self.argv, "kill-server"], stderr=subprocess.DEVNULL)
        shutil.rmtree(self.folder)


def make_engines(bin_folder, wanted):
    engines = [Pipe("smartcli", [os.path.join(bin_folder, "oracle_ours")])]
    said = []

    def add(name, has_it, make):
        if name not in wanted:
            return
        if has_it:
            engines.append(make())
        else:
            said.append(name)

    add("xterm", shutil.which("xterm") and shutil.which("Xvfb"), Xterm)
    modules = os.environ.get("SMARTCLI_XTERM_JS", "")
    add("xterm.js", shutil.which("node") and os.path.isdir(os.path.join(modules, "@xterm", "headless")),
        lambda: Pipe("xterm.js", ["node", os.path.join(HERE, "xterm_js.mjs"), modules]))
    add("tmux", shutil.which("tmux"), Tmux)
    add("libtsm", True, lambda: Pipe("libtsm", [os.path.join(bin_folder, "oracle_ours")]))
    for name in said:
        print("oracle: %s is not installed and left out" % name)
    return engines


# --- what is shown to them

def feed(data):
    return {"feed": base64.b64encode(data).decode()}


LOOK = {"look": True}


def handed_cases():
    """The judged cases: (name, group, request). Only rows and cursor are compared here."""
    with open(os.path.join(GOLDEN, "vt_cases.json"), encoding="utf-8") as file:
        for case in json.load(file):
            steps = []
            for op in case.get("ops") or [{"bytes_base64": case["bytes_base64"]}]:
                steps.append({"resize": op["resize"]} if "resize" in op else {"feed": op["bytes_base64"]})
            yield case["id"], case["group"], {"cols": case["cols"], "rows": case["rows"], "steps": [*steps, LOOK]}


def recorded_streams():
    folder = os.path.join(GOLDEN, "streams")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            stream = json.load(file)
        steps = []
        for point in stream["checkpoints"]:
            steps += [{"feed": point["feed_base64"]}, LOOK]
        yield name.split(".")[0], "streams", {"cols": stream["cols"], "rows": stream["rows"], "steps": steps}


def fresh_programs():
    """Real programs, recorded now: each started in a terminal of ours, some keys typed, a look after each."""
    text = os.path.join(tempfile.mkdtemp(prefix="oracle-"), "text")
    with open(text, "w", encoding="utf-8") as out:
        out.write("".join("line %d with e\u0301, 中文 and \U0001f600\n" % n for n in range(200)))
    programs = {
        "vim": (["vim", "-u", "NONE", "-n", text], ["jjj", "ihello\x1b", ":set nu\r", "G", "dd", ":q!\r"]),
        "less": (["less", text], [" ", "/99\r", "G", "g", "q"]),
        "nano": (["nano", "-I", text], ["abc", "\x16", "\x0b", "\x18n"]),
        "htop": (["htop", "-d", "100"], ["\x1b[B", "q"]),
        "mc": (["mc", "-u", "-x"], ["\t", "\x1b[B\x1b[B", "\x1b0"]),
        "fzf": (["sh", "-c", "seq 100 | fzf"], ["5", "\x1b[A", "\x1b"]),
        "python3": (["python3", "-q"], ["print('é' * 90)\r", "1/0\r", "\x04"]),
        "bash": (["bash", "--norc"], ["ls -la /etc | head -20\r", "echo $((1+1))\x01\x0b", "\rexit\r"]),
        "zsh": (["zsh", "-f"], ["ls /\t\t", "\x03", "exit\r"]),
        "fish": (["fish", "--no-config"], ["echo hello\r", "ls /us\t", "\x03exit\r"]),
        "dialog": (["dialog", "--menu", "pick", "12", "40", "4", "a", "one", "b", "two"], ["\x1b[B", "\r"]),
        "top": (["top", "-b", "-n", "1"], []),
        "man": (["man", "ls"], [" ", "q"]),
    }
    # Its menus on cursor movements, screen features, character sets, known bugs' neighbours and VT102 features.
    for menu in "1 2 3 6 8".split():
        programs["vttest " + menu] = (["vttest"], [menu + "\r"] + ["\r"] * 20 + ["0\r"])
    for name, (argv, keys) in programs.items():
        if shutil.which(argv[0]) is None:
            continue
        yield name, "programs", record(argv, keys)


def record(argv, keys, cols=80, rows=24):
    """Runs it on a PTY; queries get a VT220's plainest answers, so that it goes on."""
    import fcntl
    import pty
    import struct
    import termios
    pid, master = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", PAGER="less", LESS="", MANPAGER="less")
        os.environ.pop("TMUX", None)
        os.execvp(argv[0], argv)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
    steps = []

    def drain(quiet):
        data = b""
        while select.select([master], [], [], quiet)[0]:
            try:
                block = os.read(master, 65536)
            except OSError:
                return data, True
            if not block:
                return data, True
            data += block
            for query, answer in ((b"\x1b[c", b"\x1b[?62;22c"), (b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b[>c", b"\x1b[>1;10;0c")):
                if query in block:
                    os.write(master, answer)
        return data, False

    data, ended = drain(1.0)
    steps += [feed(data), LOOK]
    for key in keys:
        if ended:
            break
        os.write(master, key.encode())
        data, ended = drain(0.4)
        steps += [feed(data), LOOK]
    try:
        os.kill(pid, 9)
    except ProcessLookupError:
        pass
    os.close(master)
    os.waitpid(pid, 0)
    return {"cols": cols, "rows": rows, "steps": steps}


class Grammar:
    """Random output: text of all widths, and the sequences that move, erase, edit and set modes. Without what is known
    to differ by choice (marks and joiners alone) or by a fault of xterm (SS2 and SS3 before a wide character)."""
    TEXTS = ["a", "hello", " ", "x" * 25, "é", "e\u0301", "中文", "中", "한", "ｶﾞ", "—", "q", "~"]
    MODES = ["4", "20", "?5", "?6", "?7", "?45", "?69", "?47", "?1047", "?1048", "?1049", "?25"]
    PLAIN = ["\x1b7", "\x1b8", "\x1bD", "\x1bE", "\x1bH", "\x1bM", "\x1b6", "\x1b9", "\x1b#8", "\x1b(0", "\x1b(B", "\x1b)0", "\x0e",
             "\x0f", "\x1bn", "\x1bo", "\x1b(A", "\x1bV", "\x1bW", "\n", "\r\n", "\r", "\b", "\t", "\v"]
    FINALS = "@ABCDEFGHIJKLMPSTXZ`abdefgr"
    ODD = ["\x1b[%sm", "\x1b[%s;%sH", "\x1b[%s;%sr", "\x1b[%s;%ss", "\x1b[%s'}", "\x1b[%s'~", "\x1b[%s @", "\x1b[%s A",
           "\x1b[%s;%s;%s;%s$z", "\x1b[%s;%s;%s;%s${", "\x1b[88;%s;%s;%s;%s$x", "\x1b[%s\"q", "\x1b[?%sJ", "\x1b[?%sK",
           "\x1b[1;1;2;4;1;%s;%s;1$v", "\x1b[!p"]

    def __init__(self, seed):
        self.random = random.Random(seed)

    def number(self):
        return self.random.choice(["", "0", "1", "2", "3", "4", "5", "7", "8", "9", "19", "20", "21", "99"])

    def token(self):
        pick = self.random.random()
        if pick < 0.35:
            return self.random.choice(self.TEXTS)
        if pick < 0.5:
            return self.random.choice(self.PLAIN)
        if pick < 0.6:
            mode = self.random.choice(self.MODES)
            return "\x1b[" + mode + self.random.choice("hl")
        if pick < 0.7:
            return "\x1b[%s;%sH" % (self.number(), self.number())
        if pick < 0.9:
            return "\x1b[" + self.number() + self.random.choice(self.FINALS)
        form = self.random.choice(self.ODD)
        text = form % tuple(self.number() for _ in range(form.count("%s")))
        return "" if text == "\x1b[8m" else text  # xterm does not print what is hidden

    def tokens(self):
        return [self.token() for _ in range(self.random.randint(3, 25))]


def request_of(tokens):
    return {"cols": 20, "rows": 8, "steps": [feed("".join(tokens).encode()), LOOK]}


def minimised(tokens, differs):
    """The fewest of these tokens that still differ."""
    size = len(tokens) // 2
    while size >= 1:
        at = 0
        while at < len(tokens):
            fewer = tokens[:at] + tokens[at + size:]
            if fewer and differs(fewer):
                tokens = fewer
            else:
                at += size
        size //= 2
    return tokens


# --- comparing

def same(ours, theirs):
    # xterm composes what it can.
    composed = [unicodedata.normalize("NFC", row) for row in ours["rows"]]
    return composed == [unicodedata.normalize("NFC", row) for row in theirs["rows"]] and ours["cursor"] == theirs["cursor"]


def known_differences():
    with open(os.path.join(HERE, "differences.json"), encoding="utf-8") as file:
        return json.load(file)


def compare(engines, items, verbose):
    """Scores {engine: {group: [alike, of]}} beside the judge (xterm where it is there, else ours), and what differs."""
    judge = next((e for e in engines if e.name == "xterm"), engines[0])
    scores = {e.name: collections.defaultdict(lambda: [0, 0]) for e in engines}
    ours_differ = []
    for name, group, request in items:
        shown = {}
        for engine in engines:
            try:
                shown[engine.name] = engine.show(request)
            except Hung:
                shown[engine.name] = None
        truth = shown[judge.name]
        if truth is None:
            print("oracle: the judge gave no answer for %s" % name)
            continue
        for engine in engines:
            looks = shown[engine.name]
            for n, right in enumerate(truth):
                score = scores[engine.name][group]
                score[1] += 1
                if looks is not None and n < len(looks) and same(looks[n], right):
                    score[0] += 1
                elif engine.name == "smartcli":
                    ours_differ.append((name, n, looks[n] if looks else None, right))
                    if verbose:
                        print_difference(name, n, looks[n] if looks else None, right)
    return scores, ours_differ


def print_difference(name, n, ours, right):
    print("%s, look %d" % (name, n))
    if ours is None:
        print("  no answer")
        return
    for row, (a, b) in enumerate(zip(ours["rows"], right["rows"])):
        if a != b:
            print("  row %d\n    smartcli %r\n    xterm    %r" % (row + 1, a, b))
    if ours["cursor"] != right["cursor"]:
        print("  cursor: smartcli %s, xterm %s" % (ours["cursor"], right["cursor"]))


def random_differences(engines, count, seed):
    """Minimised sequences that ours shows otherwise than xterm."""
    ours, judge = engines[0], next(e for e in engines if e.name == "xterm")

    def differs(tokens):
        request = request_of(tokens)
        try:
            return not same(ours.show(request)[0], judge.show(request)[0])
        except Hung:
            return False

    found = []
    counts = collections.Counter()
    grammar = Grammar(seed)
    for _ in range(count):
        tokens = grammar.tokens()
        if differs(tokens):
            few = minimised(tokens, differs)
            request = request_of(few)
            text = "".join(few)
            known = next((d["why"] for d in known_differences() if "pattern" in d and re.search(d["pattern"], text)), None)
            if known:
                counts[known] += 1
                continue
            found.append(text)
            print(repr(text))
            print_difference("  ", 0, ours.show(request)[0], judge.show(request)[0])
    for why, n in counts.items():
        print("%d of %d differ as differences.json says: %s" % (n, count, why))
    print("%d of %d differ otherwise" % (len(found), count))
    return found


def page(engines, all_scores):
    """The scores as Markdown."""
    names = [e.name for e in engines]
    lines = ["# Terminals beside each other", "",
             "Made by `tests/oracle/oracle.py BIN_FOLDER scores`. Each figure is looks (rows and cursor) that are as real xterm shows",
             "them, of all. Versions: " + ", ".join("%s (%s)" % (e.name, e.version()) if e.version() else e.name for e in engines) + ".",
             "The judged cases also hold attributes, modes, replies and history: of all 264 smartcli has 264 right (tests/unit/terminal),",
             "libtsm 4.0.2 155.", "", "| what | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    groups = []
    for scores in all_scores:
        groups += [g for g in scores[names[0]] if g not in groups]
    totals = {name: [0, 0] for name in names}
    for group in groups:
        cells = []
        for name in names:
            alike = sum(s[name][group][0] for s in all_scores)
            of = sum(s[name][group][1] for s in all_scores)
            totals[name][0] += alike
            totals[name][1] += of
            cells.append("%d / %d" % (alike, of))
        lines.append("| %s | %s |" % (group, " | ".join(cells)))
    lines.append("| **all** | " + " | ".join("**%d / %d**" % tuple(totals[name]) for name in names) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("what", choices=["cases", "streams", "programs", "random", "scores"])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--expect", help="NAME=N: the engine has so many looks as the judge shows them, no more and no fewer")
    parser.add_argument("--engines", default="xterm,xterm.js,tmux,libtsm")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    engines = make_engines(args.bin, args.engines.split(","))
    try:
        if args.what == "random":
            return 1 if random_differences(engines, args.count, args.seed) else 0
        makers = {"cases": [handed_cases], "streams": [recorded_streams], "programs": [fresh_programs],
                  "scores": [handed_cases, recorded_streams, fresh_programs, lambda: (
                      ("random %d" % n, "random sequences", request_of(tokens))
                      for n, tokens in enumerate(tokens_of(args.seed, args.count)))]}[args.what]
        results = [compare(engines, make(), args.verbose) for make in makers]
        text = page(engines, [scores for scores, _ in results])
        if args.file:
            with open(args.file, "w", encoding="utf-8") as out:
                out.write(text)
        print(text)
        if args.expect:
            name, wanted = args.expect.split("=")
            got = sum(n for scores, _ in results for n, _ in scores[name].values())
            if got != int(wanted):
                print("oracle: %s has %d, not %s: our screen changed, or its" % (name, got, wanted))
            return 0 if got == int(wanted) else 1
        # A screen of a moment is not the same twice: what was recorded now is compared, and not held against the list.
        names = {"%s %d" % (name, n) for scores, differ in results for name, n, _, _ in differ
                 if not name.startswith("random")}
        known = {d["case"] for d in known_differences() if "case" in d}
        if args.what in ("cases", "scores"):
            for name in sorted(known - names):
                print("oracle: in differences.json, and not different any more: %s" % name)
        for name in sorted(names - known):
            print("oracle: ours differs from xterm, and differences.json does not say why: %s" % name)
        return 1 if names - known or (args.what == "scores" and known - names) else 0
    finally:
        for engine in engines:
            engine.close()


def tokens_of(seed, count):
    grammar = Grammar(seed)
    return [grammar.tokens() for _ in range(count)]


if __name__ == "__main__":
    sys.exit(main())
