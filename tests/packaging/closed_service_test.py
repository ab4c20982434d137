#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A node works as closed in as the shipped unit has it, and by the examples of the guide.

Where systemd is PID 1, it starts the node. Elsewhere `sandbox.py` does what it can of the unit
without systemd; IPAddressDeny= is then only read by systemd-analyze.
"""

import contextlib
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time

from sandbox import values
from support import ROOT, check, install, main, run

LIMIT_S = 20
SANDBOX = ROOT / "tests/packaging/sandbox.py"
PROCESSOR = max(os.sched_getaffinity(0))
CAN_CHOOSE = len(os.sched_getaffinity(0)) > 1
BY_SYSTEMD = pathlib.Path("/run/systemd/system").is_dir() and os.geteuid() == 0


def examples():
    """The lines for `systemctl edit` in the guide."""
    text = (ROOT / "docs/guide/installing.md").read_text(encoding="utf-8")
    found = re.search(r"Stricter settings.*?```ini\n\[Service\]\n(.*?)```", text, re.DOTALL)
    check(found and "ProcSubset=pid" in found[1] and "IPAddressDeny=any" in found[1],
          "no examples in the guide")
    return found[1]


@contextlib.contextmanager
def writable_folder():
    """Of the user nobody, where the node may write. Not in /tmp, of which it has one of its own."""
    place = "/var/lib" if os.geteuid() == 0 else "/dev/shm"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="farlink-closed-", dir=place))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody", pwd.getpwnam("nobody").pw_gid)
        yield folder
    finally:
        shutil.rmtree(folder)


def write_config(folder):
    config = {"myNodeId": 10, "inductsConfig": [{"url": "tcpclv4://127.0.0.1:0"}],
              "outductsConfig": [{"url": "tcpclv4://127.0.0.1:1", "nextHopNodeId": 2}],
              "storageConfig": {"storeFilePath": str(folder / "store")},
              "stateFolder": str(folder / "state"), "controlSocket": str(folder / "control.sock"),
              "threads": {"processors": {"ingress": PROCESSOR}}}
    path = folder / "node.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    path.chmod(0o644)
    return path


def unit_of(build, folder, more=""):
    """The text of the shipped service, with more lines for [Service]."""
    tree = install(build, folder / "tree")
    text = (tree / "lib/systemd/system/farlink.service").read_text(encoding="utf-8")
    return text.replace("\n[Install]", f"\n{more}\n[Install]")


class SandboxedNode:
    """By sandbox.py."""

    def __init__(self, build, unit, folder):
        path = folder / "unit"
        path.write_text(unit, encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, SANDBOX, path, folder, build / "bin/farlink", "--config",
             write_config(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.pid = self.process.pid

    def has_ended(self):
        return self.process.poll() is not None

    def end(self):
        self.process.terminate()
        try:
            _, log = self.process.communicate(timeout=LIMIT_S)
            check(self.process.returncode == 0, f"exit code {self.process.returncode}: {log}")
            return log
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()


class ServiceNode:
    """By systemd, as a service of its own name, without touching one that is installed."""

    def __init__(self, build, unit, folder):
        self.name = f"{folder.name}.service"
        program = folder / "farlink"
        shutil.copy2(build / "bin/farlink", program)
        lines = {"ExecStart": f"{program} --config {write_config(folder)}", "User": "nobody",
                 "Group": "nogroup", "StateDirectory": folder.name, "RuntimeDirectory": folder.name,
                 "ConditionPathExists": "", "Conflicts": ""}
        for key, value in lines.items():
            unit = re.sub(rf"^{key}=.*$", f"{key}={value}", unit, flags=re.MULTILINE)
        self.path = pathlib.Path("/run/systemd/system", self.name)
        self.path.write_text(unit, encoding="utf-8")
        run("systemctl", "daemon-reload")
        run("systemctl", "start", self.name)
        self.pid = int(run("systemctl", "show", "--property=MainPID", "--value", self.name))

    def has_ended(self):
        return run("systemctl", "show", "--property=MainPID", "--value", self.name).strip() == "0"

    def end(self):
        try:
            run("systemctl", "stop", self.name)
            result = run("systemctl", "show", "--property=Result", "--value", self.name).strip()
            check(result == "success", f"the service ended by {result}")
            return run("journalctl", "--no-pager", "--unit", self.name)
        finally:
            self.path.unlink()
            run("systemctl", "daemon-reload")


@contextlib.contextmanager
def closed_node(build, unit):
    with writable_folder() as folder:
        node = (ServiceNode if BY_SYSTEMD else SandboxedNode)(build, unit, folder)
        ended = False
        try:
            yield node, folder
            ended = True
        finally:
            log = node.end()
            if not ended:
                print(log)


def control(build, folder, *words):
    return run(build / "bin/farlinkctl", *words, "--socket", folder / "control.sock")


def wait_for_answer(build, folder, node):
    end = time.monotonic() + LIMIT_S
    while True:
        try:
            return json.loads(control(build, folder, "status", "--json"))
        except AssertionError:
            if time.monotonic() > end or node.has_ended():
                raise


def has_its_processor(pid):
    """One thread of the node, that of ingress, may run on PROCESSOR alone."""
    tasks = pathlib.Path(f"/proc/{pid}/task").glob("*/status")
    lists = [re.search(r"^Cpus_allowed_list:\s*(\S+)$", task.read_text(encoding="ascii"),
                       re.MULTILINE)[1] for task in tasks]
    return lists.count(str(PROCESSOR)) == 1


def everything_works(build, unit):
    with closed_node(build, unit) as (node, folder):
        wait_for_answer(build, folder, node)
        status = pathlib.Path(f"/proc/{node.pid}/status").read_text(encoding="ascii")
        for line in (r"NoNewPrivs:\s*1", r"CapBnd:\s*0+", r"Seccomp:\s*2"):
            check(re.search(rf"^{line}$", status, re.MULTILINE), f"not closed: {line}")
        # The kernel says who speaks at the control socket.
        control(build, folder, "link", "down", "1")
        line = json.loads((folder / "state/audit.jsonl").read_text(encoding="utf-8"))
        user = pwd.getpwuid(os.geteuid()).pw_name
        check(line["who"] == f"user {user} by the control socket", f"{line}")
        if CAN_CHOOSE:
            check(has_its_processor(node.pid), "no thread has the processor that it is given")


def a_node_works_under_the_shipped_unit(build, folder):
    print(f"started by {'systemd' if BY_SYSTEMD else 'sandbox.py: systemd is not PID 1 here'}")
    everything_works(build, unit_of(build, folder))


def a_node_works_by_the_examples_of_the_guide(build, folder):
    unit = unit_of(build, folder, examples())
    everything_works(build, unit)
    path = folder / "farlink.service"
    path.write_text(unit, encoding="utf-8")
    said = run("systemd-analyze", "verify", "--man=no", path)
    check(not said.strip(), said)
    run("systemd-analyze", "security", "--offline=true", "--threshold=18", path)


def what_the_guide_warns_of_would_be_noticed(build, folder):
    """Without @resources no thread gets its processor: what these tests see of a filter is real."""
    if not CAN_CHOOSE:
        print("one processor only: nothing to choose")
        return
    unit = unit_of(build, folder, "SystemCallFilter=~@resources")
    try:
        with closed_node(build, unit) as (node, place):
            wait_for_answer(build, place, node)
            check(not has_its_processor(node.pid), "the filter refuses nothing")
    except AssertionError as error:
        check("Operation not permitted" in str(error), f"{error}")


if __name__ == "__main__":
    main(a_node_works_under_the_shipped_unit, a_node_works_by_the_examples_of_the_guide,
         what_the_guide_warns_of_would_be_noticed)
