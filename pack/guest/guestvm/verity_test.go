//go:build vm && linux

package guestvm

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/pack/image/verity"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

var salt = []byte("a salt of the tests")

// protect appends a tree to an image and returns what the host would say of it.
func protect(t *testing.T, file string) verity.Tree {
	t.Helper()
	tree, err := verity.Append(file, salt)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func param(tree verity.Tree) string {
	return fmt.Sprintf("piwork.verity=%x:%x:%d", tree.Root, salt, tree.DataBlocks)
}

func layer(name, serial string, tree verity.Tree) wire.Layer {
	return wire.Layer{Name: name, Disk: serial, RootHash: hex.EncodeToString(tree.Root[:]), Salt: hex.EncodeToString(salt), DataBlocks: tree.DataBlocks}
}

// writeImage writes an erofs image to a file.
func writeImage(t *testing.T, files map[string]string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(file, Erofs(files), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// flip changes a byte of a file.
func flip(t *testing.T, file string, at int64) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0x10
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
}

// Words that dm-verity panics with, and the agent's.
const (
	corrupted = "Kernel panic - not syncing: dm-verity device corrupted"
	damaged   = wire.ConsoleDamaged
)

// An image that was changed in any way is never a root.
func TestDamagedRoot(t *testing.T) {
	big := map[string]string{"etc/hostname": "x\n"}
	for i := range 300 {
		big[fmt.Sprintf("f/%03d", i%90+1)] = strings.Repeat("x", 16<<10)
	}
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, file string, tree *verity.Tree)
		words string // "" boots
	}{
		{"whole", func(*testing.T, string, *verity.Tree) {}, ""},
		{"superblock", func(t *testing.T, file string, _ *verity.Tree) { flip(t, file, 1024+70) }, corrupted},
		{"root directory", func(t *testing.T, file string, _ *verity.Tree) { flip(t, file, erofsBlock+erofsInode+10) }, corrupted},
		{"top of the tree", func(t *testing.T, file string, tree *verity.Tree) { flip(t, file, tree.DataBlocks*4096+5) }, corrupted},
		{"bottom of the tree", func(t *testing.T, file string, tree *verity.Tree) { flip(t, file, (tree.DataBlocks+1)*4096+5) }, corrupted},
		{"root hash", func(_ *testing.T, _ string, tree *verity.Tree) { tree.Root[31] ^= 1 }, corrupted},
		{"less data than signed", func(_ *testing.T, _ string, tree *verity.Tree) { tree.DataBlocks-- }, corrupted},
		{"tree cut off", func(t *testing.T, file string, tree *verity.Tree) { truncate(t, file, (tree.DataBlocks+1)*4096) }, damaged},
		{"data cut off", func(t *testing.T, file string, tree *verity.Tree) { truncate(t, file, tree.DataBlocks*2048) }, damaged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name != "root directory" {
				tier.Rest(t, "a root directory that was changed")
			}
			file := writeImage(t, big)
			tree := protect(t, file)
			tt.spoil(t, file, &tree)
			m := Start(t, Options{Root: file, CommandLine: param(tree)})
			if tt.words == "" {
				m.AwaitConsole(wire.ConsoleReady)
				return
			}
			m.AwaitStop(tt.words)
			if strings.Contains(m.console.String(), "\n"+wire.ConsoleReady) {
				t.Error("it said that it was ready")
			}
		})
	}
}

func truncate(t *testing.T, file string, size int64) {
	t.Helper()
	if err := os.Truncate(file, size); err != nil {
		t.Fatal(err)
	}
}

// The pack's own root, protected: programs run, and a change on the disk after
// the start stops the machine before a program sees it.
func TestRootChangesLater(t *testing.T) {
	tier.Rest(t, "TestDamagedRoot")
	file := filepath.Join(t.TempDir(), "root")
	copyFile(t, filepath.Join(os.Getenv("PIWORK_RUNTIME_DIR"), "guest/rootfs.img"), file)
	tree := protect(t, file)
	m := Boot(t, Options{Root: file, CommandLine: param(tree)})
	prepare(m)
	const big = "for f in $(find /usr/lib -type f -size +200k | sort | head -n 40); do cat $f; done >/dev/null; echo over"
	if r := run(m, "a", "id -un"); string(r.Stdout) != "piwork\n" {
		t.Errorf("%+v", r)
	}
	const devices = "for d in /dev/dm-0 /dev/mapper/control; do ls $d; head -c 1 $d; dd if=/dev/zero of=$d count=0; done 2>/dev/null"
	if r := run(m, "c", devices); string(r.Stdout) != "/dev/dm-0\n/dev/mapper/control\n" || r.ExitCode == 0 {
		t.Errorf("programs reach the devices: %+v", r)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(len(data) / 4); at < tree.DataBlocks*4096; at += 4096 {
		data[at] ^= 1
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(data, 0); err != nil {
		t.Fatal(err)
	}
	r, err := Try[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: "b", Argv: []string{"sh", "-c", big}})
	if err == nil {
		t.Errorf("the programs went on: %+v", r)
	}
	m.AwaitStop(corrupted)
}

// Add-ons lie over the root, the last on top; each is protected on its own.
func TestLayers(t *testing.T) {
	tier.Rest(t, "TestFoldersOfRestoredForReal of vmhost/vm")
	low := writeImage(t, map[string]string{"opt/low": "low\n", "opt/both": "low\n", "etc/hosts-of-low": "x\n"})
	high := writeImage(t, map[string]string{"opt/high": "high\n", "opt/both": "high\n", "usr/local/bin/hello": "#!/bin/sh\necho hello from a layer\n"})
	plain := writeImage(t, map[string]string{"opt/plain": "plain\n"})
	layers := []wire.Layer{
		layer("low", "layer-low", protect(t, low)), layer("high", "layer-high", protect(t, high)), {Name: "plain", Disk: "layer-plain"},
	}
	disks := []Disk{{"layer-high", high}, {"layer-plain", plain}, {"layer-low", low}} // in whatever order
	m := Boot(t, Options{Disks: disks})
	_, err := Try[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: "x", Argv: []string{"true"}})
	wantCode(t, err, wire.CodeUnprepared)
	prepare(m, layers...)
	r := run(m, "a", "cat /opt/low /opt/high /opt/both /opt/plain; hello; cat /etc/passwd | grep -c piwork; echo new > /work/x && cat /work/x")
	if got := string(r.Stdout); got != "low\nhigh\nhigh\nplain\nhello from a layer\n1\nnew\n" {
		t.Errorf("%q %s", got, r.Stderr)
	}
	prepare(m, layers...) // again, as after a restart of the host
	for _, others := range [][]wire.Layer{nil, layers[:2]} {
		_, err := Try[wire.Empty](m, wire.MethodPrepare, wire.PrepareParams{UnixNano: time.Now().UnixNano(), Entropy: bytes.Repeat([]byte{1}, 64), Layers: others})
		wantCode(t, err, wire.CodeGuestFault)
	}
}

// A layer that was changed, or is another than was signed, ends the machine; one
// that is not there fails the preparation.
func TestDamagedLayer(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, file string, l *wire.Layer)
		words string
	}{
		{"data", func(t *testing.T, file string, _ *wire.Layer) { flip(t, file, 1024+70) }, corrupted},
		{"root hash", func(_ *testing.T, _ string, l *wire.Layer) { l.RootHash = strings.Repeat("00", 32) }, corrupted},
		{"cut off", func(t *testing.T, file string, l *wire.Layer) { truncate(t, file, l.DataBlocks*4096) }, damaged + "layer one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name != "data" {
				tier.Rest(t, "data that was changed")
			}
			file := writeImage(t, map[string]string{"opt/one": "one\n", "opt/two": strings.Repeat("2", 5000)})
			l := layer("one", "layer-one", protect(t, file))
			tt.spoil(t, file, &l)
			m := Boot(t, Options{Disks: []Disk{{"layer-one", file}}})
			_, err := Try[wire.Empty](m, wire.MethodPrepare, wire.PrepareParams{UnixNano: time.Now().UnixNano(), Entropy: bytes.Repeat([]byte{1}, 64), Layers: []wire.Layer{l}})
			if err == nil {
				t.Fatal("prepared") // the machine goes on, so that its end is not waited for
			}
			m.AwaitStop(tt.words)
		})
	}
}
