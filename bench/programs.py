# SPDX-License-Identifier: Apache-2.0
"""Programs under measurement: started, read, ended by their own process ids."""

import collections
import os
import queue
import signal
import subprocess
import threading
import time

END_LIMIT_S = 30  # from SIGTERM to the end of a program
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


class RunFailed(Exception):
    """A program failed; the text contains its last output."""


class Program:
    """A child process whose output lines are read by threads; ended by its own process id."""

    def __init__(self, *arguments):
        self.name = os.path.basename(arguments[0])
        if not os.access(arguments[0], os.X_OK):
            raise RunFailed(f"{arguments[0]} is missing: build the project first")
        self.process = subprocess.Popen([str(argument) for argument in arguments],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.lines = {"out": queue.Queue(), "err": queue.Queue()}
        self.errors = collections.deque(maxlen=60)
        self.cpu_s = None
        self.readers = [
            threading.Thread(target=self._read, args=(stream, name), daemon=True)
            for stream, name in ((self.process.stdout, "out"), (self.process.stderr, "err"))]
        for reader in self.readers:
            reader.start()

    def _read(self, stream, name):
        for line in stream:
            if name == "err":
                self.errors.append(line)
            self.lines[name].put(line.rstrip("\n"))
        self.lines[name].put(None)

    def failure(self, what):
        return RunFailed(f"{self.name}: {what}\n" + "".join(self.errors))

    def line(self, name, accept, limit_s):
        """accept(line) of the first line for which it is not None."""
        deadline = time.monotonic() + limit_s
        while True:
            try:
                line = self.lines[name].get(timeout=max(deadline - time.monotonic(), 0))
            except queue.Empty:
                raise self.failure(f"no answer within {limit_s} s") from None
            if line is None:
                raise self.failure("ended unexpectedly")
            found = accept(line)
            if found is not None:
                return found

    def last_line(self, name, accept):
        """accept(line) of the last line for which it is not None; of a program that has ended."""
        last = None
        while (line := self.lines[name].get(timeout=END_LIMIT_S)) is not None:
            found = accept(line)
            last = last if found is None else found
        if last is None:
            raise self.failure("did not print the expected line")
        return last

    def wait(self, limit_s):
        """Waits for its end, and records its CPU time; returns the exit code."""
        deadline = time.monotonic() + limit_s
        while self.process.returncode is None:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid == self.process.pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.cpu_s = usage.ru_utime + usage.ru_stime
            elif time.monotonic() > deadline:
                raise self.failure(f"did not end within {limit_s} s")
            else:
                time.sleep(0.005)
        for reader in self.readers:
            reader.join(END_LIMIT_S)
        return self.process.returncode

    def expect_success(self, limit_s):
        code = self.wait(limit_s)
        if code != 0:
            raise self.failure(f"exit code {code}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.wait(END_LIMIT_S)

    def kill(self):
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()

    def busy_s(self):
        """CPU time so far, of all threads, user and kernel."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS

    def peak_rss_mb(self):
        return self._memory_mb("VmHWM:")

    def rss_mb(self):
        return self._memory_mb("VmRSS:")

    def _memory_mb(self, name):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith(name):
                    return int(line.split()[1]) * 1024 / 1e6
        return 0.0


class ProgramGroup:
    """Several programs that are measured as one: the first one prints, and gets SIGTERM."""

    def __init__(self, programs):
        self.programs = programs
        self.process = programs[0].process
        self.failure = programs[0].failure
        self.line = programs[0].line

    def busy_s(self):
        return sum(program.busy_s() for program in self.programs)

    def peak_rss_mb(self):
        return sum(program.peak_rss_mb() for program in self.programs)

    def stop(self):
        """Waits until all end; the first exit code that is not 0, or 0."""
        codes = [self.programs[0].stop()]
        codes += [program.wait(END_LIMIT_S) for program in self.programs[1:]]
        return next((code for code in codes if code), 0)

    def kill(self):
        for program in self.programs:
            program.kill()
