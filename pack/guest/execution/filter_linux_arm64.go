package execution

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// refusedHere are calls that not every processor has, as [refusedCalls].
var refusedHere = []uint32{unix.SYS_KEXEC_FILE_LOAD}
