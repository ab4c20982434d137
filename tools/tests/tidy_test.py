# SPDX-License-Identifier: Apache-2.0
"""Every rule of the house style fires on its bad sample and is silent on its good one."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from style.classes import EXCEPTIONS, MAX_METHODS, check_classes  # noqa: E402
from style.functions import cpp_functions  # noqa: E402
from style.rules import MAX_FUNCTION_LINES, MAX_LINES, WARN_LINES, check  # noqa: E402
from style.source import Source, matches, read_tree  # noqa: E402

LICENCE = "// " + "SPDX-License-Identifier: Apache-2.0\n"
HASH_LICENCE = "# " + "SPDX-License-Identifier: Apache-2.0\n"
OPENING = "// A thing.\n// Owned by its caller.\n// One thread.\n#pragma once\n"
LATER = "TO" + "DO"
UNCHECKED = "NOLIN" + "T"
SECURE = "https" + "://"

# rule, path, a body that breaks it, a body that does not (the licence line is put before both)
BODIES = (
    ("columns", "cla/a.cpp", "int a;" + " " * 91 + "// x\n", "int a;" + " " * 90 + "// x\n"),
    ("tab", "cla/a.cpp", "int a;\t// x\n", "int a;  // x\n"),
    ("trailing-space", "cla/a.cpp", "int a; \n", "int a;\n"),
    ("last-line", "cla/a.cpp", "int a;", "int a;\n"),
    ("clock", "cla/a.cpp", "auto t = std::chrono::steady_clock::now();\n", "f(now);\n"),
    ("clock", "cla/a.cpp", "auto t = std::time(nullptr);\n", "auto t = view.time(0);\n"),
    ("clock", "cla/a.cpp", "::clock_gettime(id, &spec);\n", "// clock_gettime\n"),
    ("entropy", "cla/a.cpp", "std::random_device seed;\n", "Random random(seed);\n"),
    ("entropy", "cla/a.cpp", "int a = rand();\n", "int a = operand();\n"),
    ("sleep", "tests/a.cpp", "std::this_thread::sleep_for(d);\n", "world.sleep(d);\n"),
    ("sleep", "cla/a.cpp", "usleep(5);\n", 'f("usleep(5)");\n'),
    ("c-string", "cla/a.cpp", "int a = atoi(text);\n", "std::from_chars(from, to, a);\n"),
    ("c-string", "cla/a.cpp", "std::strcpy(a, b);\n", "std::snprintf(a, n, b);\n"),
    ("console", "cla/a.cpp", "std::cout << a;\n", "std::snprintf(a, n, b);\n"),
    ("console", "module/a.cpp", "std::printf(a);\n", "put(a);\n"),
    ("console", "common/a.cpp", "#include <iostream>\n", "#include <ostream>\n"),
    ("allocation", "cla/a.cpp", "auto a = new A;\n", "A &operator=(A &&) = delete;\n"),
    ("allocation", "cla/a.cpp", "delete a;\n", "#include <new>\n"),
    ("allocation", "cla/a.cpp", "std::free(a);\n", "pool.free(a);\n"),
    ("shared-ownership", "cla/a.cpp", "std::shared_ptr<A> a;\n", "std::unique_ptr<A> a;\n"),
    ("untyped-pointer", "cla/a.cpp", "f(void *cookie);\n", "A *f(void);\n"),
    ("untyped-pointer", "cla/a.cpp", "const void* p;\n", "const A *p;\n"),
    ("assert", "cla/a.cpp", "assert(a);\n", "static_assert(a);\n"),
    (
        "raw-handler",
        "cla/a.cpp",
        "socket.async_wait(f, [this](const auto &error) { g(); });\n",
        "socket.async_wait(f, while_open(*this, [](A &self, auto &) { self.g([&] {}); }));\n",
    ),
    ("raw-handler", "cla/a.cpp", "asio::post(io, [=, a = b] {\n});\n", "f([this] { g(); });\n"),
    ("raw-handler", "cla/b.cpp", "t.async_wait(\n    [a, this] {});\n", "t.async_wait([a] {});\n"),
    ("throw", "cla/a.cpp", "throw a;\n", "return fail(a);\n"),
    ("using-namespace", "cla/a.cpp", "using namespace std;\n", "using std::array;\n"),
    ("umbrella-header", "cla/a.cpp", "#include <boost/asio.hpp>\n", "#include <array>\n"),
    ("umbrella-header", "cla/a.cpp", "#include <bits/stdc++.h>\n", "#include <vector>\n"),
    ("unfinished", "cla/a.cpp", f"// {LATER}: more\n", "// nothing is left to do\n"),
    ("unreasoned", "cla/a.cpp", f"f();  // {UNCHECKED}\n", f"f();  // {UNCHECKED}(a-b): c\n"),
    ("unreasoned", "cla/a.cpp", f"// {UNCHECKED}NEXTLINE(a)\n", f"// {UNCHECKED}NEXTLINE(a): c\n"),
    ("machine-path", "cla/a.cpp", "// see /ho" "me/me/a\n", "// see a/home/me\n"),
    ("address", "cla/a.cpp", f"// {SECURE}files.test/a\n", f"// {SECURE}www.rfc-editor.org/a\n"),
)


def long_function(opening, lines):
    return opening + " {\n" + "    f();\n" * (lines - 2) + "}\n"


class Rules(unittest.TestCase):
    def fired(self, path, text):
        return {rule for _, rule, _ in check(Source(path, text))}

    def test_each_rule_fires_on_the_bad_body_only(self):
        for rule, path, bad, good in BODIES:
            with self.subTest(rule=rule, bad=bad):
                self.assertEqual(self.fired(path, LICENCE + bad), {rule})
                self.assertEqual(self.fired(path, LICENCE + good), set())

    def test_licence(self):
        self.assertEqual(self.fired("a.cpp", LICENCE), set())
        self.assertEqual(self.fired("a.sh", "#!/bin/sh\n" + HASH_LICENCE), set())
        for text in ("int a;\n", "\n" + LICENCE, LICENCE + LICENCE, ""):
            self.assertEqual(self.fired("a.cpp", text), {"licence"}, text)
        self.assertEqual(self.fired("run", "#!/usr/bin/env bash\n"), {"licence"})

    def test_header(self):
        self.assertEqual(self.fired("a.hpp", LICENCE + OPENING), set())
        self.assertEqual(
            self.fired("a.hpp", LICENCE + "// A thing.\n#pragma once\n"), {"header-opening"}
        )
        self.assertEqual(self.fired("a.hpp", LICENCE + "// A.\n" * 3), {"pragma-once"})
        self.assertEqual(
            self.fired("a.hpp", LICENCE + OPENING + "using namespace farlink;\n"),
            {"using-namespace"},
        )
        self.assertEqual(
            self.fired("a.hpp", LICENCE + OPENING + "#include <spdlog/spdlog.h>\n"),
            {"umbrella-header"},
        )

    def test_file_length(self):
        lines = LICENCE + "int a;\n" * (WARN_LINES - 1)
        self.assertEqual(self.fired("a.cpp", lines), set())
        self.assertEqual(self.fired("a.cpp", lines + "int a;\n"), {"warning: file-length"})
        reason = "// Length: one table\n"
        self.assertEqual(self.fired("a.cpp", lines + reason), set())
        self.assertEqual(
            self.fired("a.cpp", LICENCE + reason + "int a;\n" * MAX_LINES), {"file-length"}
        )

    def test_function_length(self):
        for opening in (
            "void f()",
            "template <class A>\nauto A::f(A a) const noexcept -> int",
            "namespace a {\nclass B : public C {\npublic:\n    bool operator()(int a) const",
            "A::A(int a)\n    : a_(a), b_{a}, c_({1, 2})",
            "TEST(A, B)",
            "const auto f = [] (int a)",
        ):
            lines = opening.count("\n") + 1
            close = "};\n}\n" if opening.startswith("namespace") else ";\n"
            lines -= 3 if opening.startswith("namespace") else 0
            for length, fires in ((MAX_FUNCTION_LINES, False), (MAX_FUNCTION_LINES + 1, True)):
                text = LICENCE + long_function(opening, length - lines + 1) + close
                with self.subTest(opening=opening, length=length):
                    expected = {"function-length"} if fires else set()
                    self.assertEqual(self.fired("a.cpp", text), expected)
        python = HASH_LICENCE + "def f():\n" + "    f()\n" * MAX_FUNCTION_LINES
        self.assertEqual(self.fired("a.py", python), {"function-length"})

    def test_sleep_in_a_python_test(self):
        body = HASH_LICENCE + "import time\ntime.sleep(1)\n"
        self.assertEqual(self.fired("tests/a.py", body), {"sleep"})
        self.assertEqual(self.fired("tools/a.py", body), set())


def class_of(name, methods, rest=""):
    return f"class {name} {{\npublic:\n{'    void f();' * methods}\n{rest}}};\n"


class Classes(unittest.TestCase):
    def found(self, **files):
        tree = [Source(f"cla/{name}", text) for name, text in files.items()]
        violations = check_classes([*tree, *self.of_exceptions()])
        return [(path, line, rule) for path, line, rule, _ in violations]

    def of_exceptions(self):
        """A class for each exception, so that none is reported as unneeded."""
        for name in EXCEPTIONS:
            yield Source(f"{name}.hpp", class_of(name, MAX_METHODS + 1))

    def sources(self, **texts):
        return self.found(**{f"{name}.cpp": text for name, text in texts.items()})

    def test_a_class_has_one_source_file(self):
        text = "// A.\nvoid Engine2::f() {\n}\n"
        self.assertEqual(self.sources(engine2=text), [])
        self.assertEqual(
            self.sources(engine2=text, clock=text), [("cla/clock.cpp", 2, "class-files")]
        )
        self.assertEqual(
            self.sources(engine2=text, engine2_in=text), [("cla/engine2_in.cpp", 2, "suffix-file")]
        )

    def test_the_source_with_the_name_of_the_class_is_the_right_one(self):
        text = "int SessionDriver2::f() {\n}\n"
        found = self.sources(io=text, session_driver2=text)
        self.assertEqual(found, [("cla/io.cpp", 1, "class-files")])

    def test_what_is_no_method_of_a_class_in_two_sources(self):
        for text in (
            "void f() {\n}\n",
            "void bus::f() {\n}\n",
            "std::function<void(A::B)> f() {\n}\n",
            "namespace {\nstruct A {\n    void f();\n};\nvoid A::f() {\n}\n}\n",
        ):
            self.assertEqual(self.sources(a=text, b=text), [], text)

    def test_all_kinds_of_methods_in_two_sources(self):
        for text in (
            "A::A(int a) : a_{a} {\n}\n",
            "A::~A() {\n}\n",
            "bool A::operator<(const A &a) const {\n}\n",
            "template <class B>\nstd::map<B, int> A::f(B b) {\n}\n",
            "std::function<void()> A::f() {\n}\n",
            "int A::B::f() {\n}\n",
        ):
            self.assertEqual([rule for *_, rule in self.sources(a=text, b=text)], ["class-files"])

    def test_the_number_of_methods(self):
        self.assertEqual(self.found(**{"a.hpp": class_of("A", MAX_METHODS)}), [])
        self.assertEqual(
            self.found(**{"a.hpp": "// A.\n" + class_of("A", MAX_METHODS + 1)}),
            [("cla/a.hpp", 2, "methods")],
        )

    def test_members_that_are_no_methods(self):
        rest = (
            "    A() = default;\n    A(const A &) = delete;\n    friend void g(A);\n"
            "    std::function<void()> f_;\n    int a_ = g();\n    int b_{g()};\n"
            "    std::function<int()> c_ = [] { return g(); };\n"
            "    struct B {\n        void f();\n    };\n    using C = int (*)(int);\n"
            "    static_assert(sizeof(int) == 4);\n"
        )
        self.assertEqual(self.found(**{"a.hpp": class_of("A", MAX_METHODS, rest)}), [])

    def test_members_that_are_methods(self):
        for method in (
            "A() : a_{1}, b_(2) {}\n",
            "[[nodiscard]] int f() const { return 1; }\n",
            "bool operator==(const A &) const;\n",
            "void operator()();\n",
            "template <class B>\nvoid f(B b = {}) {\n    g();\n}\n",
            "std::function<void()> f();\n",
            "private:\nvirtual void f() = 0;\n",
        ):
            found = self.found(**{"a.hpp": class_of("A", MAX_METHODS, method)})
            self.assertEqual([rule for *_, rule in found], ["methods"], method)

    def test_exceptions_are_passed_over_while_they_are_needed(self):
        self.assertEqual(self.found(), [])
        unneeded = {rule for *_, rule, _ in check_classes([])}
        self.assertEqual(unneeded, {"warning: unneeded-exception"} if EXCEPTIONS else set())


class FunctionFinder(unittest.TestCase):
    def found(self, text):
        return list(cpp_functions(Source("a.cpp", text)))

    def test_names_lines_and_lengths(self):
        text = (
            "#define A(x) {\n"
            "struct A {\n"
            "    A() : a_{1} {\n        f('{');\n    }\n"
            "    int a() const { return a_; }\n"
            '    std::string text_ = R"({)";\n'
            "    std::array<int, 2> list_ = {1, 2};\n"
            "};\n"
            "enum class B : int { kA };\n"
            "static const int c[] = {1'000, 2};\n"
            "// {\n"
            "int B::d(int a) {\n    auto e = [&] { return a; };\n    return e();\n}\n"
        )
        self.assertEqual(self.found(text), [(3, "A", 3), (6, "a", 1), (13, "d", 4)])

    def test_a_function_that_returns_a_struct(self):
        self.assertEqual(self.found("struct A f(int a) {\n}\n"), [(1, "f", 2)])


class Tree(unittest.TestCase):
    def test_what_git_keeps_is_not_read(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (".git", "a.cpp"):
                pathlib.Path(folder, name).write_text("int a;\n", encoding="utf-8")
            self.assertEqual([source.path for source in read_tree(folder)], ["a.cpp"])


class Patterns(unittest.TestCase):
    def test_one_star_stays_in_its_folder(self):
        self.assertTrue(matches("cla/stcp/a_link.cpp", ["cla/*/*_link.*"]))
        self.assertFalse(matches("cla/stcp/core/a_link.cpp", ["cla/*/*_link.*"]))
        self.assertTrue(matches("cla/stcp/core/a.hpp", ["**.hpp"]))


if __name__ == "__main__":
    unittest.main()
