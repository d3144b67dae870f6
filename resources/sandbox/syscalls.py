"""The system calls that an answer is refused: memory nobody accounts for, new namespaces, other processes' insides.

Memory that no process is seen to have: buffers of sockets (only a pair of local streams is left, as asyncio needs one,
with buffers of the default size), queues of file events, shared mappings without a file, which stay after they are
unmapped here.

A classic BPF program for bubblewrap's --seccomp (numbers: Linux arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h; layout: include/uapi/linux/{filter,seccomp,audit}.h). On other machines than these
two there is none, and the namespaces alone confine.
"""

import errno
import platform
import struct

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_X32 = 0x40000000
_SOCKETPAIR = {"x86_64": 53, "aarch64": 199}
_LOCAL, _STREAM, _TYPE_BITS = 1, 1, 0xF
"""AF_UNIX, SOCK_STREAM, and the bits of a type that are no flags."""
_PRLIMIT = {"x86_64": 302, "aarch64": 261}
"""Of another process: its judge's, which has the same user."""
_MMAP = {"x86_64": 9, "aarch64": 222}
_SHARED_ANONYMOUS = 0x21
"""MAP_SHARED (also a bit of MAP_SHARED_VALIDATE) and MAP_ANONYMOUS."""
_EVERYWHERE = {
    "pidfd_getfd": 438, "process_madvise": 440, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "mount_setattr": 442, "memfd_secret": 447,
}
_REFUSED = {
    "x86_64": _EVERYWHERE | {
        "memfd_create": 319, "shmget": 29, "shmat": 30, "semget": 64, "msgget": 68, "ptrace": 101, "process_vm_readv": 310,
        "process_vm_writev": 311, "kcmp": 312, "userfaultfd": 323, "bpf": 321, "perf_event_open": 298, "unshare": 272,
        "setns": 308, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "add_key": 248, "request_key": 249,
        "keyctl": 250, "name_to_handle_at": 303, "open_by_handle_at": 304, "syslog": 103, "personality": 135,
        "socket": 41, "setsockopt": 54, "inotify_init": 253, "inotify_init1": 294, "fanotify_init": 300,
    },
    "aarch64": _EVERYWHERE | {
        "memfd_create": 279, "shmget": 194, "shmat": 196, "semget": 190, "msgget": 186, "ptrace": 117,
        "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "userfaultfd": 282, "bpf": 280,
        "perf_event_open": 241, "unshare": 97, "setns": 268, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51,
        "add_key": 217, "request_key": 218, "keyctl": 219, "name_to_handle_at": 264, "open_by_handle_at": 265,
        "syslog": 116, "personality": 92, "socket": 198, "setsockopt": 208, "inotify_init1": 26, "fanotify_init": 262,
    },
}
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Places in the data a filter sees; arguments have 8 bytes each, the lower half first."""
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def refused_calls(machine: str = platform.machine()) -> bytes | None:
    """The filter for this machine, None where there is none for its architecture.

    A call that is refused fails with EPERM; clone3, whose flags a filter cannot see, with ENOSYS, upon which libc
    takes clone.
    """
    if machine not in _REFUSED:
        return None
    lines = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, _AUDIT[machine]), (_RETURN, 0, 0, _KILL),
             (_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":
        lines += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    for number in sorted(_REFUSED[machine].values()):
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    refuse = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    lines += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
              (_EQUAL, 0, 4, _CLONE[machine]), _argument(0), (_ANY_BIT, 0, 1, _NEW_NAMESPACES), refuse, (_RETURN, 0, 0, _ALLOW),
              (_EQUAL, 0, 5, _MMAP[machine]), _argument(3), (_AND, 0, 0, _SHARED_ANONYMOUS),
              (_EQUAL, 0, 1, _SHARED_ANONYMOUS), refuse, (_RETURN, 0, 0, _ALLOW),
              (_EQUAL, 0, 4, _PRLIMIT[machine]), _argument(0), (_EQUAL, 1, 0, 0), refuse, (_RETURN, 0, 0, _ALLOW),
              (_EQUAL, 0, 6, _SOCKETPAIR[machine]), _argument(0), (_EQUAL, 0, 3, _LOCAL), _argument(1),
              (_AND, 0, 0, _TYPE_BITS), (_EQUAL, 1, 0, _STREAM), refuse, (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def _argument(number: int) -> tuple[int, int, int, int]:
    """Loads its lower half."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * number)
