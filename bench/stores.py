# SPDX-License-Identifier: Apache-2.0
"""The requirements of the cases of the store: folders on a disk, and the rates of that disk."""

import json
import os
import socket
import subprocess

from programs import RunFailed

MOST_STORED_BYTES = 2_500_000_000
PROBE_BYTES = 1 << 30  # what fio writes or reads


def storage_config(folder, case):
    """One folder, or for the cases of the store as many as the case has disks."""
    if case.kind not in ("store", "release", "restart", "custody") or case.disks == 1:
        return {"storeFilePath": os.path.join(folder, "store")}
    return {"storageDiskConfigVector": [
        {"name": f"disk{number}", "storeFilePath": os.path.join(folder, f"store{number}")}
        for number in range(case.disks)]}


def files_below(folder):
    for path, _, names in os.walk(folder):
        for name in names:
            yield os.path.join(path, name)


def disk_bytes(folder):
    """The disk space of the files of a folder."""
    return sum(os.stat(path).st_blocks * 512 for path in files_below(folder))


def drop_page_cache(folder):
    """Drops the files of a folder from the page cache, so that the next read is from the disk."""
    for path in files_below(folder):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def reserved_port():
    """A free port without a listener."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def disk_rate(folder, direction):
    """Octets a second that fio writes or reads in sequence, past the page cache."""
    path = os.path.join(folder, "probe")
    try:
        # The file to read is also written past the page cache: the kernel might still be writing
        # a file that fio had made through the cache.
        rate = fio_rate(path, "write", "--fdatasync=64")
        return fio_rate(path, "read") if direction == "read" else rate
    finally:
        if os.path.exists(path):
            os.remove(path)


def fio_rate(path, direction, *options):
    command = ["fio", "--name=probe", f"--rw={direction}", "--bs=1M", "--direct=1",
               f"--size={PROBE_BYTES}", f"--filename={path}", "--output-format=json", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise RunFailed("fio is missing: ./farlink-dev bench installs it") from None
    except subprocess.CalledProcessError as failed:
        raise RunFailed(f"fio: {failed.stderr}") from None
    return json.loads(done.stdout)["jobs"][0][direction]["bw_bytes"]
