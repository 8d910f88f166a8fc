package errno

import (
	"fmt"
	"testing"

	"github.com/hugelgupf/p9/linux"
	"golang.org/x/sys/windows"
)

func TestOfWindows(t *testing.T) {
	for from, want := range map[windows.Errno]linux.Errno{
		windows.ERROR_DISK_FULL: linux.ENOSPC, windows.ERROR_DISK_QUOTA_EXCEEDED: linux.EDQUOT, windows.ERROR_WRITE_PROTECT: linux.EROFS,
		windows.ERROR_ACCESS_DENIED: linux.EACCES, windows.ERROR_FILE_NOT_FOUND: linux.ENOENT, windows.ERROR_GEN_FAILURE: linux.EIO,
	} {
		if got := Of(fmt.Errorf("write: %w", from)); got != want {
			t.Errorf("%v: %v", from, got)
		}
	}
}
