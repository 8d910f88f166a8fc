package kernel

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"piwork/pack/image/internal/elftest"
)

// bzImage wraps a payload the way the kernel's build does.
func bzImage(setupSectors byte, payload []byte) []byte {
	b := make([]byte, (int(setupSectors)+1)*sector)
	b[offSetupSects] = setupSectors
	binary.LittleEndian.PutUint16(b[offBootFlag:], 0xaa55)
	copy(b[offMagic:], "HdrS")
	binary.LittleEndian.PutUint16(b[offVersion:], 0x020f)
	const stub = 700 // code before the payload
	binary.LittleEndian.PutUint32(b[offPayloadOffset:], stub)
	binary.LittleEndian.PutUint32(b[offPayloadLength:], uint32(len(payload)))
	b = append(b, bytes.Repeat([]byte{0x90}, stub)...)
	b = append(b, payload...)
	return append(b, "relocations"...)
}

func withSize(packed []byte, size int) []byte {
	return binary.LittleEndian.AppendUint32(packed, uint32(size))
}

func zstdOf(t *testing.T, p []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return withSize(w.EncodeAll(p, nil), len(p))
}

func xzOf(t *testing.T, p []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := xz.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(p); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return withSize(b.Bytes(), len(p))
}

func gzipOf(t *testing.T, p []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(p); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pvh is an ELF file with other notes around the one that counts.
func pvh() []byte {
	notes := append(elftest.Note("Linux", 1, []byte("abcde")), elftest.Note("Xen", 18, make([]byte, 8))...)
	return elftest.File{Notes: append(notes, elftest.Note("GNU", 3, nil)...)}.Bytes()
}

func TestVmlinux(t *testing.T) {
	image := pvh()
	for name, b := range map[string][]byte{
		"zstd":            bzImage(39, zstdOf(t, image)),
		"xz":              bzImage(30, xzOf(t, image)),
		"gzip":            bzImage(1, gzipOf(t, image)),
		"no setup number": func() []byte { b := bzImage(4, gzipOf(t, image)); b[offSetupSects] = 0; return b }(),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Vmlinux(b)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, image) {
				t.Error("not the image that was packed")
			}
		})
	}
}

func TestVmlinuxRefuses(t *testing.T) {
	good := bzImage(2, zstdOf(t, pvh()))
	change := func(f func(b []byte)) []byte {
		b := bytes.Clone(good)
		f(b)
		return b
	}
	for name, c := range map[string]struct {
		image []byte
		fails string
	}{
		"empty":                 {nil, "no boot header"},
		"short":                 {good[:offPayloadLength], "no boot header"},
		"no magic":              {change(func(b []byte) { b[offMagic] = 'X' }), "no boot header"},
		"old protocol":          {change(func(b []byte) { binary.LittleEndian.PutUint16(b[offVersion:], 0x0204) }), "protocol 2.04"},
		"payload after the end": {change(func(b []byte) { binary.LittleEndian.PutUint32(b[offPayloadOffset:], 1<<31) }), "payload of"},
		"payload too long":      {change(func(b []byte) { binary.LittleEndian.PutUint32(b[offPayloadLength:], 0xffffffff) }), "payload of"},
		"payload too short":     {change(func(b []byte) { binary.LittleEndian.PutUint32(b[offPayloadLength:], 3) }), "payload of"},
		"unknown compression":   {bzImage(2, []byte("BZh91AY&SY12345")), "unknown way"},
		"damaged":               {change(func(b []byte) { b[len(b)-80] ^= 0xff }), "payload of the kernel"},
		"not ELF":               {bzImage(2, gzipOf(t, []byte("hello"))), "payload of the kernel"},
		"no PVH":                {bzImage(2, gzipOf(t, elftest.File{Notes: elftest.Note("Xen", 6, []byte("linux"))}.Bytes())), "PVH"},
		"note cut off":          {bzImage(2, gzipOf(t, elftest.File{Notes: elftest.Note("Xen", 18, make([]byte, 8))[:14]}.Bytes())), "PVH"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Vmlinux(c.image)
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("error %v, want one with %q", err, c.fails)
			}
		})
	}
}

func FuzzVmlinux(f *testing.F) {
	f.Add([]byte("HdrS"))
	small := make([]byte, headerEnd+64)
	binary.LittleEndian.PutUint16(small[offBootFlag:], 0xaa55)
	copy(small[offMagic:], "HdrS")
	binary.LittleEndian.PutUint16(small[offVersion:], 0x020f)
	f.Add(small)
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = Vmlinux(b) // it returns, whatever it is given
	})
}
