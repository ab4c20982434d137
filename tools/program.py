# SPDX-License-Identifier: Apache-2.0
"""A child process whose output is read line by line, for the demos of farlink."""

import json
import queue
import re
import subprocess
import threading
import time


class Program:
    """A child process whose output lines arrive in queues."""

    def __init__(self, name, arguments, stdin=None):
        self.name = name
        self.process = subprocess.Popen(arguments, stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.out, self.err, self.err_kept = queue.Queue(), queue.Queue(), []
        self.readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.out), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.err), daemon=True)]
        for reader in self.readers:
            reader.start()

    def _read(self, stream, lines):
        for line in stream:
            if lines is self.err:
                self.err_kept.append(line)
            lines.put(line.rstrip("\n"))

    def wait_line(self, lines, accept, limit_s):
        """The first line for which accept(line) returns a value; RuntimeError at the limit."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            try:
                line = lines.get(timeout=0.1)
            except queue.Empty:
                if self.process.poll() is not None and lines.empty():
                    break
                continue
            found = accept(line)
            if found is not None:
                return found
        raise RuntimeError(f"{self.name} printed no expected line:\n" + "".join(self.err_kept))

    def end(self, signal_number, limit_s):
        """Signals the program, waits for its end and returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
        try:
            code = self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        for reader in self.readers:
            reader.join(limit_s)
        return code


def api_url(line):
    """The address of the HTTP API, if a line of farlink's log names it."""
    found = re.search(r"the API (?:is|are) at (\S+)", line)
    return found[1] if found else None


def latest_json(lines, before):
    """The last JSON object among the lines that have arrived, or `before`."""
    while True:
        try:
            line = lines.get_nowait()
        except queue.Empty:
            return before
        if line.startswith("{"):
            before = json.loads(line)
