// Package qemutest is a QEMU for tests: a program that takes QEMU's command
// line, connects the same sockets and speaks QMP, with a guest that the test
// writes in Go. It makes everything testable that happens between piwork and a
// machine, its process included, without a machine.
//
// A test binary becomes this program: its TestMain calls [Main], and
// [Image] names the binary as the program to start, with the name of a guest in
// its environment.
package qemutest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"

	"piwork/vmhost/qemu"
)

// env names the guest that the process is to be.
const env = "PIWORK_TEST_GUEST"

// Machine is what a guest has of its machine.
type Machine struct {
	Args    []string            // QEMU's command line without the program
	Console net.Conn            // nil without one
	Ports   map[string]net.Conn // by the guest's names
	Quit    <-chan struct{}     // closed when QMP said quit

	// Stubborn machines read QMP and follow nothing.
	Stubborn bool

	mu  sync.Mutex
	qmp io.Writer
}

// Guest is what runs in the machine. The process ends with the status that it
// returns; QMP's quit ends the process too. Before it is called nothing is
// connected: it calls Connect for that.
type Guest func(*Machine) int

// Image returns an image whose QEMU is this test binary with a guest of
// [Main]'s.
func Image(guest string, more ...string) (qemu.Image, error) {
	exe, err := os.Executable()
	if err != nil {
		return qemu.Image{}, err
	}
	return qemu.Image{
		Program: []string{exe},
		// The race detector's runtime would wait for a second before it exits.
		Env:     append([]string{env + "=" + guest, "GORACE=atexit_sleep_ms=0"}, more...),
		DataDir: "/nowhere", Arch: "x86_64", Kernel: "/nowhere/vmlinux", Initrd: "/nowhere/initramfs.cpio",
		RootFS: "/nowhere/rootfs.img", ID: "test-" + guest,
	}, nil
}

// Main runs a guest and ends the process when the environment asks for one;
// otherwise it does nothing. TestMain calls it first.
func Main(guests map[string]Guest) {
	name, ok := os.LookupEnv(env)
	if !ok {
		return
	}
	g, ok := guests[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "no guest %q\n", name)
		os.Exit(99) //nolint:forbidigo // this is a program of its own
	}
	os.Exit(g(&Machine{Args: os.Args[1:], qmp: os.Stdout})) //nolint:forbidigo // this is a program of its own
}

// Arg returns the word after an option of the command line, "" without one.
func (m *Machine) Arg(option string) string {
	for i, a := range m.Args[:max(0, len(m.Args)-1)] {
		if a == option {
			return m.Args[i+1]
		}
	}
	return ""
}

// Connect connects the console and the ports and starts to answer QMP. As with
// QEMU, the guest does nothing before the other side has said hello.
func (m *Machine) Connect() error {
	chardevs := make(map[string]string)
	m.Ports = make(map[string]net.Conn)
	for i, a := range m.Args[:max(0, len(m.Args)-1)] {
		o := options(m.Args[i+1])
		switch a {
		case "-chardev":
			chardevs[o["id"]] = o["path"]
		case "-serial", "-device":
			id, ok := strings.CutPrefix(m.Args[i+1], "chardev:")
			if !ok {
				if id, ok = o["chardev"]; !ok {
					continue
				}
			}
			c, err := (&net.Dialer{}).DialContext(context.Background(), "unix", chardevs[id])
			if err != nil {
				return err
			}
			if a == "-serial" {
				m.Console = c
			} else {
				m.Ports[o["name"]] = c
			}
		}
	}
	quit := make(chan struct{})
	m.Quit = quit
	if err := m.Send(`{"QMP":{"version":{"qemu":{"micro":0,"minor":0,"major":10},"package":"fake"},"capabilities":[]}}`); err != nil {
		return err
	}
	up := make(chan struct{})
	go m.serve(up, quit)
	if !m.Stubborn {
		<-up
	}
	return nil
}

// Send writes a line of QMP.
func (m *Machine) Send(line string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := io.WriteString(m.qmp, line+"\r\n")
	return err
}

// Event sends an event of QMP with data as JSON.
func (m *Machine) Event(name, data string) error {
	return m.Send(fmt.Sprintf(`{"event":%q,"data":%s,"timestamp":{"seconds":1,"microseconds":0}}`, name, data))
}

func (m *Machine) serve(up, quit chan<- struct{}) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var cmd struct {
			Execute string `json:"execute"`
			ID      int64  `json:"id"`
		}
		if json.Unmarshal(in.Bytes(), &cmd) != nil || m.Stubborn {
			continue
		}
		if m.Send(`{"return":{},"id":`+strconv.FormatInt(cmd.ID, 10)+`}`) != nil {
			return
		}
		switch cmd.Execute {
		case "qmp_capabilities":
			close(up)
		case "quit":
			close(quit)
			return
		}
	}
}

// Print writes to the console.
func (m *Machine) Print(text string) error {
	if m.Console == nil {
		return errors.New("no console")
	}
	_, err := io.WriteString(m.Console, text)
	return err
}

// options parses name,key=value,… as QEMU does.
func options(s string) map[string]string {
	o := make(map[string]string)
	var part strings.Builder
	put := func() {
		k, v, _ := strings.Cut(part.String(), "=")
		o[k] = v
		part.Reset()
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != ',':
			part.WriteByte(s[i])
		case i+1 < len(s) && s[i+1] == ',':
			part.WriteByte(',')
			i++
		default:
			put()
		}
	}
	put()
	return o
}
