// Package sshtest has OpenSSH's server for tests of what works over SSH: on loopback, for the
// user of the test, with keys and a home of its own.
//
// ./scripts/setup does not install openssh-server, which would have a developer's computer let
// others in: with --all it unpacks it, and PIWORK_TEST_SSHD names it. Without either such tests
// are skipped.
package sshtest

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// Server is one.
type Server struct {
	Address     string // user@host:port
	Home        string // what the user finds as home there
	Fingerprint string // of its key
	HostKey     ssh.PublicKey
	KeyFile     string // the user's key, which the agent has, too
	Agent       string // the socket of an SSH agent

	log      string // a file
	agentDir string
	closes   []net.Listener
	work     sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
}

// asRoot gives a server what it needs of a system on which it is not installed.
const asRoot = `mount -t tmpfs tmpfs /run; mkdir -m 755 /run/sshd; grep -q ^sshd: /etc/passwd || { ` +
	`cp /etc/passwd /run/passwd; echo sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin >>/run/passwd; mount --bind /run/passwd /etc/passwd; }; exec "$@"`

// Start starts a server that ends with the test. The test's SSH agent has the key that is let
// in.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := Open(t.TempDir())
	if errors.Is(err, ErrMissing) {
		t.Skip(err.Error() + ": the tests with a server of their own say the same")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if b, err := os.ReadFile(s.log); err == nil && t.Failed() {
			t.Logf("sshd says:\n%s", b)
		}
	})
	t.Setenv("SSH_AUTH_SOCK", s.Agent)
	return s
}

// ErrMissing is the error of a computer without a server.
var ErrMissing = errors.New("OpenSSH's server is not installed (openssh-server), and PIWORK_TEST_SSHD names none")

// Open starts a server that has its files in dir, and its agent.
func Open(dir string) (*Server, error) {
	program := cmp.Or(os.Getenv("PIWORK_TEST_SSHD"), "/usr/sbin/sshd")
	if !fileExists(program) {
		return nil, ErrMissing
	}
	host, hostFile, err := key()
	if err != nil {
		return nil, err
	}
	own, ownFile, err := key()
	if err != nil {
		return nil, err
	}
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	s := &Server{
		Home: filepath.Join(dir, "home"), KeyFile: filepath.Join(dir, "key"), HostKey: host.PublicKey(), Fingerprint: ssh.FingerprintSHA256(host.PublicKey()),
		log: filepath.Join(dir, "log"),
	}
	config := "AuthorizedKeysFile " + filepath.Join(dir, "authorized") + "\nHostKey " + filepath.Join(dir, "host") +
		"\nPermitUserEnvironment yes\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nMaxSessions 10\n"
	for option, name := range map[string]string{"SshdSessionPath": "sshd-session", "SshdAuthPath": "sshd-auth"} { // since OpenSSH 9.8 and 10.0
		if helper := filepath.Join(filepath.Dir(program), "../lib/openssh", name); fileExists(helper) {
			config += option + " " + helper + "\n"
		}
	}
	for name, content := range map[string]string{
		"config": config, "host": hostFile, "key": ownFile,
		"authorized": `environment="HOME=` + s.Home + `" ` + string(ssh.MarshalAuthorizedKey(own.PublicKey())),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	if err := os.Mkdir(s.Home, 0o700); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.Address = me.Username + "@" + l.Addr().String()
	argv := []string{program, "-i", "-f", filepath.Join(dir, "config"), "-E", s.log}
	if os.Getuid() == 0 {
		argv = append([]string{"unshare", "-m", "sh", "-ec", asRoot, "sh"}, argv...)
	}
	s.closes = append(s.closes, l)
	s.work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns = append(s.conns, c)
			s.mu.Unlock()
			s.work.Go(func() { serve(c, argv) })
		}
	})
	if err := s.serveAgent(ownFile); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Close ends it.
func (s *Server) Close() {
	for _, l := range s.closes {
		l.Close()
	}
	s.Cut()
	s.work.Wait()
	os.RemoveAll(s.agentDir)
}

// serve has one connection served.
func serve(c net.Conn, argv []string) {
	defer c.Close()
	f, err := c.(*net.TCPConn).File()
	if err != nil {
		return // it was cut
	}
	defer f.Close()
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:forbidigo,noctx // it ends with its connection
	cmd.Stdin, cmd.Stdout = f, f
	_ = cmd.Run() // its log says more
}

// Cut ends all connections.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.CloseWrite() // the server has a descriptor of its own
			_ = tcp.CloseRead()
		}
		c.Close()
	}
	s.conns = nil
}

// key makes one, and its file.
func key() (ssh.Signer, string, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, "", err
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return nil, "", err
	}
	s, err := ssh.NewSignerFromKey(private)
	return s, string(pem.EncodeToMemory(block)), err
}

// serveAgent is an SSH agent that has the key of a file.
func (s *Server) serveAgent(file string) error {
	private, err := ssh.ParseRawPrivateKey([]byte(file))
	if err != nil {
		return err
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		return err
	}
	if s.agentDir, err = os.MkdirTemp("", "agent"); err != nil { // names of sockets are short
		return err
	}
	s.Agent = filepath.Join(s.agentDir, "s")
	l, err := new(net.ListenConfig).Listen(context.Background(), "unix", s.Agent)
	if err != nil {
		return err
	}
	s.closes = append(s.closes, l)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); _ = agent.ServeAgent(ring, c) }()
		}
	}()
	return nil
}

// Host is the part of Address before the port, without the user, and the port.
func (s *Server) Host() (host, port string) {
	_, address, _ := strings.Cut(s.Address, "@")
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Sprint(err)
	}
	return host, port
}
