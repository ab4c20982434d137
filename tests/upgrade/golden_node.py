# SPDX-License-Identifier: Apache-2.0
"""A node whose files are kept in this folder, and how it is started, asked and ended.

The tests read what an earlier version wrote; `make.py` writes it, once a version.
"""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools"))
from program import Program, api_url, latest_json  # noqa: E402

LIMIT_S = 30
CONFIG = "farlink.json"
SINK_PORT = "4558"  # in the configuration that is kept; a test puts its own in place of it


def versions():
    """The folders with what earlier versions wrote."""
    return sorted(path for path in HERE.iterdir() if (path / CONFIG).is_file())


def copy_of(golden, folder, sink_port):
    """A copy to start a node in, whose neighbour listens at another port."""
    shutil.copytree(golden, folder, dirs_exist_ok=True)
    text = (folder / CONFIG).read_text(encoding="utf-8")
    (folder / CONFIG).write_text(text.replace(f":{SINK_PORT}", f":{sink_port}"), encoding="utf-8")
    for path in folder.rglob("*"):  # git keeps no modes
        path.chmod(0o700 if path.is_dir() else 0o600)


def metric_families(text):
    """"name type" of each family in Prometheus' text format."""
    return {line.removeprefix("# TYPE ") for line in text.splitlines()
            if line.startswith("# TYPE ")}


def contents(folder):
    """path: octets of each file."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


class Sink:
    """A bpsink, the neighbour 2."""

    def __init__(self, programs):
        self.program = Program("bpsink", [
            f"{programs}/bpsink", "--eid", "ipn:2.1", "--listen", "stcp://127.0.0.1:0", "--json",
            "--progress"])
        self.port = self.program.wait_line(
            self.program.err, lambda line: int(line.rsplit(":", 1)[1])
            if line.startswith("listening on") else None, LIMIT_S)

    def wait_for(self, count):
        def complete(line):
            found = json.loads(line) if line.startswith("{") else {}
            return True if found.get("received", 0) >= count else None
        self.program.wait_line(self.program.err, complete, LIMIT_S)

    def end(self):
        self.program.end(signal.SIGTERM, LIMIT_S)
        return latest_json(self.program.out, {})


class Node:
    """farlink in a folder that holds its configuration."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.program = Program("farlink", [f"{programs}/farlink", "--counters", "--config",
                                           str(folder / CONFIG)])
        url = self.program.wait_line(self.program.err, api_url, LIMIT_S)
        self.api_port = int(re.search(r":(\d+)", url.split("//")[1])[1])
        self.port = self.program.wait_line(
            self.program.out, lambda line: json.loads(line).get("ports", [None])[0], LIMIT_S)

    def ctl(self, *words):
        """farlinkctl's reply as JSON."""
        done = subprocess.run(
            [f"{self.programs}/farlinkctl", *words, "--json", "--config",
             str(self.folder / CONFIG)], capture_output=True, text=True, check=False,
            timeout=LIMIT_S)
        if done.returncode != 0:
            raise AssertionError(f"farlinkctl {' '.join(words)}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def ask(self, method, target, token):
        connection = http.client.HTTPConnection("127.0.0.1", self.api_port, timeout=LIMIT_S)
        try:
            connection.request(method, target, headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def metrics(self, tokens):
        status, text = self.ask("GET", "/metrics", tokens["read"])
        assert status == 200, text
        return text.decode()

    def end(self):
        return self.program.end(signal.SIGTERM, LIMIT_S)


def programs_of(build):
    return os.path.join(os.path.abspath(build), "bin")
