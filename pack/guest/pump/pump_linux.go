package pump

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Descriptors of the pump besides the standard streams.
const (
	portFD   = 3 // the port, open for this process alone
	statusFD = 4 // write end of a pipe: [status] as JSON once the mount is decided
	orderFD  = 5 // read end of a pipe: orders, or its end without one
)

// statusMounted, alone, says that the share is mounted; anything else is a
// [status] as JSON.
const statusMounted = '+'

// maxStatus bounds a status, in bytes.
const maxStatus = 64 << 10

// status says why there is no mount.
type status struct {
	Errno int    `json:"errno,omitempty"`
	Text  string `json:"text,omitempty"`
}

// socketBuffer is the room of the socket pair in each direction, in bytes: a
// few of the largest messages.
const socketBuffer = 4 << 20

// hostStall is how long the host may take to open the port after the order came:
// a restored machine hears of its new host a moment late.
const hostStall = 10 * time.Second

// Main is the whole pump process. It prepares everything, waits for its order,
// mounts and copies. It returns the exit code: 0 after unmounting or without an
// order, 1 when the host left, the mount failed or is not the host's.
//
// What comes after the order is short on purpose: in a restored machine it is
// what a person waits for, and under emulation all code that runs is new.
func Main() int {
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(4) // two copying, one mounting, one spare
	unix.CloseOnExec(portFD)
	// The share of a task must not be the first victim of its programs.
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("-1000"), 0); err != nil {
		fmt.Fprintln(os.Stderr, "pump: oom_score_adj:", err)
	}
	client, ours, err := socketPair()
	if err != nil {
		report(statusFD, err)
		return 1
	}
	if err := unix.SetNonblock(portFD, true); err != nil {
		report(statusFD, err)
		return 1
	}
	p := process{ours: ours, client: client, ended: make(chan int, 2), toClient: make([]byte, toClientBuffer), toPort: make([]byte, toPortBuffer)}
	for _, fd := range []*int{&p.beginHost, &p.beginClient} {
		if *fd, err = unix.Eventfd(0, unix.EFD_CLOEXEC); err != nil {
			report(statusFD, err)
			return 1
		}
	}
	go p.fromHost()
	go p.fromClient()
	keepThreads()
	what, path, options, err := readOrder(orderFD, p.toPort)
	if err != nil {
		return 0 // nobody wants it
	}
	p.early, p.path = what == orderEarly, path
	if !p.early {
		if err := p.findHost(); err != nil {
			report(statusFD, err)
			return 1
		}
		if err := mount(path, options+portOptions(client)); !errors.Is(err, unix.EINVAL) {
			unix.Close(client) // the mount has its own reference
			report(statusFD, err)
			if err != nil {
				return 1
			}
			return watch(ours, portFD, path)
		}
		begin(p.beginHost)
	}
	begin(p.beginClient)
	err = mount(path, options+fmt.Sprintf(",rfdno=%d,wfdno=%[1]d", client))
	if direct := err == nil && p.early && canHandOver(path); direct {
		p.direct.Store(true)
	} else {
		unix.Close(client) // the mount has its own reference
	}
	if err != nil || !p.early {
		report(statusFD, err)
	} else {
		_, _ = unix.Write(statusFD, []byte{statusMounted}) // who waits reads on
	}
	if err != nil {
		return 1
	}
	return <-p.ended
}

// process is the state of a pump that copies.
type process struct {
	ours, client           int // ends of the socket pair
	beginHost, beginClient int // eventfds: the copying from them may begin
	early                  bool
	direct                 atomic.Bool // the port can be handed over to the early mount; client is open until then
	path                   string      // of the mount
	ended                  chan int    // exit codes
	toClient, toPort       []byte      // buffers
}

// fromHost copies until the host leaves or sends nonsense: the client sees the
// end too.
func (p *process) fromHost() {
	runtime.LockOSThread()
	awaitBegin(p.beginHost)
	_ = transfer(p.ours, portFD, p.toClient) // why it ended changes nothing
	p.ended <- 1
}

// fromClient copies until the client is unmounted; before that it answers for
// the host that is to come.
func (p *process) fromClient() {
	runtime.LockOSThread()
	awaitBegin(p.beginClient)
	if p.early {
		if code := p.serveEarly(); code != served {
			p.ended <- code
			return
		}
	}
	_ = transfer(portFD, p.ours, p.toPort)
	p.ended <- 0
}

// served is no exit code: the mount is the host's.
const served = -1

// serveEarly answers the client until a host is there, and gives the mount over
// to it. Else it returns the exit code.
func (p *process) serveEarly() int {
	var e early
	if err := e.serve(p.ours, orderFD, p.toPort); err != nil {
		if errors.Is(err, io.EOF) {
			return 0
		}
		return 1
	}
	var order [1]byte
	if n, err := unix.Read(orderFD, order[:]); n != 1 || err != nil {
		return 1 // nobody wants it
	}
	err := p.findHost()
	if err == nil {
		err = e.replay(portFD, p.toPort)
	}
	if err == nil && p.direct.Load() {
		err = handOver(p.path, p.client)
		unix.Close(p.client)
	}
	report(statusFD, err)
	switch {
	case err != nil:
		return 1
	case p.direct.Load():
		return watch(p.ours, portFD, p.path)
	}
	begin(p.beginHost)
	return served
}

// findHost waits for the host and leaves its answers to others behind.
func (p *process) findHost() error {
	err := awaitHost(portFD, hostStall)
	if err == nil {
		drain(portFD, p.toClient)
	}
	return err
}

// begin lets one awaitBegin go on.
func begin(fd int) {
	_, _ = unix.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // a counter has room
}

// keepThreads has Go make the threads that it will want when the order is there;
// they stay, idle.
func keepThreads() {
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() { _ = unix.Nanosleep(&unix.Timespec{Nsec: 2e6}, nil) }) // in the kernel, on a thread of its own
	}
	group.Wait()
}

// awaitBegin waits for the order to be there, in the kernel: Go's scheduler has
// no part in it.
func awaitBegin(fd int) {
	count := make([]byte, 8)
	for {
		if _, err := unix.Read(fd, count); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func socketPair() (client, ours int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, -1, fmt.Errorf("socketpair: %w", err)
	}
	for _, fd := range pair {
		err = errors.Join(err,
			unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, socketBuffer),
			unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, socketBuffer))
	}
	if err = errors.Join(err, unix.SetNonblock(pair[1], true)); err != nil {
		return -1, -1, fmt.Errorf("socketpair: %w", err)
	}
	return pair[0], pair[1], nil
}

const mountFlags = unix.MS_NOSUID | unix.MS_NODEV

// mount mounts the share with options that name the client's descriptors. It
// waits for the server's answers; killing the process ends it.
func mount(path, options string) error {
	if err := unix.Mount("piwork", path, "9p", mountFlags, options); err != nil {
		return fmt.Errorf("mount 9p on %s: %w", path, err)
	}
	return nil
}

// report tells how it went; who waits for it and is gone sees the end of the
// pipe instead.
func report(fd int, err error) {
	answer := []byte{statusMounted}
	if err != nil {
		st := status{Text: err.Error()}
		var errno unix.Errno
		if errors.As(err, &errno) {
			st.Errno = int(errno)
		}
		if answer, err = json.Marshal(st); err != nil {
			answer = nil
		}
	}
	_, _ = unix.Write(fd, answer)
	unix.Close(fd)
}
