# SPDX-License-Identifier: Apache-2.0
"""Where functions begin and end in C++, by matching braces; in Python, by its own parser."""

import ast
import re

TEMPLATE = re.compile(r"template\s*<")
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|alignas\s*\([^)]*\)", re.DOTALL)
ACCESS = re.compile(r"^\s*(?:public|private|protected)\s*:")
TYPE = re.compile(r"\s*(?:typedef\s+)?(?:class|struct|union|enum)\b")
NAMESPACE = re.compile(r'\s*(?:inline\s+)?namespace\b|\s*extern\s*"')
NAME = re.compile(r"(operator\s*(?:\(\s*\)|[^\s(]+)|~?\w+)\s*$")


def python_functions(source):
    """(line, name, length) of each function."""
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.name, node.end_lineno - node.lineno + 1


def cpp_functions(source):
    """(line, name, length) of each function outside of functions: a lambda or a local class
    counts to the function round it. The length runs from the signature to the last brace."""
    code = without_directives(source.code)
    for start, end in cpp_definitions(code):
        yield measure(code, start, end)


def cpp_definitions(code):
    """(start, end) of each function outside of functions, from the signature to the last brace."""
    scopes = []  # what each open brace began: "namespace", "type", "braces" or a function's start
    head = 0  # where the text since the last statement begins
    parentheses = 0
    for token in re.finditer(r"[{}();]", code):
        place, symbol = token.start(), token.group()
        if symbol in "()":
            parentheses += 1 if symbol == "(" else -1
        elif symbol == "{":
            scopes.append(classify(code[head:place], scopes, parentheses, head))
            if scopes[-1] != "braces":
                head, parentheses = place + 1, 0
        elif symbol == "}" and scopes:
            scope = scopes.pop()
            if isinstance(scope, int):
                yield scope, place
            if scope != "braces":
                head, parentheses = place + 1, 0
        elif symbol == ";" and parentheses == 0:
            head = place + 1


def without_directives(code):
    """Blanks preprocessor lines, continued ones too: a macro's braces need not match."""
    directive = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
    return directive.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), code)


def classify(text, scopes, parentheses, start):
    """The kind of scope that the brace after `text` begins."""
    if "braces" in scopes or any(isinstance(scope, int) for scope in scopes):
        return "braces"
    text = ATTRIBUTE.sub("", ACCESS.sub("", text))
    if NAMESPACE.match(text):
        return "namespace"
    if TYPE.match(without_template(text)) and ")" not in re.sub(r":.*", "", text, flags=re.DOTALL):
        return "type"
    # `member_{1}` and `= {1}` open no scope; a space or a line break precedes a body.
    if parentheses > 0 or re.search(r"[\w>=,]$|=\s*$", text):
        return "braces"
    return start if ")" in text or text.rstrip().endswith("]") else "braces"


def without_template(text):
    """`text` behind its template parameter list."""
    found = TEMPLATE.match(text.lstrip())
    if not found:
        return text
    text, depth = text.lstrip(), 0
    for place in range(found.end() - 1, len(text)):
        depth += {"<": 1, ">": -1}.get(text[place], 0)
        if depth == 0:
            return text[place + 1 :]
    return text


def measure(code, start, end):
    text = ACCESS.sub(lambda match: " " * len(match.group()), code[start:end])
    start += len(text) - len(text.lstrip())
    signature = without_template(code[start:end]).split("(", 1)[0]
    if signature.rstrip().endswith("operator"):
        signature += "()"
    named = NAME.search(signature)
    line = code.count("\n", 0, start) + 1
    return line, named.group(1) if named else "function", code.count("\n", start, end) + 1
