package remote

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// server is another computer that speaks SSH, in this program. Its commands are run by sh,
// with a home of their own.
type server struct {
	home     string
	address  string
	listener net.Listener

	mu       sync.Mutex
	key      ssh.Signer
	user     ssh.PublicKey // who is let in
	conns    map[net.Conn]bool
	tries    int                                       // how many keys somebody may try; 0 is the usual
	down     bool                                      // new connections end at once
	silent   chan struct{}                             // closed when the connections that there are say and hear nothing more
	requests []string                                  // kinds of requests, of connections and channels
	greeting string                                    // what the login shell says before a command
	run      func(command string, ch ssh.Channel) bool // instead of sh; false leaves it to that
	work     sync.WaitGroup
}

func newKey(t testing.TB) (ssh.Signer, ed25519.PrivateKey) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return s, private
}

// computer starts a server, and says how it is reached: with a key and known hosts of the
// test, and with nothing of whoever runs it.
func computer(t testing.TB) (*server, Computer) {
	t.Helper()
	host, _ := newKey(t)
	user, private := newKey(t)
	s := &server{home: filepath.Join(t.TempDir(), "home"), key: host, user: user.PublicKey(), conns: map[net.Conn]bool{}, silent: make(chan struct{})}
	if err := os.Mkdir(s.home, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.listener, s.address = l, l.Addr().String()
	go s.accept()
	t.Cleanup(func() {
		l.Close()
		s.cut()
		s.work.Wait()
	})
	return s, client(t, s.address, host.PublicKey(), private)
}

// client is the configuration of a person who knows one computer.
func client(t testing.TB, address string, host ssh.PublicKey, private ed25519.PrivateKey) Computer {
	t.Helper()
	t.Setenv("SSH_AUTH_SOCK", "")
	dir := t.TempDir()
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	name, port, _ := net.SplitHostPort(address)
	hosts := ""
	if host != nil {
		hosts = knownhosts.Line([]string{address}, host) + "\n"
	}
	for file, content := range map[string]string{
		"key": string(pem.EncodeToMemory(block)), "known_hosts": hosts,
		"config": fmt.Sprintf("Host there\n HostName %s\n Port %s\n User somebody\nHost *\n IdentityFile %s\n UserKnownHostsFile %s\n GlobalKnownHostsFile none\n",
			name, port, filepath.Join(dir, "key"), filepath.Join(dir, "known_hosts")),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Computer{Target: Target{Host: "there"}, configFile: filepath.Join(dir, "config")}
}

// cut ends all connections.
func (s *server) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
	}
}

// silence leaves the connections open, and nothing goes over them any more, as when a computer
// is suspended or a router has forgotten them. New ones are as before.
func (s *server) silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.silent)
	s.silent = make(chan struct{})
}

// quietConn is a connection that may become silent.
type quietConn struct {
	net.Conn
	silent chan struct{}
}

func (c quietConn) over() bool {
	select {
	case <-c.silent:
		return true
	default:
		return false
	}
}

func (c quietConn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.over() {
			return n, err
		}
	}
}

func (c quietConn) Write(p []byte) (int, error) {
	if c.over() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

func (s *server) setDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *server) setKey(k ssh.Signer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = k
}

func (s *server) setUser(k ssh.PublicKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user = k
}

func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.requests...)
}

func (s *server) note(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, kind)
}

func (s *server) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.down {
			c.Close()
		}
		key, user, tries := s.key, s.user, s.tries
		s.conns[c] = true
		quiet := quietConn{c, s.silent}
		s.mu.Unlock()
		config := &ssh.ServerConfig{MaxAuthTries: tries, PublicKeyCallback: func(_ ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
			if string(k.Marshal()) != string(user.Marshal()) {
				return nil, fmt.Errorf("who are you?")
			}
			return nil, nil
		}}
		config.AddHostKey(key)
		s.work.Go(func() {
			defer func() {
				c.Close()
				s.mu.Lock()
				defer s.mu.Unlock()
				delete(s.conns, c)
			}()
			_, channels, requests, err := ssh.NewServerConn(quiet, config)
			if err != nil {
				return
			}
			go func() {
				for r := range requests {
					s.note(r.Type)
					r.Reply(false, nil)
				}
			}()
			for n := range channels {
				s.note(n.ChannelType())
				if n.ChannelType() == "direct-tcpip" {
					s.work.Go(func() { forward(n) })
					continue
				}
				ch, in, err := n.Accept()
				if err != nil {
					return
				}
				s.work.Go(func() { s.session(ch, in) })
			}
		})
	}
}

// forward connects a channel on, as a computer does that others are reached over.
func forward(n ssh.NewChannel) {
	var to struct {
		Host  string
		Port  uint32
		Host2 string
		Port2 uint32
	}
	if err := ssh.Unmarshal(n.ExtraData(), &to); err != nil {
		n.Reject(ssh.ConnectionFailed, "")
		return
	}
	c, err := net.Dial("tcp", net.JoinHostPort(to.Host, fmt.Sprint(to.Port)))
	if err != nil {
		n.Reject(ssh.ConnectionFailed, "")
		return
	}
	defer c.Close()
	ch, requests, err := n.Accept()
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	go func() { io.Copy(c, ch); c.Close() }()
	io.Copy(ch, c)
	ch.Close()
}

func (s *server) session(ch ssh.Channel, in <-chan *ssh.Request) {
	defer ch.Close()
	for r := range in {
		s.note(r.Type)
		r.Reply(r.Type == "exec", nil)
		if r.Type != "exec" {
			continue
		}
		go func() {
			for r := range in {
				s.note(r.Type)
				r.Reply(false, nil)
			}
		}()
		var command struct{ Text string }
		ssh.Unmarshal(r.Payload, &command)
		s.mu.Lock()
		run, greeting := s.run, s.greeting
		s.mu.Unlock()
		if run != nil && run(command.Text, ch) {
			return
		}
		io.WriteString(ch, greeting)
		cmd := exec.Command("/bin/sh", "-c", command.Text)
		cmd.Env, cmd.Dir = []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH")}, s.home
		cmd.Stdout, cmd.Stderr = ch, ch.Stderr()
		stdin, _ := cmd.StdinPipe()
		go func() { io.Copy(stdin, ch); stdin.Close() }()
		cmd.WaitDelay = time.Second
		err := cmd.Run()
		code := cmd.ProcessState.ExitCode()
		if err != nil && code <= 0 {
			code = 255
		}
		ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{uint32(code)}))
		return
	}
}

// left are the files of piwork there.
func (s *server) left(t testing.TB) (all []string) {
	t.Helper()
	filepath.Walk(filepath.Join(s.home, ".cache"), func(name string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			all = append(all, strings.TrimPrefix(name, s.home+"/.cache/"))
		}
		return nil
	})
	return all
}
