package job

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// programsUser is whom programs run as; 0 is the user of this process, in tests.
var programsUser int

// LeaveRights takes the user of the programs as this process's real one, where the agent
// gave it the right to, and gives up that right, before anything is read that others made.
// The effective user stays, which is who works in folders (credentials(7)): a process may
// start others as its real user, and end them, without any right.
//
// The agent gives the right as the only capability, and the group of that user.
func LeaveRights() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&header, &has[0]); err != nil {
		return fmt.Errorf("capget: %w", err)
	}
	if has[0].Permitted != 1<<unix.CAP_SETUID || has[1].Permitted != 0 {
		return nil // a test, or another computer
	}
	user := os.Getgid()
	if err := syscall.Setresuid(user, -1, user); err != nil { // the saved one, too: programs of the task may not signal it
		return fmt.Errorf("take the user of programs: %w", err)
	}
	// Every thread has capabilities of its own. With these go those that programs would inherit.
	var none [2]unix.CapUserData
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0)
	if errno != 0 {
		return fmt.Errorf("capset: %w", errno)
	}
	programsUser = user
	return nil
}

// asPrograms does something with files with the rights of the programs' user. It must
// not start goroutines that do.
func asPrograms(do func() error) error {
	if programsUser == 0 {
		return do()
	}
	runtime.LockOSThread()
	err := useFilesAs(programsUser)
	if err == nil {
		err = do()
	}
	if back := useFilesAs(os.Geteuid()); back != nil {
		return errors.Join(err, back) // nobody else is to get this thread
	}
	runtime.UnlockOSThread()
	return err
}

// useFilesAs makes a user that of this thread where files are concerned (setfsuid(2)).
func useFilesAs(user int) error {
	_, err := unix.SetfsuidRetUid(user)
	if err != nil {
		return fmt.Errorf("setfsuid: %w", err)
	}
	if now, err := unix.SetfsuidRetUid(user); err != nil || now != user { // it says only who it was
		return fmt.Errorf("setfsuid: still user %d (%w)", now, err)
	}
	return nil
}

// startAsPrograms makes a program that is to be started one of the programs' user.
func startAsPrograms(cmd *exec.Cmd) {
	if programsUser != 0 {
		id := uint32(programsUser)
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: id, Gid: id, NoSetGroups: true}
	}
}

// preferredVictim makes the kernel take the program, not this process, when
// memory runs out: then it is one input's problem and the rest is still done.
func preferredVictim(pid int) {
	_ = asPrograms(func() error { return os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("500"), 0) }) // or the larger one is taken
}
