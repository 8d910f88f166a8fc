//go:build vm || long

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/vm/suites/order"
)

// race changes names while it works below them: rw/a is now a directory, now a
// symbolic link that leads out on the host, and so is raced/h, which the host
// changes itself. Its arguments are the mount and how many seconds. What it does
// mostly fails; what it must not is read a secret.
func race(args []string) int {
	seconds, err := strconv.Atoi(args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var leaks, rounds, hits atomic.Int64
	look := func(text string) {
		if strings.Contains(text, order.Secret) {
			leaks.Add(1)
		}
		if strings.Contains(text, "mine") || strings.Contains(text, "the person's") {
			hits.Add(1)
		}
	}
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	rw, raced := filepath.Join(args[0], "rw"), filepath.Join(args[0], "raced")
	var group sync.WaitGroup
	loop := func(do func(i int)) {
		group.Go(func() {
			// A busy machine gets longer, until it has met the names once.
			for i := 0; time.Now().Before(until) || hits.Load() == 0 && time.Now().Before(until.Add(time.Minute)); i++ {
				do(i)
				rounds.Add(1)
			}
		})
	}
	// Here and on the host the link leads to different places; both are tried.
	targets := []string{"../outside", "../../outside", "/outside"}
	loop(func(i int) {
		_ = os.Mkdir(rw+"/dir", 0o755)
		_ = os.WriteFile(rw+"/dir/secret", []byte("mine"), 0o644)
		_ = os.Rename(rw+"/dir", rw+"/a")
		_ = os.Rename(rw+"/a", fmt.Sprint(rw, "/old", i%50))
		_ = os.Symlink(targets[i%len(targets)], rw+"/link")
		_ = os.Rename(rw+"/link", rw+"/a")
		_ = os.Remove(rw + "/a")
		_ = os.RemoveAll(fmt.Sprint(rw, "/old", i%50))
	})
	for _, below := range []string{rw + "/a", raced + "/h"} {
		loop(func(int) {
			b, _ := os.ReadFile(below + "/secret")
			look(string(b))
		})
		loop(func(i int) {
			switch i % 10 {
			case 0:
				_ = os.WriteFile(below+"/secret", []byte("overwritten by the guest"), 0o666)
			case 1:
				_ = os.Truncate(below+"/secret", 1)
			case 2:
				_ = os.Chmod(below+"/secret", 0o777)
			case 3:
				_ = os.Rename(below+"/secret", below+"/taken")
			case 4:
				_ = os.Link(below+"/secret", rw+"/linked")
				_ = os.Remove(rw + "/linked")
			case 5:
				_ = os.WriteFile(fmt.Sprint(below, "/new", i%7), []byte("made by the guest"), 0o644)
			case 6:
				_ = os.Mkdir(below+"/newdir", 0o755)
			case 7:
				_ = os.Remove(below + "/secret")
			case 8:
				_ = os.Chtimes(below+"/secret", time.Unix(1, 0), time.Unix(1, 0))
			case 9:
				_ = os.RemoveAll(below)
			}
		})
		// A directory that is held open while its name becomes another's.
		loop(func(int) {
			fd, err := unix.Open(below, unix.O_RDONLY|unix.O_DIRECTORY, 0)
			if err != nil {
				return
			}
			defer unix.Close(fd)
			f, err := unix.Openat(fd, "secret", unix.O_RDWR, 0)
			if err != nil {
				return
			}
			defer unix.Close(f)
			b := make([]byte, 100)
			n, _ := unix.Read(f, b)
			look(string(b[:max(n, 0)]))
			_, _ = unix.Write(f, []byte("overwritten by the guest"))
		})
	}
	group.Wait()
	fmt.Fprintf(os.Stdout, "%d rounds, %d reads of what may be read, %d of what may not\n", rounds.Load(), hits.Load(), leaks.Load())
	if leaks.Load() > 0 || hits.Load() == 0 {
		return 1
	}
	return 0
}
