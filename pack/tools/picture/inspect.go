package picture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Format is a picture format by the name of its usual suffix.
type Format string

// Formats that are followed to their end.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	GIF  Format = "gif"
	WebP Format = "webp"
	BMP  Format = "bmp"
	TIFF Format = "tiff"
	HEIC Format = "heic"
	AVIF Format = "avif"
)

// Info is what a picture file says of itself.
type Info struct {
	Format        Format
	Width, Height int    // stored pixels, before Orientation
	Orientation   int    // Exif 1…8; 1 is upright
	Alpha         bool   // has or may have transparent pixels
	Frames        int    // pages or animation frames, at least 1
	Depth         int    // bits per sample, 0 when the format does not say it in front
	Components    int    // JPEG: 1 grey, 3 colour, 4 CMYK
	Coding        byte   // JPEG: the SOFn marker, 0xC0 baseline, 0xC2 progressive
	Lossless      bool   // WebP: no JPEG-like loss
	Taken         string // when, by the camera's clock, RFC 3339; "" when it does not say

	End       int64 // JPEG: bytes up to and with EOI; what follows is not this picture
	MPFOffset int64 // JPEG: where the four bytes "MPF\0" stand that announce more pictures, 0 without
}

// Error says why a file is not a whole picture that can be used.
type Error struct {
	Unsupported bool   // it may be whole, but is of a kind nobody here reads
	Detail      string // in English, for a log
}

func (e *Error) Error() string { return e.Detail }

func broken(format string, args ...any) error {
	return &Error{Detail: fmt.Sprintf(format, args...)}
}

func unsupported(format string, args ...any) error {
	return &Error{Unsupported: true, Detail: fmt.Sprintf(format, args...)}
}

// maxSegment bounds what is kept of a file in memory at a time, in bytes.
const maxSegment = 1 << 20

// BufferSize is how many bytes are read at a time: a share answers few large reads
// much faster than many small ones.
const BufferSize = 512 << 10

// Inspect reads r to its end and says what picture it holds; a *bufio.Reader of at
// least BufferSize gets no other one in front. at reads the same
// file at any place and is used for TIFF, HEIC and AVIF; size is the length of both in
// bytes. Errors are *Error when the content is the reason, else those of
// reading.
func Inspect(r io.Reader, at io.ReaderAt, size int64) (Info, error) {
	in := &input{r: bufio.NewReaderSize(r, BufferSize), size: size}
	info, err := inspect(in, at)
	// The whole file is read in any case: the caller hashes it.
	if _, cerr := io.Copy(io.Discard, in.r); cerr != nil {
		return Info{}, cerr
	}
	if err != nil {
		return Info{}, err
	}
	if info.Width <= 0 || info.Height <= 0 {
		return Info{}, broken("%s: a picture of %d × %d pixels", info.Format, info.Width, info.Height)
	}
	if info.Orientation < 1 || info.Orientation > 8 {
		info.Orientation = 1
	}
	info.Frames = max(info.Frames, 1)
	return info, nil
}

func inspect(in *input, at io.ReaderAt) (Info, error) {
	head, err := in.r.Peek(16)
	if len(head) == 0 && errors.Is(err, io.EOF) {
		return Info{}, broken("the file is empty")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return Info{}, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0xFF, 0xD8, 0xFF}):
		return inspectJPEG(in)
	case bytes.HasPrefix(head, []byte(pngSignature)):
		return inspectPNG(in)
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return inspectGIF(in)
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return inspectWebP(in)
	case bytes.HasPrefix(head, []byte("BM")) && len(head) == 16:
		return inspectBMP(in)
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		return inspectTIFF(at, in.size)
	case len(head) >= 12 && string(head[4:8]) == "ftyp":
		info, err := inspectISO(in)
		if err == nil {
			info.Taken = Taken(at, in.size)
		}
		return info, err
	}
	if name := foreign(head); name != "" {
		return Info{}, unsupported("the file is %s", name)
	}
	if bytes.Count(head, []byte{0}) == len(head) {
		return Info{}, broken("the file begins with zeros only")
	}
	return Info{}, unsupported("the content is not a known picture format")
}

// foreign names well-known files that are not taken for pictures.
func foreign(head []byte) string {
	for _, f := range []struct{ magic, name string }{
		{"%PDF-", "a PDF document"}, {"8BPS", "a Photoshop document"}, {"<svg", "an SVG drawing"}, {"<?xml", "an XML document"},
		{"PK\x03\x04", "a ZIP archive or office document"}, {"II+\x00", "a BigTIFF"}, {"MM\x00+", "a BigTIFF"},
		{"\x00\x00\x00\x0cjP  ", "a JPEG 2000 picture"}, {"\x00\x00\x00\x0cJXL ", "a JPEG XL picture"}, {"\xff\x0a", "a JPEG XL picture"},
		{"%!PS", "a PostScript document"}, {"\xc5\xd0\xd3\xc6", "an EPS document"}, {"\x00\x00\x01\x00", "an icon file"},
		{"\x1aE\xdf\xa3", "a video"}, {"RIFF", "a sound or video"}, {"ID3", "a sound"}, {"OggS", "a sound or video"},
	} {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.name
		}
	}
	return ""
}

// input reads forward and counts. Its errors are [Error] at an early end of
// the file.
type input struct {
	r    *bufio.Reader
	size int64 // of the file
	pos  int64
}

// early turns the end of the file into a broken picture.
func early(err error, what string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return broken("the file ends within %s", what)
	}
	return err
}

func (in *input) byte(what string) (byte, error) {
	b, err := in.r.ReadByte()
	if err != nil {
		return 0, early(err, what)
	}
	in.pos++
	return b, nil
}

// past reads up to and with the next mark. It is a plain loop: bytes.IndexByte,
// which bufio uses, has vectors that an emulated processor is slow at, where marks
// are close to each other.
func (in *input) past(mark byte, what string) error {
	for {
		if in.r.Buffered() == 0 {
			if _, err := in.r.Peek(1); err != nil {
				return early(err, what)
			}
		}
		part, _ := in.r.Peek(in.r.Buffered()) // what is there has no error
		for i, b := range part {
			if b == mark {
				return in.skip(int64(i)+1, what)
			}
		}
		if err := in.skip(int64(len(part)), what); err != nil {
			return err
		}
	}
}

// take reads n bytes; n is at most maxSegment.
func (in *input) take(n int64, what string) ([]byte, error) {
	if n < 0 || n > maxSegment {
		return nil, broken("%s has %d bytes", what, n)
	}
	b := make([]byte, n)
	m, err := io.ReadFull(in.r, b)
	in.pos += int64(m)
	if err != nil {
		return nil, early(err, what)
	}
	return b, nil
}

// skip reads over n bytes.
func (in *input) skip(n int64, what string) error {
	for n > 0 {
		m, err := in.r.Discard(int(min(n, 1<<30)))
		in.pos += int64(m)
		n -= int64(m)
		if err != nil {
			return early(err, what)
		}
	}
	return nil
}

// left is how many bytes the file still has after pos.
func (in *input) left() int64 { return in.size - in.pos }
