package disk

import (
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// image is a qcow2 file in memory.
type image struct{ b []byte }

func (m *image) WriteAt(p []byte, off int64) (int, error) {
	if need := int(off) + len(p); need > len(m.b) {
		m.b = append(m.b, make([]byte, need-len(m.b))...)
	}
	return copy(m.b[off:], p), nil
}

func (m *image) u32(off uint64) uint32 { return binary.BigEndian.Uint32(m.b[off:]) }
func (m *image) u64(off uint64) uint64 { return binary.BigEndian.Uint64(m.b[off:]) }

// read returns the guest's view of a small disk.
func (m *image) read(t *testing.T, uses map[uint64]int) []byte {
	t.Helper()
	data := make([]byte, m.u64(24))
	for c, b := range m.clusters(t, uses) {
		copy(data[c<<16:], b)
	}
	return data
}

// clusters reads the guest's clusters by the specification, independent of how
// they were written, and counts how often each cluster of the file is used.
func (m *image) clusters(t *testing.T, uses map[uint64]int) map[uint64][]byte {
	t.Helper()
	if m.u32(0) != 0x514649fb || m.u32(4) != 3 || m.u32(20) != 16 || m.u64(8) != 0 || m.u64(72) != 0 {
		t.Fatalf("header % x", m.b[:104])
	}
	l1Size, l1At := m.u32(36), m.u64(40)
	uses[0]++
	const mask = 0x00fffffffffffe00
	for i := uint64(0); i < (uint64(l1Size)*8+65535)/65536; i++ {
		uses[l1At>>16+i]++
	}
	data := map[uint64][]byte{}
	for i := range uint64(l1Size) {
		l1 := m.u64(l1At + 8*i)
		if l1 == 0 {
			continue
		}
		if l1>>63 != 1 {
			t.Errorf("L1 entry %d has no COPIED flag", i)
		}
		uses[l1&mask>>16]++
		for j := range uint64(8192) {
			l2 := m.u64(l1&mask + 8*j)
			if l2 == 0 {
				continue
			}
			if l2>>62 != 2 {
				t.Errorf("L2 entry %d/%d is %x", i, j, l2)
			}
			uses[l2&mask>>16]++
			data[i*8192+j] = m.b[l2&mask : l2&mask+65536]
		}
	}
	return data
}

// refcounts compares the file's counts with the uses that were seen.
func (m *image) refcounts(t *testing.T, uses map[uint64]int) {
	t.Helper()
	tableAt, tableClusters := m.u64(48), m.u32(56)
	for i := range uint64(tableClusters) {
		uses[tableAt>>16+i]++
	}
	var blocks []uint64
	for i := range uint64(tableClusters) * 8192 {
		if b := m.u64(tableAt + 8*i); b != 0 {
			uses[b>>16]++
			blocks = append(blocks, b)
		}
	}
	for i, b := range blocks {
		for j := range uint64(32768) {
			cluster := uint64(i)*32768 + j
			count := int(binary.BigEndian.Uint16(m.b[b+2*j:]))
			if count != uses[cluster] || count > 1 {
				t.Errorf("cluster %d: refcount %d, used %d times", cluster, count, uses[cluster])
			}
			delete(uses, cluster)
		}
	}
	if len(uses) > 0 {
		t.Errorf("clusters without refcount: %v", uses)
	}
	if len(m.b)%65536 != 0 {
		t.Errorf("the file has %d bytes", len(m.b))
	}
}

func TestWriteQcow2(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	filled := func(size int, clusters ...int) []byte {
		b := make([]byte, size)
		for _, c := range clusters {
			for i := c << 16; i < min(size, (c+1)<<16); i++ {
				b[i] = byte(random.Uint32())
			}
		}
		return b
	}
	for name, raw := range map[string][]byte{
		"empty":                  make([]byte, 1<<20),
		"one sector":             filled(512, 0),
		"first and last":         filled(1<<20, 0, 15),
		"all":                    filled(1<<20, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
		"last cluster not whole": filled(1<<20+512, 3, 16),
		"one byte":               func() []byte { b := make([]byte, 1<<20); b[5<<16+77] = 1; return b }(),
	} {
		t.Run(name, func(t *testing.T) {
			var out image
			if err := WriteQcow2(&out, bytes.NewReader(raw), int64(len(raw))); err != nil {
				t.Fatal(err)
			}
			uses := map[uint64]int{}
			if got := out.read(t, uses); !bytes.Equal(got, raw) {
				t.Error("reads back other bytes")
			}
			out.refcounts(t, uses)
		})
	}
}

func TestWriteQcow2Refuses(t *testing.T) {
	for _, size := range []int64{-1, 0, 100, 1<<44 + 512} {
		if err := WriteQcow2(&image{}, bytes.NewReader(nil), size); err == nil {
			t.Errorf("a disk of %d bytes was written", size)
		}
	}
	if err := WriteQcow2(&image{}, bytes.NewReader(make([]byte, 512)), 1024); err == nil {
		t.Error("written from a source that ends too early")
	}
}

// clusters is a disk with little in it, that knows its holes.
type clusters map[int64][]byte

func (c clusters) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	copy(p, c[off>>16])
	return len(p), nil
}

func (c clusters) NextData(off int64) (int64, error) {
	for _, at := range slices.Sorted(maps.Keys(c)) {
		if at<<16 >= off {
			return at << 16, nil
		}
	}
	return 0, io.EOF
}

// TestLargeDisk: clusters far apart need several L2 tables, of which those
// without a cluster are not there.
func TestLargeDisk(t *testing.T) {
	raw := clusters{}
	for _, c := range []int64{1, 8191, 8192, 8207, 3 * 8192, 16<<14 - 1} {
		raw[c] = bytes.Repeat([]byte{byte(c), 1}, 1<<15)
	}
	var out image
	if err := WriteQcow2(&out, raw, 16<<30); err != nil {
		t.Fatal(err)
	}
	uses := map[uint64]int{}
	got := out.clusters(t, uses)
	for c, data := range raw {
		if !bytes.Equal(got[uint64(c)], data) {
			t.Errorf("cluster %d reads back other bytes", c)
		}
		delete(got, uint64(c))
	}
	if len(got) > 0 {
		t.Errorf("%d clusters too many", len(got))
	}
	out.refcounts(t, uses)
	if len(out.b) > 16<<16 {
		t.Errorf("the file has %d bytes", len(out.b))
	}
}

// TestHolesAreTheSame: what the file system knows of holes does not change the
// result.
func TestHolesAreTheSame(t *testing.T) {
	const size = 3 << 20
	f, err := os.Create(filepath.Join(t.TempDir(), "raw"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	for _, off := range []int64{1000, 1<<20 - 1, 2<<20 + 12345} {
		if _, err := f.WriteAt([]byte("data"), off); err != nil {
			t.Fatal(err)
		}
	}
	var sparse, plain image
	if err := WriteQcow2(&sparse, sparseFile{f}, size); err != nil {
		t.Fatal(err)
	}
	if err := WriteQcow2(&plain, io.NewSectionReader(f, 0, size), size); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(sparse.b, plain.b) {
		t.Error("the results differ")
	}
}

func TestArguments(t *testing.T) {
	args := Work{}.Arguments("/x/image with space")
	if args[len(args)-1] != "/x/image with space" || !slices.Contains(args, Label) {
		t.Errorf("%q", args)
	}
	if i := slices.Index(args, "-E"); i < 0 || !bytes.Contains([]byte(args[i+1]), []byte("hash_seed=")) || !bytes.Contains([]byte(args[i+1]), []byte("assume_storage_prezeroed=1")) {
		t.Errorf("%q: the result would depend on the moment, or the guest would fill its overlay", args)
	}
}
