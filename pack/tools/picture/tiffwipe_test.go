package picture

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// tiffEntry is a tag with its value as it stands in the file.
type tiffEntry struct {
	tag, kind uint16
	value     []byte
}

// tiffOf makes a TIFF whose pages have a pixel each, and further entries. The page
// smaller is no page, but a smaller picture of the one with the value PPPP.
func tiffOf(order binary.AppendByteOrder, mark string, smaller int, pages ...[]tiffEntry) []byte {
	b := append(order.AppendUint32(order.AppendUint16([]byte(mark), 42), 0), 0) // a pixel at 8
	put := func(at, v int) { order.AppendUint32(b[:at], uint32(v)) }
	next := 4
	for i, more := range pages {
		long := func(v uint32) []byte { return order.AppendUint32(nil, v) }
		entries := append([]tiffEntry{{tagWidth, 4, long(1)}, {tagHeight, 4, long(1)}, {tagStripOffsets, 4, long(8)}, {tagStripCounts, 4, long(1)}}, more...)
		at := len(b)
		if i == smaller {
			put(bytes.Index(b, []byte("PPPP")), at)
		} else {
			put(next, at)
		}
		b = order.AppendUint16(b, uint16(len(entries)))
		values := at + 2 + len(entries)*entrySize + 4
		var far []byte
		for _, e := range entries {
			n := len(e.value) / int(typeSizes[e.kind])
			b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, e.tag), e.kind), uint32(n))
			if len(e.value) <= 4 {
				b = append(b, append(bytes.Clone(e.value), 0, 0, 0, 0)[:4]...)
				continue
			}
			b = order.AppendUint32(b, uint32(values+len(far)))
			far = append(far, e.value...)
		}
		if i != smaller {
			next = len(b)
		}
		b = append(append(b, 0, 0, 0, 0), far...)
	}
	return b
}

// No page keeps a text or a place, and every page looks as before.
func TestWipeTIFF(t *testing.T) {
	secret := []byte("SECRET\x00")
	places := bytes.Repeat([]byte("SECRET!!"), 3)
	told := []tiffEntry{{270, 2, secret}, {tagOrientation, 3, []byte{1, 1}}, {305, 2, []byte("SEC\x00")}, {315, 2, secret}, {33922, 12, places}, {0x9C9D, 1, secret}, {34675, 7, []byte("colours")}}
	for name, data := range map[string][]byte{
		"Intel":            tiffOf(binary.LittleEndian, "II", -1, told, nil, told),
		"Motorola":         tiffOf(binary.BigEndian, "MM", -1, told, told),
		"smaller pictures": tiffOf(binary.BigEndian, "MM", 1, append(told, tiffEntry{tagSubIFDs, 4, []byte("PPPP")}), told, told),
		"nothing to wipe":  file(t, "pages.tiff"),
	} {
		t.Run(name, func(t *testing.T) {
			before, err := look(data)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "a.tiff")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			err = WipeTIFF(f, int64(len(data)))
			f.Close()
			got, rerr := os.ReadFile(path)
			if err != nil || rerr != nil {
				t.Fatal(err, rerr)
			}
			if after, err := look(got); err != nil || after != before {
				t.Errorf("it is %+v, %v, and was %+v", after, err, before)
			}
			if bytes.Contains(got, []byte("SEC")) || bytes.Count(got, []byte("colours")) != bytes.Count(data, []byte("colours")) {
				t.Errorf("left: %q", got)
			}
			if name == "nothing to wipe" && !bytes.Equal(got, data) {
				t.Error("it is not as it was")
			}
		})
	}
}

type memory []byte

func (m memory) ReadAt(b []byte, at int64) (int, error) { return bytes.NewReader(m).ReadAt(b, at) }

func (m memory) WriteAt(b []byte, at int64) (int, error) { return copy(m[at:], b), nil }

func FuzzWipeTIFF(f *testing.F) {
	f.Add(tiffOf(binary.LittleEndian, "II", 1, []tiffEntry{{270, 2, []byte("SECRET\x00")}, {tagSubIFDs, 4, []byte("PPPP")}}, nil, nil))
	f.Add(file(f, "pages.tiff"))
	f.Fuzz(func(_ *testing.T, data []byte) { _ = WipeTIFF(memory(data), int64(len(data))) }) // it ends
}
