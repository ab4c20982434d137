# SPDX-License-Identifier: Apache-2.0
"""Where a block of documented commands runs: a folder like a clone, and programs that last."""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from documents import is_shown  # noqa: E402
from program import Program  # noqa: E402

LIMIT_S = 60
# Programs that go on until they are told to end, and what they say when they are up.
LASTING = {"farlink": "ready: ", "bpsink": "listening on", "bpreceive": None,
           "bpreceivefile": "receiving at", "linkemu": "", "ltprecv": "listening on",
           "farlink-cfdpd": "ready", "farlinkctl watch": "watching"}
# Those that end by themselves once they have what they wait for.
ENDING = re.compile(r"--until-complete|--count |--bundles |^ltprecv ")
# Those that a signal ends as it ends others.
KILLED = {"farlinkctl watch"}
# Those that begin once the others are up.
CLIENTS = {"bpreceive", "bpreceivefile", "farlink-cfdpd"}
STUBS = {
    # To another machine: its files are in the folder `hosts`.
    "scp": 'for to; do :; done; at="hosts/${to%%:*}/${to#*:}"; mkdir -p "$at"\n'
           'while [ $# -gt 1 ]; do cp "$1" "$at/" || exit 1; shift; done\n',
    "curl": 'exec /usr/bin/curl --silent --show-error --fail "$@"\n'}
MARK = "\x1e"
PAUSE = threading.Event()  # is never set: between two looks


def name_of(line):
    """The program, with its command where that decides how long it runs."""
    words = line.split()
    name = pathlib.Path(words[0]).name
    longer = " ".join([name, *words[1:2]])
    return longer if longer in LASTING else name


def wait_until_it_can_end(program):
    """Until it catches SIGTERM, or has ended."""
    status = pathlib.Path(f"/proc/{program.process.pid}/status")
    for _ in range(LIMIT_S * 100):
        if program.process.poll() is not None:
            return
        caught = re.search(r"SigCgt:\s*(\w+)", status.read_text(encoding="utf-8"))
        if caught and int(caught[1], 16) >> (signal.SIGTERM - 1) & 1:
            return
        PAUSE.wait(0.01)


class Place:
    """A folder like a clone, with the programs on the path."""

    def __init__(self, build, folder):
        self.folder, self.background = folder, []
        self.up = []  # of them, those of which that is known
        self.after = {}  # a command's name: what happens once it is done
        self.replaced = {"/etc/farlink": "etc/farlink"}  # what this machine has in its place
        self.codes = {}  # a command's first words: its exit code where that is not 0
        self.said = []  # of each command of the block: the line, and what it printed
        self.name_hosts()
        shutil.copytree(ROOT / "config", folder / "config")
        (folder / "build").mkdir()
        (folder / "build/release").symlink_to(build)
        (folder / "stubs").mkdir()
        for name, text in STUBS.items():
            (folder / "stubs" / name).write_text("#!/bin/sh\n" + text, encoding="utf-8")
            (folder / "stubs" / name).chmod(0o755)
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT / "clients/python/src"),
                            "PATH": f"{folder / 'stubs'}:{build / 'bin'}:{os.environ['PATH']}"}

    @staticmethod
    def name_hosts(relay="127.0.0.1"):
        """In this program's own file of hosts."""
        assert os.environ.get("FARLINK_OWN_NETWORK")
        pathlib.Path("/etc/hosts").write_text(
            f"127.0.0.1 localhost gate.example station\n{relay} relay.example.org\n",
            encoding="utf-8")

    def write(self, name, content):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(json.dumps(content), encoding="utf-8")

    def here(self, text):
        """With what this machine has."""
        for there, own in self.replaced.items():
            text = text.replace(there, own)
        return text

    def code_of(self, line):
        return next((code for words, code in self.codes.items() if line.startswith(words)), 0)

    def execute(self, words, what):
        done = subprocess.run(words, cwd=self.folder, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=LIMIT_S, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != self.code_of(what):
            raise AssertionError(f"{what}: exit code {done.returncode}\n{done.stdout}{self.logs()}")
        return done.stdout

    def run(self, command):
        return self.execute(["bash", "-ec", command], command)

    def run_shell(self, lines):
        """In one shell, which keeps variables."""
        if not lines:
            return
        text = "".join(f"{line}\nprintf '{MARK}'\n" for line in lines)
        said = self.execute(["bash", "-ec", text], "\n".join(lines)).split(MARK)
        self.said += [(line, self.there(part)) for line, part in zip(lines, said)]

    def there(self, text):
        """Of what this machine has, what the document has."""
        for name, own in self.replaced.items():
            text = text.replace(own, name)
        return text

    def run_all(self, lines):
        """The lines in one shell, but for programs that last; all of these come up and end well."""
        begun, shell = len(self.background), []
        for line in lines:
            words = self.here(line.removesuffix(" &"))
            if name_of(words) in LASTING and "--check" not in words:
                self.run_shell(shell)
                shell = []
                if name_of(words) in CLIENTS:
                    self.wait_ready(begun)
                self.start(words)
            else:
                shell.append(words)
            if words.split()[0] in self.after:
                self.run_shell(shell)
                shell = []
                self.after[words.split()[0]]()
        self.wait_ready(begun)
        self.run_shell(shell)
        # Those that wait for something first: the others bring it.
        for program in sorted(self.background[begun:],
                              key=lambda program: not ENDING.search(program.name)):
            self.stop(program)
        del self.background[begun:]

    def talk(self, text, numbers_differ):
        """A block of the kind `console`: commands and what they say."""
        for line, shown in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", text, re.MULTILINE):
            got = self.there(self.run(self.here(line)))
            if not is_shown(shown, got, numbers_differ):
                raise AssertionError(f"{line} says\n{got}and not\n{shown}")
            self.said.append((line, got))

    def start(self, line):
        """A program that lasts."""
        program = Program(line, ["bash", "-c", f"cd {shlex.quote(str(self.folder))}; "
                                 f"PATH={self.environment['PATH']}; exec {line}"])
        self.background.append(program)
        return program

    def wait_ready(self, first=0):
        """Of the programs from this one on."""
        for program in self.background[first:]:
            mark = LASTING[name_of(program.name)]
            waits = "--modules" not in program.name or "scheduler" in program.name
            if mark is None:
                wait_until_it_can_end(program)
            elif waits and program not in self.up:
                program.wait_line(program.err, lambda line, mark=mark: mark in line or None,
                                  LIMIT_S)
            self.up.append(program)

    def stop(self, program):
        # One process of several ends all of them; a program may end by itself.
        ends = ENDING.search(program.name) or (
            "--modules" in program.name and "scheduler" not in program.name)
        if ends:
            try:
                program.process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                raise AssertionError(f"{program.name} does not end\n{self.logs()}") from None
        code = program.end(signal.SIGTERM, LIMIT_S)
        if code != 0 and name_of(program.name) not in KILLED:
            raise AssertionError(f"{program.name}: exit code {code}\n{''.join(program.err_kept)}")
        self.said.append((program.name, "".join(program.err_kept)))

    def logs(self):
        return "".join(f"--- {program.name}\n{''.join(program.err_kept[-15:])}"
                       for program in self.background)

    def end(self):
        for program in self.background:
            program.end(signal.SIGKILL, LIMIT_S)
        shutil.rmtree("/run/farlink", ignore_errors=True)  # of this network
