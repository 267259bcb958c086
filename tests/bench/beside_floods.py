#!/usr/bin/env python3
"""Latency of requests beside flooding sessions, over one connection (DESIGN section 5: p99 20 ms).

usage: beside_floods.py BIN_FOLDER [FLOODS] [REQUESTS]
"""
import json, os, signal, socket, subprocess, sys, tempfile, time

signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # clean up then too

bin_folder = os.path.abspath(sys.argv[1])
floods = int(sys.argv[2]) if len(sys.argv) > 2 else 20
count = int(sys.argv[3]) if len(sys.argv) > 3 else 500
work = tempfile.mkdtemp(prefix="bench-")
env = dict(os.environ, XDG_RUNTIME_DIR=work, XDG_STATE_HOME=work + "/state", SMARTCLI_JOURNAL_BYTES="4194304",
           SMARTCLI_MAX_SESSIONS="200")
smartcli = bin_folder + "/smartcli"


class Wire:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(work + "/smartcli/daemon.sock")
        self.file = self.socket.makefile("rb")
        self.id = 0
        self.call("hello", client="bench", protocol={"min": 1, "max": 1})

    def call(self, method, **params):
        self.id += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        self.socket.sendall(line.encode() + b"\n")
        reply = json.loads(self.file.readline())
        if "error" in reply:
            raise SystemExit(f"{method}: {reply['error']}")
        return reply["result"]


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(len(values) * q))]


try:
    subprocess.run([smartcli, "daemon", "start"], env=env, check=True, stdout=subprocess.DEVNULL)
    wire = Wire()
    wire.call("spawn", sid="quiet", argv=["cat"], environment=["PATH=/usr/bin:/bin"])
    for n in range(floods):
        wire.call("spawn", sid=f"yes{n}", argv=["yes"], environment=["PATH=/usr/bin:/bin"])
    verbs = {
        "version": lambda: wire.call("version"),
        "list": lambda: wire.call("list"),
        "snapshot": lambda: wire.call("snapshot", sid="quiet"),
        "snapshot of a flood": lambda: wire.call("snapshot", sid="yes0"),
        "send_text": lambda: wire.call("send_text", sid="quiet", text="x"),
    }
    before = {n: wire.call("status", sid=f"yes{n}")["offset"] for n in range(floods)}
    began = time.perf_counter()
    for name, verb in verbs.items():
        took = []
        for _ in range(count):
            time.sleep(0.003)  # a client that comes back at some moment, not within one lull
            start = time.perf_counter()
            verb()
            took.append((time.perf_counter() - start) * 1000)
        print(f"{name:22} beside {floods} floods: p50 {quantile(took, .5):7.2f} ms   p99 {quantile(took, .99):7.2f} ms   "
              f"max {max(took):7.2f} ms   gate p99 20 ms")
    span = time.perf_counter() - began
    moved = [wire.call("status", sid=f"yes{n}")["offset"] - before[n] for n in range(floods)]
    if moved:
        print(f"floods: {sum(moved) / span / 1e6:.1f} MB/s in all, least {min(moved) / 1e6:.1f} MB, most {max(moved) / 1e6:.1f} MB")
finally:
    subprocess.run([smartcli, "daemon", "stop", "--end-sessions"], env=env, stdout=subprocess.DEVNULL)
    subprocess.run(["rm", "-rf", work])
