# SPDX-License-Identifier: Apache-2.0
"""A real node with an HTTP API for a test, and the start of such a test."""
import argparse
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from program import Program, api_url  # noqa: E402

LIMIT_S = 20
#: Whether the test has mounts of its own: "yes" or "no".
INSIDE = "FARLINK_TEST_MOUNTS"


def skip_or_run_again(missing):
    """Uses Debian's Python, which has Debian's packages and need not be the first in PATH."""
    debian = "/usr/bin/python3"
    if sys.executable != debian and os.access(debian, os.X_OK):
        os.execv(debian, [debian, *sys.argv])
    print(f"skipped: {missing}; tools/packages.txt names the packages")
    sys.exit(77)


def enter_mounts():
    """Goes on with mounts of its own, if the system grants them."""
    if os.environ.get(INSIDE):
        return
    command = ["unshare", "--mount", "--"]
    granted = subprocess.run([*command, "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
                             capture_output=True, check=False)
    os.environ[INSIDE] = "yes" if granted.returncode == 0 else "no"
    if granted.returncode == 0:
        os.execvp(command[0], [*command, sys.executable, *sys.argv])


def main(what):
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--build", required=True)
    options, rest = parser.parse_known_args()
    Node.programs = os.path.join(os.path.abspath(options.build), "bin")
    unittest.main(argv=[sys.argv[0], *rest])


class Node:
    """A node in a folder of its own, with a token for each role."""

    programs = ""  # the folder with them

    def __init__(self, api=None, contacts=None, options=(), more=None, folder=None,
                 settings=None):
        """A folder that is given stays; settings replace those of below."""
        self.folder = None if folder else tempfile.TemporaryDirectory(prefix="farlink-api-")
        self.path = pathlib.Path(folder or self.folder.name)
        self.operate = self.token("operate", "op")
        self.read = self.token("read", "reader")
        contacts = contacts if contacts is not None else [
            {"contact": 1, "source": 10, "dest": 20, "startTime": 0, "endTime": 3600,
             "rateBitsPerSec": 1_000_000, "owlt": 1.5}]
        self.prepare()
        (self.path / "plan.json").write_text(json.dumps({"contacts": contacts}))
        config = settings or {
            "myNodeId": 10,
            "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
            "outductsConfig": [{"url": "stcp://127.0.0.1:1", "nextHopNodeId": 20},
                               {"url": "tcpclv4://127.0.0.1:1", "nextHopNodeId": 30}],
            "storageConfig": {"storeFilePath": "store"},
            "contactPlanFile": "plan.json",
            "api": {"listen": "127.0.0.1:0", "tokensFile": "tokens.json", **(api or {})},
            **(more or {})}
        (self.path / "node.json").write_text(json.dumps(config))
        self.program = Program("farlink", [f"{self.programs}/farlink", "--counters", "--config",
                                           str(self.path / "node.json"), *options])
        self.url = self.program.wait_line(self.program.err, api_url, LIMIT_S)
        self.port = int(self.url.rstrip("/").rsplit(":", 1)[1])
        self.program.wait_line(self.program.out,
                               lambda line: True if "ready" in line else None, LIMIT_S)

    def prepare(self):
        """For files that its configuration names."""

    def token(self, role, name):
        return subprocess.run(
            [f"{self.programs}/farlinkctl", "tokens", "make", "--role", role, "--name", name,
             "--file", str(self.path / "tokens.json")], check=True, capture_output=True,
            text=True).stdout.strip()

    def ask(self, method, target, body=None, token=None, headers=None):
        """Status, headers and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        sent = dict(headers or {})
        if token:
            sent["Authorization"] = "Bearer " + token
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, (str, bytes)) else json.dumps(body)
        try:
            connection.request(method, target, body, sent)
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def process_of(self, module):
        """The process of a module, of a node that is isolated."""
        own = self.program.process.pid
        for child in pathlib.Path(f"/proc/{own}/task/{own}/children").read_text().split():
            words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if b"--modules" in words and words[words.index(b"--modules") + 1] == module.encode():
                return int(child)
        raise RuntimeError(f"no process of {module}")

    def kill(self, module):
        os.kill(self.process_of(module), signal.SIGKILL)

    def end(self):
        code = self.program.end(signal.SIGTERM, LIMIT_S)
        if self.folder:
            self.folder.cleanup()
        return code

    def audit(self):
        text = (self.path / "farlink-state-10" / "audit.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]
