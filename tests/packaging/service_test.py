#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A service manager hears of a node when it is ready, that it works, and when it ends."""

import contextlib
import json
import os
import signal
import socket
import subprocess

from support import MODULES, check, main

LIMIT_S = 20


class Service:
    """A process of farlink, started as systemd does, and what it tells."""

    def __init__(self, build, folder, name, modules):
        self.name, path = name, folder / f"notify-{name}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.settimeout(LIMIT_S)
        environment = {**os.environ, "NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "400000"}
        environment.pop("WATCHDOG_PID", None)
        self.process = subprocess.Popen(
            [build / "bin/farlink", "--config", folder / "node.json", "--modules", modules],
            stderr=subprocess.PIPE, text=True, env=environment)

    def wait_for(self, state):
        """Reads until the datagram comes; what came before it."""
        before = []
        while True:
            told = self.socket.recv(256).decode()
            if told == state:
                return before
            before.append(told)

    def wait_for_line(self, word):
        for line in self.process.stderr:
            if word in line:
                return
        raise AssertionError(f"{self.name} ended without '{word}'")

    def told(self):
        """All that has been told and was not read."""
        self.socket.setblocking(False)
        found = []
        with contextlib.suppress(BlockingIOError):
            while True:
                found.append(self.socket.recv(256).decode())
        self.socket.settimeout(LIMIT_S)
        return found

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.socket.close()


def write_config(folder):
    bus = {module: f"ipc://{folder}/{module}" for module in [*MODULES, "supervisor"]}
    config = {"myNodeId": 10, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
              "storageConfig": {"storeFilePath": "store"}, "bus": bus}
    (folder / "node.json").write_text(json.dumps(config), encoding="utf-8")


@contextlib.contextmanager
def services(build, folder, processes):
    write_config(folder)
    with contextlib.ExitStack() as stack:
        def start(name):
            service = Service(build, folder, name, processes[name])
            stack.callback(service.close)
            return service
        yield start


def a_node_tells_that_it_is_ready_works_and_ends(build, folder):
    with services(build, folder, {"node": "all"}) as start:
        node = start("node")
        node.wait_for("READY=1")
        for _ in range(3):
            node.wait_for("WATCHDOG=1")
        # A watchdog would see that the process stands still.
        node.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, node.process.pid, os.WSTOPPED | os.WNOWAIT)
        node.told()
        node.socket.settimeout(0.6)
        try:
            told = node.socket.recv(256)
        except TimeoutError:
            told = None
        check(told is None, f"stopped, it tells {told}")
        node.socket.settimeout(LIMIT_S)
        node.process.send_signal(signal.SIGCONT)
        node.wait_for("WATCHDOG=1")
        node.process.send_signal(signal.SIGTERM)
        node.wait_for("STOPPING=1")
        check(node.process.wait(LIMIT_S) == 0, "another exit code")


def processes_are_ready_when_all_are_there(build, folder):
    processes = {"control": "scheduler,router,telemetry", "traffic": "ingress,egress",
                 "storage": "storage"}
    with services(build, folder, processes) as start:
        started = [start("control"), start("traffic")]
        for service in started:
            service.wait_for_line("waiting for the processes of other modules: storage")
            check(service.told() == [], f"{service.name} is ready without storage")
        started.append(start("storage"))
        for service in started:
            service.wait_for("READY=1")
            service.wait_for("WATCHDOG=1")
        started[1].process.send_signal(signal.SIGTERM)
        for service in started:
            service.wait_for("STOPPING=1")
            check(service.process.wait(LIMIT_S) == 0, f"{service.name}: another exit code")


if __name__ == "__main__":
    main(a_node_tells_that_it_is_ready_works_and_ends, processes_are_ready_when_all_are_there)
