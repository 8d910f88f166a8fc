package remote

import (
	"crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"piwork/vmhost"
)

// known has a person know what lines say.
func known(t testing.TB, there Computer, lines ...string) {
	t.Helper()
	file := filepath.Join(filepath.Dir(there.configFile), "known_hosts")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// certified is a host key with a certificate for 127.0.0.1.
func certified(t testing.TB, key, authority ssh.Signer) ssh.Signer {
	t.Helper()
	cert := &ssh.Certificate{
		Key: key.PublicKey(), CertType: ssh.HostCert, ValidPrincipals: []string{"127.0.0.1"},
		ValidBefore: uint64(time.Now().Add(time.Hour).Unix()),
	}
	if err := cert.SignCert(rand.Reader, authority); err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewCertSigner(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Hosts are known by an authority that certifies them, as with ssh: that a host has no
// certificate, or one of somebody else, is no change of its key.
func TestHostAuthority(t *testing.T) {
	s, there := computer(t)
	plain := s.key
	authority, _ := newKey(t)
	other, _ := newKey(t)
	line := func(marker string, k ssh.Signer) string {
		return strings.TrimSpace(marker + " " + knownhosts.Line([]string{s.address}, k.PublicKey()))
	}
	trusts := line("@cert-authority", authority)
	for name, tt := range map[string]struct {
		key    ssh.Signer
		known  []string
		reason vmhost.Reason // "" for none
	}{
		"certified":                          {certified(t, plain, authority), []string{trusts}, ""},
		"certified, with a tab":              {certified(t, plain, authority), []string{strings.ReplaceAll(trusts, " ", "\t")}, ""},
		"certified, and its key is known":    {certified(t, plain, authority), []string{trusts, line("", plain)}, ""},
		"certified, and another is known":    {certified(t, plain, authority), []string{trusts, line("", other)}, ""},
		"by somebody else":                   {certified(t, plain, other), []string{trusts}, vmhost.ReasonHostKeyUnknown},
		"by somebody else, its key known":    {certified(t, plain, other), []string{trusts, line("", plain)}, ""},
		"by somebody else, another known":    {certified(t, plain, other), []string{trusts, line("", other)}, vmhost.ReasonHostKeyChanged},
		"by nobody who is known":             {certified(t, plain, other), nil, vmhost.ReasonHostKeyUnknown},
		"the authority was revoked":          {certified(t, plain, authority), []string{trusts, "@revoked * " + strings.SplitN(line("", authority), " ", 2)[1]}, vmhost.ReasonHostKeyChanged},
		"the key was revoked":                {certified(t, plain, authority), []string{trusts, "@revoked * " + strings.SplitN(line("", plain), " ", 2)[1]}, vmhost.ReasonHostKeyChanged},
		"without a certificate":              {plain, []string{trusts}, vmhost.ReasonHostKeyUnknown},
		"without a certificate, it is known": {plain, []string{trusts, line("", plain)}, ""},
		"without a certificate, changed":     {plain, []string{trusts, line("", other)}, vmhost.ReasonHostKeyChanged},
	} {
		t.Run(name, func(t *testing.T) {
			s.setKey(tt.key)
			known(t, there, tt.known...)
			err := there.Look(soon(t))
			var f *vmhost.FailedError
			if errors.As(err, &f); (err == nil) != (tt.reason == "") || err != nil && (f == nil || f.Reason != tt.reason) {
				t.Fatalf("%v", err)
			}
			var unknown *HostKeyError
			if errors.As(err, &unknown) && !unknown.Changed { // what a person confirms is the key, which a server has without a certificate, too
				s.setKey(plain)
				address, key := unknown.Pin()
				there := there
				there.HostKeys = map[string]string{address: key}
				if err := there.Look(soon(t)); err != nil || unknown.Fingerprint != ssh.FingerprintSHA256(plain.PublicKey()) {
					t.Errorf("%+v: %v", unknown, err)
				}
			}
		})
	}
}

// A line of known hosts that cannot be read hides no other one; where it says which key is
// revoked, nobody is connected to.
func TestUnreadableKnownHosts(t *testing.T) {
	s, there := computer(t)
	other, _ := newKey(t)
	name, port, _ := net.SplitHostPort(s.address)
	good, changed := knownhosts.Line([]string{s.address}, s.key.PublicKey()), knownhosts.Line([]string{s.address}, other.PublicKey())
	key := strings.SplitN(good, " ", 2)[1]
	bad := []string{
		"nonsense", "host key-of-the-future AAAA", "@new-marker " + good, "[" + name + " " + key, "! " + key, "|1|x|y " + key, "|2|AAAA|AAAA " + key,
		"[" + name + "]:" + port + " ssh-rsa " + strings.SplitN(key, " ", 2)[1], strings.Repeat("x", 70_000) + " " + key, "",
	}
	known(t, there, append(bad, "# a comment", good+" with a comment of many words")...)
	if err := there.Look(soon(t)); err != nil {
		t.Error(err)
	}
	var f *vmhost.FailedError
	known(t, there, append([]string{changed + " with a comment of many words"}, bad...)...)
	var unknown *HostKeyError
	if err := there.Look(soon(t)); !errors.As(err, &unknown) || !unknown.Changed || filepath.Base(unknown.Where) != "known_hosts" {
		t.Errorf("%v", err)
	}
	for _, line := range []string{"@revoked * key-of-the-future AAAA", "\t@revoked", "@revoked\t* " + key[:20]} {
		known(t, there, good, line)
		if err := there.Look(soon(t)); !errors.As(err, &f) || f.Reason != vmhost.ReasonRemoteUnreachable || !strings.Contains(err.Error(), "known_hosts") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// A key of RevokedHostKeys is nobody's, though it is known or was confirmed; a file that cannot be
// read lets nobody be connected to.
func TestRevokedHostKeys(t *testing.T) {
	s, there := computer(t)
	plain := s.key
	authority, _ := newKey(t)
	other, _ := newKey(t)
	dir := filepath.Dir(there.configFile)
	known(t, there, knownhosts.Line([]string{s.address}, plain.PublicKey()), "@cert-authority "+knownhosts.Line([]string{s.address}, authority.PublicKey()))
	config, err := os.ReadFile(there.configFile)
	if err == nil {
		err = os.WriteFile(there.configFile, append(config, " RevokedHostKeys "+filepath.Join(dir, "revoked")+"\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	line := func(k ssh.Signer) string { return "# a comment\n\n" + string(ssh.MarshalAuthorizedKey(k.PublicKey())) }
	for name, tt := range map[string]struct {
		key    ssh.Signer
		says   string
		reason vmhost.Reason // "" for none
	}{
		"another one":       {plain, line(other), ""},
		"nothing":           {plain, "", ""},
		"the key":           {plain, line(plain), vmhost.ReasonHostKeyChanged},
		"of a certificate":  {certified(t, plain, authority), line(plain), vmhost.ReasonHostKeyChanged},
		"the authority":     {certified(t, plain, authority), line(authority), vmhost.ReasonHostKeyChanged},
		"the other form":    {plain, "SSHKRL\n\x00\x00", vmhost.ReasonRemoteUnreachable},
		"what is no key":    {plain, line(other) + "nonsense\n", vmhost.ReasonRemoteUnreachable},
		"a file not there":  {plain, "-", vmhost.ReasonRemoteUnreachable},
		"its certified one": {certified(t, plain, authority), line(other), ""},
	} {
		s.setKey(tt.key)
		if err := os.WriteFile(filepath.Join(dir, "revoked"), []byte(tt.says), 0o600); err != nil {
			t.Fatal(err)
		}
		if tt.says == "-" {
			os.Remove(filepath.Join(dir, "revoked"))
		}
		err := there.Look(soon(t))
		var f *vmhost.FailedError
		if errors.As(err, &f); (err == nil) != (tt.reason == "") || err != nil && (f == nil || f.Reason != tt.reason || !strings.Contains(err.Error(), "RevokedHostKeys")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
