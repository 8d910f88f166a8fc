package execution

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The filter of system calls (seccomp(2)) that every program gets for good, with all
// that it starts. It refuses what Docker's default profile refuses to a container
// without capabilities: what a program that gained nothing could not do anyway, so that
// faults of the kernel behind such a call cannot be reached. Programs of the pack need
// none of it.
//
// A call that is younger than the kernel of the pack answers ENOSYS until somebody has
// looked at it: programs fall back then.

// lastCall is the youngest system call of Linux 6.12.
const lastCall = unix.SYS_MSEAL

// refusedCalls answer EPERM, on every processor; [refusedHere] on this one.
var refusedCalls = []uint32{
	// Namespaces, mounts, roots.
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_OPEN_TREE,
	unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	// Other processes.
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	// The kernel's keys, programs, events, faults and modules.
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_SYSLOG,
	// The machine.
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY,
	unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_NFSSERVCTL, unix.SYS_VHANGUP, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES,
}

// absentCalls answer ENOSYS, as on a kernel without them: programs have another way.
// What clone3 is asked for lies in memory, where a filter cannot read it.
var absentCalls = []uint32{
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_CLONE3,
	unix.SYS_MBIND, unix.SYS_GET_MEMPOLICY, unix.SYS_SET_MEMPOLICY, unix.SYS_SET_MEMPOLICY_HOME_NODE,
}

// newNamespaces are the flags of clone(2) that make one.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// Arguments that are let through.
var (
	socketFamilies = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6} // and routes of AF_NETLINK; offline only the first
	personalities  = []uint32{0, 8, 1<<32 - 1}                           // PER_LINUX, PER_LINUX32, which it is
)

// Offsets in struct seccomp_data, of the lower half of arguments: both processors are
// little-endian.
const (
	callAt = 0
	archAt = 4
	argsAt = 16
)

var (
	allowed = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	refused = failed(unix.EPERM)
	absent  = failed(unix.ENOSYS)
)

func failed(errno unix.Errno) bpf.RetConstant {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}

func argument(n uint32) bpf.LoadAbsolute { return bpf.LoadAbsolute{Off: argsAt + 8*n, Size: 4} }

// filter is the program of the filter. Offline it leaves no socket of a network. Uncut it
// leaves no way to cut a file but by a descriptor that may write: a Landlock that is older
// than [landlock.Truncates] judges no other way.
func filter(offline, uncut bool) []bpf.Instruction {
	families := socketFamilies
	if offline {
		families = families[:1]
	}
	p := []bpf.Instruction{
		bpf.LoadAbsolute{Off: archAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		absent, // calls of 32-bit programs, whose numbers mean others
		bpf.LoadAbsolute{Off: callAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: lastCall, SkipTrue: 1},
		absent,
	}
	// on answers a call by steps that end with a return in every case.
	on := func(call uint32, steps ...bpf.Instruction) {
		p = append(append(p, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: uint8(len(steps))}), steps...)
	}
	for _, call := range refusedCalls {
		on(call, refused)
	}
	for _, call := range refusedHere {
		on(call, refused)
	}
	for _, call := range absentCalls {
		on(call, absent)
	}
	if uncut {
		on(unix.SYS_TRUNCATE, refused)
		on(unix.SYS_OPENAT2, absent) // its flags lie in memory
		for call, flags := range openCalls {
			on(call, append([]bpf.Instruction{argument(flags), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: unix.O_TRUNC | unix.O_ACCMODE}},
				except([]uint32{unix.O_TRUNC | unix.O_RDONLY, unix.O_TRUNC | unix.O_ACCMODE}, refused, allowed)...)...) // the latter neither reads nor writes
		}
	}
	// Landlock does not cover prlimit(2), and a low limit ends another process as a signal would.
	on(unix.SYS_PRLIMIT64, argument(0), bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, refused, allowed)
	on(unix.SYS_CLONE, argument(0), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: newNamespaces, SkipFalse: 1}, refused, allowed)
	on(unix.SYS_IOCTL, append([]bpf.Instruction{argument(1)}, except([]uint32{unix.TIOCSTI, unix.TIOCLINUX}, refused, allowed)...)...)
	// Who has a lease on a file of the pack makes the programs of others that share the file
	// wait to open it, each time for /proc/sys/fs/lease-break-time.
	on(unix.SYS_FCNTL, argument(1), bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.F_SETLEASE, SkipFalse: 1}, refused, allowed)
	on(unix.SYS_PERSONALITY, append([]bpf.Instruction{argument(0)}, except(personalities, allowed, refused)...)...)
	family := append([]bpf.Instruction{argument(0)}, except(families, allowed)...)
	family = append(family,
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_NETLINK, SkipTrue: 3},
		argument(2), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.NETLINK_ROUTE, SkipTrue: 1}, allowed,
		failed(unix.EAFNOSUPPORT))
	on(unix.SYS_SOCKET, family...)
	return append(p, allowed)
}

// except answers those values in one way and goes on with others.
func except(values []uint32, answer bpf.Instruction, others ...bpf.Instruction) (steps []bpf.Instruction) {
	for _, v := range values {
		steps = append(steps, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: v, SkipTrue: 1}, answer)
	}
	return append(steps, others...)
}

// installFilter gives the calling thread the [filter]; it needs no_new_privs.
func installFilter(offline, uncut bool) error {
	raw, err := bpf.Assemble(filter(offline, uncut))
	if err != nil {
		return fmt.Errorf("filter of system calls: %w", err)
	}
	code := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		code[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(code)
	if errno != 0 {
		return fmt.Errorf("filter of system calls: %w", errno)
	}
	return nil
}
