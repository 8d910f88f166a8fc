package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"piwork/vmhost/vm/template"
	"piwork/vmhost/wire"
)

// hello asks the agent for its first answer: a conversation begins with CAN.
const hello = "\x18\n" + `{"jsonrpc":"2.0","id":1,"method":"` + wire.MethodHello + `","params":{"version":1,"app":"bench"}}`

// stateOffset is where QEMU's own stream begins in a template's state.
const stateOffset = 4096

// restoring is QEMU restoring the template with nothing around it: the same
// machine, a copy of the disk, three commands on its monitor.
type restoring struct {
	argv     []string // of a machine that piwork restored
	env      []string
	run      string // its directory of sockets
	overlay  string // its disk
	template string
}

// rawRestore learns the command line from a machine that is restored.
func (w *workshop) rawRestore(ctx context.Context) (_ *restoring, err error) {
	r, _, err := w.open(ctx, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.end(ctx)) }()
	children, err := descendants()
	if err != nil {
		return nil, err
	}
	for _, pid := range children {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			continue
		}
		x := &restoring{argv: strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), env: w.m.image.Env}
		for _, a := range x.argv {
			if _, path, ok := strings.Cut(a, "path="); ok && strings.HasSuffix(path, "/rpc.sock") {
				x.run = filepath.Dir(path)
			}
			if _, rest, ok := strings.Cut(a, "mem-path="); ok {
				path, _, _ := strings.Cut(rest, ",")
				x.template = filepath.Dir(path)
			}
			if _, rest, ok := strings.Cut(a, "driver=qcow2,"); ok {
				_, rest, _ = strings.Cut(rest, "file.filename=")
				x.overlay, _, _ = strings.Cut(rest, ",")
			}
		}
		if x.run != "" && x.template != "" && x.overlay != "" {
			return x, nil
		}
	}
	return nil, errors.New("no QEMU that restores was found below this process")
}

// args is the command line with its own files in dir.
func (r *restoring) args(dir string) []string {
	a := slices.Clone(r.argv)
	for i := range a {
		a[i] = strings.ReplaceAll(strings.ReplaceAll(a[i], r.overlay, dir+"/disk"), r.run+"/", dir+"/")
	}
	return a
}

// firstAnswer measures one restore to the agent's first answer.
func (r *restoring) firstAnswer(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, rawTimeout)
	defer cancel()
	began := time.Now()
	dir, err := os.MkdirTemp("", "pw-bench")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	disk, err := os.ReadFile(filepath.Join(r.template, template.Disk))
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "disk"), disk, 0o600); err != nil {
		return 0, err
	}
	rpc, err := (&net.ListenConfig{}).Listen(ctx, "unix", filepath.Join(dir, "rpc.sock"))
	if err != nil {
		return 0, err
	}
	defer rpc.Close()
	for _, name := range []string{"console.sock", "fs.sock"} {
		l, err := (&net.ListenConfig{}).Listen(ctx, "unix", filepath.Join(dir, name))
		if err != nil {
			return 0, err
		}
		defer l.Close() // QEMU is connected when the kernel has it in the queue
	}
	args := r.args(dir)
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Env = r.env
	var complaint strings.Builder
	c.Stderr = &complaint
	monitor, err := c.StdinPipe()
	if err != nil {
		return 0, err
	}
	if err := c.Start(); err != nil {
		return 0, err
	}
	defer func() { cancel(); _ = c.Wait() }()
	state, err := json.Marshal(filepath.Join(r.template, template.State))
	if err != nil {
		return 0, err
	}
	if _, err := io.WriteString(monitor, `{"execute":"qmp_capabilities"}`+"\n"+
		`{"execute":"migrate-set-capabilities","arguments":{"capabilities":[{"capability":"x-ignore-shared","state":true}]}}`+"\n"+
		`{"execute":"migrate-incoming","arguments":{"channels":[{"channel-type":"main","addr":{"transport":"file","filename":`+string(state)+`,"offset":`+strconv.Itoa(stateOffset)+`}}]}}`+"\n"); err != nil {
		return 0, err
	}
	deadline, _ := ctx.Deadline()
	if err := rpc.(*net.UnixListener).SetDeadline(deadline); err != nil {
		return 0, err
	}
	conn, err := rpc.Accept()
	if err != nil {
		return 0, fmt.Errorf("the raw restore did not connect its port: %w: %s", err, complaint.String())
	}
	defer conn.Close()
	if err := conn.SetDeadline(deadline); err != nil {
		return 0, err
	}
	answer, err := (&plain{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10)}).roundTrip(hello)
	took := time.Since(began)
	if err == nil && !strings.Contains(answer, `"bootId"`) {
		err = fmt.Errorf("the raw restore answered %.200q", answer)
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, complaint.String())
	}
	return took, nil
}

// descendants are the processes below this one.
func descendants() ([]int, error) {
	below := func(pid int) []int {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		var pids []int
		for _, t := range tasks {
			b, _ := os.ReadFile(t) // a thread that ended has none
			for _, f := range strings.Fields(string(b)) {
				if n, err := strconv.Atoi(f); err == nil {
					pids = append(pids, n)
				}
			}
		}
		return pids
	}
	all := below(os.Getpid())
	for i := 0; i < len(all); i++ {
		all = append(all, below(all[i])...)
	}
	return all, nil
}
