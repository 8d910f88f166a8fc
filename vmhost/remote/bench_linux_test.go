package remote

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"piwork/vmhost"
	"piwork/vmhost/remote/sshtest"
	"piwork/vmhost/wire"
)

// BenchmarkRoundTrip is how long a program takes in a place that is there, beside the same
// program by ssh over a connection that is kept (ControlMaster).
func BenchmarkRoundTrip(b *testing.B) {
	s := sshtest.Start(b)
	to, err := ParseTarget(s.Address)
	if err != nil {
		b.Fatal(err)
	}
	host, port := s.Host()
	dir := b.TempDir()
	known := filepath.Join(dir, "known")
	if err := os.WriteFile(known, []byte(knownhosts.Line([]string{host + ":" + port}, s.HostKey)+"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	socket, err := os.MkdirTemp("", "cm")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(socket)
	args := []string{"-F", "none", "-o", "UserKnownHostsFile=" + known, "-o", "ControlPath=" + filepath.Join(socket, "s"), "-p", port, to.User + "@" + host}
	if out, err := exec.CommandContext(b.Context(), "ssh", append([]string{"-M", "-N", "-f", "-o", "ControlPersist=yes"}, args...)...).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	defer exec.Command("ssh", append([]string{"-O", "exit"}, args...)...).Run()
	b.Run("ssh", func(b *testing.B) {
		for b.Loop() {
			if out, err := exec.CommandContext(b.Context(), "ssh", append(args, "true")...).CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	})
	b.Run("place", func(b *testing.B) {
		there := Computer{Target: to, HostKeys: map[string]string{host + ":" + port: string(ssh.MarshalAuthorizedKey(s.HostKey))}}
		r := connected(b, &server{home: s.Home}, config(b, there))
		for b.Loop() {
			if _, err := r.Execute(b.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"true"}, Cwd: "/"}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
