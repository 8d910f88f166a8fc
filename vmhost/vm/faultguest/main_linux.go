//go:build vm || long

// Command faultguest is the first program of guests that go wrong on purpose, in tests of
// vmhost/vm. It leaves a process behind and becomes the pack's agent ("/agent"). When a
// program of the guest writes a word into [order], that process does what no program can:
//
//	agent           writes over the agent's code
//	panic           has the kernel give up for want of memory
//	garbage PORT    writes what nobody says to the port, through whoever has it open
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// order is where the process looks for its word, in the root that programs see.
const order = "1/root/work/fault"

func main() {
	if len(os.Args) > 1 {
		await()
	}
	if _, err := syscall.ForkExec("/init", []string{"/init", "await"}, &syscall.ProcAttr{Files: []uintptr{0, 1, 2}}); err != nil {
		fmt.Fprintln(os.Stderr, "faultguest:", err)
	}
	fmt.Fprintln(os.Stderr, "faultguest:", unix.Exec("/agent", []string{"/init"}, os.Environ()))
}

// await never returns. It stands in the root that the agent leaves, and sees the next one
// from its directory, /proc, which goes with the agent.
func await() {
	there := false
	for range time.Tick(100 * time.Millisecond) {
		if !there {
			_, err := os.Stat("/proc/1")
			there = err == nil && os.Chdir("/proc") == nil
			continue
		}
		word, err := os.ReadFile(order)
		if err == nil && bytes.HasSuffix(word, []byte("\n")) {
			err = do(strings.Fields(string(word)))
			_ = os.WriteFile(order+".said", fmt.Append(nil, err), 0o644) // for who looks for the reason
			select {}
		}
	}
}

// do works below /proc, which is its directory.
func do(word []string) error {
	switch word[0] {
	case "agent":
		return spoil("1")
	case "panic":
		if err := os.WriteFile("sys/vm/panic_on_oom", []byte("2"), 0); err != nil {
			return err
		}
		for {
			_, err := unix.Mmap(-1, 0, 16<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_POPULATE)
			if err != nil {
				return err
			}
		}
	case "garbage":
		return garbage(word[1])
	}
	return fmt.Errorf("%q is no fault", word)
}

// spoil writes over the code of a process.
func spoil(pid string) error {
	maps, err := os.ReadFile(pid + "/maps")
	if err != nil {
		return err
	}
	memory, err := os.OpenFile(pid+"/mem", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(maps)) {
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "r-xp" || f[5] != "/agent" {
			continue
		}
		from, to, _ := strings.Cut(f[0], "-")
		begin, err := strconv.ParseInt(from, 16, 64)
		if err != nil {
			return err
		}
		end, err := strconv.ParseInt(to, 16, 64)
		if err != nil {
			return err
		}
		_, err = memory.WriteAt(bytes.Repeat([]byte{0xcc}, int(end-begin)), begin)
		return err
	}
	return fmt.Errorf("no code in %s", maps)
}

// garbage writes to a port through a descriptor of another process: nobody else can open it.
func garbage(name string) error {
	names, err := filepath.Glob("1/root/sys/class/virtio-ports/*/name")
	if err != nil {
		return err
	}
	for _, file := range names {
		if b, err := os.ReadFile(file); err != nil || strings.TrimSpace(string(b)) != name {
			continue
		}
		device := "/dev/" + filepath.Base(filepath.Dir(file))
		held, err := filepath.Glob("[0-9]*/fd/*")
		if err != nil {
			return err
		}
		for _, link := range held {
			if to, err := os.Readlink(link); err != nil || to != device {
				continue
			}
			pid, _ := strconv.Atoi(strings.Split(link, "/")[0])
			number, _ := strconv.Atoi(filepath.Base(link))
			process, err := unix.PidfdOpen(pid, 0)
			if err != nil {
				return err
			}
			fd, err := unix.PidfdGetfd(process, number, 0)
			if err != nil {
				return err
			}
			for n := range 1000 {
				if _, err := unix.Write(fd, bytes.Repeat([]byte{'{', 0xff, byte(n), '\n'}, 64)); err != nil && err != unix.EAGAIN {
					return err
				}
				<-time.After(time.Millisecond)
			}
			return nil
		}
	}
	return fmt.Errorf("nobody has the port %s open", name)
}
