package execution

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// openCalls open a file by its name, with the argument that has the flags.
var openCalls = map[uint32]uint32{unix.SYS_OPENAT: 2}

// refusedHere are calls that not every processor has, as [refusedCalls].
var refusedHere = []uint32{unix.SYS_KEXEC_FILE_LOAD}
