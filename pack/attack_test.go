package pack

import (
	"archive/tar"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

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
