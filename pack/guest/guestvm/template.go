//go:build (vm || long) && linux

package guestvm

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Template is a saved machine. Its files end with the test that made it.
type Template struct{ initramfs, ram, state, work string }

// templateArgs gives a machine a memory that can be saved, or is a copy.
func (m *Machine) templateArgs(memory int) []string {
	if !m.opts.Keep && m.opts.From == nil {
		return nil
	}
	share, more := "on", []string{"-qmp", "unix:" + filepath.Join(m.dir, "qmp.sock") + ",server=on,wait=off"}
	m.template.ram, m.template.state = filepath.Join(m.dir, "ram"), filepath.Join(m.dir, "state")
	if m.opts.From != nil {
		share, m.template.ram = "off", m.opts.From.ram
		more = append(more, "-incoming", "defer")
	}
	return append(more, "-machine", "memory-backend=ram",
		"-object", fmt.Sprintf("memory-backend-file,id=ram,size=%dM,mem-path=%s,share=%s", memory, m.template.ram, share))
}

// monitor is a conversation with QEMU (QMP).
type monitor struct {
	m    *Machine
	conn net.Conn
	in   *json.Decoder
}

// monitor dials and sets what both ends of a saving need: memory that is a file
// is not written again.
func (m *Machine) monitor() *monitor {
	m.T.Helper()
	var conn net.Conn
	for began := time.Now(); ; <-time.After(time.Millisecond) {
		var err error
		if conn, err = (&net.Dialer{}).DialContext(m.T.Context(), "unix", filepath.Join(m.dir, "qmp.sock")); err == nil {
			break
		}
		if time.Since(began) > stall {
			m.T.Fatal(err)
		}
	}
	if err := conn.SetDeadline(time.Now().Add(stall)); err != nil {
		m.T.Fatal(err)
	}
	q := &monitor{m, conn, json.NewDecoder(conn)}
	q.ask("qmp_capabilities", nil)
	q.ask("migrate-set-capabilities", map[string]any{"capabilities": []any{map[string]any{"capability": "x-ignore-shared", "state": true}}})
	return q
}

func (q *monitor) ask(command string, arguments any) (status string) {
	q.m.T.Helper()
	order := map[string]any{"execute": command}
	if arguments != nil {
		order["arguments"] = arguments
	}
	if err := json.NewEncoder(q.conn).Encode(order); err != nil {
		q.m.T.Fatal(err)
	}
	for {
		var answer struct {
			Return *struct{ Status string }
			Error  *struct{ Desc string }
		}
		if err := q.in.Decode(&answer); err != nil {
			q.m.T.Fatalf("%s: %v", command, err)
		}
		switch {
		case answer.Error != nil:
			q.m.T.Fatalf("%s: %s", command, answer.Error.Desc)
		case answer.Return != nil:
			return answer.Return.Status
		}
	}
}

// restore has the started QEMU become what was saved.
func (m *Machine) restore() {
	m.T.Helper()
	q := m.monitor()
	defer q.conn.Close()
	q.ask("migrate-incoming", map[string]any{"uri": "file:" + m.opts.From.state})
}

// Save saves the running machine, ends it and returns what it was.
func (m *Machine) Save() *Template {
	m.T.Helper()
	q := m.monitor()
	defer q.conn.Close()
	q.ask("migrate", map[string]any{"uri": "file:" + m.template.state})
	for {
		switch status := q.ask("query-migrate", nil); status {
		case "completed":
			// The disk is as it is now: nothing runs any more.
			work := filepath.Join(m.dir, "work-saved.qcow2")
			copyFile(m.T, m.template.work, work)
			m.template.work = work
			m.Client.Close()
			q.ask("quit", nil)
			m.AwaitExit()
			t := m.template
			return &t
		case "failed", "cancelled":
			m.T.Fatalf("saving %s", status)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// CPU is the processor time that QEMU used so far: what a step costs on a busy
// machine too.
func (m *Machine) CPU() time.Duration {
	m.T.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", m.cmd.Process.Pid))
	if err != nil {
		m.T.Fatal(err)
	}
	var sum time.Duration
	for _, task := range tasks {
		var ran int64
		if b, err := os.ReadFile(task); err == nil {
			if _, err := fmt.Sscan(string(b), &ran); err == nil {
				sum += time.Duration(ran)
			}
		}
	}
	return sum
}

// Bytes is the room that the template takes on the disk.
func (t *Template) Bytes() (n int64, err error) {
	for _, f := range []string{t.ram, t.state, t.work} {
		fi, serr := os.Stat(f)
		if serr != nil {
			err = errors.Join(err, serr)
			continue
		}
		n += diskUse(fi)
	}
	return n, err
}
