# SPDX-License-Identifier: Apache-2.0
"""The network's table when counters of nodes arrive in any order, or late."""

import json
import pathlib
import queue
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from network import Network  # noqa: E402


class Node:
    """A node with a given count of forwarded bundles at each line; it prints a line per request."""

    def __init__(self, *counts):
        self.out = queue.Queue()
        self.later = [json.dumps({"egress_forwarded": count}) for count in counts]

    def wait_line(self, lines, accept, _limit_s):
        if lines.empty():
            lines.put(self.later.pop(0))
        return accept(lines.get_nowait())


def network_of(**nodes):
    network = Network.__new__(Network)
    network.nodes = nodes
    network.counters = {name: {} for name in nodes}
    network.taken = {name: 0.0 for name in nodes}
    return network


class NetworkTest(unittest.TestCase):
    def test_waits_for_a_late_line(self):
        network = network_of(one=Node(500, 1000, 1500), two=Node(400, 900, 1400))
        rows = [network.take_counters(lambda at=second: float(at)) for second in (1, 2, 3)]
        self.assertEqual(rows, [{"one": 500, "two": 400}] + 2 * [{"one": 500, "two": 500}])

    def test_after_a_pause_the_rate_is_over_the_whole_time(self):
        node = Node()
        for count in (500, 1000):
            node.out.put(json.dumps({"egress_forwarded": count}))
        self.assertEqual(network_of(one=node).take_counters(lambda: 2.0), {"one": 500})

    def test_free_ports_replace_the_ports_that_segments_are_sent_from(self):
        network = Network.__new__(Network)
        network.description = {"emulatedLinks": [{"from": 4001, "to": 4002}]}
        network.configs = {
            1: {"inductsConfig": [{"url": "ltp://127.0.0.1:4003"}],
                "outductsConfig": [{"url": "ltp://127.0.0.1:4001", "ltpSenderBoundPort": 4003}]},
            2: {"inductsConfig": [{"url": "ltp://127.0.0.1:4002"}],
                "outductsConfig": [{"url": "ltp://127.0.0.1:4003", "ltpSenderBoundPort": 4004},
                                   {"url": "ltp://127.0.0.1:4001", "ltpSenderBoundPort": 0}]}}
        network._move_to_free_ports()
        induct = network.configs[1]["inductsConfig"][0]["url"]
        near, = network.configs[1]["outductsConfig"]
        far, unbound = network.configs[2]["outductsConfig"]
        self.assertEqual(induct, f"ltp://127.0.0.1:{near['ltpSenderBoundPort']}")
        self.assertEqual(induct, far["url"])
        self.assertEqual(unbound["ltpSenderBoundPort"], 0)
        self.assertNotIn(far["ltpSenderBoundPort"], (4003, 4004, near["ltpSenderBoundPort"]))


if __name__ == "__main__":
    unittest.main()
