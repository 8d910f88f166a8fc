//go:build vm && linux

package vm

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/guest/guestvm"
	"piwork/pack/image/verity"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// protected appends a tree to an image.
func protected(t *testing.T, file string) *qemu.Verity {
	t.Helper()
	tree, err := verity.Append(file, []byte("salt"))
	if err != nil {
		t.Fatal(err)
	}
	return &qemu.Verity{RootHash: hex.EncodeToString(tree.Root[:]), Salt: hex.EncodeToString([]byte("salt")), DataBlocks: tree.DataBlocks}
}

// ownRoot gives a configuration a copy of the root image that the test may
// change.
func ownRoot(t *testing.T, c *Config) {
	t.Helper()
	in, err := os.Open(c.Image.RootFS)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c.Image.RootFS = filepath.Join(t.TempDir(), "root.img")
	out, err := os.Create(c.Image.RootFS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	c.Image.Verity = protected(t, c.Image.RootFS)
}

// spoil changes every block of a file from a block on.
func spoil(t *testing.T, file string, from int64) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for b, at := make([]byte, 1), from*4096; ; at += 4096 {
		if _, err := f.ReadAt(b, at); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		b[0] ^= 1
		if _, err := f.WriteAt(b, at); err != nil {
			t.Fatal(err)
		}
	}
}

func wantDamaged(t *testing.T, err error, image string) {
	t.Helper()
	var e *vmhost.FailedError
	if !errors.As(err, &e) || e.Reason != vmhost.ReasonDamaged || e.Image != image {
		t.Fatalf("error = %v", err)
	}
	if !strings.Contains(err.Error(), "not what it was signed as: ") || e.Detail == "" {
		t.Errorf("no evidence: %v\n%s", err, e.Detail)
	}
	t.Log(err)
}

func connectError(t *testing.T, c Config) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stall)
	defer cancel()
	return realVM(t, c).Connect(ctx)
}

// A damaged root image is a failure of its own, whether it is found when the
// machine starts or while it runs.
func TestDamagedImageForReal(t *testing.T) {
	t.Run("before", func(t *testing.T) {
		c := realConfig(t)
		ownRoot(t, &c)
		spoil(t, c.Image.RootFS, 0)
		wantDamaged(t, connectError(t, c), vmhost.BaseImage)
	})
	t.Run("cut off", func(t *testing.T) {
		tier.Rest(t, "the root image that is damaged before")
		c := realConfig(t)
		ownRoot(t, &c)
		if err := os.Truncate(c.Image.RootFS, c.Image.Verity.DataBlocks*4096); err != nil {
			t.Fatal(err)
		}
		wantDamaged(t, connectError(t, c), vmhost.BaseImage)
	})
	t.Run("while it runs", func(t *testing.T) {
		tier.Rest(t, "the root image that is damaged before")
		c := realConfig(t)
		ownRoot(t, &c)
		v := realConnected(t, c)
		spoil(t, c.Image.RootFS, c.Image.Verity.DataBlocks/4)
		_, err := v.Execute(t.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sh", "-c", "cat /usr/lib/*/*.so* /usr/bin/* >/dev/null"}}})
		wantDamaged(t, err, vmhost.BaseImage)
	})
}

// Add-ons are in the root that programs see; a damaged one is found before
// anything runs.
func TestAddOnsForReal(t *testing.T) {
	tier.Rest(t, "TestFoldersOfRestoredForReal")
	c := realConfig(t)
	ownRoot(t, &c)
	for name, files := range map[string]map[string]string{
		"media": {"usr/local/bin/media": "#!/bin/sh\necho media works\n", "opt/which": "media\n"},
		"music": {"opt/music/a,b": "music\n", "opt/which": "music\n"},
	} {
		file := filepath.Join(t.TempDir(), name+",1.img") // a comma is a letter too
		if err := os.WriteFile(file, guestvm.Erofs(files), 0o600); err != nil {
			t.Fatal(err)
		}
		l := qemu.Layer{Name: name, File: file, Verity: protected(t, file)}
		if name == "media" {
			c.Image.AddOns = append([]qemu.Layer{l}, c.Image.AddOns...)
		} else {
			c.Image.AddOns = append(c.Image.AddOns, l)
		}
	}
	v := realConnected(t, c)
	o, err := v.Execute(t.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sh", "-c", "media; cat /opt/music/* /opt/which; id -un"}}})
	if err != nil || string(o.Exec.Stdout) != "media works\nmusic\nmusic\npiwork\n" {
		t.Errorf("%+v, %v", o, err)
	}

	c.Dir = filepath.Join(t.TempDir(), "vm")
	spoil(t, c.Image.AddOns[1].File, 0)
	wantDamaged(t, connectError(t, c), "music")
}
