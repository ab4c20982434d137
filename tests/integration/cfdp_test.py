#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""farlink-cfdpd and farlink-cfdp by bundles through two nodes: files both ways, commands, ends.

Usage: cfdp_test.py --build FOLDER [unittest arguments]
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import unittest

from api_node import LIMIT_S, Node, main
from messages_test import until
from ports import free_ports
from program import Program

OK, FAILED, USAGE, NO_DAEMON = 0, 1, 2, 3
NUMBERS = (10, 20)
PUT, STATE, ENDED, DELIVERED = 1, 2, 3, 4  # records of the journal


class Place:
    """A node and the entity beside it."""

    def __init__(self, path, number, other, ports, **remote):
        self.path, self.number, self.other = path, number, other
        path.mkdir()
        self.root = path / "root"
        self.socket = str(path / "cfdp.sock")
        (path / "node.json").write_text(json.dumps({
            "myNodeId": number,
            "inductsConfig": [{"url": f"stcp://127.0.0.1:{ports[0]}"}],
            "outductsConfig": [{"url": f"stcp://127.0.0.1:{ports[1]}", "nextHopNodeId": other,
                                "reconnectMaxMilliseconds": 200}],
            "storageConfig": {"storeFilePath": "store"},
            "applications": {"socket": "app.sock", "endpoints": [{"endpoint": "64"}],
                             "access": [{"user": str(os.getuid()), "register": ["ipn:*.*"]}]}}))
        (path / "entity.json").write_text(json.dumps({
            "entityId": number, "root": str(self.root), "controlSocket": self.socket,
            "node": str(path / "app.sock"),
            "remotes": [{"entityId": other, "segmentBytes": 20_000, "ackTimeoutSeconds": 2,
                         "nakTimeoutSeconds": 2, "checkTimeoutSeconds": 2, **remote}]}))
        self.start_node()
        self.start_daemon()

    def start_node(self):
        self.node = Program("farlink", [f"{Node.programs}/farlink", "--counters", "--config",
                                        str(self.path / "node.json")])
        self.node.wait_line(self.node.out, lambda line: True if '"ready"' in line else None,
                            LIMIT_S)

    def start_daemon(self):
        self.daemon = Program("farlink-cfdpd", [f"{Node.programs}/farlink-cfdpd", "--json",
                                                "--config", str(self.path / "entity.json")])
        ready = self.daemon.wait_line(self.daemon.out, json.loads, LIMIT_S)
        assert ready["entity"] == self.number, ready

    def command(self, *words, code=OK):
        done = subprocess.run([f"{Node.programs}/farlink-cfdp", "--json", "--socket", self.socket,
                               *map(str, words)], capture_output=True, text=True,
                              timeout=3 * LIMIT_S, check=False)
        if done.returncode != code:
            raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}\n"
                                 + "".join(self.daemon.err_kept))
        return json.loads(done.stdout) if done.stdout.startswith("{") else done.stderr

    def make(self, name, size):
        content = random.Random(name).randbytes(size)
        (self.root / name).write_bytes(content)
        return content

    def inbox(self, name):
        path = self.root / "inbox" / name
        return path.read_bytes() if path.exists() else None

    def left(self):
        """What is kept of transactions: copies, and records of the journal."""
        state = self.root / ".farlink-cfdp"
        return [path.name for path in state.rglob("*.part")] + sorted(
            open_transactions((state / "journal").read_bytes()))

    def end(self):
        self.daemon.end(signal.SIGTERM, LIMIT_S)
        self.node.end(signal.SIGTERM, LIMIT_S)


def open_transactions(journal):
    """Those that have a request or a state in the journal, and no end."""
    found, at = set(), 0
    while at + 8 <= len(journal):
        size = int.from_bytes(journal[at:at + 4], "big")
        record = journal[at + 8:at + 8 + size]
        kind, id_ = record[0], (int.from_bytes(record[1:9], "big"),
                                int.from_bytes(record[9:17], "big"))
        if kind in (PUT, STATE):
            found.add(id_)
        elif kind in (ENDED, DELIVERED):
            found.discard(id_)
        at += 8 + size
    return found


class CfdpTest(unittest.TestCase):
    def places(self, **remote):
        folder = tempfile.TemporaryDirectory(prefix="farlink-cfdp-")
        self.addCleanup(folder.cleanup)
        ports = free_ports(2)
        made = []
        for number, other, own in ((10, 20, ports), (20, 10, ports[::-1])):
            made.append(Place(pathlib.Path(folder.name) / str(number), number, other, own,
                              **remote))
            self.addCleanup(made[-1].end)
        return made

    def test_files_both_ways_in_both_classes(self):
        here, there = self.places()
        for one, other in ((here, there), (there, here)):
            for words in (["--class", 1], ["--class", 1, "--closure"], ["--class", 2],
                          ["--checksum", "modular"]):
                for size in (0, 1, 20_000, 1_000_003):
                    name = f"f{''.join(map(str, words)).replace('-', '')}-{size}"
                    content = one.make(name, size)
                    end = one.command("put", name, other.number, f"in/{name}", "--wait",
                                      "--timeout", LIMIT_S, *words)
                    self.assertTrue(end["complete"], end)
                    self.assertEqual(until(lambda: [other.inbox(f"in/{name}")]
                                           if other.inbox(f"in/{name}") is not None else None,
                                           name), [content])
        until(lambda: not here.left() and not there.left(), "both have forgotten all")

    def test_commands_and_their_exit_codes(self):
        here, there = self.places()
        self.assertIn("not configured", here.command("put", "x", 99, code=FAILED)["error"])
        self.assertIn("cannot read", here.command("put", "x", 20, code=FAILED)["error"])
        here.command("put", "../../etc/passwd", 20, code=FAILED)
        here.command("status", "10/12345", code=FAILED)
        here.command("cancel", "nonsense", code=FAILED)
        here.command("put", "x", 20, "--class", 3, code=USAGE)
        here.command(code=USAGE)
        there.daemon.end(signal.SIGKILL, LIMIT_S)
        there.command("ls", code=NO_DAEMON)
        # Its Finished does not come while it is gone.
        here.make("file", 100_000)
        id_ = here.command("put", "file", 20)["id"]
        here.command("suspend", id_)
        self.assertEqual(here.command("status", id_)["transaction"]["state"], "suspended")
        here.command("resume", id_)
        there.start_daemon()
        until(lambda: here.command("status", id_)["transaction"].get("complete"), "its end")
        self.assertEqual([each["id"] for each in here.command("ls")["transactions"]], [id_])
        self.assertGreater(here.command("status")["counters"]["sentPdus"], 0)

    def test_several_pdus_a_bundle(self):
        here, there = self.places(bundleBytes=60_000, segmentBytes=1_000)
        contents = {f"f{number}": here.make(f"f{number}", 1_000 + 997 * number)
                    for number in range(30)}
        for name in contents:
            here.command("put", name, 20)
        until(lambda: not here.command("status")["underWay"], "the end of all")
        for name, content in contents.items():
            self.assertEqual(there.inbox(name), content, name)
        counters = there.command("status")["counters"]
        self.assertEqual(sum(counters["malformed"].values()), 0, counters)

    def test_a_folder_with_many_files(self):
        here, there = self.places(bundleBytes=60_000)
        (here.root / "many" / "deep").mkdir(parents=True)
        contents = {f"many/f{number}": here.make(f"many/f{number}", number)
                    for number in range(1_500)}
        contents["many/deep/f"] = here.make("many/deep/f", 200_000)
        (here.root / "many" / "link").symlink_to("/etc/passwd")
        done = here.command("put", "--recursive", "many", 20, "got", "--wait", "--timeout",
                            3 * LIMIT_S)
        self.assertEqual(done, {"type": "summary", "begun": 1_501, "failed": 0, "skipped": 1,
                                "complete": 1_501})
        for name, content in contents.items():
            self.assertEqual(there.inbox(name.replace("many", "got", 1)), content, name)
        self.assertIsNone(there.inbox("got/link"))
        until(lambda: not here.left() and not there.left(), "both have forgotten all")
        self.assertIn("the name", here.command("put", "--recursive", "..", 20, code=FAILED))
        self.assertIn("No such", here.command("put", "--recursive", "none", 20, code=FAILED))
        refused = here.command("put", "--recursive", "many", 99, code=FAILED)
        self.assertEqual(refused["failed"], 1_501)

    def test_both_daemons_killed_while_a_folder_is_sent(self):
        here, there = self.places(bundleBytes=60_000)
        (here.root / "many").mkdir()
        contents = {f"many/f{number}": here.make(f"many/f{number}", 1_000)
                    for number in range(1_000)}
        here.command("put", "--recursive", "many", 20)
        for _ in range(3):
            for each in (there, here):
                each.daemon.end(signal.SIGKILL, LIMIT_S)
                each.start_daemon()
        until(lambda: not here.command("status")["underWay"], "the end of all")
        until(lambda: not here.left() and not there.left(), "both have forgotten all")
        for name, content in contents.items():
            self.assertEqual(there.inbox(name), content, name)
        # None has come twice.
        self.assertEqual(len(list((there.root / "inbox" / "many").iterdir())), 1_000)

    def test_messages_and_filestore_requests(self):
        here, there = self.places(may=["create", "rename", "append", "createFolder"])
        content = here.make("file", 30_000)
        (there.root / "inbox" / "old").write_bytes(b"old ")
        end = here.command("put", "file", 20, "new", "--message", "pass 7", "--then",
                           "append=old=new", "--then", "createFolder=day", "--then",
                           "rename=old=day/all", "--then", "delete=new", "--then",
                           "create=never", "--wait", "--timeout", LIMIT_S)
        self.assertTrue(end["complete"], end)
        self.assertEqual([each["result"] for each in end["requests"]],
                         ["done", "done", "done", "not allowed", "not performed"])
        self.assertEqual(there.inbox("day/all"), b"old " + content)
        self.assertEqual(there.inbox("new"), content)
        self.assertIsNone(there.inbox("never"))
        self.assertEqual(there.command("status", end["id"])["transaction"]["messages"],
                         ["pass 7"])
        for words in (["--class", 1, "--closure"], []):
            end = here.command("request", 20, "--then", "createFolder=x", "--wait", "--timeout",
                               LIMIT_S, *words)
            self.assertEqual(end["requests"][0]["result"], "done" if words else "not allowed")
        self.assertIn("unknown action",
                      here.command("request", 20, "--then", "burn=x", code=FAILED)["error"])
        self.assertIn("two file names",
                      here.command("request", 20, "--then", "rename=x", code=FAILED)["error"])
        here.command("request", 20, "--message", "cfdp trap", code=FAILED)
        here.command("request", 20, code=FAILED)
        until(lambda: not here.left() and not there.left(), "both have forgotten all")

    def test_requests_run_once_though_the_receiver_is_killed(self):
        here, there = self.places(may=["create", "append"])
        (there.root / "inbox" / "all").write_bytes(b"")
        for number in range(20):
            here.make(f"f{number}", 100)
            here.command("put", f"f{number}", 20, "--then", f"append=all=f{number}")
            if number % 5 == 4:
                there.daemon.end(signal.SIGKILL, LIMIT_S)
                there.start_daemon()
        until(lambda: not here.command("status")["underWay"], "the end of all")
        whole = there.inbox("all")
        for each in here.command("ls")["transactions"]:
            self.assertIn("requests", each, each)
            result = each["requests"][0]["result"]
            content = (here.root / each["source"]).read_bytes()
            self.assertLessEqual(whole.count(content), 1)
            if result == "done":
                self.assertEqual(whole.count(content), 1, each)

    def test_files_listings_and_reports_of_another(self):
        here, there = self.places(may=["get", "list", "report", "suspend"])
        content = random.Random(1).randbytes(50_000)
        (there.root / "inbox" / "day").mkdir()
        (there.root / "inbox" / "day" / "image").write_bytes(content)
        wait = ("--timeout", LIMIT_S)
        got = here.command("get", 20, "day/image", "--wait", *wait)
        self.assertTrue(got["done"], got)
        self.assertEqual(pathlib.Path(got["path"]).read_bytes(), content)
        self.assertTrue(here.command("get", 20, "day/image", "again", "--class", 1, "--wait",
                                     *wait)["done"])
        until(lambda: here.inbox("again") == content, "the file of class 1")
        listing = here.command("ls", 20, "day", *wait)
        self.assertRegex(pathlib.Path(listing["path"]).read_text(), r"^file 50000 \d+ image\n$")
        for name in ("none", "../../etc/passwd", "/etc/passwd"):
            refused = here.command("get", 20, name, "x", "--wait", *wait, code=FAILED)
            self.assertEqual(refused["condition"], "filestore rejection")
        self.assertFalse(here.command("ls", 20, "..", *wait, code=FAILED)["done"])
        here.make("file", 20_000_000)
        id_ = here.command("put", "file", 20)["id"]
        state = here.command("report", 20, id_, *wait)
        self.assertIn(state["state"], ("active", "terminated"))
        self.assertIn(id_, pathlib.Path(state["path"]).read_text())
        here.command("report", 20, "10/99999", *wait, code=FAILED)
        here.command("suspend", "10/99999", "--at", 20, *wait, code=FAILED)
        until(lambda: not here.left() and not there.left(), "both have forgotten all")

    def test_nothing_is_allowed_by_default(self):
        here, there = self.places()
        (there.root / "inbox" / "file").write_bytes(b"secret")
        wait = ("--timeout", LIMIT_S)
        here.command("get", 20, "file", "--wait", *wait, code=FAILED)
        here.command("ls", 20, *wait, code=FAILED)
        end = here.command("request", 20, "--then", "delete=file", "--wait", *wait)
        self.assertEqual(end["requests"][0]["result"], "not allowed")
        self.assertEqual(there.inbox("file"), b"secret")
        self.assertIsNone(here.inbox("file"))

    def test_a_cancelled_file_leaves_nothing(self):
        here, there = self.places()
        here.make("file", 20_000_000)
        id_ = here.command("put", "file", 20)["id"]
        here.command("cancel", id_)
        for place in (here, there):
            until(lambda: not place.command("status")["underWay"], "the end at both")
            until(lambda: not place.left(), "nothing is kept")
        self.assertIsNone(there.inbox("file"))
        condition = here.command("status", id_)["transaction"]["condition"]
        self.assertEqual(condition, "cancel requested")

    def test_both_daemons_killed_in_the_midst_of_many(self):
        here, there = self.places()
        contents = {f"f{number}": here.make(f"f{number}", 100 + 5_000 * (number % 9))
                    for number in range(100)}
        contents.update({f"b{number}": there.make(f"b{number}", 100 + 5_000 * (number % 9))
                         for number in range(100)})
        for name in contents:
            place, other = (here, 20) if name[0] == "f" else (there, 10)
            place.command("put", name, other)
            if name in ("f30", "f70", "b30", "b70"):
                for each in (here, there):
                    each.daemon.end(signal.SIGKILL, LIMIT_S)
                    each.start_daemon()
        for place in (here, there):
            until(lambda: not place.command("status")["underWay"], "the end of all")
            until(lambda: not place.left(), "nothing is kept")
        for name, content in contents.items():
            self.assertEqual((there if name[0] == "f" else here).inbox(name), content, name)
        for place in (here, there):
            self.assertEqual(len(list((place.root / "inbox").iterdir())), 100)

    def test_a_node_that_is_killed_is_waited_for(self):
        here, there = self.places()
        content = here.make("file", 3_000_000)
        id_ = here.command("put", "file", 20)["id"]
        here.node.end(signal.SIGKILL, LIMIT_S)
        here.start_node()
        until(lambda: here.command("status", id_)["transaction"].get("complete"), "its end")
        self.assertEqual(there.inbox("file"), content)

    def test_bundles_of_strangers_change_nothing(self):
        here, there = self.places()
        for source in ("5000", "64000"):
            done = subprocess.run(
                [f"{Node.programs}/bpsend", "--node", str(there.path / "app.sock"), "--from",
                 source, "ipn:10.64", "nonsense"], capture_output=True, check=False,
                timeout=LIMIT_S)
            self.assertEqual(done.returncode, OK, done.stderr)
        content = here.make("file", 1_000)
        here.command("put", "file", 20, "--wait", "--timeout", LIMIT_S)
        self.assertEqual(there.inbox("file"), content)

    def test_wrong_configurations(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "entity.json"
            for text, expected in (("{", "line 1"), ('{"entityId": -1}', "entityId"),
                                   ('{"entity": 1}', "unknown key"),
                                   (json.dumps({"entityId": 1, "root": folder, "remotes": [],
                                                "node": f"{folder}/app",
                                                "controlSocket": f"{folder}/none/cfdp"}),
                                    "none/cfdp: the folder does not exist")):
                path.write_text(text)
                done = subprocess.run([f"{Node.programs}/farlink-cfdpd", "--check", "--config",
                                       str(path)], capture_output=True, text=True, check=False,
                                      timeout=LIMIT_S)
                self.assertEqual(done.returncode, USAGE)
                self.assertIn(expected, done.stderr)


if __name__ == "__main__":
    main(__doc__)
