package execution

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of a Node that waits.
const (
	spareStall   = 2 * time.Minute // without getting on, until it is ready; emulation needs a few seconds
	spareTake    = time.Minute     // for it to take its order
	sparePause   = time.Second     // of quiet before another is started
	maxSpareWord = 64 << 10        // bytes of what it says
	maxSkip      = 1 << 14         // steps of V8's generator: 25 ms at most under emulation, 1 ms otherwise
	waitingScore = "1000"          // oom_score_adj(5): the first to go when memory is short
)

// Spares keeps one Node process started that becomes the next program that is
// a `node …`. A Node that starts reads half its program from the disk and
// compiles much of it; a waiting one has that behind it, and is saved with it in
// a template.
//
// It has the program's user and limits and a cgroup of its own. Until it is
// taken it has done nothing but wait: what it becomes is told to it once, and
// what it cannot become exactly is started plainly.
//
// With a [Kit] it waits for one large program and has loaded that, too. None is
// started again of itself when it was taken: that costs as much as the program's
// start, and hardly a machine runs it twice.
//
// # Randomness
//
// Two machines restored from one template have the same waiting Node. When it
// becomes a program, Math.random is seeded from the kernel's randomness and V8's
// own generator, which seeds the Math.random of further contexts (node:vm), is
// moved on by a random number of steps: V8 has no way to seed it anew, so one pair
// of copies in [maxSkip] shares that. OpenSSL's generators seed
// themselves from the kernel when they see that an hour went by since they last
// did (RAND_DRBG(7)): so the clock must jump by more than that between
// [Spares.Start] and the copy's first program, which the caller arranges. What
// cannot be renewed in a running V8 is the seed of its hash tables, for any
// process the layout of its memory, and what a kit drew while it was loaded: these
// are the template's.
type Spares struct {
	Starter *Starter
	Group   *Group                   // above its cgroup
	Env     func() []string          // the environment of most programs, sorted
	Cwd     string                   // the directory of most programs
	Dir     string                   // for its files; made when it is missing, all may read it
	Scripts map[string]string        // scripts for Node that are called by name, by name
	Exit    string                   // the add-on of pack/guest/nodeexit; "" or a missing one is none
	Enough  func() bool              // whether there is memory for a process that only waits; nil is yes
	Kit     *Kit                     // nil is none: it waits for any program
	Getting func(used time.Duration) // called while a Node starts, with the processor time that it has used; may be nil

	beat     time.Duration // interval of the checks of a starting Node; 0 is defaultSpareBeat
	starting sync.Mutex    // held while one is started
	mu       sync.Mutex
	waiting  *spare
	wanted   bool // one was asked for before
	closed   bool
	count    int
	later    *time.Timer
}

// spare is a Node that waits.
type spare struct {
	pid   int
	group *Group
	pipes *pipes
	link  string        // what it will run as its script
	env   []string      // of its start
	used  time.Duration // processor time until it waited; it uses none while it does
	taken bool          // guarded by Spares.mu
	gone  chan struct{}
}

// Start starts a Node, unless one waits already, and returns when it waits. It
// is no error that there is no memory for it.
func (s *Spares) Start(ctx context.Context) error {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	have := s.waiting != nil || s.closed
	s.wanted = true
	s.count++
	n := s.count
	s.mu.Unlock()
	if have || (s.Enough != nil && !s.Enough()) {
		return nil
	}
	sp, err := s.start(ctx, strconv.Itoa(n))
	if err != nil {
		return fmt.Errorf("start a waiting node: %w", err)
	}
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.waiting = sp
	}
	s.mu.Unlock()
	go s.watch(sp)
	if closed {
		s.Discard()
	}
	return nil
}

// start starts one; on an error nothing of it is left.
func (s *Spares) start(ctx context.Context, name string) (*spare, error) {
	sp := &spare{link: filepath.Join(s.Dir, name, "main"), env: s.Kit.env(s.Env()), gone: make(chan struct{})}
	script, err := s.lay(sp)
	if err != nil {
		return nil, err
	}
	if sp.group, err = s.Group.Child(filepath.Base(s.Dir)+name, false, GroupLimits{Pids: defaultProcesses, OOMGroup: true}); err != nil {
		return nil, err
	}
	if sp.pipes, err = newPipes(true); err != nil {
		return nil, errors.Join(err, s.remove(sp))
	}
	sp.pid, err = s.Starter.fork(sp.pipes, sp.group)
	sp.pipes.closeChild()
	if err != nil {
		sp.pipes.closeAll()
		return nil, errors.Join(err, s.remove(sp))
	}
	ctx, cancel := s.followed(ctx, sp.pid)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { unix.Kill(-sp.pid, unix.SIGKILL) })
	defer stop()
	err = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", sp.pid), []byte(waitingScore), 0)
	if err == nil {
		err = s.Starter.order(sp.pipes, Program{
			Argv: []string{"node", "--expose-internals", "-r", script, sp.link}, Cwd: s.Cwd, Env: sp.env,
		})
	}
	closeFiles(sp.pipes.status, sp.pipes.spec)
	if err == nil {
		var word struct {
			Ready bool `json:"ready"`
		}
		if err = receiveWord(sp.pipes.control, &word); err == nil && !word.Ready {
			err = errors.New("it is not ready")
		}
	}
	if err != nil {
		unix.Kill(-sp.pid, unix.SIGKILL)
		return nil, errors.Join(err, context.Cause(ctx), s.bury(sp))
	}
	sp.used, _ = sp.group.CPU() // without cgroups nothing is counted from it
	return sp, nil
}

// lay writes the files that a Node is started with, and returns its script.
func (s *Spares) lay(sp *spare) (script string, err error) {
	script = filepath.Join(s.Dir, "spare.cjs")
	err = errors.Join(
		os.MkdirAll(filepath.Dir(sp.link), 0o755), os.WriteFile(script, spareScript, 0o644),
		os.WriteFile(filepath.Join(s.Dir, "empty.cjs"), nil, 0o644), // to rehearse with
	)
	if err == nil && s.Kit != nil {
		err = errors.Join(os.WriteFile(filepath.Join(s.Dir, "kit.cjs"), s.Kit.Load, 0o644), os.Symlink(s.Kit.Main, sp.link))
	}
	if err == nil {
		err = s.linkExit()
	}
	return script, err
}

// linkExit puts the add-on where the script looks for it.
func (s *Spares) linkExit() error {
	if s.Exit == "" {
		return nil
	}
	if err := os.Symlink(s.Exit, filepath.Join(s.Dir, "exit.node")); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// watch reaps one that ends while it waits; nobody misses it.
func (s *Spares) watch(sp *spare) {
	err := s.Starter.Children.AwaitExit(sp.pid)
	s.mu.Lock()
	if s.waiting == sp {
		s.waiting = nil
	}
	taken := sp.taken
	sp.taken = true
	s.mu.Unlock()
	if taken { // its process does the rest
		return
	}
	defer close(sp.gone)
	if err = errors.Join(err, s.bury(sp)); err != nil && s.Starter.Report != nil {
		s.Starter.Report(fmt.Errorf("a waiting node: %w", err))
	}
}

// bury reaps one that was never taken and removes what it had.
func (s *Spares) bury(sp *spare) error {
	_, _, err := s.Starter.Children.Reap(sp.pid)
	sp.pipes.closeAll()
	return errors.Join(err, s.remove(sp))
}

func (s *Spares) remove(sp *spare) error {
	ctx, cancel := context.WithTimeout(context.Background(), emptyLimit)
	defer cancel()
	return errors.Join(sp.group.Remove(ctx), os.RemoveAll(filepath.Dir(sp.link)))
}

// take makes the waiting Node the program, or returns nil: then the program is
// to be started plainly.
func (s *Spares) take(ctx context.Context, p Program) *Process {
	sp, o := s.pick(p)
	if sp == nil {
		return nil
	}
	proc := &Process{
		starter: s.Starter, program: p, group: sp.group, pid: sp.pid, loose: true, done: make(chan struct{}), started: time.Now(),
		cleanUp: func() error { return os.RemoveAll(filepath.Dir(sp.link)) },
	}
	proc.before = sp.used
	err := proc.begin(ctx, sp.pipes, func() error { return s.employ(ctx, sp, p, o) })
	if err != nil {
		return nil
	}
	return proc
}

// pick takes the waiting Node out of s when it can become the program; otherwise it
// returns nil and the Node keeps waiting.
func (s *Spares) pick(p Program) (*spare, nodeOrder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sp, base := s.waiting, s.Kit.env(s.Env())
	if sp != nil {
		base = sp.env
	}
	o, ok := orderFor(p, base, s.Scripts, s.Kit)
	s.wanted = s.wanted || ok
	if sp == nil || !ok || p.KeepChildren { // one that waits stands apart already
		return nil, nodeOrder{}
	}
	s.waiting, sp.taken = nil, true
	return sp, o
}

// employ sets the program's limits on the waiting Node and sends it the order.
func (s *Spares) employ(ctx context.Context, sp *spare, p Program, o nodeOrder) error {
	var draw [8]byte
	if _, err := rand.Read(draw[:]); err != nil {
		return err
	}
	o.Seed = binary.LittleEndian.Uint32(draw[:])>>1 | 1
	o.Skip = binary.LittleEndian.Uint32(draw[4:]) % maxSkip
	if err := errors.Join(
		s.bound(sp, p.Limits.Processes),
		limitProcess(sp.pid, p.Limits),
		os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", sp.pid), []byte("0"), 0),
	); err != nil {
		return err
	}
	// Where it is already after a restore, unless the root was put together anew.
	if at, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", sp.pid)); err == nil && at == o.Cwd {
		o.Cwd = ""
	}
	if o.Mode == nodeScript && s.Kit == nil {
		if err := os.Symlink(o.Script, sp.link); err != nil {
			return err
		}
	}
	// It enters the directory and looks at the script, which may wait for a
	// person; ending ctx kills it.
	order := o.encode()
	if _, err := sp.pipes.control.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(order))), order...)); err != nil {
		return err
	}
	var word struct {
		Taken   bool   `json:"taken"`
		Refused string `json:"refused"`
	}
	if err := receiveWord(sp.pipes.control, &word); err != nil {
		return err
	}
	if !word.Taken {
		return fmt.Errorf("a waiting node refuses: %s", word.Refused)
	}
	return nil
}

// bound sets what is not as it was at the start.
func (s *Spares) bound(sp *spare, processes int) error {
	if processes == defaultProcesses {
		return nil
	}
	return sp.group.Bound(GroupLimits{Pids: processes})
}

// Renew starts another after a while, where one was wanted before and none
// waits. It is for moments in which nothing else goes on.
func (s *Spares) Renew() {
	if s.Kit != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.wanted || s.closed || s.waiting != nil {
		return
	}
	s.later = s.Starter.startLater(s.later, sparePause, s.Start)
}

// PID is that of the one that waits, 0 when none does.
func (s *Spares) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		return 0
	}
	return s.waiting.pid
}

// Discard ends the one that waits and returns when it is gone.
func (s *Spares) Discard() {
	s.mu.Lock()
	sp := s.waiting
	s.waiting = nil
	if sp != nil {
		unix.Kill(-sp.pid, unix.SIGKILL) // it is not reaped before watch has the lock
	}
	s.mu.Unlock()
	if sp != nil {
		<-sp.gone
	}
}

// Close ends the one that waits; none is started any more.
func (s *Spares) Close() {
	s.mu.Lock()
	s.closed = true
	if s.later != nil {
		s.later.Stop()
	}
	s.mu.Unlock()
	s.Discard()
}

// receiveWord reads a frame: length as 4 bytes, big endian, then JSON.
func receiveWord(f *os.File, word any) error {
	var head [4]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxSpareWord {
		return fmt.Errorf("%d bytes are too many", n)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(f, body); err != nil {
		return err
	}
	return json.Unmarshal(body, word)
}
