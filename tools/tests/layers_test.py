# SPDX-License-Identifier: Apache-2.0
"""The layer check: includes that the real table allows and refuses, and wrong includes."""

import pathlib
import sys
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))

from layers import TABLE, Table, circles, folder_faults, read_purposes, violations  # noqa: E402
from style.source import Source  # noqa: E402

ALLOWED = (
    ("common/base/a.hpp", "<vector>"),
    ("common/bp/a.cpp", '"common/codec/a.hpp"'),
    ("common/bp/v7/a.cpp", '"common/bp/eid/a.hpp"'),
    ("common/config/node/a.cpp", "<nlohmann/json.hpp>"),
    ("common/bus/wire/wire.cpp", '"common/bus/messages.hpp"'),
    ("common/bus/zmq/zmq_bus.cpp", "<zmq.hpp>"),
    ("common/runtime/a.cpp", "<boost/asio/post.hpp>"),
    ("common/bus/loop/a.cpp", '"common/runtime/clock.hpp"'),
    ("cla/stcp/core/a.cpp", '"cla/stcp/core/b.hpp"'),
    ("cla/stcp/a_link.cpp", '"cla/stcp/core/b.hpp"'),
    ("cla/stcp/a_link.cpp", "<sys/socket.h>"),
    ("cla/factory/a.cpp", '"cla/stcp/a_link.hpp"'),
    ("module/router/core/a.cpp", '"common/bus/messages.hpp"'),
    ("module/router/a.cpp", '"module/router/core/a.hpp"'),
    ("module/storage/a.cpp", '"module/storage/store/a.hpp"'),
    ("module/telemetry/a.cpp", "<boost/beast/http.hpp>"),
    ("module/egress/a.cpp", '"cla/factory/a.hpp"'),
    ("apps/farlink/main.cpp", '"module/router/a.hpp"'),
    ("tests/unit/a.cpp", '"tests/support/a.hpp"'),
)

REFUSED = (
    ("common/base/a.hpp", "<unistd.h>"),
    ("common/base/a.hpp", '"common/buffer/a.hpp"'),
    ("common/bp/eid/a.cpp", '"common/bp/v7/a.hpp"'),
    ("common/bp/a.cpp", '"common/runtime/clock.hpp"'),
    ("common/config/fields/a.cpp", '"common/bp/a.hpp"'),
    ("common/bus/messages.hpp", '"common/bus/zmq/zmq_bus.hpp"'),
    ("common/bus/wire/wire.cpp", "<zmq.hpp>"),
    ("common/runtime/a.cpp", "<zmq.hpp>"),
    ("common/bus/a.cpp", "<zmq.hpp>"),
    ("cla/stcp/core/a.cpp", '"common/bp/a.hpp"'),
    ("cla/stcp/core/a.cpp", "<boost/asio/post.hpp>"),
    ("cla/stcp/core/a.cpp", '"cla/ltp/core/b.hpp"'),
    ("cla/stcp/a_link.cpp", '"cla/ltp/a_link.hpp"'),
    ("cla/stcp/a_link.cpp", '"common/bus/messages.hpp"'),
    ("cla/session/a.cpp", '"cla/stcp/a_link.hpp"'),
    ("cla/io/a.cpp", '"cla/session/a.hpp"'),
    ("cla/io/a.cpp", '"module/ingress/a.hpp"'),
    ("module/router/core/a.cpp", '"common/bus/zmq/zmq_bus.hpp"'),
    ("module/router/core/a.cpp", '"module/router/a.hpp"'),
    ("module/router/core/a.cpp", "<spdlog/spdlog.h>"),
    ("module/router/a.cpp", '"module/scheduler/a.hpp"'),
    ("module/router/a.cpp", '"cla/io/a.hpp"'),
    ("module/router/a.cpp", "<boost/beast/http.hpp>"),
    ("module/storage/store/a.cpp", '"module/storage/core/a.hpp"'),
    ("module/storage/core/index/a.cpp", '"module/storage/core/state/a.hpp"'),
    ("apps/farlink/main.cpp", '"tests/support/a.hpp"'),
    ("bench/a.cpp", '"tests/support/a.hpp"'),
    ("common/base/a.hpp", "<somebody/else.h>"),
    ("stray/a.cpp", "<vector>"),
)


class Layers(unittest.TestCase):
    def setUp(self):
        self.table = Table(TABLE.read_text(encoding="utf-8"))

    def rules(self, path, what):
        """The rules that one include in `path` breaks when the included file exists."""
        files = [Source(path, f"#include {what}\n")]
        if what.startswith('"'):
            files.append(Source(what.strip('"'), ""))
        return [rule for _, _, rule, _ in violations(self.table, files)]

    def test_allowed(self):
        for path, what in ALLOWED:
            with self.subTest(path=path, what=what):
                self.assertEqual(self.rules(path, what), [])

    def test_refused(self):
        for path, what in REFUSED:
            with self.subTest(path=path, what=what):
                self.assertEqual(self.rules(path, what), ["layer"])

    def test_an_include_path_names_a_file_from_the_root(self):
        files = [Source("common/base/a.cpp", '#include "a.hpp"\n#  include FILE\n')]
        found = list(violations(self.table, files))
        self.assertEqual([line for _, line, _, _ in found], [1, 2])
        self.assertEqual({rule for _, _, rule, _ in found}, {"include"})

    def test_every_library_of_a_row_is_known(self):
        known = {f"+{name}" for name, _ in self.table.libraries}
        named = {word for row in self.table.rows for word in row.allowed if word[0] == "+"}
        self.assertLessEqual(named, known)

    def test_a_circle_of_folders_is_found(self):
        table = Table("a/ : b/\nb/ : c/\nc/ : a/\nd/ : a/\n")
        files = [Source(f"{here}/{here}.cpp", f'#include "{there}/{there}.hpp"\n')
                 for here, there in ("ab", "bc", "ca", "da")]
        found = sorted(circles(table, files))
        self.assertEqual([path for path, *_ in found], ["a/a.cpp", "b/b.cpp", "c/c.cpp"])
        self.assertEqual(found[0][3], "a/ -> b/ -> c/ -> a/")
    def test_a_folder_has_a_purpose_and_at_most_25_entries(self):
        purposes = read_purposes("# a comment\n\ncla : layers\ncla/io : sockets\ncla/gone : x\n")
        few = ["cla/io/a.cpp", "cla/CMakeLists.txt", "tests/any/a.cpp"]
        self.assertEqual([why for *_, why in folder_faults(few, purposes)],
                         ["there is no folder cla/gone"])
        many = few + [f"cla/new/{number}.hpp" for number in range(26)]
        self.assertEqual([(path, why) for path, _, _, why in folder_faults(many, purposes)][:2],
                         [("cla/new", "tools/folders.txt has no purpose for it"),
                          ("cla/new", "26 entries, at most 25")])


if __name__ == "__main__":
    unittest.main()
