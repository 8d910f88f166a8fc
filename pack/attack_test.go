package pack

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

	"github.com/klauspost/compress/zstd"

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
	return entry{h: tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(data)), Format: tar.FormatUSTAR}, data: data}
}

// forged is an archive in the making.
type forged struct {
	m       Manifest
	entries []entry // after manifest and signature
	head    []entry // instead of manifest and signature
	raw     []byte  // instead of the encoded manifest; it is signed all the same
	signer  *trust.Signer
	tail    []byte // after the entries, instead of the end of the tar stream
	after   []byte // after the zstd stream
}

// plain is a valid archive of three files.
func (f *forger) plain() *forged {
	a := &forged{signer: f.signer, m: Manifest{
		Schema: Schema, Name: "piwork-runtime", Version: "1.0.0", HostOS: runtime.GOOS, HostArch: runtime.GOARCH,
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
	a.m.Files = append(a.m.Files, File{Path: name, Size: int64(len(data)), Mode: 0o644, SHA256: hex.EncodeToString(sum[:]), Role: "other"})
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
		if raw, err = a.m.encode(); err != nil {
			f.t.Fatal(err)
		}
	}
	if sig, err = trust.Sign(a.signer, raw); err != nil {
		f.t.Fatal(err)
	}
	return raw, sig
}

// tarStream returns the uncompressed archive.
func (f *forger) tarStream(a *forged) []byte {
	f.t.Helper()
	head := a.head
	if head == nil {
		raw, sig := f.encode(a)
		head = []entry{regular(ManifestName, string(raw)), regular(SignatureName, string(sig))}
	}
	var out bytes.Buffer
	for _, e := range append(slices.Clone(head), a.entries...) {
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
	if a.tail != nil {
		out.Write(a.tail)
	} else {
		out.Write(make([]byte, 2*tarBlock))
	}
	return out.Bytes()
}

func (f *forger) compress(stream []byte) []byte {
	f.t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithWindowSize(windowSize), zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := w.Write(stream); err != nil {
		f.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		f.t.Fatal(err)
	}
	return out.Bytes()
}

func (f *forger) archive(a *forged) []byte {
	f.t.Helper()
	return append(sealed(f.compress(f.tarStream(a))), a.after...)
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
func (f *forger) refused(t *testing.T, data []byte, policy Policy, kinds ...Kind) {
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
	if !slices.Contains(kinds, KindOf(err)) {
		t.Errorf("install: got %v, want %v", err, kinds)
	}
	if after := tree(t, outer); after != before {
		t.Errorf("left behind:\n%s\nbefore:\n%s", after, before)
	}
	if _, _, err := VerifyFile(t.Context(), file, f.keys, VerifyOptions{Policy: policy}); !slices.Contains(kinds, KindOf(err)) {
		t.Errorf("verify: got %v, want %v", err, kinds)
	}
}

// header makes an entry of another type with the name of a file of the pack.
func header(typeflag byte, name, link string, format tar.Format) entry {
	return entry{h: tar.Header{Typeflag: typeflag, Name: name, Linkname: link, Mode: 0o644, Format: format}}
}

// TestHostileArchives is the table of attacks on archives. Unless it says
// otherwise the manifest is sound and signed by a trusted key: what is tested is
// that the archive can do nothing beyond it.
func TestHostileArchives(t *testing.T) {
	f := newForger(t)
	foreign := newForger(t)
	long := strings.Repeat("d/", 60) + "x"
	bomb := func(typeflag byte, size int64) []byte {
		h := tar.Header{Typeflag: tar.TypeReg, Name: "bomb", Mode: 0o644, Size: size, Format: tar.FormatUSTAR}
		var b bytes.Buffer
		if err := tar.NewWriter(&b).WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		raw := b.Bytes()
		raw[156] = typeflag
		fixChecksum(raw)
		return raw
	}
	for _, tc := range []struct {
		name  string
		forge func(a *forged)
		kinds []Kind
	}{
		// Content.
		{"flipped byte in a file", func(a *forged) { a.entries[1].data = "Content of guest/vmlinux" }, []Kind{KindFlippedByte}},
		{"flipped byte in the manifest", func(a *forged) {
			raw, sig := f.encode(a)
			raw[len(raw)/2] ^= 1
			a.head = []entry{regular(ManifestName, string(raw)), regular(SignatureName, string(sig))}
		}, []Kind{KindBadSignature}},
		{"flipped byte in the signature", func(a *forged) {
			raw, sig := f.encode(a)
			sig[40] ^= 1
			a.head = []entry{regular(ManifestName, string(raw)), regular(SignatureName, string(sig))}
		}, []Kind{KindBadSignature}},
		{"flipped byte in the key's name", func(a *forged) {
			raw, sig := f.encode(a)
			i := bytes.Index(raw, []byte(a.m.Key))
			raw[i] = "01"[(raw[i]^1)&1]
			a.head = []entry{regular(ManifestName, string(raw)), regular(SignatureName, string(sig))}
		}, []Kind{KindForeignKey, KindBadSignature}},
		{"missing file", func(a *forged) { a.entries = slices.Delete(a.entries, 1, 2) }, []Kind{KindMissingFile}},
		{"missing last file", func(a *forged) { a.entries = a.entries[:2] }, []Kind{KindMissingFile}},
		{"no files", func(a *forged) { a.entries = nil }, []Kind{KindMissingFile}},
		{"extra file", func(a *forged) { a.entries = slices.Insert(a.entries, 1, regular("guest/s", "x")) }, []Kind{KindExtraFile}},
		{"extra file at the end", func(a *forged) { a.entries = append(a.entries, regular("zzz", "x")) }, []Kind{KindExtraFile, KindTooLarge}},
		{"thousands of extra files", func(a *forged) {
			for i := range 30_000 {
				a.entries = append(a.entries, regular(fmt.Sprintf("x/%d", i), ""))
			}
		}, []Kind{KindExtraFile, KindTooLarge}},
		{"the same file twice", func(a *forged) { a.entries = slices.Insert(a.entries, 1, a.entries[0]) }, []Kind{KindDuplicateFile}},
		{"the first file again at the end", func(a *forged) { a.entries = append(a.entries, a.entries[0]) }, []Kind{KindDuplicateFile, KindTooLarge}},
		{"the manifest again", func(a *forged) { a.entries = slices.Insert(a.entries, 0, regular(ManifestName, "{}")) }, []Kind{KindDuplicateFile}},
		{"another order", func(a *forged) { a.entries[0], a.entries[1] = a.entries[1], a.entries[0] }, []Kind{KindMissingFile}},
		{"a longer file", func(a *forged) { a.entries[0] = regular("guest/rootfs.img", "content of guest/rootfs.img and more") }, []Kind{KindWrongSize}},
		{"a shorter file", func(a *forged) { a.entries[0] = regular("guest/rootfs.img", "con") }, []Kind{KindWrongSize}},
		{"another mode", func(a *forged) { a.entries[1].h.Mode = 0o755 }, []Kind{KindUnsafeEntry}},
		{"setuid", func(a *forged) { a.entries[1].h.Mode = 0o4644 }, []Kind{KindUnsafeEntry}},

		// Head.
		{"empty archive", func(a *forged) { a.head, a.entries = []entry{}, nil }, []Kind{KindMissingManifest}},
		{"no manifest", func(a *forged) {
			_, sig := f.encode(a)
			a.head = []entry{regular(SignatureName, string(sig))}
		}, []Kind{KindMissingManifest}},
		{"no signature", func(a *forged) {
			raw, _ := f.encode(a)
			a.head = []entry{regular(ManifestName, string(raw))}
		}, []Kind{KindMissingSignature}},
		{"only a manifest", func(a *forged) {
			raw, _ := f.encode(a)
			a.head, a.entries = []entry{regular(ManifestName, string(raw))}, nil
		}, []Kind{KindMissingSignature}},
		{"signature first", func(a *forged) {
			raw, sig := f.encode(a)
			a.head = []entry{regular(SignatureName, string(sig)), regular(ManifestName, string(raw))}
		}, []Kind{KindMissingManifest}},
		{"a file before the manifest", func(a *forged) {
			raw, sig := f.encode(a)
			a.head = []entry{regular("guest/vmlinux", "x"), regular(ManifestName, string(raw)), regular(SignatureName, string(sig))}
		}, []Kind{KindMissingManifest}},
		{"empty signature", func(a *forged) {
			raw, _ := f.encode(a)
			a.head = []entry{regular(ManifestName, string(raw)), regular(SignatureName, "")}
		}, []Kind{KindBadSignature}},
		{"signature of another manifest", func(a *forged) {
			raw, _ := f.encode(a)
			b := f.plain()
			b.m.Version = "2.0.0"
			_, sig := f.encode(b)
			a.head = []entry{regular(ManifestName, string(raw)), regular(SignatureName, string(sig))}
		}, []Kind{KindBadSignature}},
		{"foreign key", func(a *forged) { a.signer = foreign.signer }, []Kind{KindForeignKey}},
		{"foreign key under our name", func(a *forged) {
			public, err := f.signer.PublicKey()
			if err != nil {
				t.Fatal(err)
			}
			if a.m.Key, err = trust.KeyID(public); err != nil {
				t.Fatal(err)
			}
			a.signer = foreign.signer
		}, []Kind{KindBadSignature}},
		{"foreign key without a name", func(a *forged) {
			f.encode(a)
			a.raw = []byte(strings.Replace(string(must(a.m.encode())), a.m.Key, "", 1))
			a.signer = foreign.signer
		}, []Kind{KindBadSignature}},
		{"huge manifest", func(a *forged) {
			a.head = []entry{regular(ManifestName, strings.Repeat(" ", MaxManifest+1)), regular(SignatureName, "x")}
		}, []Kind{KindTooLarge}},
		{"huge signature", func(a *forged) {
			raw, _ := f.encode(a)
			a.head = []entry{regular(ManifestName, string(raw)), regular(SignatureName, strings.Repeat("A", trust.MaxSignature+1))}
		}, []Kind{KindTooLarge}},
		{"manifest as a symlink", func(a *forged) {
			a.head = []entry{header(tar.TypeSymlink, ManifestName, "/etc/passwd", tar.FormatUSTAR)}
		}, []Kind{KindUnsafeEntry}},

		// Types of entries.
		{"symlink for a file", func(a *forged) {
			a.entries[1] = header(tar.TypeSymlink, "guest/vmlinux", "/etc/passwd", tar.FormatUSTAR)
		}, []Kind{KindUnsafeEntry}},
		{"symlink for a directory", func(a *forged) {
			a.entries = slices.Insert(a.entries, 0, header(tar.TypeSymlink, "guest", "/tmp", tar.FormatUSTAR))
		}, []Kind{KindUnsafeEntry}},
		{"hard link to outside", func(a *forged) {
			a.entries[1] = header(tar.TypeLink, "guest/vmlinux", "../../pack.tar.zst", tar.FormatUSTAR)
		}, []Kind{KindUnsafeEntry}},
		{"hard link to a file of the pack", func(a *forged) {
			a.entries[1] = header(tar.TypeLink, "guest/vmlinux", "guest/rootfs.img", tar.FormatUSTAR)
		}, []Kind{KindUnsafeEntry}},
		{"character device", func(a *forged) { a.entries[1] = header(tar.TypeChar, "guest/vmlinux", "", tar.FormatUSTAR) }, []Kind{KindUnsafeEntry}},
		{"block device", func(a *forged) { a.entries[1] = header(tar.TypeBlock, "guest/vmlinux", "", tar.FormatUSTAR) }, []Kind{KindUnsafeEntry}},
		{"fifo", func(a *forged) { a.entries[1] = header(tar.TypeFifo, "guest/vmlinux", "", tar.FormatUSTAR) }, []Kind{KindUnsafeEntry}},
		{"directory", func(a *forged) {
			a.entries = slices.Insert(a.entries, 0, header(tar.TypeDir, "guest/", "", tar.FormatUSTAR))
		}, []Kind{KindUnsafeEntry}},
		{"unknown type", func(a *forged) { a.entries[1] = entry{raw: bomb('9', 0)} }, []Kind{KindUnsafeEntry}},
		{"regular file with a link name", func(a *forged) {
			e := regular("guest/vmlinux", a.entries[1].data)
			e.h.Linkname = "/etc/passwd"
			a.entries[1] = e
		}, []Kind{KindUnsafeEntry}},
		{"GNU header", func(a *forged) { a.entries[1].h.Format = tar.FormatGNU }, []Kind{KindUnsafeEntry}},
		{"PAX header", func(a *forged) {
			a.entries[1].h.Format = tar.FormatPAX
			a.entries[1].h.PAXRecords = map[string]string{"PIWORK.x": "y"}
		}, []Kind{KindUnsafeEntry}},
		{"PAX name", func(a *forged) {
			a.entries[1].h.Format = tar.FormatPAX
			a.entries[1].h.Name = "../../../\u00e9"
		}, []Kind{KindUnsafeEntry}},
		{"sparse file", func(a *forged) { a.entries[1] = entry{raw: bomb(tar.TypeGNUSparse, 0)} }, []Kind{KindUnsafeEntry, KindCorrupt}},
		{"global PAX header", func(a *forged) {
			a.entries = slices.Insert(a.entries, 1, entry{h: tar.Header{Typeflag: tar.TypeXGlobalHeader, Format: tar.FormatPAX, PAXRecords: map[string]string{"path": "evil"}}})
		}, []Kind{KindUnsafeEntry, KindTooLarge}},
		{"global PAX header in front", func(a *forged) {
			raw, sig := f.encode(a)
			a.head = []entry{
				{h: tar.Header{Typeflag: tar.TypeXGlobalHeader, Format: tar.FormatPAX, PAXRecords: map[string]string{"comment": strings.Repeat("x", 100_000)}}},
				regular(ManifestName, string(raw)), regular(SignatureName, string(sig)),
			}
		}, []Kind{KindUnsafeEntry, KindTooLarge}},

		// Names.
		{"absolute name", func(a *forged) { a.entries[1].h.Name = "/etc/cron.d/x" }, []Kind{KindUnsafeName}},
		{"dot dot", func(a *forged) { a.entries[1].h.Name = "../../../x" }, []Kind{KindUnsafeName}},
		{"dot dot inside", func(a *forged) { a.entries[1].h.Name = "guest/../../x" }, []Kind{KindUnsafeName}},
		{"dot", func(a *forged) { a.entries[1].h.Name = "./guest/vmlinux" }, []Kind{KindUnsafeName}},
		{"double slash", func(a *forged) { a.entries[1].h.Name = "guest//vmlinux" }, []Kind{KindUnsafeName}},
		{"backslash", func(a *forged) { a.entries[1].h.Name = `guest\vmlinux` }, []Kind{KindUnsafeName}},
		{"drive", func(a *forged) { a.entries[1].h.Name = "C:/x" }, []Kind{KindUnsafeName}},
		{"alternate stream", func(a *forged) { a.entries[1].h.Name = "guest/vmlinux:x" }, []Kind{KindUnsafeName}},
		{"device of Windows", func(a *forged) { a.entries[1].h.Name = "guest/nul.txt" }, []Kind{KindUnsafeName}},
		{"trailing dot", func(a *forged) { a.entries[1].h.Name = "guest/vmlinux." }, []Kind{KindUnsafeName}},
		{"another case", func(a *forged) { a.entries[1].h.Name = "guest/VMLINUX" }, []Kind{KindExtraFile}},
		{"control character", func(a *forged) { a.entries[1].h.Name = "guest/\x1b[2J" }, []Kind{KindUnsafeName}},
		{"not ASCII", func(a *forged) {
			a.entries[1].h.Format = tar.FormatPAX
			a.entries[1].h.Name = "guest/vmlinu\u0445"
		}, []Kind{KindUnsafeEntry}},
		{"very long name", func(a *forged) {
			a.entries[1].h.Format = tar.FormatPAX
			a.entries[1].h.Name = strings.Repeat("long/", 50_000) + "x"
		}, []Kind{KindUnsafeEntry, KindTooLarge}},
		{"too deep", func(a *forged) { a.entries[1].h.Name = long }, []Kind{KindUnsafeName}},

		// Bombs.
		{"header that promises 8 GiB", func(a *forged) { a.entries[1] = entry{raw: bomb(tar.TypeReg, MaxFileSize)} }, []Kind{KindExtraFile}},
		{"file that promises 8 GiB", func(a *forged) {
			a.entries[1] = entry{h: tar.Header{Typeflag: tar.TypeReg, Name: "guest/vmlinux", Mode: 0o644, Size: MaxFileSize, Format: tar.FormatUSTAR}}
		}, []Kind{KindWrongSize}},
		{"endless extended headers in front", func(a *forged) {
			one := tarPAX(f, 900_000)
			a.head, a.entries = []entry{{raw: bytes.Repeat(one, 40)}}, nil
		}, []Kind{KindTooLarge, KindCorrupt}},
		{"endless extended headers", func(a *forged) {
			a.entries = []entry{{raw: bytes.Repeat(tarPAX(f, 900_000), 40)}}
		}, []Kind{KindTooLarge, KindCorrupt}},
		{"extended header larger than any", func(a *forged) { a.entries[1] = entry{raw: bomb(tar.TypeXHeader, 1<<30)} }, []Kind{KindCorrupt, KindTooLarge, KindTruncated}},
		{"long-name header larger than any", func(a *forged) { a.entries[1] = entry{raw: bomb(tar.TypeGNULongName, 1<<30)} }, []Kind{KindCorrupt, KindTooLarge, KindTruncated}},
		{"zeros without end", func(a *forged) { a.tail = make([]byte, 64<<20) }, []Kind{KindTrailingData}},
		{"zeros in front", func(a *forged) {
			raw, sig := f.encode(a)
			a.head = []entry{{raw: make([]byte, tarBlock)}, regular(ManifestName, string(raw)), regular(SignatureName, string(sig))}
		}, []Kind{KindCorrupt, KindMissingManifest}},

		// Ends.
		{"data after the tar stream", func(a *forged) { a.tail = append(make([]byte, 2*tarBlock), 'x') }, []Kind{KindTrailingData}},
		{"one more zero block", func(a *forged) { a.tail = make([]byte, 3*tarBlock) }, []Kind{KindTrailingData}},
		{"no end of the tar stream", func(a *forged) { a.tail = []byte{} }, []Kind{KindTruncated}},
		{"half an end", func(a *forged) { a.tail = make([]byte, tarBlock) }, []Kind{KindTruncated}},
		{"ends inside of a file", func(a *forged) {
			a.entries = append(a.entries[:2], entry{h: tar.Header{Typeflag: tar.TypeReg, Name: "tools.json", Mode: 0o644, Size: a.m.Files[2].Size, Format: tar.FormatUSTAR}, data: "con"})
			a.tail = []byte{}
		}, []Kind{KindTruncated}},
		{"garbage after the archive", func(a *forged) { a.after = []byte("garbage") }, []Kind{KindTrailingData}},
		{"one byte after the archive", func(a *forged) { a.after = []byte{0} }, []Kind{KindTrailingData}},
		{"skippable frame after the archive", func(a *forged) { a.after = []byte{0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 'e', 'v', 'i', 'l'} }, []Kind{KindTrailingData}},
		{"another archive after it", func(a *forged) { a.after = f.archive(f.plain()) }, []Kind{KindTrailingData}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.plain()
			tc.forge(a)
			f.refused(t, f.archive(a), Policy{}, tc.kinds...)
		})
	}
}

// TestHostileManifests: signed by a trusted key, and still refused, because a
// mistake of the one who builds must not reach a person's disk.
func TestHostileManifests(t *testing.T) {
	f := newForger(t)
	rename := func(name string) func(*forged) {
		return func(a *forged) {
			a.m.Files[0].Path, a.entries[0].h.Name = name, name
			if len(name) > 255 {
				a.entries[0].h.Format = tar.FormatPAX
			}
		}
	}
	for _, tc := range []struct {
		name  string
		forge func(a *forged)
		kind  Kind
	}{
		{"absolute name", rename("/etc/x"), KindUnsafeName},
		{"dot dot", rename("../x"), KindUnsafeName},
		{"drive", rename("C:x"), KindUnsafeName},
		{"device of Windows", rename("guest/COM1.img"), KindUnsafeName},
		{"case collision", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add("guest/A", "1")
			a.add("guest/a", "2")
		}, KindUnsafeName},
		{"case collision of directories", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add("Guest/a", "1")
			a.add("guest/b", "2")
		}, KindUnsafeName},
		{"file and directory", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add("guest", "1")
			a.add("guest/b", "2")
		}, KindUnsafeName},
		{"the same name twice", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add("guest/a", "1")
			a.add("guest/a", "1")
		}, KindDuplicateFile},
		{"names the manifest", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add(ManifestName, "1")
		}, KindDuplicateFile},
		{"names the manifest in capitals", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add("MANIFEST.json", "1")
		}, KindUnsafeName},
		{"negative size", func(a *forged) { a.m.Files[0].Size = -1 }, KindBadManifest},
		{"absurd size", func(a *forged) { a.m.Files[0].Size = 1 << 60 }, KindTooLarge},
		{"absurd sum of sizes", func(a *forged) {
			for i := range a.m.Files {
				a.m.Files[i].Size = MaxFileSize
			}
		}, KindTooLarge},
		{"setuid", func(a *forged) { a.m.Files[0].Mode = 0o4755 }, KindBadManifest},
		{"no files", func(a *forged) { a.m.Files, a.entries = nil, nil }, KindBadManifest},
		{"a version that is a path", func(a *forged) { a.m.Version = "../../x" }, KindBadManifest},
		{"a version that is hidden", func(a *forged) { a.m.Version = ".staging-1" }, KindBadManifest},
		{"another schema", func(a *forged) { a.m.Schema = 2 }, KindUnknownSchema},
		{"not JSON", func(a *forged) { a.raw = []byte("hello") }, KindBadManifest},
		{"deep JSON", func(a *forged) { a.raw = bytes.Repeat([]byte("["), 1<<20) }, KindBadManifest},
		{"another system", func(a *forged) { a.m.HostOS = "plan9" }, KindWrongPlatform},
		{"another processor", func(a *forged) { a.m.HostArch = "s390x" }, KindWrongPlatform},
		{"a newer program", func(a *forged) { a.m.RequiresApp = ">=2.0.0" }, KindWrongAppVersion},
		{"an older program", func(a *forged) { a.m.RequiresApp = "<1.0.0" }, KindWrongAppVersion},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.plain()
			tc.forge(a)
			f.refused(t, f.archive(a), Policy{AppVersion: "1.5.0"}, tc.kind)
		})
	}
}

// TestHostileStreams attacks the compression around a sound tar stream.
func TestHostileStreams(t *testing.T) {
	f := newForger(t)
	stream := f.tarStream(f.plain())
	good := f.compress(stream)
	frame := func(o ...zstd.EOption) []byte {
		var out bytes.Buffer
		w, err := zstd.NewWriter(&out, append([]zstd.EOption{zstd.WithEncoderConcurrency(1)}, o...)...)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(second(w.Write(stream)), w.Flush(), w.Close()); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	skippable := []byte{0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 'e', 'v', 'i', 'l'}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, tc := range []struct {
		name string
		data []byte
		kind Kind
	}{
		{"empty file", nil, KindTruncated},
		{"not a pack", []byte("<!DOCTYPE html><title>404</title>"), KindNotAPack},
		{"a bare tar stream", stream, KindNotAPack},
		{"gzip", []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}, KindNotAPack},
		{"starts with a skippable frame", sealed(join(skippable, good)), KindNotAPack},
		{"only a seal", sealed(nil), KindNotAPack},
		{"no seal", good, KindTruncated},
		{"half a seal", sealed(good)[:len(good)+7], KindTruncated},
		{"a wrong seal", join(good, seal(1)), KindCorrupt},
		{"seal of another size", join(good, skippable, skippable), KindCorrupt},
		{"garbage in place of the seal", join(good, []byte("garbage and more")), KindCorrupt},
		{"two seals", sealed(sealed(good)), KindTrailingData},
		{"another frame before the seal", sealed(join(good, good)), KindTrailingData},
		{"empty frame before the seal", sealed(join(good, []byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 1, 0, 0, 0x99, 0xe9, 0xd8, 0x51})), KindCorrupt},
		{"no checksum", sealed(frame(zstd.WithEncoderCRC(false))), KindCorrupt},
		{"large window", sealed(frame(zstd.WithWindowSize(64 << 20))), KindTooLarge},
		{"reserved kind of block", sealed([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 7, 0, 0, 0, 0, 0, 0}), KindCorrupt},
		{"block larger than any", sealed([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 1, 0, 0x7f, 0, 0, 0, 0}), KindCorrupt},
		{"dictionary", sealed([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x05, 0x58, 1, 1, 0, 0, 0, 0, 0, 0}), KindCorrupt},
	} {
		t.Run(tc.name, func(t *testing.T) { f.refused(t, tc.data, Policy{}, tc.kind) })
	}

	// What a frame may be, else the refusals above would prove nothing.
	half := len(stream) / 2
	for name, data := range map[string][]byte{
		"as usual":          sealed(good),
		"window of a flush": sealed(frame(zstd.WithWindowSize(windowSize))),
		"two frames":        sealed(join(f.compress(stream[:half]), f.compress(stream[half:]))),
	} {
		for _, size := range []int{1, 3, len(data)} { // of reads
			p := newPump(t.Context(), nil)
			if _, err := p.run(&smallReader{bytes.NewReader(data), size}, f.keys, Policy{}, &checker{p}); err != nil {
				t.Errorf("%s, %d bytes at a time: %v", name, size, err)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// smallReader reads a few bytes at a time.
type smallReader struct {
	r io.Reader
	n int
}

func (s *smallReader) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.n)]) }

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
			in, err := Install(t.Context(), file, s, f.keys, InstallOptions{Policy: Policy{AppVersion: "1.5.0-dev+abc"}})
			if err != nil {
				t.Fatal(err)
			}
			if err := in.Verify(t.Context(), LevelFull); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEveryFlippedByte: an archive in which one byte differs is not accepted, in
// whatever bits and wherever it stands.
func TestEveryFlippedByte(t *testing.T) {
	f := newForger(t)
	data := f.archive(f.plain())
	check := func(bad []byte) (*head, error) {
		p := newPump(t.Context(), nil)
		return p.run(bytes.NewReader(bad), f.keys, Policy{}, &checker{p})
	}
	if _, err := check(data); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		for _, flip := range []byte{1 << (i % 8), 0xff} {
			bad := bytes.Clone(data)
			bad[i] ^= flip
			if _, err := check(bad); KindOf(err) == "" {
				t.Errorf("byte %d of %d, bits %#02x: %v", i, len(data), flip, err)
			}
		}
	}
}

// TestEveryTruncation: no archive that ends early is accepted, and each is called
// truncated.
func TestEveryTruncation(t *testing.T) {
	f := newForger(t)
	data := f.archive(f.plain())
	for n := range data {
		p := newPump(t.Context(), nil)
		if _, err := p.run(bytes.NewReader(data[:n]), f.keys, Policy{}, &checker{p}); KindOf(err) != KindTruncated {
			t.Errorf("the first %d of %d bytes: %v", n, len(data), err)
		}
	}
}

// TestRefusalsLeaveNothingRunning: neither goroutines nor open files.
func TestRefusalsLeaveNothingRunning(t *testing.T) {
	f := newForger(t)
	a := f.plain()
	a.add("z", strings.Repeat("large ", chunkSize)) // of several chunks
	good := f.archive(a)
	a.entries[3].data = strings.Repeat("Large ", chunkSize)
	flipped := f.archive(a)
	file := filepath.Join(t.TempDir(), "pack")
	s, err := OpenStore(filepath.Join(t.TempDir(), "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	attempt := func() {
		for _, data := range [][]byte{flipped, good[:len(good)/2], good[:100], append(bytes.Clone(good), 'x'), []byte("x")} {
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Install(t.Context(), file, s, f.keys, InstallOptions{}); KindOf(err) == "" {
				t.Errorf("%v", err)
			}
		}
		if err := os.WriteFile(file, good, 0o600); err != nil {
			t.Fatal(err)
		}
		progress := func(done, _ int64) {
			if done > chunkSize {
				cancel()
			}
		}
		if _, err := Install(cancelled, file, s, f.keys, InstallOptions{Progress: progress}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	attempt() // what libraries start once is there now
	count := func() (int, int) {
		files, _ := os.ReadDir("/proc/self/fd")
		return runtime.NumGoroutine(), len(files)
	}
	goroutines, files := count()
	for range 5 {
		attempt()
	}
	var g, n int
	for range 100 { // a goroutine that has ended is counted for a moment longer
		if g, n = count(); g <= goroutines && n <= files {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines and %d open files, were %d and %d", g, n, goroutines, files)
}

// TestBadDiskIsNotABadPack: an error of reading is not blamed on the pack.
func TestBadDiskIsNotABadPack(t *testing.T) {
	f := newForger(t)
	data := f.archive(f.plain())
	broken := errors.New("input/output error")
	for _, n := range []int{0, 100, len(data) - 1} {
		p := newPump(t.Context(), nil)
		r := io.MultiReader(bytes.NewReader(data[:n]), &failingReader{broken})
		if _, err := p.run(r, f.keys, Policy{}, &checker{p}); !errors.Is(err, broken) || KindOf(err) != "" {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

type failingReader struct{ err error }

func (f *failingReader) Read([]byte) (int, error) { return 0, f.err }

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
