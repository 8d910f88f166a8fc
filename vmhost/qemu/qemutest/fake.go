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
	"cmp"
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

	// Refuse answers a command of QMP, by name, with an error of that text; ""
	// answers it with nothing. Set before Connect.
	Refuse map[string]string

	// Choke makes the process end over a state, as QEMU does over one that it
	// cannot read.
	Choke bool

	// Restored is closed when QMP has given an incoming machine a state.
	Restored <-chan struct{}

	// Ninep is the connection of the 9p device, nil without one.
	Ninep net.Conn

	// Folders hands over the connection of the virtio-fs device, when QMP has plugged it.
	Folders <-chan net.Conn

	// Plugged hands over what else was plugged: ports by their names, and the
	// network card as "net".
	Plugged <-chan Plugged

	mu  sync.Mutex
	qmp io.Writer
}

// Plugged is something that QMP has plugged, with its connection.
type Plugged struct {
	Name string
	Conn net.Conn
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
			switch {
			case a == "-serial":
				m.Console = c
			case o["mount_tag"] != "":
				m.Ninep = c
			default:
				m.Ports[o["name"]] = c
			}
		}
	}
	quit, restored, folders, plugs := make(chan struct{}), make(chan struct{}), make(chan net.Conn, 1), make(chan Plugged, 8)
	m.Quit, m.Restored, m.Folders, m.Plugged = quit, restored, folders, plugs
	if err := m.Send(`{"QMP":{"version":{"qemu":{"micro":0,"minor":0,"major":10},"package":"fake"},"capabilities":[]}}`); err != nil {
		return err
	}
	up := make(chan struct{})
	go m.serve(up, quit, restored, folders, plugs)
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

func (m *Machine) serve(up, quit, restored chan<- struct{}, folders chan<- net.Conn, plugs chan<- Plugged) {
	in := bufio.NewScanner(os.Stdin)
	ends := map[string]net.Conn{} // that nothing is plugged to yet
	for in.Scan() {
		var cmd struct {
			Execute   string          `json:"execute"`
			Arguments json.RawMessage `json:"arguments"`
			ID        int64           `json:"id"`
		}
		if json.Unmarshal(in.Bytes(), &cmd) != nil || m.Stubborn {
			continue
		}
		id := strconv.FormatInt(cmd.ID, 10)
		if text, ok := m.Refuse[cmd.Execute]; ok {
			if text != "" && m.Send(fmt.Sprintf(`{"error":{"class":"GenericError","desc":%q},"id":%s}`, text, id)) != nil {
				return
			}
			continue
		}
		if cmd.Execute == "chardev-add" || cmd.Execute == "netdev_add" {
			name, c, err := dialSocket(cmd.Arguments)
			if err != nil {
				_ = m.Send(fmt.Sprintf(`{"error":{"class":"GenericError","desc":%q},"id":%s}`, err, id))
				continue
			}
			ends[name] = c
		}
		switch cmd.Execute { // QEMU says these before it answers
		case "stop":
			_ = m.Event("STOP", "{}")
		case "cont":
			_ = m.Event("RESUME", "{}")
		}
		if m.Send(`{"return":{},"id":`+id+`}`) != nil {
			return
		}
		switch cmd.Execute {
		case "qmp_capabilities":
			close(up)
		case "device_del":
			var d struct{ ID string }
			_ = json.Unmarshal(cmd.Arguments, &d)
			_ = m.Event("DEVICE_DELETED", fmt.Sprintf(`{"device":%q}`, d.ID)) // as QEMU, a little later
		case "device_add":
			var d struct{ Driver, Chardev, Netdev, Name string }
			_ = json.Unmarshal(cmd.Arguments, &d)
			switch d.Driver {
			case "virtserialport":
				plugs <- Plugged{d.Name, ends[d.Chardev]}
			case "virtio-net-pci":
				plugs <- Plugged{d.Netdev, ends[d.Netdev]}
			case "vhost-user-fs-pci":
				folders <- ends[d.Chardev]
			}
		case "migrate":
			m.migrated(writeState(cmd.Arguments))
		case "migrate-incoming":
			if err := readState(cmd.Arguments); err != nil || m.Choke {
				fmt.Fprintln(os.Stderr, "qemu-system-x86_64: load of migration failed:", err)
				os.Exit(1) //nolint:forbidigo // this is a program of its own
			}
			_ = m.Event("RESUME", "{}")
			m.migrated(nil)
			close(restored)
		case "quit":
			close(quit)
			return
		}
	}
}

// dialSocket connects a chardev or the end of a network card that was added.
func dialSocket(arguments []byte) (id string, c net.Conn, err error) {
	var a struct {
		ID   string `json:"id"`
		Addr struct {
			Path string `json:"path"`
		} `json:"addr"`
		Backend struct {
			Data struct {
				Addr struct {
					Data struct {
						Path string `json:"path"`
					} `json:"data"`
				} `json:"addr"`
			} `json:"data"`
		} `json:"backend"`
	}
	if err := json.Unmarshal(arguments, &a); err != nil {
		return "", nil, err
	}
	path := cmp.Or(a.Addr.Path, a.Backend.Data.Addr.Data.Path)
	c, err = (&net.Dialer{}).DialContext(context.Background(), "unix", path)
	return a.ID, c, err
}

// migrated says how saving or restoring went.
func (m *Machine) migrated(err error) {
	status := "completed"
	if err != nil {
		status = "failed"
	}
	_ = m.Event("MIGRATION", `{"status":"active"}`)
	_ = m.Event("MIGRATION", `{"status":"`+status+`"}`)
}

// fakeState is what a fake machine saves.
const fakeState = "QEVM, as good as"

// stateFile finds the file in the arguments of migrate and migrate-incoming.
func stateFile(arguments []byte) (path string, offset int64, err error) {
	var a struct {
		Channels []struct {
			Addr struct {
				Filename string `json:"filename"`
				Offset   int64  `json:"offset"`
			} `json:"addr"`
		} `json:"channels"`
	}
	if err := json.Unmarshal(arguments, &a); err != nil || len(a.Channels) != 1 {
		return "", 0, fmt.Errorf("channels of a migration: %w", errors.Join(err, errors.ErrUnsupported))
	}
	return a.Channels[0].Addr.Filename, a.Channels[0].Addr.Offset, nil
}

func writeState(arguments []byte) error {
	path, offset, err := stateFile(arguments)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(fakeState), offset)
	return errors.Join(err, f.Close())
}

func readState(arguments []byte) error {
	path, offset, err := stateFile(arguments)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if int64(len(b)) < offset || string(b[offset:]) != fakeState {
		return errors.New("Input/output error") //nolint:staticcheck // QEMU's words
	}
	return nil
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
