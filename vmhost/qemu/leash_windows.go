package qemu

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// leash ties QEMU's life to this program's. On Windows QEMU runs in a job
// object that ends all of its processes when its last handle is closed, which
// the system does when this program ends, however it ends. QEMU is started
// suspended and runs only once it is in the job.
type leash struct{ job windows.Handle }

func newLeash(cmd *exec.Cmd) (*leash, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("create a job object: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
		},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		return nil, errors.Join(fmt.Errorf("set up the job object: %w", err), windows.CloseHandle(job))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP,
	}
	return &leash{job}, nil
}

func (l *leash) attach(pid int) error {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return fmt.Errorf("open the process: %w", err)
	}
	err = windows.AssignProcessToJobObject(l.job, p)
	if err = errors.Join(err, windows.CloseHandle(p)); err != nil {
		return fmt.Errorf("put the process into its job object: %w", err)
	}
	return resume(uint32(pid))
}

// resume lets a process run that was started suspended: it has one thread.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer windows.CloseHandle(snapshot) //nolint:errcheck // nothing to do about it
	var e windows.ThreadEntry32
	e.Size = uint32(unsafe.Sizeof(e))
	for err = windows.Thread32First(snapshot, &e); err == nil; err = windows.Thread32Next(snapshot, &e) {
		if e.OwnerProcessID != pid {
			continue
		}
		t, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, e.ThreadID)
		if err != nil {
			return fmt.Errorf("open the thread: %w", err)
		}
		_, err = windows.ResumeThread(t)
		return errors.Join(err, windows.CloseHandle(t))
	}
	return fmt.Errorf("find the thread of process %d: %w", pid, err)
}

func (l *leash) release() { _ = windows.CloseHandle(l.job) }
