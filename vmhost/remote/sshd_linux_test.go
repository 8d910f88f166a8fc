package remote

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"piwork/vmhost"
	"piwork/vmhost/remote/sshtest"
	"piwork/vmhost/wire"
)

// OpenSSH's server is another computer as ours is: folders, a cut in the middle, and nothing
// that stays.
func TestSSHD(t *testing.T) {
	s := sshtest.Start(t)
	there, err := over(s)
	if err != nil {
		t.Fatal(err)
	}
	keys := there.HostKeys
	there.HostKeys = nil
	var unknown *HostKeyError
	if err := there.Look(soon(t)); !errors.As(err, &unknown) || unknown.Fingerprint != s.Fingerprint {
		t.Fatalf("%v", err)
	}
	there.HostKeys = keys
	c, dir, _ := shared(t, config(t, there))
	r := connected(t, &server{home: s.Home}, c)
	cut := false
	obs, err := r.Execute(soon(t), vmhost.Action{
		Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", "i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done; echo new >new; test -z \"$SSH_AUTH_SOCK\""}},
		OnOutput: func(wire.ExecOutput) {
			if !cut {
				cut = true
				s.Cut()
			}
		},
	})
	if err != nil || obs.Exec.ExitCode != 0 {
		t.Fatalf("%+v %v", obs, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "rw/new")); err != nil || string(b) != "new\n" {
		t.Errorf("%q %v", b, err)
	}
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if err := there.Clean(soon(t)); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(s.Home, ".cache/piwork")); err == nil {
		t.Error("piwork is still there")
	}
}

// over is the computer of such a server, whose key a person has confirmed.
func over(s *sshtest.Server) (Computer, error) {
	to, err := ParseTarget(s.Address)
	_, address, _ := strings.Cut(s.Address, "@")
	return Computer{Target: to, HostKeys: map[string]string{address: string(ssh.MarshalAuthorizedKey(s.HostKey))}}, err
}
