package changes

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// Text is the lines that differ between two texts.
type Text struct {
	Hunks   []Hunk `json:"hunks"`
	Added   int    `json:"added"`          // lines
	Removed int    `json:"removed"`        // lines
	Cut     bool   `json:"cut,omitempty"`  // there are more hunks than these
	Part    *Part  `json:"part,omitempty"` // what was compared of a large file; absent: all of it
}

// Part is what was compared of a large file.
type Part struct {
	From  int64 `json:"from"`  // bytes before it, which are the same on both sides
	Bytes int64 `json:"bytes"` // of the longer side
}

// Hunk is lines that differ, with those around them.
type Hunk struct {
	Before      int    `json:"before"`      // number of its first line on that side, from 1; 0 where it has none
	BeforeLines int    `json:"beforeLines"` // how many it has
	After       int    `json:"after"`
	AfterLines  int    `json:"afterLines"`
	Lines       []Line `json:"lines"`
}

// Op says what became of a line, a row or a cell.
type Op string

// Ops.
const (
	Same    Op = "same"
	Added   Op = "added"
	Removed Op = "removed"
	Changed Op = "changed" // of rows and cells
)

// Line is a line of a text, without its end.
type Line struct {
	Op    Op     `json:"op"`
	Text  string `json:"text"`
	Start bool   `json:"start,omitempty"` // it begins earlier than shown
	Cut   bool   `json:"cut,omitempty"`   // it goes on longer than shown
	Open  bool   `json:"open,omitempty"`  // the last one, without a line end
}

// around is how many equal lines are shown beside those that differ.
const around = 3

// texts compares two texts.
func (c *Comparison) texts(ctx context.Context, before, after *opened, l Limits) error {
	w, err := window(ctx, before, after, l)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, side := range []*Side{before.side, after.side} {
			if side != nil {
				side.Missing = "unreadable"
			}
		}
		return nil
	}
	b, a := splitLines(w.before, w.beforeCut, l), splitLines(w.after, w.afterCut, l)
	if before.side != nil && after.side != nil {
		if x, y := before.side.Encoding, after.side.Encoding; x != y && before.side.Size > 0 && after.side.Size > 0 {
			c.Facts = append(c.Facts, Fact{Code: FactEncoding, Before: string(x), After: string(y)})
		}
		if b.ends != a.ends && b.ends != "" && a.ends != "" {
			c.Facts = append(c.Facts, Fact{Code: FactLineEnds, Before: b.ends, After: a.ends})
		}
	}
	c.Kind, c.Text = KindText, hunks(b, a, w.lines, l)
	if w.from > 0 || w.beforeCut || w.afterCut || b.cut || a.cut {
		c.Text.Part = &Part{From: w.from, Bytes: max(w.beforeBytes, w.afterBytes)}
	}
	if comma := separator(c.Change.Path, w.before+w.after); comma != 0 && c.Text.Part == nil {
		if c.Table = table(w.before, w.after, comma, l); c.Table != nil {
			c.Kind = KindTable
		}
	}
	return nil
}

// view is the part of two texts that is compared.
type view struct {
	from                    int64 // bytes before it
	lines                   int   // line ends before it
	before, after           string
	beforeBytes, afterBytes int64
	beforeCut, afterCut     bool // the text goes on
}

const block = 64 << 10 // even, so that no unit of UTF-16 is cut

// window reads what is to be compared: all of it, or for large files from a
// little before the first difference on.
func window(ctx context.Context, before, after *opened, l Limits) (view, error) {
	var w view
	if max(before.size(), after.size()) > l.Text && before.side != nil && after.side != nil && before.side.Encoding == after.side.Encoding {
		if err := w.skip(ctx, before, after, l); err != nil {
			return w, err
		}
	}
	var err error
	if w.before, w.beforeBytes, w.beforeCut, err = w.read(before, l); err != nil {
		return w, err
	}
	w.after, w.afterBytes, w.afterCut, err = w.read(after, l)
	return w, err
}

// skip moves the view on to the line in which the two begin to differ, or to
// where the limit is.
func (w *view) skip(ctx context.Context, before, after *opened, l Limits) error {
	encoding := before.side.Encoding
	b, a := make([]byte, block), make([]byte, block)
	var last []byte // the block before, which is the same on both sides
	for offset := int64(0); ; offset += block {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := before.read(b, offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		m, err := after.read(a, offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n == block && m == block && offset < l.Skip && bytes.Equal(a, b) {
			if last != nil {
				ends, _ := encoding.lineEnds(last)
				w.lines += ends
			}
			last = append(last[:0], b...)
			continue
		}
		if last == nil {
			return nil // they differ in their first block
		}
		// A few lines of the block before are shown beside the difference.
		w.from = offset - block
		if _, first := encoding.lineEnds(last); first >= 0 && w.from > 0 {
			w.from += int64(first)
			w.lines++
		}
		return nil
	}
}

// read reads one side of the view as whole lines, where it has any.
func (w *view) read(o *opened, l Limits) (text string, n int64, cut bool, err error) {
	rest := o.size() - w.from
	if rest <= 0 {
		return "", 0, false, nil
	}
	b := make([]byte, min(rest, l.Text&^1))
	got, err := o.read(b, w.from)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", 0, false, err
	}
	b = b[:got]
	cut = int64(got) < rest
	if cut && (o.side.Encoding == UTF8 || o.side.Encoding == UTF8BOM) {
		b = wholeRunes(b)
	}
	text = o.side.Encoding.decode(b, w.from)
	if cut {
		if i := strings.LastIndexByte(text, '\n'); i >= 0 {
			text = text[:i+1]
		}
	}
	return text, int64(len(b)), cut, nil
}

// lines is a text in lines.
type lines struct {
	text []string
	open bool   // the last line has no end
	ends string // "lf", "crlf", "cr", "mixed"; "" without a line end
	cut  bool   // it has more than these
}

func splitLines(s string, cut bool, l Limits) lines {
	var out lines
	if s == "" {
		return out
	}
	end := "\n"
	if !strings.Contains(s, "\n") && strings.Contains(s, "\r") {
		end, out.ends = "\r", "cr" // as computers did that nobody has any more, but some programs still do
	}
	out.text = strings.SplitN(s, end, l.Lines+1)
	switch last := len(out.text) - 1; {
	case last == l.Lines:
		out.text, out.cut = out.text[:last], out.text[last] != ""
	case out.text[last] == "":
		out.text = out.text[:last]
	default:
		out.open = !cut
	}
	if end == "\r" {
		return out
	}
	crlf := 0
	for i, t := range out.text {
		if strings.HasSuffix(t, "\r") {
			out.text[i], crlf = t[:len(t)-1], crlf+1
		}
	}
	ended := len(out.text)
	if out.open {
		ended--
	}
	switch {
	case ended == 0:
	case crlf == 0:
		out.ends = "lf"
	case crlf >= ended:
		out.ends = "crlf"
	default:
		out.ends = "mixed"
	}
	return out
}

// keys are what lines are compared by: a last line without an end is another
// than one with it.
func (s lines) keys() []string {
	if !s.open {
		return s.text
	}
	out := append([]string(nil), s.text...)
	out[len(out)-1] += "\x00"
	return out
}

// hunks makes the differences of two texts that begin behind skipped lines.
func hunks(before, after lines, skipped int, l Limits) *Text {
	out := &Text{Hunks: []Hunk{}}
	edits := align(before.keys(), after.keys())
	for _, e := range edits {
		out.Removed += e.BEnd - e.B
		out.Added += e.AEnd - e.A
	}
	shown := 0
	for len(edits) > 0 {
		n := 1 // edits of this hunk
		for n < len(edits) && edits[n].B-edits[n-1].BEnd <= 2*around {
			n++
		}
		h := hunk{before: before, after: after, room: l.Shown - shown, length: l.Length}
		if h.room <= 0 {
			out.Cut = true
			break
		}
		out.Cut = h.fill(edits[:n]) || out.Cut
		h.number(skipped)
		out.Hunks = append(out.Hunks, h.Hunk)
		shown += len(h.Lines)
		edits = edits[n:]
	}
	return out
}

// hunk is a Hunk in the making.
type hunk struct {
	Hunk
	before, after lines
	room, length  int
	b, a          int // where it begins
}

// fill puts in the lines; it reports whether some had no room.
func (h *hunk) fill(edits []edit) (cut bool) {
	lead := min(around, edits[0].B)
	h.b, h.a = edits[0].B-lead, edits[0].A-lead
	b := h.b
	for _, e := range edits {
		h.same(b, e.B)
		b = e.BEnd
		h.replaced(e)
	}
	h.same(b, min(len(h.before.text), b+around))
	return h.room < 0
}

func (h *hunk) put(op Op, line Line) {
	if h.room--; h.room < 0 {
		return
	}
	line.Op = op
	h.Lines = append(h.Lines, line)
	if op != Added {
		h.BeforeLines++
	}
	if op != Removed {
		h.AfterLines++
	}
}

func (h *hunk) same(from, to int) {
	for i := from; i < to && h.room > 0; i++ {
		h.put(Same, h.before.line(i, 0, h.length))
	}
}

// replaced puts in what was and what is instead. Long lines are shown where
// they begin to differ.
func (h *hunk) replaced(e edit) {
	from := func(i, j int) int {
		if i >= e.BEnd || j >= e.AEnd {
			return 0
		}
		return differAt(h.before.text[i], h.after.text[j])
	}
	// Both sides get room: nobody learns from a thousand lines that are gone.
	gone := e.BEnd - e.B
	if e.AEnd > e.A {
		gone = min(gone, max(h.room-min(e.AEnd-e.A, h.room/2), 0))
	}
	if gone < e.BEnd-e.B {
		defer func() { h.room = -1 }()
	}
	for i := e.B; i < e.B+gone && h.room >= 0; i++ {
		h.put(Removed, h.before.line(i, from(i, e.A+i-e.B), h.length))
	}
	for j := e.A; j < e.AEnd && h.room >= 0; j++ {
		h.put(Added, h.after.line(j, from(e.B+j-e.A, j), h.length))
	}
}

// number gives the hunk its line numbers.
func (h *hunk) number(skipped int) {
	if h.BeforeLines > 0 {
		h.Before = skipped + h.b + 1
	}
	if h.AfterLines > 0 {
		h.After = skipped + h.a + 1
	}
}

// line is what is shown of line i. differs is the byte where it begins to differ
// from its other side.
func (s lines) line(i, differs, length int) Line {
	text := s.text[i]
	out := Line{Open: s.open && i == len(s.text)-1}
	if utf8.RuneCountInString(text) > length {
		text, out.Start, out.Cut = excerpt(text, differs, length)
	}
	out.Text = text
	return out
}

// excerpt is a part of a text that is longer than length runes, from its begin or from a little
// before the byte where it differs: whether it begins earlier, and goes on longer.
func excerpt(text string, differs, length int) (part string, start, cut bool) {
	if lead := length / 4; utf8.RuneCountInString(text[:differs]) > length-lead {
		for n := 0; n < lead && differs > 0; n++ {
			_, size := utf8.DecodeLastRuneInString(text[:differs])
			differs -= size
		}
		text, start = text[differs:], true
	}
	part, cut = firstRunes(text, length)
	return part, start, cut
}

// differAt returns the byte at which two texts begin to differ, on the border
// of a rune.
func differAt(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	for i > 0 && i < len(a) && !utf8.RuneStart(a[i]) {
		i--
	}
	return i
}

// firstRunes returns at most n runes of s, and whether there are more.
func firstRunes(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}
