//go:build (vm || long) && linux

package guestvm

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"piwork/scripts/lib/gobuild"
)

// programs are the guest's own of this source tree, each built once for each
// architecture.
var programs = struct {
	sync.Mutex
	dirs []string
	made map[string]func() (string, error)
}{made: map[string]func() (string, error){}}

// buildProgram builds one of pack/guest/cmd. arch is that of Options.
func buildProgram(t testing.TB, name, arch string) string {
	t.Helper()
	goarch := "amd64"
	if arch == "aarch64" {
		goarch = "arm64"
	}
	programs.Lock()
	build := programs.made[name+" "+goarch]
	if build == nil {
		build = sync.OnceValues(func() (string, error) { return compile(name, goarch) })
		programs.made[name+" "+goarch] = build
	}
	programs.Unlock()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func compile(name, goarch string) (string, error) {
	dir, err := os.MkdirTemp("", "piwork-guest-*")
	if err != nil {
		return "", err
	}
	programs.Lock()
	programs.dirs = append(programs.dirs, dir)
	programs.Unlock()
	out := filepath.Join(dir, name)
	if err := gobuild.Program(out, "piwork/pack/guest/cmd/"+name, goarch); err != nil {
		return "", err
	}
	return out, nil
}

// RemovePrograms deletes what was built; for TestMain.
func RemovePrograms() {
	programs.Lock()
	defer programs.Unlock()
	for _, dir := range programs.dirs {
		_ = os.RemoveAll(dir)
	}
	programs.dirs = nil
}
