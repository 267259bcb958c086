#!/usr/bin/env python3
"""smartcli beside tmux in one run: whole processes, and a large cat to completion.

Interleaved pairs, medians, ratios (DESIGN section 5). Not a timed test: it prints, and exits 0.
usage: against_tmux.py BIN_FOLDER [PAIRS]
"""
import os, signal, statistics, subprocess, sys, tempfile, time

signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # clean up then too

bin_folder = os.path.abspath(sys.argv[1])
pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 15
work = tempfile.mkdtemp(prefix="bench-")
env = dict(os.environ, XDG_RUNTIME_DIR=work, XDG_STATE_HOME=work + "/state", TMUX_TMPDIR=work, PS1="$ ")
env.pop("TMUX", None)
smartcli = bin_folder + "/smartcli"
tmux = ["tmux", "-f", "/dev/null"]


def run(*argv):
    return subprocess.run(argv, env=env, check=True, stdout=subprocess.PIPE).stdout.decode()


def clock(argv, times=1):
    """Milliseconds of one whole process, posix_spawn to reaped."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    path = argv[0] if "/" in argv[0] else "/usr/bin/" + argv[0]
    start = time.perf_counter()
    for _ in range(times):
        os.waitpid(os.posix_spawn(path, argv, env, file_actions=quiet), 0)
    return (time.perf_counter() - start) * 1000 / times


def report(name, ours, theirs, gate, unit="ms"):
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"{name:34} smartcli {a:9.3f} {unit}   tmux {b:9.3f} {unit}   ratio {a / b:5.2f}   gate {gate}")


try:
    run(smartcli, "spawn", "-s", "b", "cat")
    run(*tmux, "new-session", "-d", "-s", "b", "-x", "80", "-y", "24", "cat")
    verbs = [
        ("send-text / send-keys", [smartcli, "send-text", "-s", "b", "x"], [*tmux, "send-keys", "-t", "b", "-l", "x"], "0.60"),
        ("snapshot / capture-pane", [smartcli, "snapshot", "-s", "b"], [*tmux, "capture-pane", "-p", "-t", "b"], "0.60"),
    ]
    for name, ours, theirs, gate in verbs:
        clock(ours, 20), clock(theirs, 20)
        samples = [(clock(ours, 10), clock(theirs, 10)) for _ in range(pairs)]
        report(name, [s[0] for s in samples], [s[1] for s in samples], gate)

    big = work + "/big"
    with open(big, "wb") as out:
        line = b"".join(b"%08d the quick brown fox jumps over the lazy dog, line after line\r\n" % n for n in range(16384))
        while out.tell() < 100_000_000:
            out.write(line)

    def cat_smartcli(n):
        start = time.perf_counter()
        run(smartcli, "spawn", "-s", f"cat{n}", "cat", big)
        run(smartcli, "wait-exit", "-s", f"cat{n}")
        took = time.perf_counter() - start
        run(smartcli, "close", "-s", f"cat{n}")
        return took * 1000

    def cat_tmux(n):
        start = time.perf_counter()
        run(*tmux, "new-session", "-d", "-s", f"cat{n}", "-x", "80", "-y", "24", f"cat {big}; tmux wait-for -S cat{n}")
        run(*tmux, "wait-for", f"cat{n}")
        return (time.perf_counter() - start) * 1000

    def cat_bare(_):
        start = time.perf_counter()
        pid, master = os.forkpty()
        if pid == 0:
            os.execvp("cat", ["cat", big])
        try:
            while os.read(master, 65536):
                pass
        except OSError:
            pass
        os.waitpid(pid, 0)
        os.close(master)
        return (time.perf_counter() - start) * 1000

    samples = [(cat_smartcli(n), cat_tmux(n), cat_bare(n)) for n in range(max(9, pairs // 2) if pairs >= 9 else pairs)]
    ours, theirs, bare = ([s[k] for s in samples] for k in range(3))
    report("cat of 100 MB", ours, theirs, "1.00 (0.70)")
    print(f"{'cat of 100 MB, bare drain':34} {statistics.median(bare):27.3f} ms   smartcli / bare "
          f"{statistics.median(ours) / statistics.median(bare):5.2f}   gate 1.30")
finally:
    subprocess.run([smartcli, "daemon", "stop", "--end-sessions"], env=env, stdout=subprocess.DEVNULL)
    subprocess.run([*tmux, "kill-server"], env=env, stderr=subprocess.DEVNULL)
    subprocess.run(["rm", "-rf", work])
