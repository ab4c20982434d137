# SPDX-License-Identifier: Apache-2.0
"""Handlers of asynchronous calls under cla/ hold the body that they serve."""

import re

from style.source import matches

WHERE = ("cla/**.cpp", "cla/**.hpp")
CALL = re.compile(r"\b(?:async_\w+|asio::(?:post|dispatch|defer))\s*\(")
CAPTURES = re.compile(r"(?<![\w\])])\[(?P<list>[^\[\]]*)\]\s*(?=[({])")
RAW = re.compile(r"^\s*[=&]\s*(?:,|$)|(?<![\w*.>])this\b(?!\s*->)")


def raw_handlers(source):
    """(line, rule, advice) of each handler that captures `this`, or everything, by itself."""
    if not matches(source.path, WHERE):
        return
    for call in CALL.finditer(source.code):
        arguments = top_level(source.code, call.end())
        for found in CAPTURES.finditer(arguments):
            if RAW.search(found["list"]):
                line = source.code.count("\n", 0, call.end() + found.start()) + 1
                advice = "while_open(*this, [](Body &self, ...) {...}) of cla/io/link_body.hpp"
                yield line, "raw-handler", advice


def top_level(code, start):
    """The arguments of a call from `start` to its `)`, the bodies of lambdas blanked."""
    depth, braces, kept = 1, 0, []
    for symbol in code[start:]:
        if braces == 0:
            depth += {"(": 1, ")": -1}.get(symbol, 0)
            if depth == 0:
                break
        if symbol == "}":
            braces -= 1
        kept.append(symbol if braces == 0 or symbol == "\n" else " ")
        if symbol == "{":
            braces += 1
    return "".join(kept)
