package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"piwork/app"
	"piwork/app/client"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/trust"
	"piwork/vmhost"
	"piwork/vmhost/remote/sshtest"
	"piwork/vmhost/wire"
)

// errSeen ends a stream of events that is no longer needed.
var errSeen = errors.New("seen")

// execBench measures what a person waits for who runs one small program: through the
// controller, whose template is made, beside the same request by hand to a machine that
// bare QEMU restored.
func execBench(b *B) {
	var w *workshop
	var raw *restoring
	var than string
	machines := func() { // a template takes a while, and not every row needs one
		if w == nil {
			w = newWorkshop(b)
			raw = w.rawRestore()
			than = "the request by hand to the agent of " + commandText(raw.args("DIR"), w.m.dir)
		}
	}
	defer func() {
		if w != nil {
			b.end(w.factory.Close)
		}
	}()
	b.part("exec/vm/round-trip", func() {
		machines()
		w.roundTrips()
	})
	p := &apiRoom{B: b, dir: must(os.MkdirTemp(b.dir, "exec")), file: os.Getenv("PIWORK_BENCH_PROGRAM")}
	p.installed()
	var server *sshtest.Server
	if b.wants("exec/ssh") {
		var err error
		switch server, err = sshtest.Open(must(os.MkdirTemp(p.dir, "sshd"))); {
		case errors.Is(err, sshtest.ErrMissing):
			fmt.Fprintln(os.Stderr, "exec/ssh is left out:", err)
		default:
			check(err)
			defer server.Close()
			check(os.Setenv("SSH_AUTH_SOCK", server.Agent)) // of the controller
		}
	}
	p.run(p.piwork, func(s *process) {
		cl := client.New(client.Socket(s.socket), nil)
		warm := func() {
			machines()
			fmt.Fprintln(os.Stderr, "making the controller's template")
			must(cl.PrepareMachines(b.ctx))
			p.ran(cl, vmhost.KindVM)
		}
		b.part("exec/vm", func() {
			warm()
			p.starts("exec/vm", than, "the same, until QEMU is gone", func() (output, end time.Duration) { return p.ran(cl, vmhost.KindVM) },
				func() (output, end time.Duration) { return raw.byHand(b) })
		})
		b.part("exec/vm/command", func() {
			warm()
			b.compare("exec/vm/command", "the same as exec/vm/end; ours is piwork exec -- echo out as a whole", func() time.Duration {
				cmd := exec.CommandContext(p.ctx, p.file, "exec", "--", "echo", "out")
				cmd.Env, cmd.Stderr = append(os.Environ(), p.env()...), os.Stderr
				return timed(func() {
					if out := must(cmd.Output()); string(out) != "out\n" {
						failf("it said %q", out)
					}
				})
			}, func() time.Duration { _, e := raw.byHand(b); return e })
		})
		b.part("exec/sandbox", func() {
			bare := p.bubblewrap(cl, "echo", "out")
			p.starts("exec/sandbox", commandText(bare, p.dir), "the same, until it has ended", func() (output, end time.Duration) { return p.ran(cl, vmhost.KindSandbox) },
				func() (output, end time.Duration) { return p.piped(bare) })
		})
		b.part("exec/container", func() { p.container(cl) })
		if server != nil {
			b.part("exec/ssh", func() { p.remote(cl, server) })
		}
		b.part("exec/mcp/tool", func() { p.assistant(cl) })
		b.part("exec/session/output", func() { p.sessionOutput(cl) })
		b.part("exec/session/many", func() { p.manySessions(cl, s.pid) })
	})
}

// starts adds rows of how long a program takes to its first output and to its end.
func (p *apiRoom) starts(name, than, endsThan string, ours, theirs func() (output, end time.Duration)) {
	type both [2]time.Duration
	pair := func(f func() (output, end time.Duration)) func() both {
		return func() both { o, e := f(); return both{o, e} }
	}
	x, y := inTurn(p.runs, pair(ours), pair(theirs))
	of := func(all []both, i int) (out []time.Duration) {
		for _, b := range all {
			out = append(out, b[i])
		}
		return out
	}
	p.times(name+"/first-output", than, of(x, 0), of(y, 0))
	p.times(name+"/end", endsThan, of(x, 1), of(y, 1))
}

// bubblewrap is the command line of a program over the files of the sandbox.
func (p *apiRoom) bubblewrap(cl *client.Client, argv ...string) []string {
	p.ran(cl, vmhost.KindSandbox) // unpacks the runtime
	trees := must(filepath.Glob(filepath.Join(p.dir, "cache", "trees", "*", "usr")))
	if len(trees) != 1 {
		failf("%q are unpacked", trees)
	}
	return append([]string{"bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", trees[0], "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib",
		"--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev", "--"}, argv...)
}

// piped runs a program, and says when its output and its end came.
func (p *apiRoom) piped(argv []string) (output, end time.Duration) {
	began := time.Now()
	cmd := exec.CommandContext(p.ctx, argv[0], argv[1:]...)
	out := must(cmd.StdoutPipe())
	check(cmd.Start())
	one := make([]byte, 64)
	n, err := out.Read(one)
	output = time.Since(began)
	checkf(err, "%s says %q", argv[0], one[:n])
	check(cmd.Wait())
	return output, time.Since(began)
}

// installed gives the data directory the pack, and the key of whoever made it.
func (p *apiRoom) installed() {
	config := filepath.Join(p.dir, "config")
	check(os.MkdirAll(config, 0o700))
	key := must(os.ReadFile(filepath.Join(app.Options{}.WithDefaults().ConfigDir, trust.DeveloperFile)))
	check(os.WriteFile(filepath.Join(config, trust.DeveloperFile), key, 0o600))
	for _, args := range [][]string{{"pack", "install", p.pack}, {"serve", "--stop"}} {
		cmd := exec.CommandContext(p.ctx, p.file, args...)
		cmd.Env = append(os.Environ(), p.env()...)
		out, err := cmd.CombinedOutput()
		checkf(err, "piwork %s: %s", args[0], out)
	}
}

// ran has the controller run a small program, and says when its output and its end came.
func (p *apiRoom) ran(cl *client.Client, kind string) (output, end time.Duration) {
	return p.done(cl, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"echo", "out"}, MachineChoice: tasks.MachineChoice{Runtime: kind}})
}

// done has the controller do a task, and says when its first output and its end came.
func (p *apiRoom) done(cl *client.Client, r tasks.StartRequest) (output, end time.Duration) {
	ready := make(chan struct{})
	over := make(chan error, 1)
	var id string
	var began time.Time
	started := make(chan struct{})
	go func() {
		over <- cl.Events(p.ctx, client.EventsOptions{Ready: ready}, func(e task.Event) error {
			<-started
			if e.Task != id {
				return nil
			}
			switch d := e.Data.(type) {
			case task.OutputData:
				if output == 0 {
					output = time.Since(began)
				}
			case task.StateData:
				if d.State.Final() {
					end = time.Since(began)
					if d.State != task.StateDone {
						return fmt.Errorf("the task is %s: %w", d.State, d.Error)
					}
					return errSeen
				}
			}
			return nil
		})
	}()
	<-ready
	began = time.Now()
	r.Detached = true
	made := must(cl.StartTask(p.ctx, r))
	id = made.ID
	close(started)
	if err := <-over; !errors.Is(err, errSeen) {
		check(err)
	}
	return output, end
}

// byHand is the same by who knows the protocol and has nothing but QEMU.
func (r *restoring) byHand(b *B) (output, end time.Duration) {
	began := time.Now()
	p := r.start(b)
	for id, m := range []struct {
		method string
		params any
	}{
		{wire.MethodPrepare, wire.PrepareParams{UnixNano: time.Now().UnixNano(), Entropy: make([]byte, 2*wire.MinEntropy), Hostname: "piwork", Locale: "C.UTF-8", TimeZone: "UTC"}},
		{wire.MethodExecStart, wire.ExecParams{ID: "x", Argv: []string{"echo", "out"}}},
		{wire.MethodExecWait, wire.ExecRef{ID: "x"}},
	} {
		line := must(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id + 1, "method": m.method, "params": m.params}))
		if id == 0 {
			line = append([]byte("\x18\n"), line...)
		}
		must(p.conn.Write(append(line, '\n')))
		output = p.answered(id+1, output, began)
	}
	b.end(p.end)
	return output, time.Since(began)
}

// answered waits for an answer, and notes when the first output came.
func (p *plain) answered(id int, output time.Duration, began time.Time) time.Duration {
	for {
		line, err := p.reader.ReadBytes('\n')
		checkf(err, "the comparator does not answer: %s", p.complaint.String())
		var m struct {
			ID     *int            `json:"id"`
			Method string          `json:"method"`
			Error  json.RawMessage `json:"error"`
		}
		if json.Unmarshal(line, &m) != nil {
			continue // the agent's beginning of a conversation
		}
		if m.Method == wire.NotifyExecOutput && output == 0 {
			output = time.Since(began)
		}
		if m.ID != nil && *m.ID == id {
			if m.Error != nil {
				failf("the comparator refuses: %s", m.Error)
			}
			return output
		}
	}
}
