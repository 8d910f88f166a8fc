package pack

import (
	"archive/tar"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

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
	// What surrounds the files.
	for _, tc := range []struct {
		name  string
		forge func(a *forged)
		kinds []spec.Kind
	}{
		{"flipped byte in the manifest", func(a *forged) {
			raw, sig := f.encode(a)
			raw[len(raw)/2] ^= 1
			a.head = []entry{regular(spec.ManifestName, string(raw)), regular(spec.SignatureName, string(sig))}
		}, []spec.Kind{spec.KindBadSignature}},
		{"flipped byte in the signature", func(a *forged) {
			raw, sig := f.encode(a)
			sig[40] ^= 1
			a.head = []entry{regular(spec.ManifestName, string(raw)), regular(spec.SignatureName, string(sig))}
		}, []spec.Kind{spec.KindBadSignature}},
		{"flipped byte in the key's name", func(a *forged) {
			raw, sig := f.encode(a)
			i := bytes.Index(raw, []byte(a.m.Key))
			raw[i] = "01"[(raw[i]^1)&1]
			a.head = []entry{regular(spec.ManifestName, string(raw)), regular(spec.SignatureName, string(sig))}
		}, []spec.Kind{spec.KindForeignKey, spec.KindBadSignature}},
		{"empty archive", func(a *forged) { a.head, a.entries = []entry{{raw: zeros[:]}}, nil }, []spec.Kind{spec.KindMissingManifest}},
		{"no manifest", func(a *forged) {
			_, sig := f.encode(a)
			a.head = []entry{regular(spec.SignatureName, string(sig))}
		}, []spec.Kind{spec.KindMissingManifest}},
		{"no signature", func(a *forged) {
			raw, _ := f.encode(a)
			a.head = []entry{regular(spec.ManifestName, string(raw))}
		}, []spec.Kind{spec.KindMissingSignature}},
		{"only a manifest", func(a *forged) {
			raw, _ := f.encode(a)
			a.head, a.entries = []entry{regular(spec.ManifestName, string(raw))}, nil
		}, []spec.Kind{spec.KindMissingSignature}},
		{"signature first", func(a *forged) {
			raw, sig := f.encode(a)
			a.head = []entry{regular(spec.SignatureName, string(sig)), regular(spec.ManifestName, string(raw))}
		}, []spec.Kind{spec.KindMissingManifest}},
		{"a file before the manifest", func(a *forged) {
			raw, sig := f.encode(a)
			a.head = []entry{regular("guest/vmlinux", "x"), regular(spec.ManifestName, string(raw)), regular(spec.SignatureName, string(sig))}
		}, []spec.Kind{spec.KindMissingManifest}},
		{"empty signature", func(a *forged) {
			raw, _ := f.encode(a)
			a.head = []entry{regular(spec.ManifestName, string(raw)), regular(spec.SignatureName, "")}
		}, []spec.Kind{spec.KindBadSignature}},
		{"signature of another manifest", func(a *forged) {
			raw, _ := f.encode(a)
			b := f.plain()
			b.m.Version = "2.0.0"
			_, sig := f.encode(b)
			a.head = []entry{regular(spec.ManifestName, string(raw)), regular(spec.SignatureName, string(sig))}
		}, []spec.Kind{spec.KindBadSignature}},
		{"foreign key", func(a *forged) { a.signer = foreign.signer }, []spec.Kind{spec.KindForeignKey}},
		{"foreign key under our name", func(a *forged) {
			public, err := f.signer.PublicKey()
			if err != nil {
				t.Fatal(err)
			}
			if a.m.Key, err = trust.KeyID(public); err != nil {
				t.Fatal(err)
			}
			a.signer = foreign.signer
		}, []spec.Kind{spec.KindBadSignature}},
		{"foreign key without a name", func(a *forged) {
			f.encode(a)
			a.raw = []byte(strings.Replace(string(must(a.m.EncodeUnchecked())), a.m.Key, "", 1))
			a.signer = foreign.signer
		}, []spec.Kind{spec.KindBadSignature}},
		{"huge manifest", func(a *forged) {
			a.head = []entry{regular(spec.ManifestName, strings.Repeat(" ", spec.MaxManifest+1)), regular(spec.SignatureName, "x")}
		}, []spec.Kind{spec.KindTooLarge}},
		{"huge signature", func(a *forged) {
			raw, _ := f.encode(a)
			a.head = []entry{regular(spec.ManifestName, string(raw)), regular(spec.SignatureName, strings.Repeat("A", trust.MaxSignature+1))}
		}, []spec.Kind{spec.KindTooLarge}},
		{"manifest as a symlink", func(a *forged) {
			a.head = []entry{header(tar.TypeSymlink, spec.ManifestName, "/etc/passwd", tar.FormatUSTAR)}
		}, []spec.Kind{spec.KindUnsafeEntry}},

		{"global PAX header in front", func(a *forged) {
			raw, sig := f.encode(a)
			a.head = []entry{
				{h: tar.Header{Typeflag: tar.TypeXGlobalHeader, Format: tar.FormatPAX, PAXRecords: map[string]string{"comment": strings.Repeat("x", 100_000)}}},
				regular(spec.ManifestName, string(raw)), regular(spec.SignatureName, string(sig)),
			}
		}, []spec.Kind{spec.KindMissingManifest}},
		{"endless extended headers in front", func(a *forged) {
			one := tarPAX(f, 900_000)
			a.head, a.entries = []entry{{raw: bytes.Repeat(one, 40)}}, nil
		}, []spec.Kind{spec.KindTooLarge, spec.KindCorrupt}},
		{"zeros in front", func(a *forged) {
			raw, sig := f.encode(a)
			a.head = []entry{{raw: make([]byte, tarBlock)}, regular(spec.ManifestName, string(raw)), regular(spec.SignatureName, string(sig))}
		}, []spec.Kind{spec.KindCorrupt, spec.KindMissingManifest}},
		{"garbage after the archive", func(a *forged) { a.after = []byte("garbage") }, []spec.Kind{spec.KindTrailingData}},
		{"one byte after the archive", func(a *forged) { a.after = []byte{0} }, []spec.Kind{spec.KindTrailingData}},
		{"skippable frame after the archive", func(a *forged) { a.after = []byte{0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 'e', 'v', 'i', 'l'} }, []spec.Kind{spec.KindTrailingData}},
		{"another archive after it", func(a *forged) { a.after = f.archive(f.plain()) }, []spec.Kind{spec.KindTrailingData}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.plain()
			tc.forge(a)
			f.refused(t, f.archive(a), spec.Policy{}, tc.kinds...)
		})
	}

	// The files: the signed list of chunks is that of a body with other content than
	// the manifest says, or other entries; of the length that the manifest says, or of
	// its own.
	sound := append(f.tarStream(f.plain().entries), zeros[:]...)
	for _, tc := range []struct {
		name  string
		forge func(a *forged)
	}{
		// Content.
		{"flipped byte in a file", func(a *forged) { a.entries[1].data = "Content of guest/vmlinux" }},
		{"missing file", func(a *forged) { a.entries = slices.Delete(a.entries, 1, 2) }},
		{"missing last file", func(a *forged) { a.entries = a.entries[:2] }},
		{"no files", func(a *forged) { a.entries = nil }},
		{"extra file", func(a *forged) { a.entries = slices.Insert(a.entries, 1, regular("guest/s", "x")) }},
		{"extra file at the end", func(a *forged) { a.entries = append(a.entries, regular("zzz", "x")) }},
		{"thousands of extra files", func(a *forged) {
			for i := range 30_000 {
				a.entries = append(a.entries, regular(fmt.Sprintf("x/%d", i), ""))
			}
		}},
		{"the same file twice", func(a *forged) { a.entries = slices.Insert(a.entries, 1, a.entries[0]) }},
		{"the first file again at the end", func(a *forged) { a.entries = append(a.entries, a.entries[0]) }},
		{"the manifest again", func(a *forged) { a.entries = slices.Insert(a.entries, 0, regular(spec.ManifestName, "{}")) }},
		{"another order", func(a *forged) { a.entries[0], a.entries[1] = a.entries[1], a.entries[0] }},
		{"a longer file", func(a *forged) { a.entries[0] = regular("guest/rootfs.img", "content of guest/rootfs.img and more") }},
		{"a shorter file", func(a *forged) { a.entries[0] = regular("guest/rootfs.img", "con") }},
		{"another mode", func(a *forged) { a.entries[1].h.Mode = 0o755 }},
		{"setuid", func(a *forged) { a.entries[1].h.Mode = 0o4644 }},

		// Types of entries.
		{"symlink for a file", func(a *forged) {
			a.entries[1] = header(tar.TypeSymlink, "guest/vmlinux", "/etc/passwd", tar.FormatUSTAR)
		}},
		{"symlink for a directory", func(a *forged) {
			a.entries = slices.Insert(a.entries, 0, header(tar.TypeSymlink, "guest", "/tmp", tar.FormatUSTAR))
		}},
		{"hard link to outside", func(a *forged) {
			a.entries[1] = header(tar.TypeLink, "guest/vmlinux", "../../pack.tar.zst", tar.FormatUSTAR)
		}},
		{"hard link to a file of the pack", func(a *forged) {
			a.entries[1] = header(tar.TypeLink, "guest/vmlinux", "guest/rootfs.img", tar.FormatUSTAR)
		}},
		{"character device", func(a *forged) { a.entries[1] = header(tar.TypeChar, "guest/vmlinux", "", tar.FormatUSTAR) }},
		{"block device", func(a *forged) { a.entries[1] = header(tar.TypeBlock, "guest/vmlinux", "", tar.FormatUSTAR) }},
		{"fifo", func(a *forged) { a.entries[1] = header(tar.TypeFifo, "guest/vmlinux", "", tar.FormatUSTAR) }},
		{"directory", func(a *forged) {
			a.entries = slices.Insert(a.entries, 0, header(tar.TypeDir, "guest/", "", tar.FormatUSTAR))
		}},
		{"unknown type", func(a *forged) { a.entries[1] = entry{raw: bomb('9', 0)} }},
		{"regular file with a link name", func(a *forged) {
			e := regular("guest/vmlinux", a.entries[1].data)
			e.h.Linkname = "/etc/passwd"
			a.entries[1] = e
		}},
		{"GNU header", func(a *forged) { a.entries[1].h.Format = tar.FormatGNU }},
		{"PAX header", func(a *forged) {
			a.entries[1].h.Format = tar.FormatPAX
			a.entries[1].h.PAXRecords = map[string]string{"PIWORK.x": "y"}
		}},
		{"PAX name", func(a *forged) {
			a.entries[1].h.Format = tar.FormatPAX
			a.entries[1].h.Name = "../../../\u00e9"
		}},
		{"sparse file", func(a *forged) { a.entries[1] = entry{raw: bomb(tar.TypeGNUSparse, 0)} }},
		{"global PAX header", func(a *forged) {
			a.entries = slices.Insert(a.entries, 1, entry{h: tar.Header{Typeflag: tar.TypeXGlobalHeader, Format: tar.FormatPAX, PAXRecords: map[string]string{"path": "evil"}}})
		}},

		// Names.
		{"absolute name", func(a *forged) { a.entries[1].h.Name = "/etc/cron.d/x" }},
		{"dot dot", func(a *forged) { a.entries[1].h.Name = "../../../x" }},
		{"dot dot inside", func(a *forged) { a.entries[1].h.Name = "guest/../../x" }},
		{"dot", func(a *forged) { a.entries[1].h.Name = "./guest/vmlinux" }},
		{"double slash", func(a *forged) { a.entries[1].h.Name = "guest//vmlinux" }},
		{"backslash", func(a *forged) { a.entries[1].h.Name = `guest\vmlinux` }},
		{"drive", func(a *forged) { a.entries[1].h.Name = "C:/x" }},
		{"alternate stream", func(a *forged) { a.entries[1].h.Name = "guest/vmlinux:x" }},
		{"device of Windows", func(a *forged) { a.entries[1].h.Name = "guest/nul.txt" }},
		{"trailing dot", func(a *forged) { a.entries[1].h.Name = "guest/vmlinux." }},
		{"another case", func(a *forged) { a.entries[1].h.Name = "guest/VMLINUX" }},
		{"control character", func(a *forged) { a.entries[1].h.Name = "guest/\x1b[2J" }},
		{"not ASCII", func(a *forged) {
			a.entries[1].h.Format = tar.FormatPAX
			a.entries[1].h.Name = "guest/vmlinu\u0445"
		}},
		{"very long name", func(a *forged) {
			a.entries[1].h.Format = tar.FormatPAX
			a.entries[1].h.Name = strings.Repeat("long/", 50_000) + "x"
		}},
		{"too deep", func(a *forged) { a.entries[1].h.Name = long }},

		// Bombs.
		{"header that promises 8 GiB", func(a *forged) { a.entries[1] = entry{raw: bomb(tar.TypeReg, spec.MaxFileSize)} }},
		{"file that promises 8 GiB", func(a *forged) {
			a.entries[1] = entry{h: tar.Header{Typeflag: tar.TypeReg, Name: "guest/vmlinux", Mode: 0o644, Size: spec.MaxFileSize, Format: tar.FormatUSTAR}}
		}},
		{"endless extended headers", func(a *forged) {
			a.entries = []entry{{raw: bytes.Repeat(tarPAX(f, 900_000), 40)}}
		}},
		{"extended header larger than any", func(a *forged) { a.entries[1] = entry{raw: bomb(tar.TypeXHeader, 1<<30)} }},
		{"long-name header larger than any", func(a *forged) { a.entries[1] = entry{raw: bomb(tar.TypeGNULongName, 1<<30)} }},
		{"zeros without end", func(a *forged) { a.tail = make([]byte, 64<<20) }},

		// Ends.
		{"data after the tar stream", func(a *forged) { a.tail = append(make([]byte, 2*tarBlock), 'x') }},
		{"one more zero block", func(a *forged) { a.tail = make([]byte, 3*tarBlock) }},
		{"no end of the tar stream", func(a *forged) { a.tail = []byte{} }},
		{"half an end", func(a *forged) { a.tail = make([]byte, tarBlock) }},
		{"ends inside of a file", func(a *forged) {
			a.entries = append(a.entries[:2], entry{h: tar.Header{Typeflag: tar.TypeReg, Name: "tools.json", Mode: 0o644, Size: a.m.Files[2].Size, Format: tar.FormatUSTAR}, data: "con"})
			a.tail = []byte{}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.plain()
			tc.forge(a)
			kinds := []spec.Kind{spec.KindFlippedByte, spec.KindUnsafeEntry, spec.KindBadManifest}
			f.refused(t, f.chunked(a, division{}), spec.Policy{}, kinds...)
			a = f.plain()
			tc.forge(a)
			same := true
			data := f.chunked(a, division{body: func(b []byte) []byte {
				b = append(b, make([]byte, len(sound))...)[:len(sound)]
				same = bytes.Equal(b, sound)
				return b
			}})
			if !same {
				f.refused(t, data, spec.Policy{}, kinds[:2]...)
			}
		})
	}
}
