package rundir

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/pack/durable"
	"piwork/vmhost/hosted/folders"
	"piwork/vmhost/hosted/hostedtest"
)

// whenKilled is the data directory of a controller that is killed, in a process of its own.
const whenKilled = "PIWORK_TEST_KILLED"

// A controller that was killed while a kind of place was proven leaves a mount that nobody
// serves. The next one takes it away, and has the directory.
func TestKilledWithAMount(t *testing.T) {
	if data := os.Getenv(whenKilled); data != "" {
		fmt.Println(mounting(t, data))
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed, or who started it is gone
		return
	}
	hostedtest.NeedFUSE(t)
	data := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestKilledWithAMount$")
	cmd.Env = append(os.Environ(), whenKilled+"="+data)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	base := strings.TrimSpace(line)
	cmd.Process.Kill()
	cmd.Wait()
	if err != nil || !filepath.IsAbs(base) {
		t.Fatalf("%q %v", line, err)
	}
	t.Cleanup(func() { _ = folders.Clear(base); _ = durable.RemoveAll(base) })
	next, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(next.Base); next.Base != base || err != nil || len(entries) > 0 {
		t.Errorf("%s, not %s: %v %v", next.Base, base, entries, err)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
}

// mounting mounts folders in the directory of a runtime, and returns the Base.
func mounting(t *testing.T, data string) string {
	r, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := r.New()
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "folders")
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := folders.Mount(t.Context(), at, false); err != nil {
		t.Fatal(err)
	}
	return r.Base
}

// What is mounted in the directory and is of no piwork that was killed stays as it is: it may
// be a person's folder. The next controller has another directory.
func TestWhatIsMountedStays(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may mount; on any computer TestMountsIn of pack/durable has what is found")
	}
	data, folder := t.TempDir(), t.TempDir()
	letter := filepath.Join(folder, "letter")
	if err := os.WriteFile(letter, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = durable.RemoveAll(first.Base) })
	dir, err := first.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(folder, dir, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("here nothing can be mounted: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	if err := first.Close(); err == nil {
		t.Error("what is mounted is not said")
	}
	second, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if second.Base == first.Base || !private(second.Base) {
		t.Errorf("%s is used", second.Base)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(letter); err != nil {
		t.Error(err)
	}
}
