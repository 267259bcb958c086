#!/usr/bin/env python3
"""How fast a wait reacts, and what waits cost (DESIGN section 5).

1. wait_regex from the byte's write to the reply in the client, beside a bare read loop on a terminal of its own.
2. A flooding session alone, with one wait and with WAITS different ones: throughput, and latency of other requests.

usage: waits.py BIN_FOLDER [WAITS]
"""
import json, os, pty, re, signal, socket, subprocess, sys, tempfile, time, tty

signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # clean up then too

bin_folder = os.path.abspath(sys.argv[1])
waits = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
work = tempfile.mkdtemp(prefix="bench-")
env = dict(os.environ, XDG_RUNTIME_DIR=work, XDG_STATE_HOME=work + "/state", SMARTCLI_JOURNAL_BYTES="4194304")
smartcli = bin_folder + "/smartcli"
rounds = 400
# Answers each line that it reads with the time of its own write, in ns.
teller = ("import sys,time\n"
          "for line in sys.stdin: sys.stdout.write('at %d.\\n' % time.clock_gettime_ns(time.CLOCK_MONOTONIC)); "
          "sys.stdout.flush()")


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


class Wire:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(work + "/smartcli/daemon.sock")
        self.file = self.socket.makefile("rb")
        self.id = 0
        self.call("hello", client="bench", protocol={"min": 1, "max": 1})

    def send(self, method, **params):
        self.id += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        self.socket.sendall(line.encode() + b"\n")

    def receive(self):
        reply = json.loads(self.file.readline())
        if "error" in reply:
            raise SystemExit(reply["error"])
        return reply["result"]

    def call(self, method, **params):
        self.send(method, **params)
        return self.receive()


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(len(values) * q))]


def show(name, values):
    print(f"{name:34} p50 {quantile(values, .5):7.3f} ms   p99 {quantile(values, .99):7.3f} ms   max {max(values):7.3f} ms")


def bare_loop():
    pid, master = pty.fork()
    if pid == 0:
        os.execvp("python3", ["python3", "-c", teller])
    took, text = [], b""
    tty.setraw(master)
    for _ in range(rounds):
        time.sleep(0.002)
        os.write(master, b"x\n")
        while not (found := re.search(rb"at (\d+)\.", text)):
            text += os.read(master, 4096)
        took.append((now() - int(found[1])) / 1e6)
        text = text[found.end():]
    os.close(master)
    os.waitpid(pid, 0)
    return took


def reaction(wire):
    """The time is taken when the reply's line has arrived, before it is looked into."""
    wire.call("spawn", sid="teller", argv=["python3", "-c", teller], environment=["PATH=" + os.environ["PATH"]])
    other = Wire()
    took = []
    for _ in range(rounds):
        time.sleep(0.002)
        fence = other.call("status", sid="teller")["revision"]
        wire.send("wait_regex", sid="teller", pattern=r"at (\d+)\.", after=fence)
        other.call("version")  # the wait is under way
        other.call("send_line", sid="teller", text="x")
        line = wire.file.readline()
        arrived = now()
        took.append((arrived - int(json.loads(line)["result"]["match"]["groups"][0])) / 1e6)
    return took


def throughput(wire, seconds, flood):
    first, began = wire.call("status", sid=flood)["offset"], time.perf_counter()
    took = []
    while time.perf_counter() - began < seconds:
        time.sleep(0.003)
        for method, params in (("version", {}), ("list", {}), ("snapshot", {"sid": "quiet"})):
            start = time.perf_counter()
            wire.call(method, **params)
            took.append((time.perf_counter() - start) * 1000)
    moved = wire.call("status", sid=flood)["offset"] - first
    return moved / (time.perf_counter() - began) / 1e6, took


try:
    subprocess.run([smartcli, "daemon", "start"], env=env, check=True, stdout=subprocess.DEVNULL)
    wire = Wire()
    show("bare read loop", bare_loop())
    show("wait_regex", reaction(wire))
    wire.call("spawn", sid="quiet", argv=["cat"], environment=["PATH=/usr/bin:/bin"])
    for name, argv in (("yes", ["yes"]), ("seq", ["seq", "inf"]), ("wide", ["yes", "x" * 200])):
        wire.call("spawn", sid=name, argv=argv, environment=["PATH=/usr/bin:/bin"])
        alone, latency = throughput(wire, 2, name)
        show(f"others beside {name}", latency)
        for n in (1, waits):
            waiting = Wire()
            for i in range(n):
                waiting.send("wait_regex", sid=name, pattern=f"never {i} [a-z]+ing$", timeout_ms=600000)
            wire.call("version")
            while wire.call("daemon_status")["waits"] < n:
                time.sleep(0.01)
            loaded, latency = throughput(wire, 2, name)
            show(f"others beside {name} and {n} waits", latency)
            print(f"{name}: {alone:.1f} MB/s alone, {loaded:.1f} MB/s with {n} waits: {loaded / alone:.2f} (gate 0.5)")
            waiting.socket.close()
        wire.call("close", sid=name)
finally:
    subprocess.run([smartcli, "daemon", "stop", "--end-sessions"], env=env, stdout=subprocess.DEVNULL)
    subprocess.run(["rm", "-rf", work])
