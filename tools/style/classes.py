# SPDX-License-Identifier: Apache-2.0
"""The rules about classes in C++: one source file for each, and a limit of methods."""

import pathlib
import re
from collections import defaultdict

from style.functions import ATTRIBUTE, cpp_definitions, without_directives, without_template

MAX_METHODS = 40

# Classes that still break a rule of this file. The list only shrinks: split the class, then remove
# its name.
EXCEPTIONS = frozenset()

# Sources of a build variant: each defines classes that another source defines otherwise.
VARIANTS = frozenset({"cla/tls/without_tls.cpp"})

CLASS = re.compile(
    r"\b(?:class|struct)\s+(?:alignas\s*\([^)]*\)\s*|\[\[.*?\]\]\s*)*(?P<name>\w+)"
    r"(?:\s+final)?\s*(?::[^:;{}()][^;{}()]*)?\{"
)
QUALIFIED = re.compile(r"((?:\w+\s*::\s*)+)(?:operator\b|~?\w+\s*\($)")
NO_METHOD = re.compile(r"\s*(?:using|friend|static_assert|typedef|enum|class|struct|union)\b")
LABEL = re.compile(r"\b(?:public|private|protected)\s*:(?!:)")
OPERATOR = re.compile(r"\boperator\s*(?:\(\s*\)|[^\s\w(]+|\w+(?=\s*\())")


def check_classes(tree):
    """Every violation in the tree, as (path, line, rule, what to do instead)."""
    sources = [source for source in tree if source.language == "cpp"]
    excepted = set()
    for name, violation in [*several_files(sources), *too_many_methods(sources)]:
        if name in EXCEPTIONS:
            excepted.add(name)
        else:
            yield violation
    for name in sorted(EXCEPTIONS - excepted):
        advice = f"{name} breaks no rule any more: remove it from EXCEPTIONS"
        yield "tools/style/classes.py", 1, "warning: unneeded-exception", advice


def several_files(sources):
    """(class, violation) of each source file with methods of a class of another source file."""
    places = defaultdict(dict)  # by folder and class: the first line of each file
    for source in sources:
        if source.is_header or source.path in VARIANTS:
            continue
        folder = str(pathlib.PurePosixPath(source.path).parent)
        for name, line in method_definitions(source):
            places[folder, name].setdefault(source.path, line)
    for (_, name), lines in sorted(places.items()):
        own = "/" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() + ".cpp"
        main = min(lines, key=lambda path: (not path.endswith(own), len(path), path))
        for path in sorted(set(lines) - {main}):
            file = pathlib.PurePosixPath(main).name
            suffixed = pathlib.PurePosixPath(path).stem.startswith(file.removesuffix(".cpp") + "_")
            rule = "suffix-file" if suffixed else "class-files"
            yield name, (path, lines[path], rule, f"split {name}: {file} has methods of it, too")


def method_definitions(source):
    """(class, line) of each method that is defined outside of its class, unless the class itself
    is in the same source file."""
    code = without_directives(source.code)
    local = {found["name"] for found in CLASS.finditer(code)}
    for start, end in cpp_definitions(code):
        signature = without_arguments(without_template(ATTRIBUTE.sub("", code[start:end])))
        found = QUALIFIED.search(signature)
        names = re.findall(r"\w+", found[1]) if found else []
        classes = [name for name in names if name[0].isupper()]
        if classes and not local & set(classes):
            yield "::".join(classes), code.count("\n", 0, code.find(classes[0], start)) + 1


def without_arguments(signature):
    """`signature` up to the parenthesis of its parameters, which stays, without the arguments of
    templates."""
    kept, depth = [], 0
    for symbol in OPERATOR.sub("operator", signature):
        if symbol == "<":
            depth += 1
        elif symbol == ">" and depth > 0:
            depth -= 1
        elif depth == 0:
            kept.append(symbol)
            if symbol == "(":
                break
    return "".join(kept)


def too_many_methods(sources):
    """(class, violation) of each class with too many methods, those without a body included."""
    for source in sources:
        code = without_directives(source.code)
        for found in CLASS.finditer(code):
            count = sum(is_method(member) for member in members(code, found.end()))
            if count > MAX_METHODS:
                line = code.count("\n", 0, found.start()) + 1
                advice = f"split {found['name']}: {count} methods, at most {MAX_METHODS}"
                yield found["name"], (source.path, line, "methods", advice)


def members(code, start):
    """The text of each member of the class whose body begins at `start`, without inner braces."""
    text, braces, parentheses = [], 0, 0
    for place in range(start, len(code)):
        symbol = code[place]
        parentheses += {"(": 1, ")": -1}.get(symbol, 0)
        if symbol == "{":
            braces += 1
        elif symbol == "}":
            braces -= 1
            if braces < 0:
                return
            # A body ends its function; an initialiser does not end its member.
            if braces == 0 and parentheses == 0 and is_method("".join(text)):
                yield "".join(text)
                text = []
        elif braces == 0:
            if symbol == ";" and parentheses == 0:
                yield "".join(text)
                text = []
            else:
                text.append(symbol)


def is_method(member):
    """Whether the text of a member declares a function that its author has written."""
    text = without_template(ATTRIBUTE.sub("", LABEL.sub("", member)).strip())
    if NO_METHOD.match(text) or re.search(r"=\s*(?:default|delete)\s*$", text):
        return False
    name = without_arguments(text)
    return name.endswith("(") and "=" not in name
