package plaintext

import (
	"bufio"
	"errors"
	"io"
	"unicode"
)

// Max bounds the text of one document, in bytes.
const Max = 32 << 20

// Errors of documents.
var (
	ErrTooLarge = errors.New("the document has more text than can be taken out")
	ErrKind     = errors.New("the file is not such a document")
)

// writer writes lines. What cannot be seen is left out, and of several empty
// lines all but one. The first error stays.
type writer struct {
	w     *bufio.Writer
	n     int64
	err   error
	begun bool // something was written
	feeds int  // line feeds that are due before the next character
	space bool // likewise a space
}

func newWriter(w io.Writer) *writer { return &writer{w: bufio.NewWriterSize(w, 64<<10)} }

// inLine reports whether something stands in the line so far.
func (t *writer) inLine() bool { return t.begun && t.feeds == 0 }

// words writes text in which runs of white space count as one space.
func (t *writer) words(s string) {
	for _, r := range s {
		if unicode.IsSpace(r) && r != '\u00A0' && r != '\u202F' {
			t.space = t.inLine()
			continue
		}
		t.char(r)
	}
}

// exact writes text with its spaces and line ends.
func (t *writer) exact(s string) {
	for _, r := range s {
		if r == '\n' {
			t.lineFeed()
		} else {
			t.char(r)
		}
	}
}

// char writes a character that can be seen.
func (t *writer) char(r rune) {
	if !shown(r) {
		return
	}
	if t.begun {
		for range t.feeds {
			t.put('\n')
		}
	}
	t.feeds = 0
	if t.space {
		t.put(' ')
		t.space = false
	}
	t.put(r)
	t.begun = true
}

// shown reports whether a character is one of a text, not of its form.
func shown(r rune) bool {
	return r == '\t' || r >= ' ' && r != 0x7F && r != '\u00AD' && r != '\u200B' && r != '\uFEFF'
}

// lineFeed ends a line, which may be empty.
func (t *writer) lineFeed() {
	t.space = false
	t.feeds = min(t.feeds+1, 2)
}

// lineEnd ends a line in which something is.
func (t *writer) lineEnd() {
	t.space = false
	t.feeds = max(t.feeds, 1)
}

// gap ends a line and leaves one empty.
func (t *writer) gap() {
	t.space = false
	t.feeds = 2
}

// tab leaves room between the cells of a row.
func (t *writer) tab() {
	t.space = false
	if t.inLine() {
		t.char('\t')
	}
}

func (t *writer) put(r rune) {
	if t.err != nil {
		return
	}
	n, err := t.w.WriteRune(r)
	if t.err = err; err == nil {
		if t.n += int64(n); t.n > Max {
			t.err = ErrTooLarge
		}
	}
}

// close ends the text with a line feed.
func (t *writer) close() error {
	if t.begun {
		t.put('\n')
	}
	if t.err != nil {
		return t.err
	}
	return t.w.Flush()
}
