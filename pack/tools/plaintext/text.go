package plaintext

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Text copies text in UTF-8, in UTF-16 with a byte order mark, or else in
// Windows-1252, line by line as it is. in is read twice.
func Text(w io.Writer, in io.ReadSeeker) error {
	text, err := Decoded(in)
	if err != nil {
		return err
	}
	out := newWriter(w)
	r := bufio.NewReaderSize(text, 64<<10)
	last := rune('\n')
	for out.err == nil {
		c, _, err := r.ReadRune()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		switch {
		case c == '\n' && last == '\r':
		case c == '\n', c == '\r', c == '\f':
			out.put('\n')
		case shown(c):
			out.put(c)
		}
		last = c
	}
	if last != '\n' && last != '\r' && last != '\f' {
		out.put('\n')
	}
	if out.err != nil {
		return out.err
	}
	return out.w.Flush()
}

// IsUTF16 reports whether a text begins with the byte order mark of UTF-16.
func IsUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xFF\xFE")) || bytes.HasPrefix(head, []byte("\xFE\xFF"))
}

// Decoded is a text in UTF-8, of one in an encoding that [Text] takes. A mark of UTF-8
// stays in it. in is read twice.
func Decoded(in io.ReadSeeker) (io.Reader, error) {
	head := make([]byte, 2)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if IsUTF16(head[:n]) {
		_, err := in.Seek(0, io.SeekStart)
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(in), err
	}
	valid, err := ValidUTF8(io.MultiReader(bytes.NewReader(head[:n]), in))
	if err != nil {
		return nil, err
	}
	_, err = in.Seek(0, io.SeekStart)
	if !valid {
		return charmap.Windows1252.NewDecoder().Reader(in), err
	}
	return in, err
}

// ValidUTF8 reports whether all that is read is UTF-8.
func ValidUTF8(r io.Reader) (bool, error) {
	in := bufio.NewReaderSize(r, 256<<10)
	for {
		c, size, err := in.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, err
		case c == utf8.RuneError && size == 1:
			return false, nil
		}
	}
}
