package changes

import (
	"context"
	"errors"
	"fmt"
	"io"

	"piwork/vmhost/share/journal"
)

// Which is a side of a change.
type Which string

// Sides.
const (
	Before Which = "before"
	After  Which = "after" // as the task left it
)

// Content is what a file held on one side.
type Content interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Errors of an Opener.
var (
	// ErrNotKept says that what a file held before is not kept (any more).
	ErrNotKept = errors.New("what was there before is not kept")
	// ErrGone says that what the task left is not there any more: a person changed
	// or removed it since.
	ErrGone = errors.New("what the task left is not there any more")
)

// Opener opens one side of the change. It is asked for sides that have content
// only.
type Opener func(ctx context.Context, side Which) (Content, error)

// Kind says how a change is best looked at.
type Kind string

// Kinds of comparisons.
const (
	KindText  Kind = "text"
	KindTable Kind = "table" // Text is there too
	KindImage Kind = "image"
	KindOther Kind = "other" // bytes that only their program understands
	KindNone  Kind = "none"  // the content is the same, or there is none
)

// Comparison is one change, to be looked at.
type Comparison struct {
	Change journal.Change `json:"change"`
	Kind   Kind           `json:"kind"`
	Facts  []Fact         `json:"facts"`            // what differs beside the content
	Before *Side          `json:"before,omitempty"` // of files that were there
	After  *Side          `json:"after,omitempty"`  // of files that are there
	Text   *Text          `json:"text,omitempty"`
	Table  *Table         `json:"table,omitempty"`
}

// FactCode says what a Fact is about.
type FactCode string

// Facts. Before and After of each are what the comment says.
const (
	FactMoved       FactCode = "moved"        // paths in the folder
	FactMode        FactCode = "mode"         // permission bits, octal
	FactTime        FactCode = "time"         // RFC 3339
	FactTarget      FactCode = "target"       // of a symbolic link
	FactAttributes  FactCode = "attributes"   // neither: extended attributes
	FactEncoding    FactCode = "encoding"     // an Encoding
	FactLineEnds    FactCode = "line-ends"    // "lf", "crlf", "cr" or "mixed"
	FactSameContent FactCode = "same-content" // neither
)

// Fact is something that differs and is no content.
type Fact struct {
	Code   FactCode `json:"code"`
	Before string   `json:"before,omitempty"`
	After  string   `json:"after,omitempty"`
}

// Side is a file on one side.
type Side struct {
	Size     int64    `json:"size"`               // bytes
	Missing  string   `json:"missing,omitempty"`  // why its content cannot be looked at: "not-kept", "gone", "unreadable"
	Encoding Encoding `json:"encoding,omitempty"` // of a text
	Type     string   `json:"type,omitempty"`     // media type of a picture
	Width    int      `json:"width,omitempty"`    // of a picture, pixels
	Height   int      `json:"height,omitempty"`
	Show     bool     `json:"show,omitempty"` // a picture that a browser can show
}

// Limits bound a comparison. A zero is the default.
type Limits struct {
	Text   int64 // bytes of a side that are compared; 1 MiB
	Skip   int64 // bytes that are read to find where large files begin to differ; 256 MiB
	Lines  int   // lines of a side that are compared; 50,000
	Shown  int   // lines, or rows, that are returned; 3,000
	Length int   // runes of a line, or of a cell, that are returned; 1,000
}

func (l Limits) complete() Limits {
	set := func(n *int, to int) {
		if *n <= 0 {
			*n = to
		}
	}
	if l.Text <= 0 {
		l.Text = 1 << 20
	}
	if l.Skip <= 0 {
		l.Skip = 256 << 20
	}
	set(&l.Lines, 50_000)
	set(&l.Shown, 3_000)
	set(&l.Length, 1_000)
	return l
}

// Compare looks at a change. That a side cannot be read is no error, but said in
// its Side; errors are those of ctx.
func Compare(ctx context.Context, c journal.Change, open Opener, l Limits) (Comparison, error) {
	l = l.complete()
	out := Comparison{Change: c, Kind: KindNone, Facts: facts(c)}
	if c.Kind != "" && c.Kind != "file" {
		return out, nil
	}
	if sameContent(c) {
		if c.Effect == journal.EffectChange {
			out.Facts = append(out.Facts, Fact{Code: FactSameContent})
		}
		return out, nil
	}
	before, err := openSide(ctx, c.Before, Before, open)
	if err != nil {
		return out, err
	}
	defer before.close()
	after, err := openSide(ctx, c.After, After, open)
	if err != nil {
		return out, err
	}
	defer after.close()
	out.Before, out.After, out.Kind = before.side, after.side, KindOther
	if before.missing() || after.missing() {
		return out, nil
	}
	switch {
	case before.isImage() && after.isImage():
		out.Kind = KindImage
	case before.isText() && after.isText():
		if err := out.texts(ctx, before, after, l); err != nil {
			return out, err
		}
	}
	return out, ctx.Err()
}

// sameContent reports whether the content is known to be the same.
func sameContent(c journal.Change) bool {
	return c.Before != nil && c.After != nil && c.Before.SHA256 != "" && c.Before.SHA256 == c.After.SHA256
}

// headSize is how much of a side is looked at to see what it is.
const headSize = 32 << 10

// opened is a side at work. The zero value is a side that is not there.
type opened struct {
	side    *Side
	content Content
	head    []byte
}

func (o *opened) close() {
	if o.content != nil {
		_ = o.content.Close() // it was only read
	}
}

func (o *opened) missing() bool { return o.side != nil && o.side.Missing != "" }
func (o *opened) isImage() bool { return o.side == nil || o.side.Type != "" }
func (o *opened) isText() bool  { return o.side == nil || o.side.Encoding != "" }

func (o *opened) size() int64 {
	if o.content == nil {
		return 0
	}
	return o.side.Size
}

// read fills b from offset on and returns how much there was.
func (o *opened) read(b []byte, offset int64) (int, error) {
	if o.content == nil {
		return 0, io.EOF
	}
	n, err := o.content.ReadAt(b, offset)
	if errors.Is(err, io.EOF) && n > 0 {
		err = nil
	}
	return n, err
}

func openSide(ctx context.Context, state *journal.FileState, which Which, open Opener) (*opened, error) {
	o := &opened{}
	if state == nil {
		return o, nil
	}
	o.side = &Side{Size: state.Size}
	content, err := open(ctx, which)
	if err == nil {
		o.content, o.side.Size = content, max(0, content.Size())
		o.head = make([]byte, min(headSize, o.side.Size))
		var n int
		n, err = o.read(o.head, 0)
		o.head = o.head[:n]
		if errors.Is(err, io.EOF) && o.side.Size == 0 {
			err = nil
		}
	}
	switch {
	case ctx.Err() != nil:
		o.close()
		return nil, fmt.Errorf("compare %s: %w", state.SHA256, context.Cause(ctx))
	case errors.Is(err, ErrNotKept):
		o.side.Missing = "not-kept"
	case errors.Is(err, ErrGone):
		o.side.Missing = "gone"
	case err != nil:
		o.side.Missing = "unreadable"
	default:
		describeImage(o.side, o.head, o)
		if o.side.Type == "" {
			o.side.Encoding = encodingOf(o.head, o.side.Size)
		}
	}
	return o, nil
}
