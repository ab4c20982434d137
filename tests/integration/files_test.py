#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bpsendfile and bpreceivefile with a node: folders there and back, and what fails on the way.

Usage: files_test.py --build FOLDER [unittest arguments]
"""
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import stat
import struct
import subprocess
import sys
import time
import unittest

from api_node import LIMIT_S, ROOT, Node, main
from messages_test import FAILED, NO_NODE, OK, TO, USAGE, WAITS, Home, until
from program import Program

sys.path.insert(0, str(ROOT / "clients" / "python" / "src"))
sys.dont_write_bytecode = True
import farlink  # noqa: E402

PIECE = "64k"


def content(seed, size):
    return random.Random(seed).randbytes(size)


def tree_of(folder):
    """What is beneath a folder, but not the receiver's own."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        if name.split("/")[0] == ".bpreceivefile":
            continue
        status = path.lstat()
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            found[name] = "other"
        elif path.is_dir():
            found[name] = (stat.S_IMODE(status.st_mode),)
        else:
            found[name] = (stat.S_IMODE(status.st_mode), status.st_mtime_ns,
                           hashlib.sha256(path.read_bytes()).hexdigest())
    return found


# ---- ADUs as docs/formats/file-transfer.md describes them

def attributes(mode=0o644, mtime_s=1_000_000_000, mtime_ns=5):
    return struct.pack(">IqI", mode, mtime_s, mtime_ns)


def start(kind, flags=0, magic=b"FLFT", version=1):
    return magic + struct.pack(">BBH", version, kind, flags)


def text(name):
    name = name if isinstance(name, bytes) else name.encode()
    return struct.pack(">H", len(name)) + name


def piece(name, data, offset=0, size=None, transfer=b"t" * 16, digest=None, **more):
    size = len(data) if size is None else size
    return (start(1, 0 if digest is None else 1) + transfer + struct.pack(">QQ", size, offset) +
            attributes(**more) + (digest or bytes(32)) + text(name) + data)


def file_entry(name, data, digest=None, **more):
    return (b"\2" + attributes(**more) + text(name) + struct.pack(">I", len(data)) +
            (digest or hashlib.sha256(data).digest()) + data)


def entries(*each):
    return start(2) + b"".join(each)


class FilesTest(unittest.TestCase):
    def setUp(self):
        self.node = Home()
        self.addCleanup(self.node.end)
        self.path = self.node.path
        self.source = self.path / "source"
        self.target = self.path / "target"
        self.source.mkdir()

    def words(self, name, *words):
        secret = (["--secret-file", str(self.path / "secret")] if name == "bpreceivefile" else [])
        return [f"{Node.programs}/{name}", "--node", self.node.socket, *secret, *map(str, words)]

    def run_program(self, words, code=OK, **options):
        done = subprocess.run(words, capture_output=True, timeout=4 * LIMIT_S, check=False,
                              **options)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr.decode()}")
        return done.stdout.decode(), done.stderr.decode()

    def send(self, *words, code=OK):
        """The summary."""
        out, _ = self.run_program(self.words("bpsendfile", TO, *words, "--json"), code)
        return json.loads(out.splitlines()[-1])

    def receive(self, *words, code=OK, target=None, timeout=LIMIT_S):
        """All lines of JSON; the last one is the summary."""
        out, _ = self.run_program(
            self.words("bpreceivefile", WAITS, target or self.target, "--json", "--timeout",
                       timeout, *words), code)
        return [json.loads(line) for line in out.splitlines()]

    def started(self, name, *words, ready=None):
        program = Program(name, self.words(name, *words))
        self.addCleanup(program.end, signal.SIGKILL, LIMIT_S)
        if ready is not None:
            program.wait_line(program.err, lambda line: line if ready in line else None, LIMIT_S)
        return program

    def receiver(self, *words, target=None):
        return self.started("bpreceivefile", WAITS, target or self.target, "--json", *words,
                            ready="receiving at")

    def kill(self, program):
        program.process.kill()
        program.process.wait(LIMIT_S)

    def make_tree(self, large=700_000):
        for name, size in (("a", 0), ("b.txt", 10), ("folder/c", 70_000), ("folder/d", large),
                           ("folder/deep/e", 1000)):
            file = self.source / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content(name, size))
            os.utime(file, ns=(1, 1_234_567_890_123_456_789 + size))
        (self.source / "empty").mkdir()
        (self.source / "b.txt").chmod(0o640)
        (self.source / "folder/d").chmod(0o755)
        (self.source / "empty").chmod(0o750)
        return 5

    # ---- there and back

    def test_a_tree(self):
        files = self.make_tree()
        summary = self.send(self.source, "--piece-bytes", PIECE)
        self.assertEqual((summary["files"], summary["folders"], summary["failed"]), (files, 4, 0))
        lines = self.receive("--count", files)
        self.assertEqual({line["result"] for line in lines if line["type"] == "file"}, {"written"})
        self.assertEqual(tree_of(self.target / "source"), tree_of(self.source))
        self.assertEqual((lines[-1]["refused"], lines[-1]["notComplete"]), (0, 0))

    def test_names_of_paths_and_depth(self):
        self.make_tree()
        summary = self.send(str(self.source) + "/.", "--depth", 0)
        self.assertEqual((summary["files"], summary["folders"]), (2, 0))
        self.send(self.source / "folder/c")
        self.receive("--count", 3)
        self.assertEqual(sorted(tree_of(self.target)), ["a", "b.txt", "c"])

    def test_what_is_no_file_is_skipped(self):
        (self.source / "file").write_text("text")
        (self.source / "link").symlink_to("/etc/passwd")
        os.mkfifo(self.source / "pipe")
        summary = self.send(self.source)
        self.assertEqual((summary["files"], summary["skipped"]), (1, 2))

    def test_many_small_files(self):
        for number in range(3000):
            (self.source / str(number)).write_bytes(content(number, 100))
        self.assertEqual(self.send(self.source)["files"], 3000)
        self.receive("--count", 3000)
        self.assertEqual(tree_of(self.target / "source"), tree_of(self.source))

    def test_files_whose_name_is_taken(self):
        (self.source / "x.txt").write_text("new")
        self.target.mkdir()
        for policy, expected in (("keep", {"x.txt": "old"}), ("replace", {"x.txt": "new"}),
                                 ("rename", {"x.txt": "old", "x (2).txt": "new"})):
            for name in tree_of(self.target):
                (self.target / name).unlink()
            (self.target / "x.txt").write_text("old")
            for _ in range(2):  # what is given again makes no further file
                self.send(self.source / "x.txt")
                self.receive("--count", 1, "--existing", policy)
            self.assertEqual({name: (self.target / name).read_text()
                              for name in tree_of(self.target)}, expected, policy)

    def test_a_watched_folder(self):
        state = self.path / "state"
        receiver = self.receiver("--count", 3)
        sender = self.started("bpsendfile", TO, str(self.source) + "/.", "--watch", "--json",
                              "--state", state, "--scan-interval", 0.2, "--quiet-time", 0.5)
        accepted = []

        def next_name():
            accepted.append(sender.wait_line(
                sender.out, lambda line: json.loads(line).get("name")
                if '"accepted"' in line else None, LIMIT_S))
            return accepted[-1]
        (self.source / "one").write_text("one")
        self.assertEqual(next_name(), "one")
        (self.source / "in").mkdir()
        with open(self.source / "in" / "two", "w", encoding="ascii") as file:
            file.write("half")
            file.flush()
            os.utime(self.source / "in", (5, 5))
            file.write(" and half")
        self.assertEqual(next_name(), "in/two")
        os.rename(self.source / "one", self.source / "three")
        self.assertEqual(next_name(), "three")
        self.assertEqual(sender.end(signal.SIGINT, LIMIT_S), OK)
        self.assertEqual(receiver.process.wait(LIMIT_S), OK)
        self.assertEqual((self.target / "in/two").read_text(), "half and half")
        self.assertEqual(self.send(str(self.source) + "/.", "--state", state)["files"], 0)

    # ---- cuts

    def test_a_sender_that_is_killed(self):
        big = self.source / "big"
        big.write_bytes(content(1, 60_000_000))
        state = self.path / "state"
        sender = self.started("bpsendfile", TO, big, "--state", state, "--piece-bytes", PIECE)
        until(lambda: state.exists() and state.stat().st_size > 5000, "nothing was sent")
        self.kill(sender)
        summary = self.send(big, "--state", state, "--piece-bytes", PIECE)
        self.assertEqual((summary["files"], summary["sentBefore"]), (1, 0))
        lines = self.receive("--count", 1)
        self.assertEqual(tree_of(self.target), tree_of(self.source))
        # Little was sent twice: what had no answer when it was killed.
        self.assertLess(lines[-1]["repeated"], 100)
        self.assertEqual(self.send(big, "--state", state)["sentBefore"], 1)

    def test_a_receiver_that_is_killed(self):
        big = self.source / "big"
        big.write_bytes(content(2, 30_000_000))
        self.send(big, "--piece-bytes", PIECE)
        for _ in range(3):
            receiver = self.receiver()
            until(lambda: list((self.target / ".bpreceivefile").glob("*.state")) or
                  (self.target / "big").exists(), f"no piece was written: {receiver.err_kept}")
            self.kill(receiver)
            self.assertIn(sorted(tree_of(self.target)), ([], ["big"]))
        if not (self.target / "big").exists():
            self.receive("--count", 1)
        self.assertEqual(tree_of(self.target), tree_of(self.source))

    def test_a_receiver_that_is_interrupted(self):
        (self.source / "one").write_text("one")
        receiver = self.receiver()
        self.send(self.source / "one")
        receiver.wait_line(receiver.out, lambda line: line or None, LIMIT_S)
        # None of its threads takes the signal away from the one that awaits it.
        self.assertEqual(receiver.end(signal.SIGTERM, LIMIT_S), OK)
        summary = json.loads(receiver.out.get(timeout=LIMIT_S))
        self.assertEqual((summary["type"], summary["files"]), ("summary", 1))
        self.assertEqual((self.target / "one").read_text(), "one")

    def test_a_node_that_is_killed(self):
        big = self.source / "big"
        big.write_bytes(content(3, 40_000_000))
        receiver = self.receiver("--count", 1)
        sender = self.started("bpsendfile", TO, big, "--piece-bytes", PIECE)
        until(lambda: list((self.target / ".bpreceivefile").glob("*.state")), "nothing has come")
        self.node.program.process.kill()
        self.node.program.process.wait(LIMIT_S)
        self.node.start()
        self.assertEqual(sender.process.wait(3 * LIMIT_S), OK, sender.err_kept)
        self.assertEqual(receiver.process.wait(3 * LIMIT_S), OK, receiver.err_kept)
        self.assertEqual(tree_of(self.target), tree_of(self.source))

    def test_a_disk_that_is_full(self):
        mount = self.path / "small"
        mount.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(mount)],
                          capture_output=True, check=False).returncode != 0:
            self.skipTest("no file system may be mounted")
        self.addCleanup(subprocess.run, ["umount", "-l", str(mount)], check=False)
        (mount / "filler").write_bytes(bytes(3_500_000))
        (self.source / "big").write_bytes(content(4, 2_000_000))
        for number in range(300):
            (self.source / str(number)).write_bytes(content(number, 1000))
        self.send(self.source, "--piece-bytes", PIECE)
        receiver = self.receiver("--count", 301, target=mount)
        receiver.wait_line(receiver.err,
                           lambda line: line if "waiting for disk space" in line else None,
                           LIMIT_S)
        (mount / "filler").unlink()
        receiver.wait_line(receiver.err, lambda line: line if "available again" in line else None,
                           LIMIT_S)
        self.assertEqual(receiver.process.wait(LIMIT_S), OK)
        self.assertEqual(tree_of(mount / "source"), tree_of(self.source))

    def test_power_cuts(self):
        """On the file system that forgets: what was accepted is there."""
        mount = self.path / "forgetful"
        mount.mkdir()
        program = Program("forgetful_fs", [f"{Node.programs}/forgetful_fs", str(mount)])
        try:
            program.wait_line(program.out, lambda line: line if line == "mounted" else None,
                              LIMIT_S)
        except RuntimeError:
            self.skipTest("no file system may be mounted")
        self.addCleanup(program.end, signal.SIGTERM, LIMIT_S)
        self.addCleanup(subprocess.run, ["fusermount3", "-u", "-z", str(mount)], check=False)
        self.make_tree(large=3_000_000)
        self.send(self.source, "--piece-bytes", PIECE)
        target = mount / "target"
        target.mkdir()
        os.fsync(folder := os.open(mount, os.O_RDONLY))
        os.close(folder)
        seen = set()
        for _ in range(4):
            receiver = self.receiver(target=target)
            until(lambda: not receiver.out.empty() or
                  list((target / ".bpreceivefile").glob("*.state")), "nothing was written")
            self.kill(receiver)
            until(lambda: self.forget(mount), "files are still open")
            # A file that was reported had been on disk before.
            while not receiver.out.empty():
                line = json.loads(receiver.out.get())
                if line["type"] == "file":
                    seen.add(line["name"])
            there = {name for name, kind in tree_of(target).items() if len(kind) > 1}
            self.assertLessEqual(seen, there)
            if len(there) == 5:  # all was written before the kill: no bundle is left
                break
        missing = 5 - len({name for name, kind in tree_of(target).items() if len(kind) > 1})
        if missing:
            self.receive("--count", missing, target=target)
        self.assertEqual({name: kind[-1] for name, kind in tree_of(target / "source").items()
                          if len(kind) > 1},
                         {name: kind[-1] for name, kind in tree_of(self.source).items()
                          if len(kind) > 1})

    @staticmethod
    def forget(mount):
        try:
            (mount / ".forget").write_text("x")
            return True
        except OSError:
            return False

    # ---- hostile ADUs

    def give(self, *adus):
        with farlink.connect(address=self.node.socket) as endpoint:
            for adu in adus:
                endpoint.send(TO, adu)

    def refused(self, *adus, more=()):
        """Nothing of them is written; they are accepted, so that they do not come again."""
        self.give(*adus)
        lines = self.receive(*more, timeout=1)
        self.assertEqual(lines[-1]["files"], 0, lines)
        self.assertEqual(lines[-1]["refused"], len([line for line in lines
                                                    if line["type"] == "refused"]))
        self.assertEqual(tree_of(self.target), {})
        return lines[:-1]

    def test_names_that_leave_the_folder(self):
        outside = self.path / "outside"
        names = ("../outside", "/" + str(outside), str(outside), "a/../../outside", "", ".", "..",
                 "a//b", "a/", "./a", "a\0b", ".bpreceivefile/done", "x" * 256, "/".join("y" * 300),
                 b"\xff/../z")
        lines = self.refused(entries(*(file_entry(name, b"x") for name in names)),
                             *(piece(name, b"x", digest=hashlib.sha256(b"x").digest(),
                                     transfer=struct.pack(">QQ", 1, number))
                               for number, name in enumerate(names)))
        self.assertEqual(len(lines), 2 * len(names))
        self.assertFalse(outside.exists())

    def test_links_are_not_followed(self):
        outside = self.path / "outside"
        outside.mkdir()
        self.target.mkdir()
        (self.target / "link").symlink_to(outside)
        (self.target / "file").symlink_to(outside / "file")
        self.give(entries(file_entry("link/x", b"x"), file_entry("link/y/z", b"x"),
                          b"\1" + attributes() + text("link/folder"),
                          b"\1" + attributes() + text("link")))
        lines = self.receive("--existing", "replace", timeout=1)
        self.assertEqual([line["type"] for line in lines[:-1]], ["refused"] * 4, lines)
        self.give(entries(file_entry("file", b"x")))
        for policy, result in (("keep", "kept"),):
            self.assertEqual(self.receive("--existing", policy, timeout=1)[0]["result"], result)
        self.assertEqual(list(outside.iterdir()), [])

    def test_octets_that_are_no_transfer(self):
        good = piece("x", b"abc", digest=hashlib.sha256(b"abc").digest())
        cuts = [good[:at] for at in range(0, len(good) - 4)]
        together = entries(file_entry("x", b"abc"))
        cuts += [together[:at] for at in range(9, len(together))]
        self.refused(b"", b"nonsense", start(3) + b"x", start(1, 2) + good[8:], start(2, 1),
                     start(1, version=2) + good[8:], *cuts,
                     piece("x", b"abc", offset=1 << 63, size=10),
                     piece("x", b"abc", offset=8, size=10), piece("x", b"abc", size=1 << 63),
                     piece("x", b"a", mode=0o4755), piece("x", b"a", mtime_ns=1_000_000_000),
                     more=("--most-open", 1))
        self.assertEqual(list((self.target / ".bpreceivefile").glob("*.part")), [])

    def test_wrong_digests(self):
        self.refused(entries(file_entry("x", b"abc", digest=bytes(32))),
                     piece("y", b"abc", digest=bytes(32)))
        # Pieces of a transfer that has failed are repeats.
        self.give(piece("y", b"abc", digest=hashlib.sha256(b"abc").digest()))
        self.assertEqual(self.receive(timeout=1)[-1]["repeated"], 1)

    def test_pieces_that_contradict(self):
        data = content(5, 1000)
        digest = hashlib.sha256(data).digest()
        self.give(piece("x", data[:600], size=1000), piece("other", data[600:], 600, size=1000),
                  piece("x", data[600:], 600, size=2000), piece("x", b"?" * 500, 200, size=1000),
                  piece("x", data[700:], 700, size=1000, digest=digest),
                  piece("x", data[700:], 700, size=1000, digest=bytes(32)),
                  piece("x", data, size=1000, digest=digest))
        lines = self.receive(timeout=1)
        # What a wrong piece has brought first is not written over, so that the digest is wrong.
        self.assertEqual((lines[-1]["files"], lines[-1]["refused"]), (0, 4), lines)

    def test_pieces_in_any_order(self):
        data = content(6, 100_000)
        digest = hashlib.sha256(data).digest()
        pieces = [piece("in/x", data[at:at + 700], at, len(data), mode=0o600,
                        digest=digest if at == 7000 else None) for at in range(0, len(data), 700)]
        pieces += pieces[:50]
        random.Random(7).shuffle(pieces)
        self.give(*pieces)
        self.receive("--count", 1)
        self.assertEqual((self.target / "in/x").read_bytes(), data)

    def test_limits(self):
        parts = [piece(f"x{number}", b"abc", size=1 << 40, offset=number << 20,
                       transfer=struct.pack(">QQ", 2, number)) for number in range(10)]
        self.give(*parts)
        lines = self.receive("--most-open", 4, timeout=1)
        self.assertEqual((lines[-1]["refused"], lines[-1]["notComplete"]), (6, 4))
        self.give(*parts[:5])
        lines = self.receive("--most-open-bytes", 14, timeout=1)
        self.assertEqual(lines[-1]["notComplete"], 4, lines)
        old = time.time() - 100
        for state in (self.target / ".bpreceivefile").glob("*.state"):
            os.utime(state, (old, old))
        lines = self.receive("--longest-age", 50, timeout=0.5)
        self.assertEqual((lines[-1]["refused"], lines[-1]["notComplete"]), (4, 0))
        self.assertEqual(list((self.target / ".bpreceivefile").glob("*.part")), [])

    # ---- refusals, and bad usage

    def test_a_destination_that_is_not_allowed(self):
        (self.source / "x").write_text("x")
        out, error = self.run_program(self.words("bpsendfile", "ipn:30.1", self.source), FAILED)
        self.assertIn("the node refused it", error)
        self.assertIn("0 files", out)

    def test_bad_usage(self):
        self.run_program(self.words("bpsendfile", TO, self.path / "absent"), USAGE)
        self.run_program(self.words("bpsendfile", "nonsense", self.source), USAGE)
        self.run_program(self.words("bpreceivefile", "nonsense", self.target), USAGE)
        (self.path / "text").write_text("something else, which must stay")
        self.run_program(self.words("bpsendfile", TO, self.source, "--state", self.path / "text"),
                         USAGE)
        self.assertIn("must stay", (self.path / "text").read_text())
        self.run_program([f"{Node.programs}/bpsendfile", "--node", str(self.path / "absent"),
                          "--connect-timeout", "0.1", TO, str(self.source)], NO_NODE)

    def test_one_receiver_for_a_folder(self):
        self.receiver()
        _, error = self.run_program(self.words("bpreceivefile", WAITS, self.target), FAILED)
        self.assertIn("another bpreceivefile", error)


if __name__ == "__main__":
    if shutil.which("fusermount3") is None:
        print("fusermount3 is missing: no power cuts")
    main(__doc__)
