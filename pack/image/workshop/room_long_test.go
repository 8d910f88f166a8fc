//go:build long && linux

package workshop_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/image/workshop"
)

// What a script finds in its room: what the job says, no network, none of this
// machine's environment.
const look = `set -eu
env | cut -d= -f1 | sort | tr '\n' ' ' >/out/environment
printf '%s %s %s' "$SOURCE_DATE_EPOCH" "$GREETING" "$(cat /in/deep/file)" >/out/values
ls /build | wc -l >/out/build
python3 -c 'import socket
try:
    socket.create_connection(("192.0.2.1", 80), 2)
except OSError as e:
    print(e.errno)' >/out/network
mkdir /out/bin
printf '#!/bin/sh\n' >/out/bin/program
chmod 4755 /out/bin/program
echo finished
`

func TestRoom(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	store, err := debian.OpenStore(filepath.Join(cache, "piwork-build", "debs"))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := debian.ReadLock("../lock/qemu-amd64.json")
	if err != nil {
		t.Fatal(err)
	}
	mirrors, err := debian.FindMirrors(os.Getenv, os.DirFS("/etc/apt"))
	if err != nil {
		t.Fatal(err)
	}
	apt, err := debian.NewApt(t.TempDir(), lock.Suite, lock.Architecture, mirrors)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Fetch(t.Context(), apt, lock.Packages, nil); err != nil {
		t.Fatal(err)
	}
	run := func(script string) (string, error) {
		dir := t.TempDir()
		out, scratch := filepath.Join(dir, "out"), filepath.Join(dir, "scratch")
		for _, d := range []string{out, scratch} {
			if err := os.Mkdir(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		return out, workshop.Job{
			Lock: lock, Store: store, Time: time.Unix(1700000000, 0), Texts: map[string][]byte{"look.sh": []byte(script), "deep/file": []byte("text")},
			Script: "look.sh", Env: map[string]string{"GREETING": "it's me"}, Scratch: scratch, Log: filepath.Join(dir, "log"),
		}.Run(t.Context(), out)
	}
	t.Setenv("SECRET_TOKEN", "x")
	out, err := run(look)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"environment": "GREETING HOME LC_ALL PATH PWD SOURCE_DATE_EPOCH TZ ",
		"values":      "1700000000 it's me text",
		"build":       "0\n",
		"network":     "101\n", // ENETUNREACH
	} {
		if got, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	if info, err := os.Stat(filepath.Join(out, "bin/program")); err != nil || info.Mode() != 0o755 {
		t.Errorf("%v %v", info, err)
	}
	// A script that fails says why, and leaves nothing.
	out, err = run("echo the reason; exit 3")
	if err == nil || !strings.Contains(err.Error(), "the reason") {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 0 {
		t.Errorf("left: %v %v", left, err)
	}
}
