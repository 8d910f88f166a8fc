package pack

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/spec"
)

// TestWriteArchive: what an installed pack is put together to again is a pack of
// the same manifest, whatever level it was packed with, and never a damaged one.
func TestWriteArchive(t *testing.T) {
	for _, level := range []int{0, 1, 3, 7, 22} {
		dir := t.TempDir()
		f := newForger(t)
		for name, text := range map[string]string{
			"guest/rootfs.img": strings.Repeat("some text that packs well ", 40_000), "guest/vmlinux": string(noise("kernel", 700_000)), "tools.json": "{}", "licenses/x/copyright": "",
		} {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		first := filepath.Join(t.TempDir(), "first")
		m, err := Build(t.Context(), BuildOptions{Dir: dir, Header: f.plain().m, Signer: f.signer, Out: first, Level: level})
		if err != nil {
			t.Fatal(err)
		}
		s, err := OpenStore(filepath.Join(t.TempDir(), "runtime"))
		if err != nil {
			t.Fatal(err)
		}
		in, err := Install(t.Context(), first, s, f.keys, InstallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "again")
		last := int64(0)
		if err := in.WriteArchive(t.Context(), out, func(done, _ int64) { last = done }); err != nil {
			t.Fatalf("level %d: %v", level, err)
		}
		h, err := VerifyFile(t.Context(), out, f.keys, VerifyOptions{})
		if err != nil || h.Digest != in.ManifestSHA256 || last < m.Bytes()-m.Files[0].Size {
			t.Errorf("level %d: %v, %d bytes done", level, err, last)
		}
		if level == 0 {
			a, err := os.ReadFile(first)
			b, err2 := os.ReadFile(out)
			if err != nil || err2 != nil || !bytes.Equal(a, b) {
				t.Errorf("another archive: %d and %d bytes, %v, %v", len(a), len(b), err, err2)
			}
		}
		if err := os.Remove(out); err != nil {
			t.Fatal(err)
		}
		flip(t, filepath.Join(in.Dir, "guest", "vmlinux"), 650_000)
		if err := in.WriteArchive(t.Context(), out, nil); spec.KindOf(err) != spec.KindFlippedByte {
			t.Errorf("of a damaged pack: %v", err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("a refusal left an archive")
		}
	}
}

// TestWriteArchiveOfAnother: chunks that were packed by something else are not
// passed off as the same.
func TestWriteArchiveOfAnother(t *testing.T) {
	r := newAssemblyRig(t)
	index, layout, err := indexOf(r.have)
	if err != nil {
		t.Fatal(err)
	}
	comp, err := newCompressor(1)
	if err != nil {
		t.Fatal(err)
	}
	p := &repacker{source: source{index: index, layout: layout}}
	p.comps = append(p.comps, comp)
	if _, err := p.pack([]byte("text"), 3); !errors.Is(err, ErrNotRebuilt) {
		t.Errorf("got %v", err)
	}
}
