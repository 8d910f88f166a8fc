//go:build unix

package tools

import (
	"os"
	"syscall"
	"testing"
)

func TestErrnoProblems(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.EACCES: OutputDenied, syscall.EPERM: OutputDenied, syscall.EROFS: OutputDenied, syscall.ENOTDIR: OutputDenied,
		syscall.ENAMETOOLONG: OutputDenied, syscall.EEXIST: OutputExists, syscall.ENOSPC: DiskFull, syscall.EDQUOT: DiskFull,
		syscall.EFBIG: DiskFull, syscall.EIO: ToolFailed,
	} {
		if got := OutputProblem(&os.PathError{Op: "write", Path: "/x", Err: errno}).Code; got != want {
			t.Errorf("%v: %s, want %s", errno, got, want)
		}
	}
}
