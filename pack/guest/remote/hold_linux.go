package remote

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire/resume"
)

// Bounds of a holder.
const (
	maxPatience = time.Hour
	firstTime   = 30 * time.Second // until somebody attaches
	askTime     = 10 * time.Second // for the first line of a connection
	lastTime    = 10 * time.Second // for the end to be heard
	maxSaid     = 3 << 10          // bytes that are kept of what the agent says on its standard error
)

// holder holds one place.
type holder struct {
	request resume.Request
	id, dir string
	cmd     *exec.Cmd
	said    tail
	over    chan struct{} // closed when the agent has ended; then exit says how
	exit    error
	links   map[string]*resume.Link

	mu       sync.Mutex
	attached int
	alone    *time.Timer // ends the place when nobody is attached
	ending   []net.Conn  // of who waits for the end
}

// Hold is the whole of a process: it makes a place, says so on its standard output, and
// holds it until it ends.
func Hold() int {
	h := &holder{over: make(chan struct{}), links: map[string]*resume.Link{}}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	// Whoever asked may be gone before the answer: that is an error of the write, and no
	// end of this process, which has to remove what it made.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	if err := resume.ReadLine(os.Stdin, &h.request); err != nil {
		return 2
	}
	err := h.open()
	if err != nil {
		_ = resume.WriteLine(os.Stdout, answerFor(err))
		h.remove()
		return 1
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: socketName})
	if err == nil {
		listener.SetUnlinkOnClose(false) // its directory goes
		err = resume.WriteLine(os.Stdout, resume.Answer{ID: h.id, User: h.user()})
	}
	if err == nil {
		err = leave()
	}
	if err != nil {
		h.kill()
		<-h.over
		h.remove()
		return 1
	}
	go func() {
		for range stop {
			h.kill()
		}
	}()
	go h.accept(listener)
	<-h.over
	h.remove()
	listener.Close() // not before: whoever asks for the end waits on it
	h.endLinks()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.ending {
		c.Close()
	}
	return 0
}

// leave lets go of the streams of whoever started this process.
func leave() error {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(null)
	return errors.Join(unix.Dup3(null, 0, 0), unix.Dup3(null, 1, 0), unix.Dup3(null, 2, 0))
}

// open makes the place.
func (h *holder) open() (err error) {
	if len(h.request.Token) < 32 {
		return errors.New("a place without a token")
	}
	if h.id, h.dir, err = newRun(); err != nil {
		return err
	}
	conn, theirs, err := socketpair(unix.SOCK_STREAM)
	if err != nil {
		return err
	}
	defer theirs.Close()
	status, sent, err := socketpair(unix.SOCK_SEQPACKET)
	if err != nil {
		return err
	}
	defer status.Close()
	defer sent.Close()
	if err := h.start(theirs, sent); err != nil {
		conn.Close()
		return err
	}
	sent.Close()
	device, err := h.receive(status)
	if err != nil {
		conn.Close()
		h.kill()
		<-h.over
		return err
	}
	h.links[resume.StreamRPC] = resume.New(conn, true)
	if device != nil {
		h.links[resume.StreamFUSE] = resume.New(newDevice(device), true) // it ends with the place
	}
	patience := min(time.Duration(h.request.PatienceMS)*time.Millisecond, maxPatience)
	if patience <= 0 {
		patience = maxPatience
	}
	h.request.PatienceMS = patience.Milliseconds()
	// Whoever gave up before the answer knows of nothing that has to be ended.
	h.alone = time.AfterFunc(min(patience, firstTime), h.kill)
	return nil
}

func socketpair(kind int) (a, b *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if kind == unix.SOCK_STREAM {
		if err := unix.SetNonblock(fds[0], true); err != nil {
			return nil, nil, os.NewSyscallError("fcntl", err)
		}
	}
	return os.NewFile(uintptr(fds[0]), "here"), os.NewFile(uintptr(fds[1]), "there"), nil
}

// start starts the agent in namespaces of its own. It is started and waited for on one
// thread: the kernel ends it when the thread that started it ends.
func (h *holder) start(conn, status *os.File) error {
	s := spec{Dir: h.dir, Folders: h.request.Folders, State: h.request.State, Online: h.request.Online, User: h.user()}
	if h.request.Pack != "" {
		root, err := usePack(h.request.Pack)
		if err != nil {
			return err
		}
		s.Root = root
	} else if list, err := os.ReadFile("/proc/net/unix"); err == nil {
		s.Sockets = boundIn(string(list))
	}
	if home, err := os.UserHomeDir(); err == nil {
		s.Home = filepath.Clean(home)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	h.cmd = exec.Command(self, PartPlace, string(text)) //nolint:forbidigo,noctx // it lives as long as the place
	h.cmd.Dir, h.cmd.Env = "/", []string{"PATH=/usr/bin:/bin"}
	h.cmd.Stdin, h.cmd.Stdout, h.cmd.Stderr = conn, conn, &h.said
	h.cmd.ExtraFiles = []*os.File{status}
	h.cmd.WaitDelay = lastTime
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS)
	if !h.request.Online {
		flags |= unix.CLONE_NEWNET
	}
	h.cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: flags, Pdeathsig: syscall.SIGKILL, Setpgid: true,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: s.User, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: s.User, HostID: os.Getgid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE},
	}
	if os.Getuid() == 0 { // whose files are secrets: the place is made by root, who then becomes somebody else
		ids := []syscall.SysProcIDMap{{Size: 1}, {ContainerID: s.User, HostID: strangerID, Size: 1}}
		a := h.cmd.SysProcAttr
		a.UidMappings, a.GidMappings, a.GidMappingsEnableSetgroups = ids, ids, true
	}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := h.cmd.Start()
		started <- err
		if err == nil {
			h.exit = h.cmd.Wait()
			close(h.over)
		}
	}()
	if err := <-started; err != nil {
		return &codeError{resume.CodeNamespaces, fmt.Errorf("make namespaces: %w", err)}
	}
	return nil
}

// strangerID is a user and group of the computer whom nobody is: one that systemd leaves free
// (systemd.io/UIDS-GIDS), and that is in the range of most containers.
const strangerID = 65533

// packUser is the user in a place with the programs of a pack, as in every other with them.
const packUser = 1000

// user is the number of the user and the group in the place: never root, whose programs would
// have rights.
func (h *holder) user() int {
	if id := os.Getuid(); id != 0 && h.request.Pack == "" {
		return id
	}
	return packUser
}

// receive hears that the place is there, with the device of its folders.
func (h *holder) receive(from *os.File) (*os.File, error) {
	text, rights := make([]byte, 4<<10), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := unix.Recvmsg(int(from.Fd()), text, rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("recvmsg", err)
	}
	if n == 0 {
		<-h.over
		return nil, fmt.Errorf("the agent ended at once: %w: %s", h.exit, h.said.String())
	}
	var a resume.Answer
	if err := json.Unmarshal(text[:n], &a); err != nil {
		return nil, err
	}
	if a.Error != "" {
		return nil, &codeError{a.Code, errors.New(a.Error)}
	}
	if !h.request.Folders {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(rights[:m])
	if err == nil && len(messages) == 1 {
		fds, err := unix.ParseUnixRights(&messages[0])
		if err == nil && len(fds) == 1 {
			return os.NewFile(uintptr(fds[0]), "/dev/fuse"), nil
		}
	}
	return nil, &codeError{resume.CodeFUSE, errors.New("no device came")}
}

// kill ends everything in the place: its first process is the agent.
func (h *holder) kill() {
	if h.cmd != nil && h.cmd.Process != nil {
		_ = h.cmd.Process.Kill()
	}
}

// remove removes the directory of the place.
func (h *holder) remove() {
	if h.dir != "" {
		_ = os.Chdir("/")
		_ = removeAll(h.dir)
	}
}

// endLinks tells how the agent ended, and waits until that was heard.
func (h *holder) endLinks() {
	text := "the agent ended"
	if h.exit != nil {
		text += ": " + h.exit.Error()
	}
	if said := h.said.String(); said != "" {
		text += "\n" + said
	}
	rpc := h.links[resume.StreamRPC]
	rpc.End(text)
	if files := h.links[resume.StreamFUSE]; files != nil {
		files.Close()
	}
	select {
	case <-rpc.Done():
	case <-time.After(lastTime):
	}
}

// accept serves whoever attaches.
func (h *holder) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go h.serve(c)
	}
}

func (h *holder) serve(c net.Conn) {
	var r resume.Request
	_ = c.SetDeadline(time.Now().Add(askTime))
	if err := resume.ReadLine(c, &r); err != nil || subtle.ConstantTimeCompare([]byte(r.Token), []byte(h.request.Token)) != 1 && r.Action != resume.ActionEnd {
		c.Close()
		return
	}
	if r.Action == resume.ActionEnd { // who gets here could kill it, too
		h.mu.Lock()
		h.ending = append(h.ending, c)
		h.mu.Unlock()
		h.kill()
		return
	}
	link := h.links[r.Stream]
	if link == nil || r.Action != resume.ActionAttach {
		_ = resume.WriteLine(c, resume.Answer{Error: "there is no such stream"})
		c.Close()
		return
	}
	if err := resume.WriteLine(c, resume.Answer{ID: h.id}); err != nil {
		c.Close()
		return
	}
	_ = c.SetDeadline(time.Time{})
	if r.Stream == resume.StreamRPC {
		h.count(1)
		defer h.count(-1)
	}
	_ = link.Attach(c)
}

// count notes that somebody attached or left. Who is alone for too long ends.
func (h *holder) count(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.attached += n; h.attached > 0 {
		h.alone.Stop()
	} else {
		h.alone.Reset(time.Duration(h.request.PatienceMS) * time.Millisecond)
	}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if n := len(t.buf) - maxSaid; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.buf), "\uFFFD"))
}
