package sandbox

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// BenchmarkStart is how long a program takes in a sandbox that is made for it, beside the
// same program in a bare bubblewrap with the same command line.
func BenchmarkStart(b *testing.B) {
	c := config(b)
	dir := b.TempDir()
	b.Run("bare", func(b *testing.B) {
		c.Dir = filepath.Join(dir, "bare")
		l, err := c.lay()
		if err != nil {
			b.Fatal(err)
		}
		args := arguments(l)
		for i, a := range args {
			if a == agentPath && args[i-1] == "--" {
				args = append(args[:i:i], "/bin/true")
				break
			}
		}
		for b.Loop() {
			if out, err := exec.CommandContext(b.Context(), "bwrap", args...).CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	})
	for name, folders := range map[string]bool{"sandbox": false, "sandbox with folders": true} {
		b.Run(name, func(b *testing.B) {
			c := c
			if folders {
				c, _, _ = shared(b, c)
			}
			n := 0
			for b.Loop() {
				n++
				c.Dir = filepath.Join(dir, name, strconv.Itoa(n))
				r, err := New(c)
				if err != nil {
					b.Fatal(err)
				}
				if err := r.Connect(b.Context()); err != nil {
					b.Fatal(err)
				}
				obs, err := r.Execute(b.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"true"}, Cwd: "/"}})
				if err != nil || obs.Exec.ExitCode != 0 {
					b.Fatalf("%+v %v", obs, err)
				}
				b.StopTimer()
				if err := r.Close(b.Context()); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
	// In one that is there.
	b.Run("again", func(b *testing.B) {
		c := c
		c.Dir = filepath.Join(dir, "again")
		r := connected(b, c)
		for b.Loop() {
			if _, err := r.Execute(b.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"true"}, Cwd: "/"}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
