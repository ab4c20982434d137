# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the interop tests: processes, ports, bounded waits, a node, an application.

A program names its peer and its cases, and ends with `sys.exit(run(...))`. Every wait polls a
condition and has a limit; every process is ended by its own id.
"""

import argparse
import hashlib
import json
import os
import pathlib
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
from ports import free_port  # noqa: E402,F401

PEERS = pathlib.Path(os.environ.get("FARLINK_PEERS")
                     or pathlib.Path.home() / ".cache/farlink-peers")
PYTHON = PEERS / "python/bin/python"
SKIPPED = 77  # ctest shows it as skipped

NODE = 10  # farlink
APPLICATION = 1  # ours, behind the node
PEER = 2  # theirs
LOCALHOST = "127.0.0.1"
SIZES = (1, 100, 1_000, 60_000, 1_000_000, 10_000_000)
LIMIT_S = 30


class Failure(Exception):
    """A case has failed."""


def wait_for(what, condition, limit_s=LIMIT_S):
    """The first true result of condition(); raises Failure at the limit."""
    end = time.monotonic() + limit_s
    pause = 0.002
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise Failure(f"waited {limit_s} s for {what}")
        select.select([], [], [], pause)
        pause = min(2 * pause, 0.05)


def check(condition, what):
    if not condition:
        raise Failure(what)


def accepts(port):
    """Whether a program listens on the TCP port; opens one connection and sends nothing."""
    with socket.socket() as probe:
        return probe.connect_ex((LOCALHOST, port)) == 0


def payload_of(size):
    """Printable octets without repetition: the interface of one peer carries text only."""
    return hashlib.shake_128(str(size).encode()).hexdigest((size + 1) // 2)[:size].encode()


class Process:
    """A program of its own with its output in a file."""

    def __init__(self, name, arguments, folder, **options):
        self.name = name
        self.log = pathlib.Path(folder) / f"{name}.log"
        self._sink = open(self.log, "wb")
        self._process = subprocess.Popen(
            [str(word) for word in arguments], stdin=options.pop("stdin", subprocess.DEVNULL),
            stdout=options.pop("stdout", self._sink), stderr=self._sink, cwd=folder,
            start_new_session=True, **options)
        self.stdin = self._process.stdin
        self.stdout = self._process.stdout

    def said(self):
        return self.log.read_text(errors="replace")

    def wait_said(self, text, limit_s=LIMIT_S):
        """Waits for a whole line with the text: its beginning may arrive before the rest."""
        def heard():
            ended = not self.running()
            lines = self.said().rpartition("\n")[0]
            check(text in lines or not ended, f"{self.name} ended:\n{self.tail()}")
            return text in lines
        wait_for(f"{self.name} to say '{text}'", heard, limit_s)

    def tail(self, lines=25):
        return "\n".join(f"    {self.name}| {line[:300]}"
                         for line in self.said().splitlines()[-lines:])

    def running(self):
        return self._process.poll() is None

    def wait(self, limit_s=LIMIT_S):
        """The exit code."""
        wait_for(f"{self.name} to end", lambda: not self.running(), limit_s)
        return self._process.returncode

    def end(self, signal_number=signal.SIGTERM, limit_s=15):
        """Signals it and waits; the exit code, or None when it had to be killed."""
        code = None
        if self.running():
            self._process.send_signal(signal_number)
        try:
            code = self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._sink.close()
        return code


class Node(Process):
    """A farlink node. `inducts` and `outducts` are the JSON of its links."""

    def __init__(self, case, inducts, outducts, **settings):
        config = {"myNodeId": NODE, "inductsConfig": inducts, "outductsConfig": outducts,
                  "storageConfig": {"storeFilePath": "store"}, **settings}
        path = case.folder / "farlink.json"
        path.write_text(json.dumps(config, indent=2))
        super().__init__("farlink", [case.program("farlink"), "--config", path, "--counters"],
                         case.folder, stdout=subprocess.PIPE)
        self.counters = {}
        self.ports = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        wait_for("farlink to be ready", self._ready)

    def _ready(self):
        check(self.running(), f"farlink did not start:\n{self.tail()}")
        return self.ports

    def _read(self):
        for line in self.stdout:
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if "ports" in said:
                self.ports = said["ports"]
            else:
                self.counters = said

    def value(self, name):
        return self.counters.get(name, 0)

    def departures(self):
        """The protocol deviations of peers: name and count."""
        found = {}
        for name, value in self.counters.items():
            kind = name.partition("_departure_")[2]
            if kind and value:
                found[kind] = found.get(kind, 0) + value
        return found

    def wait_for_delivery(self, bundles):
        """Waits until this many bundles have arrived and all of them have left."""
        wait_for("the node to have counted everything",
                 lambda: self.value("ingress_received") >= bundles and
                 self.value("ingress_in_flight") == 0 and
                 self.value("storage_stored_now") == 0)

    def stop(self):
        """Stops it by SIGTERM: its ledger must balance."""
        code = self.end()
        self._reader.join(LIMIT_S)  # the last counters
        check(code == 0, f"farlink ended with {code}:\n{self.tail()}")
        said = self.said()
        check("balanced" in said and "NOT balanced" not in said,
              f"the ledger does not balance:\n{self.tail()}")


def _receive(connection, size):
    octets = bytearray()
    while len(octets) < size:
        piece = connection.recv(min(size - len(octets), 1 << 20))
        if not piece:
            return None
        octets += piece
    return bytes(octets)


class Application:
    """Node 1 over STCP (a length of four octets before each bundle): sends whole bundles to the
    node, keeps those that the node sends."""

    def __init__(self):
        self._listener = socket.create_server((LOCALHOST, 0))
        self.port = self._listener.getsockname()[1]
        self.bundles = []
        self._sender = None
        threading.Thread(target=self._accept, daemon=True).start()

    def outduct(self):
        """The node's link to it."""
        return {"url": f"stcp://{LOCALHOST}:{self.port}", "nextHopNodeId": APPLICATION,
                "reconnectMaxMilliseconds": 200}

    def connect(self, port):
        self._sender = socket.create_connection((LOCALHOST, port))

    def send(self, bundle):
        self._sender.sendall(struct.pack(">I", len(bundle)) + bundle)

    def next(self, what="a bundle at the application", limit_s=LIMIT_S):
        wait_for(what, lambda: self.bundles, limit_s)
        return self.bundles.pop(0)

    def close(self):
        for one in (self._sender, self._listener):
            if one is not None:
                one.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def _read(self, connection):
        with connection:
            while (length := _receive(connection, 4)) is not None:
                bundle = _receive(connection, struct.unpack(">I", length)[0])
                if bundle is None:
                    return
                if bundle:  # else a keepalive
                    self.bundles.append(bundle)


class Case:
    """One case of a program: a folder for its files, and its processes, which end with it."""

    def __init__(self, bin_folder, folder):
        self.bin = bin_folder
        self.folder = folder
        self.started = []
        self.notes = []

    def program(self, name):
        return self.bin / name

    def start(self, name, arguments, **options):
        process = Process(name, arguments, self.folder, **options)
        self.started.append(process)
        return process

    def node(self, inducts, outducts, **settings):
        node = Node(self, inducts, outducts, **settings)
        self.started.append(node)
        return node

    def application(self):
        application = Application()
        self.started.append(application)
        return application

    def note_departures(self, node):
        """Adds the deviations that the node tolerated to the case's result."""
        self.notes += [f"{name} {count}" for name, count in node.departures().items()]

    def close(self):
        for one in reversed(self.started):
            one.end() if isinstance(one, Process) else one.close()

    def tails(self):
        return "\n".join(one.tail() for one in self.started if isinstance(one, Process))


def installed(peer):
    """The version of an installed peer; None when it is not installed. See tools/peers.txt."""
    stamp = PEERS / "installed" / peer
    return stamp.read_text().strip() if stamp.exists() else None


def skip_reason(peer):
    reason = PEERS / "missing" / peer
    if reason.exists():
        return reason.read_text().strip()
    return "it is not installed: ./farlink-dev interop installs it"


def enter_python():
    """Continues in the Python with the peers' packages, or ends as skipped without them."""
    if installed("pyd3tn") is None:
        print(f"SKIPPED pyd3tn, which makes the bundles: {skip_reason('pyd3tn')}")
        sys.exit(SKIPPED)
    if pathlib.Path(sys.executable) != PYTHON:
        os.execv(PYTHON, [str(PYTHON), *sys.argv])


def run(peer, cases):
    """Runs the cases, `(name, function of a Case)`; the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder")
    parser.add_argument("--only", default="", help="only cases with this in their name")
    options = parser.parse_args()
    if installed(peer) is None:
        print(f"SKIPPED {peer}: {skip_reason(peer)}")
        return SKIPPED
    title = f"{peer} {installed(peer)}"
    failures = 0
    for name, function in cases:
        if options.only in name:
            failures += not _run_case(title, name, function, (options.build / "bin").resolve())
    print(f"{title}: {len(cases)} cases, {failures} failed")
    return 1 if failures else 0


def _run_case(title, name, function, bin_folder):
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="farlink-interop-") as folder:
        case = Case(bin_folder, pathlib.Path(folder))
        fault = ""
        try:
            function(case)
        except Failure as failure:
            fault = f"{failure}\n{case.tails()}"
        except Exception:  # pylint: disable=broad-except
            fault = f"{traceback.format_exc()}\n{case.tails()}"
        finally:
            case.close()
        notes = "".join(f"; {note}" for note in case.notes)
        print(f"{'FAILED' if fault else 'ok    '} {title}: {name}{notes} "
              f"({time.monotonic() - begun:.1f} s)", flush=True)
        if fault:
            print(fault, flush=True)
        return not fault
