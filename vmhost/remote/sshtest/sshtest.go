// Package sshtest has OpenSSH's server for tests of what works over SSH: on loopback, for the
// user of the test, with keys and a home of its own.
//
// The package openssh-server is not asked for by ./scripts/setup: it would have a developer's
// computer let others in. Without it, and without PIWORK_TEST_SSHD, such tests are skipped.
package sshtest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
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
	KeyFile     string // the user's key, which the test's agent has, too

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
	program := os.Getenv("PIWORK_TEST_SSHD")
	if program == "" {
		program = "/usr/sbin/sshd"
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("OpenSSH's server is not installed (openssh-server), and PIWORK_TEST_SSHD names none: the tests with a server of their own say the same")
	}
	dir := t.TempDir()
	s := &Server{Home: filepath.Join(dir, "home"), KeyFile: filepath.Join(dir, "key")}
	host, hostFile := key(t)
	own, ownFile := key(t)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	s.HostKey, s.Fingerprint = host.PublicKey(), ssh.FingerprintSHA256(host.PublicKey())
	config := "AuthorizedKeysFile " + filepath.Join(dir, "authorized") + "\nHostKey " + filepath.Join(dir, "host") +
		"\nPermitUserEnvironment yes\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nMaxSessions 10\n"
	for name, content := range map[string]string{
		"config": config, "host": hostFile, "key": ownFile,
		"authorized": `environment="HOME=` + s.Home + `" ` + string(ssh.MarshalAuthorizedKey(own.PublicKey())),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(s.Home, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Address = me.Username + "@" + l.Addr().String()
	argv := []string{program, "-i", "-f", filepath.Join(dir, "config"), "-E", filepath.Join(dir, "log")}
	if os.Getuid() == 0 {
		argv = append([]string{"unshare", "-m", "sh", "-ec", asRoot, "sh"}, argv...)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns = append(s.conns, c)
			s.mu.Unlock()
			work.Go(func() { serve(t, c, argv) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.Cut()
		work.Wait()
		if b, err := os.ReadFile(filepath.Join(dir, "log")); err == nil && t.Failed() {
			t.Logf("sshd says:\n%s", b)
		}
	})
	s.serveAgent(t, ownFile)
	return s
}

// serve has one connection served.
func serve(t testing.TB, c net.Conn, argv []string) {
	defer c.Close()
	f, err := c.(*net.TCPConn).File()
	if err != nil {
		t.Error(err)
		return
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
func key(t testing.TB) (ssh.Signer, string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return s, string(pem.EncodeToMemory(block))
}

// serveAgent is the test's SSH agent.
func (s *Server) serveAgent(t testing.TB, file string) {
	t.Helper()
	private, err := ssh.ParseRawPrivateKey([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "agent") // names of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	t.Setenv("SSH_AUTH_SOCK", socket)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); _ = agent.ServeAgent(ring, c) }()
		}
	}()
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
