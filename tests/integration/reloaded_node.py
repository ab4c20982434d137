# SPDX-License-Identifier: Apache-2.0
"""A real node whose configuration a test changes and reloads, and its neighbours."""
import json
import os
import pathlib
import signal
import socket
import tempfile
import threading
import time

from api_node import LIMIT_S, Node
from program import Program


def until(done, what, limit_s=LIMIT_S):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        found = done()
        if found:
            return found
        threading.Event().wait(0.02)
    raise AssertionError(what)


class Reloaded:
    """A node whose file the test changes."""

    def __init__(self, config, options=(), plan=None):
        self.folder = tempfile.TemporaryDirectory(prefix="farlink-reload-")
        self.path = pathlib.Path(self.folder.name)
        self.file = self.path / "node.json"
        self.config = {"controlSocket": "control", "storageConfig": {"storeFilePath": "store"},
                       **config}
        if plan is not None:
            self.write_plan(plan)
            self.config["contactPlanFile"] = "plan.json"
        self.write()
        self.program = Program("farlink", [f"{Node.programs}/farlink", "--counters", "--config",
                                           str(self.file), *options])
        ready = self.program.wait_line(
            self.program.out, lambda line: json.loads(line) if '"ready"' in line else None, LIMIT_S)
        self.ports = ready["ports"]

    def write(self, **changes):
        for key, value in changes.items():
            if value is None:
                self.config.pop(key, None)
            else:
                self.config[key] = value
        self.file.write_text(json.dumps(self.config, indent=2) + "\n")

    def write_plan(self, contacts):
        (self.path / "plan.json").write_text(json.dumps({"contacts": contacts}))

    def ask(self, command, **more):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(LIMIT_S)
            client.connect(str(self.path / "control"))
            client.sendall(json.dumps({"command": command, **more}).encode() + b"\n")
            reply = b""
            while not reply.endswith(b"\n"):
                piece = client.recv(65536)
                if not piece:
                    break
                reply += piece
        return json.loads(reply)

    def reload(self, **more):
        return self.ask("reload", **more)

    def changed(self, **changes):
        """Writes the file and reloads it; the paths that have changed."""
        self.write(**changes)
        reply = self.reload()
        if not reply["ok"]:
            raise AssertionError(reply)
        return [each["path"] for each in reply["changed"]]

    def link(self, neighbour):
        for each in self.ask("status")["links"]:
            if each["neighbour"] == neighbour:
                return each
        return None

    def becomes_up(self, neighbour):
        until(lambda: (self.link(neighbour) or {}).get("up"), f"no link to {neighbour}")

    def events(self):
        return self.ask("show", path="/api/v1/events")["events"]

    def audit(self):
        text = (self.path / f"farlink-state-{self.config['myNodeId']}" / "audit.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def processor_ms(self):
        """Processor time that the node has used."""
        fields = pathlib.Path(f"/proc/{self.program.process.pid}/stat").read_text().rsplit(")", 1)
        ticks = sum(int(field) for field in fields[1].split()[11:13])
        return ticks * 1000 // os.sysconf("SC_CLK_TCK")

    def log(self):
        return "".join(self.program.err_kept)

    def end(self):
        code = self.program.end(signal.SIGTERM, 3 * LIMIT_S)
        log = self.log()
        self.folder.cleanup()
        if code != 0:
            raise AssertionError(log)


def sink(scheme="tcpclv4", node=2):
    made = Program("bpsink", [f"{Node.programs}/bpsink", "--eid", f"ipn:{node}.1", "--listen",
                              f"{scheme}://127.0.0.1:0", "--json"])
    made.port = int(made.wait_line(
        made.err, lambda line: line if line.startswith("listening on") else None,
        LIMIT_S).rsplit(":", 1)[1])
    return made


def outduct(port, node, scheme="tcpclv4", **more):
    return {"url": f"{scheme}://127.0.0.1:{port}", "nextHopNodeId": node,
            "reconnectMinMilliseconds": 10, "reconnectMaxMilliseconds": 100, **more}
