package peer

import (
	"os"
	"os/exec"
	"testing"
)

// TestGone asks the system about this program and one that ended.
func TestGone(t *testing.T) {
	ended := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	if Gone(os.Getpid()) || !Gone(ended.Process.Pid) || Gone(-1) {
		t.Errorf("this program is gone: %v, one that ended: %v, what no program is: %v", Gone(os.Getpid()), Gone(ended.Process.Pid), Gone(-1))
	}
}
