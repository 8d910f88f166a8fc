package picture

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"
)

func box(kind string, content ...[]byte) []byte {
	body := slices.Concat(content...)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
}

func numbers(width int, ns ...uint64) (b []byte) {
	for _, n := range ns {
		b = append(b, binary.BigEndian.AppendUint64(nil, n)[8-width:]...)
	}
	return b
}

// filmOf is a film with a head of the time, and what else is told of it.
func filmOf(head []byte, told ...[]byte) []byte {
	return slices.Concat(box("ftyp", []byte("isom\x00\x00\x02\x00")), box("mdat", []byte("data")), box("moov", append([][]byte{box("mvhd", head)}, told...)...))
}

// appleOf is what phones of Apple tell; before is what stands in front of it.
func appleOf(before []byte, when string) []byte {
	hdlr := box("hdlr", make([]byte, 24))
	keys := box("keys", numbers(4, 0, 2), box("mdta", []byte("com.apple.quicktime.make")), box("mdta", []byte("com.apple.quicktime.creationdate")))
	value := func(n uint64, s string) []byte {
		return box(string(numbers(4, n)), box("data", numbers(4, 1, 0), []byte(s)))
	}
	return box("meta", before, hdlr, keys, box("ilst", value(1, "Apple"), value(2, when)))
}

// heicOf is a picture whose Exif data lies within its list of items.
func heicOf(version byte, exif []byte) []byte {
	wide := 2
	if version > 1 {
		wide = 4
	}
	data := append(numbers(4, 6), exif...)
	infe := box("infe", []byte{byte(wide/2) + 1, 0, 0, 0}, numbers(wide, 7), numbers(2, 0), []byte("Exif\x00"))
	iinf := box("iinf", []byte{0, 0, 0, 0}, numbers(2, 1), infe)
	iloc := box("iloc", []byte{version, 0, 0, 0}, numbers(2, 0x4440), numbers(wide, 2),
		numbers(wide, 3), numbers(2, 0, 0), numbers(4, 0), numbers(2, 1), numbers(4, 9, 9),
		numbers(wide, 7), numbers(2, 1, 0), numbers(4, 2), numbers(2, 1), numbers(4, 1, uint64(len(data))))
	return slices.Concat(box("ftyp", []byte("heic\x00\x00\x00\x00")), box("meta", numbers(4, 0), iloc, iinf, box("idat", []byte{1, 2, 3}, data)))
}

var takenFiles = func() map[string]struct {
	data []byte
	want string
} {
	const day, said = "2024:02:29 23:59:58", "2024-02-29T23:59:58+05:30"
	exif := exifBytes(binary.BigEndian, "MM", 1, day, "+05:30")
	raw := exif[6:]
	olympus := append([]byte("IIRO"), exifBytes(binary.LittleEndian, "II", 1, day, "+05:30")[10:]...)
	long := append(numbers(4, 1<<24), numbers(8, 3_800_000_000)...)
	short := numbers(4, 0, 3_800_000_000, 0)
	local := time.Date(2024, 5, 31, 11, 33, 20, 0, time.UTC).Local().Format(time.RFC3339)
	apple := "2024-05-31T23:30:00+0200"
	return map[string]struct {
		data []byte
		want string
	}{
		"raw":                    {raw, said},
		"raw of Olympus":         {olympus, said},
		"raw that is cut off":    {raw[:60], ""},
		"film":                   {filmOf(short), local},
		"film, wide numbers":     {filmOf(long), local},
		"film without a clock":   {filmOf(numbers(4, 0, 0, 0)), ""},
		"film of before 1970":    {filmOf(numbers(4, 0, 2_000_000_000, 0)), ""},
		"film of a far year":     {filmOf(append([]byte{1, 0, 0, 0}, numbers(8, 1<<40)...)), ""},
		"film of a phone":        {filmOf(short, appleOf(nil, apple)), "2024-05-31T23:30:00+02:00"},
		"film of a phone, ISO":   {filmOf(short, appleOf(numbers(4, 0), apple)), "2024-05-31T23:30:00+02:00"},
		"film of a wrong moment": {filmOf(short, appleOf(nil, "yesterday")), local},
		"heic, in the list":      {heicOf(1, exif), said},
		"heic, wide numbers":     {heicOf(2, exif), said},
		"heic without a time":    {heicOf(1, exifBytes(binary.BigEndian, "MM", 1, "", "")), ""},
		"text":                   {[]byte("Dear diary"), ""},
		"nothing":                {nil, ""},
	}
}()

func TestTaken(t *testing.T) {
	for name, tt := range takenFiles {
		if got := Taken(bytes.NewReader(tt.data), int64(len(tt.data))); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	heic := file(t, "taken.heic")
	if got := Taken(bytes.NewReader(heic), int64(len(heic))); got != "2024-02-29T23:59:58+05:30" {
		t.Errorf("a HEIC of exiftool: %q", got)
	}
}

// counted counts how often a file is read.
type counted struct {
	*bytes.Reader
	n int
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	c.n++
	return c.Reader.ReadAt(b, at)
}

// A file in which all that says when it was taken stands a thousand times is read no more often
// than one where it stands once.
func TestTakenOfRepetitions(t *testing.T) {
	const times = 1000
	order := binary.LittleEndian
	tiff := append([]byte("II*\x00"), order.AppendUint32(nil, 8)...)
	inner := uint32(8 + 2 + times*entrySize + 4)
	directory := func(tag uint16, kind uint16, count, value uint32) []byte {
		b := order.AppendUint16(nil, times)
		for range times {
			b = order.AppendUint32(order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tag), kind), count), value)
		}
		return append(b, 0, 0, 0, 0)
	}
	tiff = append(tiff, directory(tagExifIFD, 4, 1, inner)...)
	tiff = append(tiff, directory(tagOriginal, 2, 20, inner)...)
	heic := heicOf(1, append([]byte("Exif\x00\x00"), tiff...))
	meta := heic[16:]
	for name, data := range map[string][]byte{"tiff": tiff, "heic": append(heic, bytes.Repeat(meta, times)...)} {
		in := &counted{Reader: bytes.NewReader(data)}
		if Taken(in, int64(len(data))); in.n > times+100 {
			t.Errorf("%s: %d reads", name, in.n)
		}
	}
}

// What Inspect says of a picture is what Taken says.
func TestInspectTaken(t *testing.T) {
	exif := exifBytes(binary.LittleEndian, "II", 1, "2024:02:29 23:59:58", "+05:30")[6:]
	tiff := tiffOf(binary.LittleEndian, "II", -1, []tiffEntry{{tagExifIFD, 4, []byte("EEEE")}})
	at := len(tiff) - 38 // where the Exif directory counts from
	binary.LittleEndian.PutUint32(tiff[bytes.Index(tiff, []byte("EEEE")):], uint32(len(tiff)))
	directory := bytes.Clone(exif[38:])
	for _, entry := range []int{2, 2 + entrySize} {
		value := directory[entry+8:]
		binary.LittleEndian.PutUint32(value, binary.LittleEndian.Uint32(value)+uint32(at))
	}
	for name, data := range map[string][]byte{"tiff": append(tiff, directory...), "heic": file(t, "taken.heic")} {
		if info, err := look(data); err != nil || info.Taken != "2024-02-29T23:59:58+05:30" {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
}

func FuzzTaken(f *testing.F) {
	for _, tt := range takenFiles {
		f.Add(tt.data)
	}
	f.Add(file(f, "taken.heic"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := Taken(bytes.NewReader(data), int64(len(data)))
		if _, err := time.Parse(time.RFC3339, got); got != "" && err != nil {
			t.Errorf("%q", got)
		}
	})
}
