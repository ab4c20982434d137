#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel of clients/python: what its record says, and the package from an environment that has
nothing else."""

import base64
import csv
import hashlib
import sys
import zipfile

from support import ROOT, check, main, run


def make(folder):
    run(sys.executable, ROOT / "tools/wheel.py", "--version", "1.2.3", "-o", folder)
    wheels = list(folder.glob("*.whl"))
    check([wheel.name for wheel in wheels] == ["farlink-1.2.3-py3-none-any.whl"], f"{wheels}")
    return wheels[0]


def it_has_the_same_octets_each_time(_build, folder):
    first, second = make(folder / "a"), make(folder / "b")
    check(first.read_bytes() == second.read_bytes(), "other octets")


def its_record_names_every_file(_build, folder):
    archive = zipfile.ZipFile(make(folder))
    info = "farlink-1.2.3.dist-info"
    rows = list(csv.reader(archive.read(f"{info}/RECORD").decode().splitlines()))
    check({row[0] for row in rows} == set(archive.namelist()), f"{rows}")
    for name, digest, size in rows:
        if name == f"{info}/RECORD":
            continue
        octets = archive.read(name)
        right = base64.urlsafe_b64encode(hashlib.sha256(octets).digest()).rstrip(b"=").decode()
        check((digest, size) == (f"sha256={right}", str(len(octets))), name)
    for name in ("farlink/__init__.py", "farlink/py.typed", f"{info}/LICENSE"):
        check(name in archive.namelist(), f"no {name}")


def it_works_where_it_is_installed(_build, folder):
    """Unpacked, which is what pip does with a wheel of plain Python."""
    wheel = make(folder)
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    python = folder / "venv/bin/python"
    place = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    zipfile.ZipFile(wheel).extractall(place)
    said = run(python, "-c", "import farlink, importlib.metadata as m; "
               "print(farlink.__file__, m.version('farlink'))", cwd=folder).split()
    check(said == [f"{place}/farlink/__init__.py", "1.2.3"], f"{said}")
    run(python, ROOT / "clients/python/tests/client_test.py", "--installed", "AsyncTest",
        cwd=folder)


if __name__ == "__main__":
    main(it_has_the_same_octets_each_time, its_record_names_every_file,
         it_works_where_it_is_installed)
