package pack

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// forger builds archives that Build would not.
type forger struct {
	t      testing.TB
	signer *trust.Signer
	keys   *trust.KeyRing
}

func newForger(t testing.TB) *forger {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	k, err := trust.GenerateDeveloperKey(file, "forger")
	if err != nil {
		t.Fatal(err)
	}
	f := &forger{t: t}
	if f.signer, err = trust.LoadSigner(file, nil); err != nil {
		t.Fatal(err)
	}
	if f.keys, err = trust.NewKeyRing(k); err != nil {
		t.Fatal(err)
	}
	return f
}

// entry is one entry of a forged archive.
type entry struct {
	h    tar.Header
	data string
	raw  []byte // instead of header and data
}

func regular(name, data string) entry {
	return entry{h: tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(data)), ModTime: entryTime, Format: tar.FormatUSTAR}, data: data}
}

// forged is an archive in the making.
type forged struct {
	m       spec.Manifest
	entries []entry // after manifest and signature
	head    []entry // instead of manifest and signature
	raw     []byte  // instead of the encoded manifest; it is signed all the same
	signer  *trust.Signer
	tail    []byte // after the entries, instead of the end of the tar stream
	after   []byte // after the archive
}

// plain is a valid archive of three files.
func (f *forger) plain() *forged {
	a := &forged{signer: f.signer, m: spec.Manifest{
		Schema: spec.Schema, Name: "piwork-runtime", Version: "1.0.0", HostOS: runtime.GOOS, HostArch: runtime.GOARCH,
		GuestArch: "x86_64", Built: time.Unix(1_700_000_000, 0).UTC(),
	}}
	for _, name := range []string{"guest/rootfs.img", "guest/vmlinux", "tools.json"} {
		a.add(name, "content of "+name)
	}
	return a
}

// add appends a file to manifest and archive alike.
func (a *forged) add(name, data string) {
	sum := sha256.Sum256([]byte(data))
	a.m.Files = append(a.m.Files, spec.File{Path: name, Size: int64(len(data)), Mode: 0o644, SHA256: hex.EncodeToString(sum[:]), Role: "other"})
	a.entries = append(a.entries, regular(name, data))
}

// encode returns the signed manifest, valid or not.
func (f *forger) encode(a *forged) (raw, sig []byte) {
	f.t.Helper()
	public, err := a.signer.PublicKey()
	if err != nil {
		f.t.Fatal(err)
	}
	if a.m.Key == "" {
		if a.m.Key, err = trust.KeyID(public); err != nil {
			f.t.Fatal(err)
		}
	}
	if raw = a.raw; raw == nil {
		if raw, err = a.m.EncodeUnchecked(); err != nil {
			f.t.Fatal(err)
		}
	}
	if sig, err = trust.Sign(a.signer, raw); err != nil {
		f.t.Fatal(err)
	}
	return raw, sig
}

// tarStream returns entries as a tar stream without its end.
func (f *forger) tarStream(entries []entry) []byte {
	f.t.Helper()
	var out bytes.Buffer
	for _, e := range entries {
		if e.raw != nil {
			out.Write(e.raw)
			continue
		}
		var one bytes.Buffer
		w := tar.NewWriter(&one)
		if err := w.WriteHeader(&e.h); err != nil {
			f.t.Fatalf("%s: %v", e.h.Name, err)
		}
		if _, err := io.WriteString(w, e.data); err != nil {
			f.t.Fatal(err)
		}
		// A header may promise more than is there: what is left is not written.
		if err := w.Flush(); err != nil && int64(len(e.data)) == e.h.Size {
			f.t.Fatal(err)
		}
		out.Write(one.Bytes())
	}
	return out.Bytes()
}

// archive encodes a, divided into chunks soundly.
func (f *forger) archive(a *forged) []byte { return f.chunked(a, division{}) }

// extracted reads an archive and keeps nothing of it.
func (f *forger) extracted(ctx context.Context, r io.Reader) error {
	_, err := extract(ctx, r, f.keys, spec.Policy{}, nowhere, nil)
	return err
}

func sealed(stream []byte) []byte {
	return append(stream, seal(crc32.Checksum(stream, castagnoli))...)
}

// tree lists everything below dir with its content.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var data []byte
		if d.Type().IsRegular() {
			if data, err = os.ReadFile(p); err != nil {
				return err
			}
		}
		fmt.Fprintf(&b, "%s %s %x\n", d.Type(), p, sha256.Sum256(data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// refused tries an archive in every way and checks that each names one of kinds,
// and that nothing is left of it.
func (f *forger) refused(t *testing.T, data []byte, policy spec.Policy, kinds ...spec.Kind) {
	t.Helper()
	// A directory around the store, so that an escape shows.
	outer := t.TempDir()
	file := filepath.Join(outer, "pack.tar.zst")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenStore(filepath.Join(outer, "data", "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, lockName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before := tree(t, outer)
	_, err = Install(t.Context(), file, s, f.keys, InstallOptions{Policy: policy})
	if !slices.Contains(kinds, spec.KindOf(err)) {
		t.Errorf("install: got %v, want %v", err, kinds)
	}
	if after := tree(t, outer); after != before {
		t.Errorf("left behind:\n%s\nbefore:\n%s", after, before)
	}
	if _, err := VerifyFile(t.Context(), file, f.keys, VerifyOptions{Policy: policy}); !slices.Contains(kinds, spec.KindOf(err)) {
		t.Errorf("verify: got %v, want %v", err, kinds)
	}
}

// header makes an entry of another type with the name of a file of the pack.
func header(typeflag byte, name, link string, format tar.Format) entry {
	return entry{h: tar.Header{Typeflag: typeflag, Name: name, Linkname: link, Mode: 0o644, ModTime: entryTime, Format: format}}
}

// TestForgerIsHonest: the archive that the attacks start from is accepted, else
// their refusals would prove nothing.
func TestForgerIsHonest(t *testing.T) {
	f := newForger(t)
	for name, forge := range map[string]func(*forged){
		"plain":             func(*forged) {},
		"an app that fits":  func(a *forged) { a.m.RequiresApp = ">=1.2.0 <2.0.0" },
		"an empty file":     func(a *forged) { a.add("z", "") },
		"a long name":       func(a *forged) { a.add("z/"+strings.Repeat("a", 90)+"/"+strings.Repeat("b", 90), "x") },
		"signed once again": func(a *forged) { a.m.Key = strings.Repeat("ab", 32) },
		"thousands of files": func(a *forged) {
			for i := range 1000 {
				a.add(fmt.Sprintf("z/%04d", i), fmt.Sprint(i))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := f.plain()
			forge(a)
			file := filepath.Join(t.TempDir(), "pack")
			if err := os.WriteFile(file, f.archive(a), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := OpenStore(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			in, err := Install(t.Context(), file, s, f.keys, InstallOptions{Policy: spec.Policy{AppVersion: "1.5.0-dev+abc"}})
			if err != nil {
				t.Fatal(err)
			}
			if err := in.Verify(t.Context(), LevelFull); err != nil {
				t.Error(err)
			}
		})
	}
}

// tarPAX is a PAX header of that many bytes for an entry that never comes.
func tarPAX(f *forger, size int) []byte {
	var b bytes.Buffer
	h := tar.Header{Typeflag: tar.TypeReg, Name: "x", Format: tar.FormatPAX, PAXRecords: map[string]string{"PIWORK.x": strings.Repeat("x", size)}}
	if err := tar.NewWriter(&b).WriteHeader(&h); err != nil {
		f.t.Fatal(err)
	}
	return b.Bytes()[:b.Len()-tarBlock]
}

// fixChecksum makes the checksum of a header right again (POSIX.1-1988).
func fixChecksum(h []byte) {
	copy(h[148:156], "        ")
	var sum int64
	for _, c := range h[:tarBlock] {
		sum += int64(c)
	}
	copy(h[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
