package remote

import (
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"piwork/vmhost"
)

// Whoever is not let in is told why.
func TestLogin(t *testing.T) {
	s, there := computer(t)
	dir := filepath.Dir(there.configFile)
	_, other := newKey(t)
	block, err := ssh.MarshalPrivateKey(other, "")
	if err != nil {
		t.Fatal(err)
	}
	was, err := os.ReadFile(filepath.Join(dir, "key"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "key"), pem.EncodeToMemory(block), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	refused(t, config(t, there), vmhost.ReasonRemoteLogin)
	raw, err := ssh.ParseRawPrivateKey(was)
	if err != nil {
		t.Fatal(err)
	}
	locked, err := ssh.MarshalPrivateKeyWithPassphrase(raw, "", []byte("secret"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "key"), pem.EncodeToMemory(locked), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if f := refused(t, config(t, there), vmhost.ReasonRemoteLogin); !strings.Contains(f.Detail, "ssh-add") {
		t.Errorf("%s", f.Detail)
	}
	s.listener.Close()
	refused(t, config(t, there), vmhost.ReasonRemoteUnreachable)
}

// A certificate of the person's key lets them in: beside the key, and where the configuration
// says, as with ssh.
func TestUserCertificate(t *testing.T) {
	s, there := computer(t)
	dir := filepath.Dir(there.configFile)
	authority, _ := newKey(t)
	cert := &ssh.Certificate{Key: s.user, CertType: ssh.UserCert, ValidPrincipals: []string{"somebody"}, ValidBefore: uint64(time.Now().Add(time.Hour).Unix())}
	if err := cert.SignCert(rand.Reader, authority); err != nil {
		t.Fatal(err)
	}
	s.setUser(cert) // and not the key alone
	refused(t, config(t, there), vmhost.ReasonRemoteLogin)
	beside, elsewhere := filepath.Join(dir, "key-cert.pub"), filepath.Join(dir, "of-mine")
	if err := os.WriteFile(beside, ssh.MarshalAuthorizedKey(cert), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := there.Look(soon(t)); err != nil {
		t.Errorf("beside the key: %v", err)
	}
	was, err := os.ReadFile(there.configFile)
	if err = errors.Join(err, os.Rename(beside, elsewhere), os.WriteFile(there.configFile, append(was, " CertificateFile "+elsewhere+"\n"...), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := there.Look(soon(t)); err != nil {
		t.Errorf("where the configuration says: %v", err)
	}
	s.setUser(cert.Key)
	if err := there.Look(soon(t)); err != nil {
		t.Errorf("the key after the certificate: %v", err)
	}
}

// A computer on the way that is itself reached over another one is refused: nobody would be
// connected over that one.
func TestJumpOfAJump(t *testing.T) {
	_, there := computer(t)
	was, err := os.ReadFile(there.configFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, jumps := range []string{"first", "first,second"} {
		config := "Host first\n HostName 127.0.0.1\n ProxyJump zero\nHost there\n ProxyJump " + jumps + "\n" + string(was)
		if err := os.WriteFile(there.configFile, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := there.Look(soon(t)); err == nil || !strings.Contains(err.Error(), "name both") {
			t.Errorf("%s: %v", jumps, err)
		}
	}
}

// What a computer says at the end of a connection is bounded, and decides nothing.
func TestLastWords(t *testing.T) {
	_, there := computer(t)
	st, err := lookUp(t.Context(), there.Target, there.configFile)
	if err != nil {
		t.Fatal(err)
	}
	known, err := newHostKeys(st, nil)
	if err != nil || known.algorithms() == nil {
		t.Fatalf("%v", err)
	}
	for says, want := range map[string]vmhost.Reason{
		"ssh: disconnect, reason 2: \"no host key, unable to authenticate\"": vmhost.ReasonRemoteUnreachable,
		"ssh: disconnect, reason 2: \"" + strings.Repeat("x", 1<<20) + "\"":  vmhost.ReasonRemoteUnreachable,
		"ssh: unable to authenticate, attempted methods [none]":              vmhost.ReasonRemoteLogin,
	} {
		cause := errors.New(says)
		err := (&login{tried: true}).explain(t.Context(), fmt.Errorf("ssh: handshake failed: %w", cause), nil, known)
		var f *vmhost.FailedError
		if !errors.As(err, &f) || f.Reason != want || len(err.Error()) > 2*maxText || len(f.Detail) > maxText || !errors.Is(err, cause) {
			t.Errorf("%.100s: %.200v", says, err)
		}
	}
	err = (&login{}).explain(t.Context(), fmt.Errorf("ssh: handshake failed: %w", &ssh.AlgorithmNegotiationError{What: "host key"}), nil, known)
	if f := (*vmhost.FailedError)(nil); !errors.As(err, &f) || f.Reason != vmhost.ReasonHostKeyChanged {
		t.Errorf("%v", err)
	}
}

// A person's agent may have more keys than a computer lets anybody try: those that the
// configuration names are tried first.
func TestManyKeys(t *testing.T) {
	s, there := computer(t)
	s.mu.Lock()
	s.tries = 2
	s.mu.Unlock()
	file := filepath.Join(filepath.Dir(there.configFile), "key")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	right, err := ssh.ParseRawPrivateKey(b)
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring()
	for range 2 {
		_, other := newKey(t)
		err = errors.Join(err, ring.Add(agent.AddedKey{PrivateKey: other}))
	}
	err = errors.Join(err, ring.Add(agent.AddedKey{PrivateKey: right}))
	dir, terr := os.MkdirTemp("", "agent") // names of sockets are short
	if err = errors.Join(err, terr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); agent.ServeAgent(ring, c) }()
		}
	}()
	t.Setenv("SSH_AUTH_SOCK", l.Addr().String())
	if err := there.Look(soon(t)); err != nil {
		t.Errorf("its file: %v", err)
	}
	if err := errors.Join(os.WriteFile(file+".pub", ssh.MarshalAuthorizedKey(s.user), 0o600), os.Remove(file)); err != nil {
		t.Fatal(err)
	}
	if err := there.Look(soon(t)); err != nil {
		t.Errorf("its public half: %v", err)
	}
	if err := os.Rename(file+".pub", file); err != nil {
		t.Fatal(err)
	}
	if err := there.Look(soon(t)); err != nil {
		t.Errorf("its public half, by its name: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	var f *vmhost.FailedError
	if err := there.Look(soon(t)); !errors.As(err, &f) || f.Reason != vmhost.ReasonRemoteLogin || !strings.Contains(f.Detail, "IdentityFile") {
		t.Errorf("none is named: %v", err)
	}
}
