package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

func look(b []byte) (Info, error) {
	return Inspect(bytes.NewReader(b), bytes.NewReader(b), int64(len(b)))
}

func sample() *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range m.Pix {
		m.Pix[i] = byte(i*7) | 1
	}
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	return m
}

func encode(t testing.TB, f func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegBytes(t testing.TB) []byte {
	return encode(t, func(w io.Writer) error { return jpeg.Encode(w, sample(), nil) })
}

func pngBytes(t testing.TB) []byte {
	return encode(t, func(w io.Writer) error { return png.Encode(w, sample()) })
}

func gifBytes(t testing.TB) []byte {
	return encode(t, func(w io.Writer) error { return gif.Encode(w, sample(), nil) })
}

// withSegment puts a segment behind SOI.
func withSegment(b []byte, mark byte, data []byte) []byte {
	n := len(data) + 2
	return bytes.Join([][]byte{b[:2], {0xFF, mark, byte(n >> 8), byte(n)}, data, b[2:]}, nil)
}

// exifBytes makes Exif data with an orientation and, unless it is empty, a time.
func exifBytes(order binary.AppendByteOrder, mark string, orientation uint16, taken, zone string) []byte {
	entry := func(b []byte, tag, kind uint16, count, value uint32) []byte {
		b = order.AppendUint16(b, tag)
		b = order.AppendUint16(b, kind)
		b = order.AppendUint32(b, count)
		if kind == 3 {
			return append(order.AppendUint16(b, uint16(value)), 0, 0)
		}
		return order.AppendUint32(b, value)
	}
	b := append([]byte{}, mark...)
	b = order.AppendUint16(b, 42)
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	b = entry(b, tagOrientation, 3, 1, uint32(orientation))
	b = entry(b, tagExifIFD, 4, 1, 38)
	b = order.AppendUint32(b, 0)
	if taken == "" {
		return append([]byte("Exif\x00\x00"), order.AppendUint16(b, 0)...)
	}
	b = order.AppendUint16(b, 2) // at 38
	b = entry(b, tagOriginal, 2, 20, 68)
	b = entry(b, tagOriginalZone, 2, 7, 88)
	b = order.AppendUint32(b, 0)
	b = append(append(append(append(b, taken...), 0), zone...), 0)
	return append([]byte("Exif\x00\x00"), b...)
}

// withChunk puts a chunk behind IHDR.
func withChunk(b []byte, kind string, data []byte) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	c = append(append(c, kind...), data...)
	c = binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
	return bytes.Join([][]byte{b[:33], c, b[33:]}, nil)
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestInspectWhole(t *testing.T) {
	j, p := jpegBytes(t), pngBytes(t)
	gray := encode(t, func(w io.Writer) error { return jpeg.Encode(w, image.NewGray(image.Rect(0, 0, 9, 7)), nil) })
	alpha := encode(t, func(w io.Writer) error { return png.Encode(w, image.NewNRGBA(image.Rect(0, 0, 4, 4))) })
	palette := encode(t, func(w io.Writer) error {
		return png.Encode(w, image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.White}))
	})
	twoFrames := encode(t, func(w io.Writer) error {
		f := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.Transparent})
		return gif.EncodeAll(w, &gif.GIF{Image: []*image.Paletted{f, f}, Delay: []int{1, 1}})
	})
	end := func(i Info, n int) Info { i.End = int64(n); return i }
	jpg := Info{Format: JPEG, Width: 40, Height: 30, Orientation: 1, Frames: 1, Depth: 8, Components: 3, Coding: 0xC0, End: int64(len(j))}
	turned := withSegment(j, markAPP1, exifBytes(binary.LittleEndian, "II", 6, "2024:02:29 23:59:58", "+05:30"))
	motorola := withSegment(j, markAPP1, exifBytes(binary.BigEndian, "MM", 8, "2024:02:29 23:59:58", "      "))
	nonsense := withSegment(j, markAPP1, exifBytes(binary.BigEndian, "MM", 77, "    :  :     :  :  ", "      "))
	mpf := withSegment(j, markAPP2, []byte("MPF\x00II*\x00"))
	taken := func(i Info, when string) Info { i.Taken = when; return i }
	orient := func(i Info, o int) Info { i.Orientation = o; return i }
	tests := map[string]struct {
		data []byte
		want Info
	}{
		"jpeg":                      {j, jpg},
		"jpeg grey":                 {gray, Info{Format: JPEG, Width: 9, Height: 7, Orientation: 1, Frames: 1, Depth: 8, Components: 1, Coding: 0xC0, End: int64(len(gray))}},
		"jpeg turned":               {turned, taken(end(orient(jpg, 6), len(turned)), "2024-02-29T23:59:58+05:30")},
		"jpeg turned, Motorola":     {motorola, taken(end(orient(jpg, 8), len(motorola)), "2024-02-29T23:59:58Z")},
		"jpeg nonsense orientation": {nonsense, end(jpg, len(nonsense))},
		"jpeg with a tail":          {append(bytes.Clone(j), "a video of the same moment"...), jpg},
		"jpeg of several pictures":  {mpf, func() Info { i := end(jpg, len(mpf)); i.MPFOffset = 6; return i }()},
		"jpeg with fill bytes":      {bytes.Replace(j, []byte{0xFF, 0xDB}, []byte{0xFF, 0xFF, 0xFF, 0xDB}, 1), end(jpg, len(j)+2)},
		"png":                       {p, Info{Format: PNG, Width: 40, Height: 30, Orientation: 1, Frames: 1, Depth: 8}},
		"png with alpha":            {alpha, Info{Format: PNG, Width: 4, Height: 4, Orientation: 1, Frames: 1, Depth: 8, Alpha: true}},
		"png palette":               {palette, Info{Format: PNG, Width: 4, Height: 4, Orientation: 1, Frames: 1, Depth: 1}},
		"png with a clear colour":   {withChunk(p, "tRNS", []byte{0, 1, 0, 2, 0, 3}), Info{Format: PNG, Width: 40, Height: 30, Orientation: 1, Frames: 1, Depth: 8, Alpha: true}},
		"png turned":                {withChunk(p, "eXIf", exifBytes(binary.BigEndian, "MM", 3, "", "")[6:]), Info{Format: PNG, Width: 40, Height: 30, Orientation: 3, Frames: 1, Depth: 8}},
		"png animated":              {withChunk(p, "acTL", []byte{0, 0, 0, 5, 0, 0, 0, 0}), Info{Format: PNG, Width: 40, Height: 30, Orientation: 1, Frames: 5, Depth: 8}},
		"gif":                       {gifBytes(t), Info{Format: GIF, Width: 40, Height: 30, Orientation: 1, Frames: 1, Depth: 8}},
		"gif animated":              {twoFrames, Info{Format: GIF, Width: 4, Height: 4, Orientation: 1, Frames: 2, Depth: 8, Alpha: true}},
		"gif without its trailer":   {gifBytes(t)[:len(gifBytes(t))-1], Info{Format: GIF, Width: 40, Height: 30, Orientation: 1, Frames: 1, Depth: 8}},
		"jpeg cmyk":                 {file(t, "cmyk.jpg"), Info{Format: JPEG, Width: 48, Height: 32, Orientation: 1, Frames: 1, Depth: 8, Components: 4, Coding: 0xC0, End: 636}},
		"jpeg progressive":          {file(t, "progressive.jpg"), Info{Format: JPEG, Width: 48, Height: 32, Orientation: 1, Frames: 1, Depth: 8, Components: 3, Coding: 0xC2, End: 670}},
		"png 16 bit":                {file(t, "deep.png"), Info{Format: PNG, Width: 48, Height: 32, Orientation: 1, Frames: 1, Depth: 16}},
		"webp lossy":                {file(t, "lossy.webp"), Info{Format: WebP, Width: 48, Height: 32, Orientation: 1, Frames: 1, Depth: 8}},
		"webp lossless":             {file(t, "lossless.webp"), Info{Format: WebP, Width: 48, Height: 32, Orientation: 1, Frames: 1, Depth: 8, Lossless: true}},
		"webp alpha":                {file(t, "alpha.webp"), Info{Format: WebP, Width: 128, Height: 96, Orientation: 1, Frames: 1, Depth: 8, Alpha: true}},
		"webp animated":             {file(t, "anim.webp"), Info{Format: WebP, Width: 48, Height: 32, Orientation: 1, Frames: 2, Depth: 8}},
		"bmp":                       {file(t, "a.bmp"), Info{Format: BMP, Width: 48, Height: 32, Orientation: 1, Frames: 1, Depth: 8}},
		"tiff":                      {file(t, "lzw.tiff"), Info{Format: TIFF, Width: 48, Height: 32, Orientation: 1, Frames: 1, Depth: 16}},
		"tiff big-endian":           {file(t, "big.tiff"), Info{Format: TIFF, Width: 48, Height: 32, Orientation: 1, Frames: 1, Depth: 16}},
		"tiff pages":                {file(t, "pages.tiff"), Info{Format: TIFF, Width: 48, Height: 32, Orientation: 1, Frames: 3, Depth: 16, Alpha: true}},
		"tiff fax":                  {file(t, "g4.tiff"), Info{Format: TIFF, Width: 48, Height: 32, Orientation: 1, Frames: 1, Depth: 1}},
		"heic":                      {file(t, "a.heic"), Info{Format: HEIC, Width: 128, Height: 96, Orientation: 1, Frames: 1, Depth: 8}},
		"heic alpha":                {file(t, "alpha.heic"), Info{Format: HEIC, Width: 128, Height: 96, Orientation: 1, Frames: 1, Depth: 8, Alpha: true}},
		"avif":                      {file(t, "a.avif"), Info{Format: AVIF, Width: 48, Height: 32, Orientation: 1, Frames: 1, Depth: 8}},
		"avif that moves":           {append(file(t, "a.avif"), box("moov")...), Info{Format: AVIF, Width: 48, Height: 32, Orientation: 1, Frames: 2, Depth: 8}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := look(tt.data)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			// However the bytes come, the answer is the same.
			slow, err := Inspect(iotest.OneByteReader(bytes.NewReader(tt.data)), bytes.NewReader(tt.data), int64(len(tt.data)))
			if err != nil || slow != got {
				t.Errorf("byte by byte: %+v, %v", slow, err)
			}
		})
	}
}

// A file that was cut off anywhere is never taken for whole.
func TestInspectCut(t *testing.T) {
	for name, data := range map[string][]byte{
		"jpeg": jpegBytes(t), "progressive": file(t, "progressive.jpg"), "png": pngBytes(t),
		"webp": file(t, "lossy.webp"), "webp lossless": file(t, "lossless.webp"), "animated webp": file(t, "anim.webp"),
		"bmp": file(t, "a.bmp"), "tiff": file(t, "lzw.tiff"), "pages": file(t, "pages.tiff"), "heic": file(t, "a.heic"), "avif": file(t, "a.avif"),
	} {
		for n := range len(data) {
			info, err := look(data[:n])
			if err == nil {
				t.Errorf("%s: %d of %d bytes are taken for %+v", name, n, len(data), info)
				break
			}
			if _, is := errors.AsType[*Error](err); !is {
				t.Fatalf("%s: %d bytes: error %v has no kind", name, n, err)
			}
		}
	}
	g := gifBytes(t)
	for n := range len(g) - 1 { // the last byte is the trailer
		if info, err := look(g[:n]); err == nil {
			t.Errorf("gif: %d of %d bytes are taken for %+v", n, len(g), info)
			break
		}
	}
}

// PNG has checksums: no changed bit goes unnoticed.
func TestInspectPNGDamage(t *testing.T) {
	p := pngBytes(t)
	for i := range p {
		bad := bytes.Clone(p)
		bad[i] ^= 0x10
		if _, err := look(bad); err == nil {
			t.Errorf("a changed bit in byte %d is not seen", i)
		}
	}
}

func TestInspectRefuses(t *testing.T) {
	p := pngBytes(t)
	circle := file(t, "lzw.tiff")
	ifd := int(binary.LittleEndian.Uint32(circle[4:]))
	n := int(binary.LittleEndian.Uint16(circle[ifd:]))
	binary.LittleEndian.PutUint32(circle[ifd+2+12*n:], uint32(ifd))
	tests := map[string]struct {
		data        []byte
		unsupported bool
	}{
		"empty":                    {nil, false},
		"zeros":                    {make([]byte, 4096), false},
		"text":                     {[]byte("Dear diary, this is not a picture."), true},
		"pdf":                      {[]byte("%PDF-1.7\n%âãÏÓ\n1 0 obj"), true},
		"svg":                      {[]byte(`<svg xmlns="http://www.w3.org/2000/svg">`), true},
		"zip":                      {[]byte("PK\x03\x04aaaaaaaaaaaaaaaa"), true},
		"video":                    {[]byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08free"), true},
		"sound":                    {[]byte("RIFF\x10\x00\x00\x00WAVEfmt aaaaaaaa"), true},
		"msl":                      {[]byte(`<?xml version="1.0"?><image><read filename="/etc/passwd"/></image>`), true},
		"mvg":                      {[]byte("push graphic-context\nviewbox 0 0 640 480\n"), true},
		"jpeg start only":          {[]byte{0xFF, 0xD8, 0xFF}, false},
		"jpeg without a frame":     {[]byte{0xFF, 0xD8, 0xFF, 0xD9}, false},
		"jpeg with a bad segment":  {[]byte{0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0xFF, 0xD9}, false},
		"jpeg of height 0":         {bytes.Replace(jpegBytes(t), []byte{8, 0, 30, 0, 40}, []byte{8, 0, 0, 0, 40}, 1), false},
		"png of no width":          {withIHDR(p, 0, 30), false},
		"png that claims too much": {append(bytes.Clone(p[:33]), 0x7F, 0xFF, 0xFF, 0xFF, 'I', 'D', 'A', 'T'), false},
		"tiff in a circle":         {circle, false},
		"webp that claims more":    {append([]byte("RIFF\xff\xff\x00\x00WEBPVP8 "), make([]byte, 40)...), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := look(tt.data)
			if e, is := errors.AsType[*Error](err); !is || e.Unsupported != tt.unsupported {
				t.Errorf("error = %v, want unsupported %v", err, tt.unsupported)
			}
		})
	}
}

func withIHDR(p []byte, w, h uint32) []byte {
	b := bytes.Clone(p)
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

// An error of reading is not the picture's fault.
func TestInspectReadError(t *testing.T) {
	j := jpegBytes(t)
	r := io.MultiReader(bytes.NewReader(j[:100]), iotest.ErrReader(os.ErrDeadlineExceeded))
	_, err := Inspect(r, bytes.NewReader(j), int64(len(j)))
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error = %v", err)
	}
}

func FuzzInspect(f *testing.F) {
	f.Add(jpegBytes(f))
	f.Add(pngBytes(f))
	f.Add(gifBytes(f))
	entries, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			f.Add(file(f, e.Name()))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		info, err := look(data)
		if err != nil {
			return
		}
		if info.Width <= 0 || info.Height <= 0 || info.Orientation < 1 || info.Orientation > 8 || info.Frames < 1 || info.Format == "" {
			t.Errorf("%+v", info)
		}
		if info.End < 0 || info.End > int64(len(data)) || info.MPFOffset < 0 || info.MPFOffset >= max(1, int64(len(data))) {
			t.Errorf("%+v of %d bytes", info, len(data))
		}
	})
}
