#!/usr/bin/python3
"""contract.py BIN TRACES TESTS: what the integration tests said to the daemon, held against `smartcli schema`.

TRACES is the folder of what they recorded (tests/support/trace.hpp), read and then emptied; TESTS lists their names. Every
reply has to match its method's schema, and so has every request that was accepted. And every method, field, option, limit,
error code and exit status has to have been met: names that no test reaches are listed.
"""

import json
import os
import subprocess
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit("contract: needs python3-jsonschema (packaging/dependencies)")

# What nothing can reach yet, and what will. A row that was reached has to go: the table cannot go stale.
LATER = {
    "error mouse_off": "click, mouse, scroll",
    "error nothing_to_scroll": "scroll",
    "error draft_present": "run, attach",
    "error not_at_prompt": "run",
    "error echo_is_on": "send_secret",
    "error sandbox_unavailable": "spawn --sandbox",
    "field hello.token": "daemon start --tcp",
    "limit clipboard_bytes": "clipboard",
}


class Contract:
    def __init__(self, schema):
        self.schema = schema
        self.methods = {m["name"]: m for m in schema["methods"]}
        self.requests = {n: Draft202012Validator(m["request"]) for n, m in self.methods.items()}
        self.replies = {n: Draft202012Validator(m["reply"]) for n, m in self.methods.items()}
        self.broken = {}  # what is wrong -> the first message
        self.reached = set()
        self.tests = set()
        self.checked = set()

    def read(self, path):
        asked = {}
        test = "?"
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    row = json.loads(line)
                except ValueError:
                    continue  # the last line of a client that was killed
                if row["dir"] == "test":
                    test = row["name"]
                    self.tests.add(test)
                elif row["dir"] == "cli":
                    self.command(row["argv"], row["status"])
                elif row["dir"] == "limit":
                    self.reached.add("limit " + row["name"])
                elif row["dir"] == "error":
                    self.error(row)
                elif not isinstance(row["message"], dict):
                    continue
                else:
                    peer = row.get("pid", "wire %s" % row.get("connection"))
                    key = peer, json.dumps(row["message"].get("id"))
                    if row["dir"] == "out":
                        asked[key] = row["message"]
                    else:
                        self.reply(asked.pop(key, None), row["message"], test)

    def reply(self, request, reply, test):
        if "error" in reply:
            self.error(reply["error"].get("data", {}))
            return
        if request is None or request.get("method") not in self.methods:
            return
        name = request["method"]
        params = request.get("params", {})
        self.reached.add("method " + name)
        self.check(self.replies[name], reply.get("result"), "reply of " + name, test)
        properties = self.methods[name]["request"]["properties"]
        if name == "hello":  # a newer client's fields are skipped
            params = {k: v for k, v in params.items() if k in properties}
            known = properties["protocol"]["properties"]
            params["protocol"] = {k: v for k, v in params["protocol"].items() if k in known}
        params = {k: v for k, v in params.items() if v is not None}  # null: left out
        self.check(self.requests[name], params, "accepted request of " + name, test)
        for field, value in params.items():
            if field in properties and value != properties[field].get("default"):
                self.reached.add("field %s.%s" % (name, field))

    def check(self, validator, value, what, test):
        text = what + json.dumps(value, sort_keys=True)
        if text in self.checked:
            return
        self.checked.add(text)
        for error in validator.iter_errors(value):
            where = "".join("." + str(part) if isinstance(part, str) else "[]" for part in error.absolute_path)
            key = "%s: '%s' %s" % (what, where.lstrip("."), error.message[:200])
            self.broken.setdefault(key, "%s\n    in the test '%s'" % (json.dumps(value)[:400], test))

    def error(self, data):
        self.reached.add("error " + str(data.get("code")))
        self.reached.add("limit " + str(data.get("detail")))

    def command(self, argv, status):
        known = {row["status"] for row in self.schema["exit_statuses"]}
        text = str(status)
        self.reached.add("exit status " + text)
        words = set(argv[: argv.index("--")] if "--" in argv else argv)
        if argv[:1] == ["spawn"] and "--wait" in words and (text not in known or 0 < status < 124):
            self.reached.add("exit status N")
        if status == 2:
            return
        for method in self.methods.values():
            if not method["is_command"] or argv[: len(method["command"].split())] != method["command"].split():
                continue
            for word in words:
                self.reached.add("option %s %s" % (method["command"], word.split("=")[0]))

    def promised(self):
        for method in self.methods.values():
            yield "method " + method["name"]
            for field in method["request"]["properties"]:
                yield "field %s.%s" % (method["name"], field)
            # Options of fields are those fields; which of its names was typed is no matter, but these have no field.
            for option in method["client_options"]:
                names = ["option %s %s" % (method["command"], name) for name in option["options"]]
                yield next((name for name in names if name in self.reached), names[0])
        for row in self.schema["limits"]:
            yield "limit " + row["name"]
        for row in self.schema["errors"]:
            yield "error " + row["code"]
        for row in self.schema["exit_statuses"]:
            yield "exit status " + row["status"]


def main(programs, traces, tests):
    client = os.path.join(programs, "smartcli")
    contract = Contract(json.loads(subprocess.run([client, "schema", "--json"], check=True, capture_output=True).stdout))
    # What an earlier build's tests recorded says nothing of this one.
    built = max(os.stat(os.path.join(programs, name)).st_mtime for name in ("smartcli", "smartclid"))
    files = sorted(os.path.join(traces, name) for name in (os.listdir(traces) if os.path.isdir(traces) else []))
    for path in files:
        if os.stat(path).st_mtime >= built:
            contract.read(path)
        os.unlink(path)

    failures = ["%s\n    %s" % item for item in sorted(contract.broken.items())]
    failures += ["reached, though its row in LATER says: with %s" % LATER[name] + " (" + name + ")"
                 for name in sorted(LATER.keys() & contract.reached)]
    with open(tests, encoding="utf-8") as names:
        expected = {name.rstrip("\n") for name in names} - {""}
    missing = expected - contract.tests
    promised = list(contract.promised())
    unmet = [name for name in promised if name not in contract.reached and name not in LATER]
    if missing:
        # `ctest -R` runs some tests: what those did not reach is no fault.
        print("contract: %d of %d integration tests did not run, so that coverage does not count"
              % (len(missing), len(expected)))
    else:
        failures += ["no test reaches: " + name for name in unmet]
    failures += ["LATER has what the schema has not: " + name for name in sorted(LATER.keys() - set(promised))]
    for failure in failures:
        print("contract: " + failure)
    print("contract: %d messages and values differ from each other, %d of %d promises met, %d later, %d failures"
          % (len(contract.checked), len(set(promised) & contract.reached), len(promised), len(LATER), len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
