package job

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"piwork/pack/guest/landlock"
	"piwork/scripts/lib/memdir"
)

// onKernel has the kernel's Landlock be of a version.
func onKernel(t *testing.T, version int) {
	t.Helper()
	landlockVersion = func() int { return version }
	t.Cleanup(func() { landlockVersion = landlock.Version })
}

// TestConfinement has programs of two scratch directories try each other's, on kernels of
// these versions of Landlock and on this one.
func TestConfinement(t *testing.T) {
	has := landlock.Version()
	if has < landlock.Scopes {
		t.Skipf("this kernel's Landlock has version %d; the same is tried in a machine", has)
	}
	for _, version := range []int{2, 3, 4, 5, has} {
		t.Run(strconv.Itoa(version), func(t *testing.T) {
			onKernel(t, version)
			confines(t)
		})
	}
}

// TestLeastLandlock: what a kernel can is enough where whoever made the place keeps programs
// in, and not in a machine, nor on a computer itself.
func TestLeastLandlock(t *testing.T) {
	start := func() error {
		cmd := exec.Command("true")
		err := (&confinement{scratch: t.TempDir()}).start(cmd)
		if err == nil {
			err = cmd.Wait()
		}
		return err
	}
	for version, want := range map[int]struct{ place, computer, machine bool }{
		0: {true, false, false}, 2: {true, true, false}, 5: {true, true, false},
	} {
		onKernel(t, version)
		for _, tt := range []struct {
			where     string
			works     bool
			elsewhere bool
			user      int
		}{{"a place", want.place, false, 0}, {"a computer", want.computer, true, 0}, {"a machine", want.machine, false, 1}} {
			elsewhere, programsUser = tt.elsewhere, tt.user
			err := start()
			elsewhere, programsUser = false, 0
			if (err == nil) != tt.works || err != nil && !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("version %d in %s: %v", version, tt.where, err)
			}
		}
	}
}

// confines tries what programs may do, the first with rules that were prepared.
func confines(t *testing.T) {
	t.Helper()
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
