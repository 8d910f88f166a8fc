package execution

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// openCalls open a file by its name, with the argument that has the flags.
var openCalls = map[uint32]uint32{unix.SYS_OPEN: 1, unix.SYS_OPENAT: 2}

// refusedHere are calls that only this processor has, as [refusedCalls].
var refusedHere = []uint32{
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_CREATE_MODULE, unix.SYS_GET_KERNEL_SYMS,
	unix.SYS_QUERY_MODULE, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS, unix.SYS__SYSCTL,
}
