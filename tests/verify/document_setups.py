# SPDX-License-Identifier: Apache-2.0
"""What is there before a block of documented commands runs: nodes, plans, stores, certificates."""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from program import Program  # noqa: E402

LIMIT_S = 60
# Programs that go on until they are told to end, and what they say when they are up.
LASTING = {"farlink": "ready: ", "bpsink": "listening on"}
STUBS = {
    # To another machine: its files are in the folder `hosts`.
    "scp": 'for to; do :; done; at="hosts/${to%%:*}/${to#*:}"; mkdir -p "$at"\n'
           'while [ $# -gt 1 ]; do cp "$1" "$at/" || exit 1; shift; done\n',
    "curl": 'exec /usr/bin/curl --silent --show-error --fail "$@"\n'}


class Place:
    """A folder like a clone, with the programs on the path."""

    def __init__(self, build, folder):
        self.folder, self.background = folder, []
        self.after = {}  # a command's name: what happens once it is done
        self.replaced = {"/etc/farlink": "etc/farlink"}  # what this machine has in its place
        self.name_hosts()
        shutil.copytree(ROOT / "config", folder / "config")
        (folder / "build").mkdir()
        (folder / "build/release").symlink_to(build)
        (folder / "stubs").mkdir()
        for name, text in STUBS.items():
            (folder / "stubs" / name).write_text("#!/bin/sh\n" + text, encoding="utf-8")
            (folder / "stubs" / name).chmod(0o755)
        self.environment = {**os.environ,
                            "PATH": f"{folder / 'stubs'}:{build / 'bin'}:{os.environ['PATH']}"}

    @staticmethod
    def name_hosts(relay="127.0.0.1"):
        """In this program's own file of hosts."""
        assert os.environ.get("FARLINK_OWN_NETWORK")
        pathlib.Path("/etc/hosts").write_text(
            f"127.0.0.1 localhost gate.example\n{relay} relay.example.org\n", encoding="utf-8")

    def write(self, name, content):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(json.dumps(content), encoding="utf-8")

    def run(self, command):
        done = subprocess.run(["bash", "-ec", command], cwd=self.folder, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=LIMIT_S, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}"
                                 f"{self.said()}")
        return done.stdout

    def run_all(self, lines):
        """The lines in one shell, but for programs that last; all of these come up and end well."""
        begun, shell = len(self.background), []
        for line in lines:
            words = line
            for text, own in self.replaced.items():
                words = words.replace(text, own)
            if pathlib.Path(words.split()[0]).name in LASTING and "--check" not in words:
                if shell:
                    self.run("\n".join(shell))
                    shell = []
                self.start(words)
            else:
                shell.append(words)
            if words.split()[0] in self.after:
                self.run("\n".join(shell))
                shell = []
                self.after[words.split()[0]]()
        self.wait_ready(begun)
        if shell:
            self.run("\n".join(shell))
        for program in self.background[begun:]:
            self.stop(program)
        del self.background[begun:]

    def expect(self, command, said):
        got = self.run(command)
        if got != said:
            raise AssertionError(f"{command} says\n{got}and not\n{said}")

    def start(self, line):
        """A program that lasts."""
        program = Program(line, ["bash", "-c", f"cd {shlex.quote(str(self.folder))}; "
                                 f"PATH={self.environment['PATH']}; exec {line}"])
        self.background.append(program)
        return program

    def wait_ready(self, first=0):
        """Of the programs from this one on."""
        for program in self.background[first:]:
            words = program.name.split()
            mark = LASTING[pathlib.Path(words[0]).name]
            if "--modules" not in words or "scheduler" in program.name:
                program.wait_line(program.err, lambda line, mark=mark: mark in line or None,
                                  LIMIT_S)

    def stop(self, program):
        # One process of several ends all of them; a program may end by itself.
        ends = "--until-complete" in program.name or (
            "--modules" in program.name and "scheduler" not in program.name)
        code = program.process.wait(LIMIT_S) if ends else program.end(signal.SIGTERM, LIMIT_S)
        if code != 0:
            raise AssertionError(f"{program.name}: exit code {code}\n{''.join(program.err_kept)}")

    def said(self):
        return "".join(f"--- {program.name}\n{''.join(program.err_kept[-15:])}"
                       for program in self.background)

    def end(self):
        for program in self.background:
            program.end(signal.SIGKILL, LIMIT_S)


def contact(number, source, dest):
    return {"contact": number, "source": source, "dest": dest,
            "startTime": "2020-01-01T00:00:00Z", "endTime": "2099-01-01T00:00:00Z",
            "rateBitsPerSec": 1_000_000, "owlt": 0}


def node_10():
    """Links 0 and 1 lead in, 2, 3 and 4 out."""
    return {
        "myNodeId": 10,
        "inductsConfig": [{"url": "stcp://127.0.0.1:5500"}, {"url": "tcpclv4://127.0.0.1:5501"}],
        "outductsConfig": [
            {"url": "tcpclv4://127.0.0.1:5502", "nextHopNodeId": 2},
            {"url": "stcp://127.0.0.1:5503", "nextHopNodeId": 30},
            {"url": "stcp://127.0.0.1:5504", "nextHopNodeId": 40}],
        "contactPlanFile": "plan.json", "controlSocket": "farlink.sock",
        "api": {"listen": "127.0.0.1:8080", "tokensFile": "tokens.json"}}


def setup_plan(place):
    """plan.json, next-week.json and node.json."""
    place.write("plan.json", {"contacts": [contact(1, 10, 2), contact(2, 10, 40)]})
    place.write("next-week.json", {"contacts": [contact(1, 10, 2), contact(3, 10, 40)]})
    place.write("node.json", node_10())


def setup_node(place):
    """A running node."""
    setup_plan(place)
    place.write("link.json", {"url": "stcp://127.0.0.1:0"})
    start_node(place)


def setup_application_node(place):
    """A running node with an endpoint at which bundles wait."""
    setup_plan(place)
    place.write("node.json", {**node_10(), "applications": {
        "socket": "applications.sock", "endpoints": [{"endpoint": "ipn:10.42"}],
        "access": [{"user": str(os.getuid()), "register": ["ipn:10.42"]}]}})
    start_node(place)


def start_node(place):
    place.run("farlinkctl tokens make --role read --name other --file tokens.json")
    place.start("farlink --config node.json")
    place.wait_ready()


def setup_neighbour_20(place):
    """A neighbour of the running node that answers pings."""
    place.write("node20.json", {"myNodeId": 20, "inductsConfig": [
        {"url": "tcpclv4://127.0.0.1:5520",
         "neighbours": [{"nodeId": 10, "address": "127.0.0.1"}]}]})
    place.start("farlink --config node20.json")
    place.wait_ready(1)
    place.run("farlinkctl plan add --contact 20 --source 10 --dest 20 --start +0 --end +3600 "
              "--rate 0 --config node.json && farlinkctl link add outduct "
              "'tcpclv4://127.0.0.1:5520?nextHopNodeId=20' --config node.json")


def store_bundles(place, count):
    place.run(f"bpgen --from ipn:10.1 --to ipn:20.1 --via stcp://127.0.0.1:5500 --bundles {count}")


def setup_stored(place):
    """The running node stores bundles that no link leads on."""
    store_bundles(place, 3)
    for _ in range(1000):
        stored = re.findall(r"^(\d+) +waiting", place.run("farlinkctl storage list --config "
                                                          "node.json"), re.MULTILINE)
        if len(stored) == 3:
            place.replaced["4294967297"] = stored[0]  # the number that the guide's bundle has
            return
    raise AssertionError(f"stored: {stored}")


def setup_store(place):
    """The store of a node that is off, with bundles in three files."""
    setup_plan(place)
    for count in (1, 1, 20):
        place.write("tokens.json", [])
        (place.folder / "tokens.json").unlink()
        start_node(place)
        store_bundles(place, count)
        place.stop(place.background.pop())


def setup_relay(place):
    """Node 2, which listens as relay.example.org."""
    place.write("relay.json", {"myNodeId": 2, "inductsConfig": [
        {"url": "tcpclv4://[::]:4556", "neighbours": [{"address": "127.0.0.1"}]}]})
    place.start("farlink --config relay.json")
    place.wait_ready()


def setup_processes(place):
    """node.json of a node whose modules find each other."""
    setup_plan(place)
    config = node_10()
    modules = ("ingress", "egress", "storage", "scheduler", "router", "telemetry", "supervisor")
    config["bus"] = {name: f"ipc://{place.folder}/bus-{name}" for name in modules}
    del config["api"]
    place.write("node.json", config)


def json_blocks(document):
    """The configurations that a document shows."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [json.loads(found) for found in re.findall(r"^```json\n(\{\n.*?)^```", text,
                                                      re.MULTILINE | re.DOTALL)]


def setup_gate(place):
    """The configurations of the two nodes; the second starts once its certificates have come."""
    one, two = json_blocks("docs/guide/tls.md")[:2]
    place.write("node1.json", one)
    place.write("hosts/gate.example/etc/farlink/node2.json", two)
    place.after["scp"] = lambda: place.start(
        "farlink --config hosts/gate.example/etc/farlink/node2.json")


def setup_tls(place):
    """Both nodes run."""
    setup_gate(place)
    place.run("farlinkctl cert make --dir certs --node ipn:1.0 --node ipn:2.0 --node ipn:3.0 && "
              "cp certs/ca.pem certs/ipn-2.* hosts/gate.example/etc/farlink/")
    place.after["scp"]()
    place.start("farlink --config node1.json")
    place.wait_ready()


def setup_relay_machine(place):
    """The machine relay.example.org, where node 2 starts once its certificates have come."""
    place.write("hosts/relay.example.org/relay.json", {
        "myNodeId": 2, "inductsConfig": [
            {"url": "tcpclv4://[::]:4556", "tls": "required", "ca": "certs/ca.pem",
             "cert": "certs/ipn-2.pem", "key": "certs/ipn-2.key"}]})
    place.name_hosts(relay="10.9.0.2")
    place.after["scp"] = lambda: start_elsewhere(
        place, "farlink --config hosts/relay.example.org/relay.json")


def start_elsewhere(place, line):
    """A program with a network of its own, at the other end of a wire from this one."""
    program = Program(line, ["unshare", "--net", "bash", "-c",
                             f"cd {shlex.quote(str(place.folder))}; echo here >&2; read -r; "
                             "ip link set lo up && ip addr add 10.9.0.2/24 dev far && "
                             f"ip link set far up && PATH={place.environment['PATH']} && "
                             f"exec {line}"], stdin=subprocess.PIPE)
    place.background.append(program)
    program.wait_line(program.err, lambda said: said == "here" or None, LIMIT_S)
    place.run(f"ip link add near type veth peer name far netns {program.process.pid} && "
              "ip addr add 10.9.0.1/24 dev near && ip link set near up")
    program.process.stdin.write("\n")
    program.process.stdin.flush()
