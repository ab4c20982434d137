# SPDX-License-Identifier: Apache-2.0
"""The functions that farlink's code must not call, with their replacements: one row per ban."""

import dataclasses
import functools
import re

CPP = ("**.cpp", "**.hpp")
LIBRARIES = tuple(
    f"{folder}/{files}" for folder in ("common", "cla", "module", "cfdp") for files in CPP
)
# The clients are libraries of their own, which include nothing of the node.
CLOCK = ("common/runtime/clock.cpp", "clients/cpp/**")
ENTROPY = ("common/runtime/entropy.cpp", "clients/cpp/src/random_text.cpp")
# Drivers of the loop, where handlers of Boost.Asio keep a session alive, and spdlog's own sinks.
ASIO_LIFETIME = (
    "common/http/*",
    "clients/cpp/include/farlink/client/asio.hpp",
    "cla/*/*_link.*",
    "cla/tcpcl/*/*_link.*",
    "cla/*/*_induct.*",
    "cla/*/*_outduct.*",
    "cla/*/*_session.*",
    "cla/*/*_port.*",
    "cla/*/*_sender.*",
    "cla/io/*",
    "cla/ltp/io/*",
    "cla/tls/*",
    "cla/session/*",
    "cla/factory/*",
    "common/runtime/log/*",
    "module/control/*",
    "module/control/core/commands/*",
    "module/control/core/pending_requests.*",
    "module/control/core/plan_store.hpp",
    "module/control/state/contact_plan_store.cpp",
    "module/telemetry/*",
    "module/telemetry/alarms/alarm_webhook.*",
    # What a request has is shared by the handlers of its connection.
    "module/telemetry/api/request/app_request.hpp",
    "module/telemetry/api/request/call.hpp",
    "module/telemetry/api/token_table.*",
    "module/telemetry/gateway/*",
    "module/telemetry/http/*",
)
START_UP = ("apps/**", "bench/**", "tests/**")
# C interfaces with untyped memory: ZeroMQ, FUSE, the allocators, OpenSSL's providers.
UNTYPED = ("common/bus/zmq/*", "common/buffer/slab.cpp", "tests/support/**",
           "cla/tls/gcm/gcm_provider.cpp")
ALLOCATORS = ("common/buffer/slab.cpp", "tests/support/*alloc*", "tests/support/*alloc*/**")


@dataclasses.dataclass(frozen=True)
class Ban:
    """`pattern` in the code of files under `where`, except `but`, breaks `rule`."""

    rule: str
    pattern: re.Pattern
    instead: str
    where: tuple = CPP
    but: tuple = ()

    @functools.cached_property
    def parts(self):
        """What the pattern matches has one of these in it: quick to look for."""
        letters = re.sub(r"\\[a-zA-Z]", " ", self.pattern.pattern)
        return re.findall(r"[A-Za-z_]{3,}", letters.replace("std", ""))


def ban(rule, pattern, instead, where=CPP, but=()):
    return Ban(rule, re.compile(pattern), instead, where, but)


def call(names):
    """A call of a free function, spelled with or without std::, not a member of that name."""
    return rf"(?<![\w.>:])(?:::|std::)?(?:{names})\s*\("


BANS = (
    ban(
        "clock",
        r"_clock::now\b|\bclock_type::now\b|\b(?:clock_gettime|gettimeofday)\b|"
        + call("time")
        + r"\s*(?:nullptr|NULL|0|&)",
        "take `TimePoint now` as the last argument; common/runtime/clock.cpp reads the clock",
        but=CLOCK,
    ),
    ban(
        "entropy",
        r"\brandom_device\b|\b(?:getrandom|getentropy|[dlm]rand48)\b|" + call("s?rand"),
        "take a seed or a farlink::Random; common/runtime/entropy.cpp reads the entropy source",
        but=ENTROPY,
    ),
    ban(
        "sleep",
        r"\bsleep_(?:for|until)\b|\bnanosleep\b|" + call("u?sleep"),
        "wait for the event itself (a deadline on the loop, a descriptor, the virtual clock)",
    ),
    ban(
        "sleep",
        r"\btime\.sleep\b|\basyncio\.sleep\b|^\s*sleep\s",
        "wait for the event itself (a line of output, a descriptor, a process's end)",
        where=("tests/**.py", "tests/**.sh"),
    ),
    ban(
        "c-string",
        call("strn?cpy|strn?cat|v?sprintf|gets|ato[ilf]|atoll|strtok(?:_r)?"),
        "std::string, std::string_view, std::from_chars or std::snprintf",
    ),
    ban(
        "console",
        r"\bstd::(?:cout|cerr|clog)\b|<iostream>|" + call("v?f?printf|f?puts|f?putc|putchar"),
        "return it or count it; agents log through spdlog",
        where=LIBRARIES,
        but=("common/base/invariant.hpp",),
    ),
    ban(
        "allocation",
        r"\bnew\b(?!>)|(?<!=)(?<!= )\bdelete\b|"
        + call("malloc|calloc|realloc|free|aligned_alloc|posix_memalign"),
        "std::make_unique, a container, or a pool (common/buffer)",
        but=ALLOCATORS,
    ),
    ban(
        "shared-ownership",
        r"\b(?:shared_ptr|make_shared|weak_ptr|enable_shared_from_this)\b",
        "one owner (std::unique_ptr, a value) and views; sharing is for Asio's handlers only",
        but=ASIO_LIFETIME + START_UP,
    ),
    ban(
        "untyped-pointer",
        r"\bvoid\s*(?:const\s*)?\*",
        "a typed pointer, a view or a template",
        but=UNTYPED,
    ),
    ban(
        "assert",
        call("assert") + r"|<(?:cassert|assert\.h)>",
        "FARLINK_INVARIANT for our own promises, a named and counted error for the peer's",
    ),
    ban(
        "throw",
        r"\bthrow\b",
        "return farlink::Result; exceptions are for start-up",
        but=START_UP,
    ),
    ban("using-namespace", r"\busing\s+namespace\s+std\s*;", "std:: in full"),
    ban(
        "using-namespace",
        r"\busing\s+namespace\b",
        "qualified names in a header",
        where=("**.hpp",),
    ),
    ban(
        "umbrella-header",
        r"<(?:boost/asio|boost/beast|bits/stdc\+\+)\.h(?:pp)?>",
        "the headers of the parts in use",
    ),
    ban(
        "umbrella-header",
        r"<spdlog/spdlog\.h>",
        "include spdlog in the .cpp; <spdlog/fwd.h> declares its types",
        where=("**.hpp",),
    ),
)
