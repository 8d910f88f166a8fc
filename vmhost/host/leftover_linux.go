package host

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// leftTime is how long it may take to find the programs that are left: the kernel reads what a
// process has as its environment, which can lie on a disk that does not answer.
const leftTime = 5 * time.Second

// within waits for do, but no longer.
func within(d time.Duration, do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(d):
	}
}

// endLeft ends the programs of a place whose keeper no longer does: a program can kill that one
// before Linux 6.12. They are known by a variable that each inherits, unless it was cleared. All
// stop before any ends: none can start others meanwhile.
func endLeft(dir string) {
	mark := []byte("\x00" + wire.FoldersVariable + "=" + paths{dir}.here(wire.FoldersDir) + "\x00")
	stopped := map[int]*os.Process{}
	for news := true; news; {
		news = false
		names, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, name := range names {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			if err != nil || stopped[pid] != nil {
				continue
			}
			p, err := os.FindProcess(pid) // from here on the number means the same process
			if err != nil {
				continue
			}
			if b, err := os.ReadFile(name); err != nil || !bytes.Contains(append([]byte{0}, b...), mark) || p.Signal(unix.SIGSTOP) != nil {
				_ = p.Release()
				continue
			}
			stopped[pid], news = p, true
		}
	}
	for _, p := range stopped {
		_ = p.Kill()
		_ = p.Release()
	}
}
