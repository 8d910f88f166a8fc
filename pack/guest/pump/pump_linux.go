package pump

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// Descriptors of the pump besides the standard streams.
const (
	portFD   = 3 // the port, open for this process alone
	statusFD = 4 // write end of a pipe: [status] as JSON once the mount is decided
)

// status says how the mount went.
type status struct {
	OK    bool   `json:"ok"`
	Errno int    `json:"errno,omitempty"`
	Text  string `json:"text,omitempty"`
}

// socketBuffer is the room of the socket pair in each direction, in bytes: a
// few of the largest messages.
const socketBuffer = 4 << 20

// Main is the whole pump process. order is a wire.MountParams as JSON. It
// returns the exit code: 0 after unmounting, 1 when the host left or the mount
// failed.
func Main(order string) int {
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(4) // two copying, one mounting, one spare
	st := os.NewFile(statusFD, "status")
	unix.CloseOnExec(portFD)
	// The share of a task must not be the first victim of its programs.
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("-1000"), 0); err != nil {
		fmt.Fprintln(os.Stderr, "pump: oom_score_adj:", err)
	}
	var p wire.MountParams
	err := json.Unmarshal([]byte(order), &p)
	if err == nil {
		err = p.Validate()
	}
	if err != nil {
		report(st, err)
		return 1
	}
	client, ours, err := socketPair()
	if err != nil {
		report(st, err)
		return 1
	}
	if err := unix.SetNonblock(portFD, true); err != nil {
		report(st, err)
		return 1
	}
	toClient, toPort := make([]byte, toClientBuffer), make([]byte, toPortBuffer)
	drain(portFD, toClient)
	ended := make(chan int, 2)
	go func() { // the host left or sent nonsense: the client sees the end too
		runtime.LockOSThread()
		_ = transfer(ours, portFD, toClient) // why it ended changes nothing
		ended <- 1
	}()
	go func() { // the client was unmounted
		runtime.LockOSThread()
		_ = transfer(portFD, ours, toPort)
		ended <- 0
	}()
	err = mount(p, client)
	unix.Close(client) // the mount has its own reference
	report(st, err)
	if err != nil {
		return 1
	}
	return <-ended
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

// mount mounts the share over the client's end of the socket pair. It waits
// for the server's answers; killing the process ends it.
func mount(p wire.MountParams, fd int) error {
	if err := unix.Mount("piwork", p.Path, "9p", unix.MS_NOSUID|unix.MS_NODEV, mountData(p, fd)); err != nil {
		return fmt.Errorf("mount 9p on %s: %w", p.Path, err)
	}
	return nil
}

// defaultMSize is the largest message when the host does not choose.
const defaultMSize = wire.MaxMSize

// mountData is the option string of mount(2). cache=mmap is the weakest cache
// in which programs can map files for writing; access=any attaches once, for
// the one user there is.
func mountData(p wire.MountParams, fd int) string {
	msize := p.MSize
	if msize == 0 {
		msize = defaultMSize
	}
	o := []string{
		"trans=fd", fmt.Sprintf("rfdno=%d", fd), fmt.Sprintf("wfdno=%d", fd), "version=9p2000.L",
		fmt.Sprintf("msize=%d", msize), "cache=mmap", "access=any",
	}
	if p.Export != "" {
		o = append(o, "aname="+p.Export)
	}
	return strings.Join(o, ",")
}

func report(f *os.File, err error) {
	st := status{OK: err == nil}
	if err != nil {
		st.Text = err.Error()
		var errno unix.Errno
		if errors.As(err, &errno) {
			st.Errno = int(errno)
		}
	}
	if b, merr := json.Marshal(st); merr == nil {
		_, _ = f.Write(b) // who waits for it sees the end of the pipe instead
	}
	f.Close()
}
