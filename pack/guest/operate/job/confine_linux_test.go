package job

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/scripts/lib/memdir"
)

// TestConfinement has programs of two scratch directories try each other's, the first
// with rules that were prepared.
func TestConfinement(t *testing.T) {
	if version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); errno != 0 || version < landlockABI {
		t.Skipf("this kernel's Landlock has version %d (%v); the same is tried in a machine", version, errno)
	}
	if err := prepareRules(); err != nil {
		t.Fatal(err)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	home := memdir.Disk(t) // in memory every program may write
	dirs := []string{filepath.Join(home, "a"), filepath.Join(home, "b")}
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	others := []string{"/dev/shm", "/var/tmp"}
	for i, dir := range others {
		f, err := os.CreateTemp(dir, "confinement-")
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		others[i] = f.Name()
		t.Cleanup(func() { os.Remove(f.Name()) })
	}
	for i, own := range dirs {
		c, other := &confinement{scratch: own}, dirs[1-i]
		for range 2 { // the second finds the rules made
			for line, works := range map[string]bool{
				"cat " + own + "/secret":                true,
				"echo x > " + own + "/made":             true,
				"cat /etc/passwd":                       true,
				"head -c 1 /dev/urandom > /dev/null":    true,
				"cat " + others[0]:                      false,
				"echo x >> " + others[0]:                false,
				"cat " + others[1]:                      false,
				"cat " + other + "/secret":              false,
				"echo x > " + other + "/made":           false,
				"ls " + home:                            false,
				"echo x > " + home + "/made":            false,
				"ln " + other + "/secret " + own + "/l": false,
			} {
				cmd := exec.Command(sh, "-c", line)
				if err := c.start(cmd); err != nil {
					t.Fatal(err)
				}
				var exit *exec.ExitError
				if err := cmd.Wait(); err != nil && !errors.As(err, &exit) || (err == nil) != works {
					t.Errorf("%s: %v", line, err)
				}
			}
		}
	}
}
