package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"piwork/app/client"
	"piwork/app/runtimes"
	"piwork/app/tasks"
)

// made are the directories of a run.
var made = []string{"home", "config", "run", "tmp", "cwd", "folder", "tidied", "data"}

// box is where processes of piwork can write, and nowhere else.
type box struct {
	dir     string
	program string
	wrap    []string
}

func newBox(dir string, o options) (*box, error) {
	for _, name := range made {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	b := &box{dir: dir, program: o.program}
	config, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	ring, err := os.ReadFile(filepath.Join(config, "piwork", "developer-keys.pem"))
	if err != nil {
		return nil, fmt.Errorf("the keys that the pack is signed with: %w", err)
	}
	if err := errors.Join(os.Mkdir(b.at("config", "piwork"), 0o700), os.WriteFile(b.at("config", "piwork", "developer-keys.pem"), ring, 0o600)); err != nil {
		return nil, err
	}
	b.lay()
	b.wrap = []string{"bwrap", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--dev-bind-try", "/dev/fuse", "/dev/fuse", "--dev-bind", "/proc", "/proc", "--bind", dir, dir, "--unshare-net", "--cap-add", "ALL", "--chdir", b.at("cwd"), "--"}
	if o.pack == "" {
		return b, nil
	}
	if out, err := b.command(context.Background(), "pack", "install", o.pack).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("install the pack: %w\n%s", err, out)
	}
	out, err := b.command(context.Background(), "serve", "--stop").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("end the process in the background: %w\n%s", err, out)
	}
	return b, nil
}

// lay puts files into the folders, where requests took them away.
func (b *box) lay() {
	for _, folder := range []string{"folder", "tidied"} {
		for name, text := range map[string]string{"a.txt": "one\ntwo\n", "b.csv": "a,b\n1,2\n", "c d.md": "# x\n", "e.jpg": "\xff\xd8\xff\xe0", "sub/f.txt": "f"} {
			file := b.at(folder, name)
			if _, err := os.Lstat(file); err == nil {
				continue
			}
			_ = os.MkdirAll(filepath.Dir(file), 0o700)
			_ = os.WriteFile(file, []byte(text), 0o600) // requests may have something in its way
		}
	}
}

func (b *box) at(names ...string) string { return filepath.Join(append([]string{b.dir}, names...)...) }

// files are named in requests.
func (b *box) files() []string {
	return []string{b.at("folder"), b.at("folder", "a.txt"), b.at("folder", "b.csv"), b.at("folder", "e.jpg"), b.at("folder", "sub"), b.at("folder", "missing")}
}

// command is piwork in the box.
func (b *box) command(ctx context.Context, args ...string) *exec.Cmd {
	args = append(append(b.wrap[1:len(b.wrap):len(b.wrap)], b.program), args...)
	cmd := exec.CommandContext(ctx, b.wrap[0], args...) //nolint:gosec // what this command was told to fuzz
	cmd.Env = append(os.Environ(), "HOME="+b.at("home"), "XDG_CONFIG_HOME="+b.at("config"), "XDG_DATA_HOME="+b.at("home", "share"), "XDG_CACHE_HOME="+b.at("home", "cache"),
		"XDG_RUNTIME_DIR="+b.at("run"), "TMPDIR="+b.at("tmp"), "PIWORK_DATA_DIR="+b.at("data"), "PIWORK_ACCEL=tcg", "PIWORK_RUNTIME_DIR=", "GOTRACEBACK=all", "DBUS_SESSION_BUS_ADDRESS=")
	return cmd
}

var errNoSandbox = errors.New("no small task was done in it")

// process is a controller that is fuzzed.
type process struct {
	cmd    *exec.Cmd
	pid    int
	socket string
	stderr bytes.Buffer
	over   chan struct{}
}

// start starts one, and waits until it says where it answers.
func (b *box) start(ctx context.Context) (*process, error) {
	p := &process{over: make(chan struct{})}
	p.cmd = b.command(context.WithoutCancel(ctx), "serve", "--idle", "0", "--json") // it ends after what is asked last
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start piwork: %w", err)
	}
	var said struct {
		PID    int
		Socket string
	}
	err = json.NewDecoder(out).Decode(&said)
	go func() { _ = p.cmd.Wait(); close(p.over) }()
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("it says nothing: %w\n%s", err, p.stderr.String())
	}
	p.pid, p.socket = said.PID, said.Socket
	return p, nil
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // bubblewrap takes it along
	<-p.over
}

func (p *process) ended() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// errors is what the process wrote last.
func (p *process) errors() string {
	text := p.stderr.String()
	return text[max(0, len(text)-8000):]
}

// prepare has tasks work in the sandbox, and no machine be made ready.
func (p *process) prepare(ctx context.Context) error {
	c := client.New(client.Socket(p.socket), nil)
	_, err := c.SetRuntimes(ctx, runtimes.Settings{Prefer: []string{"sandbox"}, Weaker: map[string]runtimes.Allowance{"sandbox": runtimes.AllowAlways}})
	if err != nil {
		return fmt.Errorf("prefer the sandbox: %w", err)
	}
	m, err := c.Machines(ctx)
	if err == nil {
		m.Settings.Instant = false // one is made by itself as soon as nobody asks
		_, err = c.SetMachines(ctx, m.Settings)
	}
	if err != nil {
		return fmt.Errorf("have no machine made ready: %w", err)
	}
	for tries := 0; ; tries++ { // a busy computer may need another one
		s, err := c.TestRuntime(ctx, "sandbox")
		if err == nil && s.Works {
			break
		}
		if tries == 4 || ctx.Err() != nil {
			if s.Problem != nil {
				err = s.Problem
			}
			return fmt.Errorf("the sandbox does not work here: %w", cmp.Or(err, errNoSandbox))
		}
	}
	t, err := c.StartTask(ctx, tasks.StartRequest{Kind: "exec", Argv: []string{"true"}, Detached: true, MachineChoice: tasks.MachineChoice{Runtime: "sandbox"}})
	for ; err == nil && !t.State.Final(); t, err = c.Task(ctx, t.ID) {
		<-time.After(50 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("a first task: %w", err)
	}
	if t.Error != nil {
		fmt.Fprintln(os.Stdout, "tasks cannot work here:", t.Error)
	}
	return nil
}

// number is what differs between two files of one kind.
var number = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{9,}|[0-9]+`)

// state is what a process has.
type state struct {
	files, threads, children int
	rss                      int               // MiB
	open                     map[string]int    // files by what they are
	goroutines               map[string]int    // by where they were started; only of one that was ended
	stacks                   map[string]string // of one of them, likewise
}

func (s state) String() string {
	n := 0
	for _, k := range s.goroutines {
		n += k
	}
	return fmt.Sprintf("%d MiB, %d files, %d threads, %d children, %d goroutines", s.rss, s.files, s.threads, s.children, n)
}

// count is the state of a process at work.
func (p *process) count() (s state) {
	proc := fmt.Sprintf("/proc/%d/", p.pid)
	list, _ := os.ReadDir(proc + "fd")
	s.files, s.open = len(list), map[string]int{}
	for _, e := range list {
		to, _ := os.Readlink(proc + "fd/" + e.Name())
		s.open[number.ReplaceAllString(to, "*")]++
	}
	list, _ = os.ReadDir(proc + "task")
	s.threads = len(list)
	for _, t := range list {
		text, _ := os.ReadFile(proc + "task/" + t.Name() + "/children")
		s.children += len(strings.Fields(string(text)))
	}
	text, _ := os.ReadFile(proc + "status")
	for line := range strings.Lines(string(text)) {
		if n, is := strings.CutPrefix(line, "VmRSS:"); is {
			_, _ = fmt.Sscan(n, &s.rss)
			s.rss /= 1024
		}
	}
	return s
}

// rest is the state of a process that nobody asks any more, after what takes its time to end
// had it, and ends the process: its last words are its goroutines.
func (p *process) rest(ctx context.Context) state {
	last := p.count()
	for end := time.Now().Add(6 * time.Minute); time.Now().Before(end); {
		select {
		case <-ctx.Done():
			end = time.Now()
		case <-time.After(12 * time.Second): // what ends by itself does within ten; memory that was used once, in minutes
		}
		now := p.count()
		if now.files >= last.files && now.children >= last.children && (now.rss < 250 || time.Until(end) < time.Minute) {
			last = now
			break
		}
		last = now
	}
	if process, err := os.FindProcess(p.pid); err == nil {
		_ = process.Signal(syscall.SIGQUIT)
	}
	<-p.over
	last.goroutines, last.stacks = map[string]int{}, map[string]string{}
	for part := range strings.SplitSeq(p.stderr.String(), "\n\n") {
		if !strings.HasPrefix(part, "goroutine ") {
			continue
		}
		by := "main"
		if _, text, is := strings.Cut(part, "created by "); is {
			by, _, _ = strings.Cut(text, " in goroutine")
		}
		last.goroutines[by]++
		last.stacks[by] = part
	}
	return last
}

// beyond says of what there is more than before, and more than a little.
func (s state) beyond(before state) (out []string) {
	say := func(what string, now, then, more int) {
		if now > then+more {
			out = append(out, fmt.Sprintf("%d %s, %d before", now, what, then))
		}
	}
	say("open files", s.files, before.files, 8)
	if len(out) > 0 {
		for what, n := range s.open {
			say("of them are "+what, n, before.open[what], 0)
		}
	}
	say("children", s.children, before.children, 2)
	say("threads", s.threads, before.threads, 24)
	say("MiB of memory", s.rss, before.rss, 150)
	for by, n := range s.goroutines {
		if then := before.goroutines[by]; n > then+3 {
			out = append(out, fmt.Sprintf("%d goroutines by %s, %d before, such as\n%s", n, by, then, s.stacks[by]))
		}
	}
	return out
}
