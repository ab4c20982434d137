#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program as closed in as a unit of systemd asks for, where systemd is not there to do it.

    sandbox.py UNIT WRITABLE_FOLDER PROGRAM ARGUMENTS...

As root, or in a user namespace of its own. What it takes from the unit, and how:
ProtectSystem=strict (read-only mounts but for the folder), PrivateTmp, ProtectProc and ProcSubset
(a mount of their own), NoNewPrivileges, CapabilityBoundingSet (an empty one), User (nobody),
SystemCallFilter with its groups, RestrictAddressFamilies and MemoryDenyWriteExecute (a filter of
system calls). The rest needs systemd.
"""

import ctypes
import errno
import os
import pathlib
import pwd
import re
import socket
import struct
import subprocess
import sys

LIBC = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_PRIVATE_REC = 0x4000 | 0x40000
MS_BIND = 0x1000
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY = 442, -100, 0x8000, 1
PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 24, 22, 2
LAST_CAPABILITY = 63

# Classic BPF: opcodes, and places in struct seccomp_data.
LOAD, EQUAL, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x45, 0x54, 0x06
NUMBER_AT, FIRST_ARGUMENT_AT = 0, 16
ALLOW, REFUSE = 0x7fff0000, 0x00050000
PROT_WRITE, PROT_EXEC = 2, 4


def values(text, key):
    return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)


def checked(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, kind=None, flags=0, data=None):
    words = [word and str(word).encode() for word in (source, target, kind)]
    checked(LIBC.mount(*words, ctypes.c_ulong(flags), data and data.encode()), f"mount {target}")


def set_read_only(path, yes):
    attributes = struct.pack("QQQQ", MOUNT_ATTR_RDONLY if yes else 0,
                             0 if yes else MOUNT_ATTR_RDONLY, 0, 0)
    flags = AT_RECURSIVE if yes else 0
    checked(LIBC.syscall(MOUNT_SETATTR, AT_FDCWD, str(path).encode(), flags, attributes,
                         ctypes.c_size_t(len(attributes))), f"mount_setattr {path}")


def enter_namespaces(user):
    flags = CLONE_NEWNS
    uid, gid = os.geteuid(), os.getegid()
    if uid != 0:
        flags |= CLONE_NEWUSER
    checked(LIBC.unshare(flags), "unshare")
    if uid == 0:
        return user.pw_uid, user.pw_gid
    for file, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"),
                       ("gid_map", f"{gid} {gid} 1")):
        pathlib.Path("/proc/self", file).write_text(text, encoding="ascii")
    return uid, gid


def close_file_system(unit, folder):
    mount(None, "/", flags=MS_PRIVATE_REC)
    if values(unit, "PrivateTmp") == ["yes"]:
        mount("tmpfs", "/tmp", "tmpfs", data="mode=1777")
    mount(folder, folder, flags=MS_BIND)
    if values(unit, "ProtectSystem") == ["strict"]:
        set_read_only("/", True)
        set_read_only("/tmp", False)
        set_read_only(folder, False)
    options = [f"hidepid={word}" for word in values(unit, "ProtectProc")]
    options += [f"subset={word}" for word in values(unit, "ProcSubset")]
    if options:
        mount("proc", "/proc", "proc", data=",".join(options))


def drop_privileges(unit, uid, gid):
    if values(unit, "CapabilityBoundingSet") == [""]:
        for capability in range(LAST_CAPABILITY + 1):
            LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    # A filter of system calls needs it, too.
    checked(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")


def numbers_of_calls():
    """Of this machine's system calls, by name."""
    said = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"],
                          capture_output=True, text=True, check=True).stdout
    return {name: int(number) for name, number in
            re.findall(r"^#define __NR_(\w+) (\d+)$", said, re.MULTILINE)}


def calls_of(word):
    """The names of system calls that a word of SystemCallFilter= stands for."""
    if not word.startswith("@"):
        return {word}
    said = subprocess.run(["systemd-analyze", "syscall-filter", word], capture_output=True,
                          text=True, check=True).stdout
    names = [line.strip() for line in said.splitlines()[1:]]
    return set().union(*(calls_of(name) for name in names if name and not name.startswith("#")))


def allowed_calls(unit):
    """As systemd.exec(5) says: the first line begins a list, `~` takes from it, others add."""
    allowed = set()
    for line in values(unit, "SystemCallFilter"):
        taken = line.startswith("~")
        for word in line.removeprefix("~").split():
            allowed = allowed - calls_of(word) if taken else allowed | calls_of(word)
    return allowed | calls_of("@default") if allowed else allowed


def argument_at(number):
    return FIRST_ARGUMENT_AT + 8 * number


def filter_of(unit):
    """The instructions; None: nothing is to be refused."""
    numbers = numbers_of_calls()
    allowed = allowed_calls(unit)
    refuse = REFUSE | errno.EPERM
    program = [(LOAD, 0, 0, NUMBER_AT)]

    def for_call(name, body):
        program.append((EQUAL, 0, len(body), numbers[name]))
        program.extend(body)

    families = [getattr(socket, name) for line in values(unit, "RestrictAddressFamilies")
                for name in line.split()]
    if families:
        body = [(LOAD, 0, 0, argument_at(0))]
        for left, family in zip(range(len(families), 0, -1), families):
            body.append((EQUAL, left, 0, int(family)))
        body += [(RETURN, 0, 0, REFUSE | errno.EAFNOSUPPORT), (RETURN, 0, 0, ALLOW)]
        for_call("socket", body)
    if values(unit, "MemoryDenyWriteExecute") == ["yes"]:
        both = PROT_WRITE | PROT_EXEC
        for_call("mmap", [(LOAD, 0, 0, argument_at(2)), (AND, 0, 0, both), (EQUAL, 0, 1, both),
                          (RETURN, 0, 0, refuse), (RETURN, 0, 0, ALLOW)])
        for_call("mprotect", [(LOAD, 0, 0, argument_at(2)), (ANY_BIT, 0, 1, PROT_EXEC),
                              (RETURN, 0, 0, refuse), (RETURN, 0, 0, ALLOW)])
    if not allowed:
        return [*program, (RETURN, 0, 0, ALLOW)]
    for name in sorted(allowed & numbers.keys()):
        for_call(name, [(RETURN, 0, 0, ALLOW)])
    return [*program, (RETURN, 0, 0, refuse)]


def refuse_calls(program):
    octets = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    found = Program(len(program), ctypes.cast(octets, ctypes.c_void_p))
    checked(LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(found), 0, 0), "seccomp")


def main():
    unit = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    program = filter_of(unit)
    uid, gid = enter_namespaces(pwd.getpwnam("nobody"))
    close_file_system(unit, pathlib.Path(sys.argv[2]).resolve())
    drop_privileges(unit, uid, gid)
    refuse_calls(program)
    os.execv(sys.argv[3], sys.argv[3:])


if __name__ == "__main__":
    main()
