package changes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"piwork/vmhost/share/journal"
)

// memory is a Content in memory.
type memory struct {
	*bytes.Reader
	closed *int
}

func (m memory) Size() int64  { return m.Reader.Size() }
func (m memory) Close() error { *m.closed++; return nil }

// compare compares two contents of a file; nil is a side that is not there.
func compare(t testing.TB, name string, before, after []byte, l Limits) Comparison {
	t.Helper()
	c := journal.Change{ID: "o1", Path: name, Kind: "file", Effect: journal.EffectChange}
	if before == nil {
		c.Effect = journal.EffectCreate
	} else {
		c.Before = &journal.FileState{SHA256: "b", Size: int64(len(before)), Mode: 0o644}
	}
	if after == nil {
		c.Effect = journal.EffectDelete
	} else {
		c.After = &journal.FileState{SHA256: "a", Size: int64(len(after)), Mode: 0o644}
	}
	opens, closes := 0, 0
	out, err := Compare(t.Context(), c, func(_ context.Context, side Which) (Content, error) {
		opens++
		return memory{bytes.NewReader(map[Which][]byte{Before: before, After: after}[side]), &closes}, nil
	}, l)
	if err != nil {
		t.Fatal(err)
	}
	if opens != closes {
		t.Errorf("%d sides were opened, %d closed", opens, closes)
	}
	return out
}

// unified writes hunks as diff -u does.
func unified(x *Text) string {
	var b strings.Builder
	for _, h := range x.Hunks {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", h.Before, h.BeforeLines, h.After, h.AfterLines)
		for _, l := range h.Lines {
			fmt.Fprintf(&b, "%s%s", map[Op]string{Same: " ", Added: "+", Removed: "-"}[l.Op], l.Text)
			if l.Open {
				b.WriteString("\\")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func numbered(from, to int, change func(i int) string) []byte {
	var b bytes.Buffer
	for i := from; i <= to; i++ {
		if s := change(i); s != "" {
			b.WriteString(s + "\n")
		}
	}
	return b.Bytes()
}

func plain(i int) string { return fmt.Sprint("line ", i) }

func TestText(t *testing.T) {
	twenty := numbered(1, 20, plain)
	tests := []struct {
		name          string
		before, after []byte
		want          string
	}{
		{"one line", twenty, bytes.Replace(twenty, []byte("line 10\n"), []byte("Zeile 10\n"), 1),
			"@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+Zeile 10\n line 11\n line 12\n line 13\n"},
		{"first and last", []byte("a\nb\nc\nd\ne\nf\ng\nh\ni\n"), []byte("A\nb\nc\nd\ne\nf\ng\nh\nI\n"),
			"@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n d\n@@ -6,4 +6,4 @@\n f\n g\n h\n-i\n+I\n"},
		{"near ones are one hunk", []byte("a\nb\nc\nd\n"), []byte("A\nb\nc\nD\n"), "@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n-d\n+D\n"},
		{"made", nil, []byte("a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"deleted", []byte("a\nb"), nil, "@@ -1,2 +0,0 @@\n-a\n-b\\\n"},
		{"emptied", []byte("a\n"), []byte(""), "@@ -1,1 +0,0 @@\n-a\n"},
		{"no line end any more", []byte("a\nb\n"), []byte("a\nb"), "@@ -1,2 +1,2 @@\n a\n-b\n+b\\\n"},
		{"only line ends", []byte("a\r\nb\r\n"), []byte("a\nb\n"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := compare(t, "notes.txt", tt.before, tt.after, Limits{})
			if c.Kind != KindText {
				t.Fatalf("kind %s", c.Kind)
			}
			if got := unified(c.Text); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			if c.Text.Cut || c.Text.Part != nil {
				t.Errorf("it says that it is not whole: %+v", c.Text)
			}
		})
	}
}

func utf16Text(s string, little bool) []byte {
	out := []byte{0xfe, 0xff}
	if little {
		out = []byte{0xff, 0xfe}
	}
	for _, u := range utf16.Encode([]rune(s)) {
		if little {
			out = append(out, byte(u), byte(u>>8))
		} else {
			out = append(out, byte(u>>8), byte(u))
		}
	}
	return out
}

func TestEncodings(t *testing.T) {
	text := "Grüße, 海辺\r\nzweite\r\n"
	latin := []byte("Gr\xfc\xdfe \x80\nzweite\n")
	tests := []struct {
		name  string
		data  []byte
		want  Encoding
		first string
	}{
		{"utf-8", []byte(text), UTF8, "Grüße, 海辺"},
		{"utf-8 with a mark", append([]byte("\xef\xbb\xbf"), text...), UTF8BOM, "Grüße, 海辺"},
		{"utf-16 little", utf16Text(text, true), UTF16LE, "Grüße, 海辺"},
		{"utf-16 big", utf16Text(text, false), UTF16BE, "Grüße, 海辺"},
		{"latin", latin, Latin1, "Grüße €"},
		{"empty", []byte{}, UTF8, ""},
		{"old line ends", []byte("Gr\rzweite\r"), UTF8, "Gr"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := compare(t, "a.txt", nil, tt.data, Limits{})
			if c.Kind != KindText || c.After.Encoding != tt.want {
				t.Fatalf("%s in %q", c.Kind, c.After.Encoding)
			}
			if tt.first != "" && c.Text.Hunks[0].Lines[0].Text != tt.first {
				t.Errorf("the first line is %q", c.Text.Hunks[0].Lines[0].Text)
			}
		})
	}
	c := compare(t, "a.txt", latin, utf16Text("Grüße €\r\nzweite\r\n", true), Limits{})
	want := []Fact{{Code: FactEncoding, Before: "latin-1", After: "utf-16le"}, {Code: FactLineEnds, Before: "lf", After: "crlf"}}
	if len(c.Text.Hunks) != 0 || !slices.Equal(c.Facts, want) {
		t.Errorf("another encoding of the same is %+v, %+v", c.Facts, c.Text)
	}
}

func TestNoText(t *testing.T) {
	for name, data := range map[string][]byte{
		"nul":            []byte("abc\x00def"),
		"program":        append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 100)...),
		"controls":       bytes.Repeat([]byte("\x01\x02\x03ab"), 50),
		"no utf-16":      append([]byte{0xff, 0xfe}, make([]byte, 20)...),
		"random":         {0x9f, 0x02, 0x88, 0x11, 0x0f, 0x1c, 0xfe, 0x03},
		"a torn picture": []byte("\x89PNG\r\n\x1a\n\x00\x00"),
	} {
		if c := compare(t, "a.txt", []byte("text\n"), data, Limits{}); c.Kind != KindOther || c.Text != nil {
			t.Errorf("%s is %s", name, c.Kind)
		}
	}
}

// A large file is compared from where it begins to differ, with the right
// numbers of lines, in every encoding that can be cut.
func TestLargeText(t *testing.T) {
	change := func(i int) string {
		if i == 30_000 {
			return "changed ü"
		}
		return plain(i)
	}
	before, after := numbered(1, 40_000, plain), numbered(1, 40_000, change)
	l := Limits{Text: 128 << 10}
	for name, data := range map[string][2][]byte{
		"utf-8":  {before, after},
		"utf-16": {utf16Text(string(before), true), utf16Text(string(after), true)},
	} {
		t.Run(name, func(t *testing.T) {
			c := compare(t, "big.log", data[0], data[1], l)
			want := "@@ -29997,7 +29997,7 @@\n line 29997\n line 29998\n line 29999\n-line 30000\n+changed ü\n line 30001\n line 30002\n line 30003\n"
			if got := unified(c.Text); !strings.HasPrefix(got, want) {
				t.Errorf("got\n%.400s", got)
			}
			if p := c.Text.Part; p == nil || p.From == 0 || p.Bytes > l.Text {
				t.Errorf("it says it compared %+v", p)
			}
		})
	}
	t.Run("grown at its end", func(t *testing.T) {
		c := compare(t, "big.log", before, append(slices.Clone(before), "the end\n"...), l)
		if got := unified(c.Text); got != "@@ -39998,3 +39998,4 @@\n line 39998\n line 39999\n line 40000\n+the end\n" {
			t.Errorf("got\n%.400s", got)
		}
	})
	t.Run("the same as far as it is read", func(t *testing.T) {
		c := compare(t, "big.log", before, after, Limits{Text: 128 << 10, Skip: 64 << 10})
		if c.Text == nil || len(c.Text.Hunks) != 0 || c.Text.Part == nil {
			t.Errorf("%+v", c.Text)
		}
	})
	t.Run("one line", func(t *testing.T) {
		long := bytes.Repeat([]byte("x"), 300<<10)
		other := slices.Clone(long)
		other[200<<10] = 'y'
		c := compare(t, "a.json", long, other, l)
		if len(c.Text.Hunks) != 1 || len(c.Text.Hunks[0].Lines) != 2 || !strings.Contains(c.Text.Hunks[0].Lines[1].Text, "y") {
			t.Errorf("%+v", c.Text.Hunks)
		}
	})
	t.Run("made", func(t *testing.T) {
		c := compare(t, "big.log", nil, before, l)
		if len(c.Text.Hunks) != 1 || !c.Text.Cut || c.Text.Part == nil {
			t.Errorf("%d hunks, cut %v, part %+v", len(c.Text.Hunks), c.Text.Cut, c.Text.Part)
		}
	})
}

// A long line is shown where it begins to differ.
func TestLongLine(t *testing.T) {
	line := strings.Repeat("ä", 5000)
	c := compare(t, "a.txt", []byte(line+"\n"), []byte(line[:8000]+"B"+line[8000:]+"\n"), Limits{Length: 100})
	got := c.Text.Hunks[0].Lines[1]
	if !got.Start || !got.Cut || got.Text != strings.Repeat("ä", 25)+"B"+strings.Repeat("ä", 74) {
		t.Errorf("%+v", got)
	}
}

// What is shown is bounded, with both sides in it, and it says so.
func TestCut(t *testing.T) {
	c := compare(t, "a.txt", numbered(1, 3000, plain), numbered(5001, 8000, plain), Limits{Shown: 100})
	h := c.Text.Hunks[0]
	if !c.Text.Cut || len(c.Text.Hunks) != 1 || len(h.Lines) > 100 || h.BeforeLines < 40 || h.AfterLines < 40 {
		t.Errorf("%d hunks, %d lines before, %d after", len(c.Text.Hunks), h.BeforeLines, h.AfterLines)
	}
	if c.Text.Added != 3000 || c.Text.Removed != 3000 {
		t.Errorf("counted +%d -%d", c.Text.Added, c.Text.Removed)
	}
}

func TestFacts(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	state := func(change func(*journal.FileState)) *journal.FileState {
		s := &journal.FileState{SHA256: "x", Size: 3, Mode: 0o644, MTime: at}
		change(s)
		return s
	}
	as := state(func(*journal.FileState) {})
	tests := []struct {
		name string
		c    journal.Change
		want []Fact
	}{
		{"moved", journal.Change{Kind: "file", Effect: journal.EffectMove, Path: "b", From: "a", Before: as, After: as}, []Fact{{FactMoved, "a", "b"}}},
		{"mode", journal.Change{Kind: "file", Effect: journal.EffectChange, Path: "a", Before: as, After: state(func(s *journal.FileState) { s.Mode = 0o755 })},
			[]Fact{{FactMode, "644", "755"}, {Code: FactSameContent}}},
		{"time", journal.Change{Kind: "file", Effect: journal.EffectChange, Path: "a", Before: as, After: state(func(s *journal.FileState) { s.MTime = at.Add(time.Second) })},
			[]Fact{{FactTime, "2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"}, {Code: FactSameContent}}},
		{"attributes", journal.Change{Kind: "file", Effect: journal.EffectChange, Path: "a", Before: as, After: state(func(s *journal.FileState) { s.Attributes = "y" })},
			[]Fact{{Code: FactAttributes}, {Code: FactSameContent}}},
		{"link", journal.Change{Kind: "symlink", Effect: journal.EffectChange, Path: "a", Before: state(func(s *journal.FileState) { s.Target = "x" }),
			After: state(func(s *journal.FileState) { s.Target = "y" })}, []Fact{{FactTarget, "x", "y"}}},
		{"new directory", journal.Change{Kind: "dir", Effect: journal.EffectCreate, Path: "a", After: as}, []Fact{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Compare(t.Context(), tt.c, func(context.Context, Which) (Content, error) {
				t.Error("content was asked for")
				return nil, ErrGone
			}, Limits{})
			if err != nil || c.Kind != KindNone || !slices.Equal(c.Facts, tt.want) {
				t.Errorf("%s %+v %v", c.Kind, c.Facts, err)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	c := journal.Change{Path: "a", Kind: "file", Effect: journal.EffectChange,
		Before: &journal.FileState{Size: 1}, After: &journal.FileState{Size: 2}}
	for err, want := range map[error]string{ErrNotKept: "not-kept", ErrGone: "gone", errors.New("disk"): "unreadable"} {
		got, e := Compare(t.Context(), c, func(context.Context, Which) (Content, error) { return nil, err }, Limits{})
		if e != nil || got.Kind != KindOther || got.Before.Missing != want || got.After.Missing != want || got.After.Size != 2 {
			t.Errorf("%v: %+v %v", err, got.Before, e)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compare(ctx, c, func(context.Context, Which) (Content, error) { return nil, context.Canceled }, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled one answers %v", err)
	}
}

// webps are the first bytes of pictures of 300 to 200, of each of the three forms.
var webps = map[string]string{
	"lossy":    "RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x2c\x01\xc8\x00",
	"lossless": "RIFF\x00\x00\x00\x00WEBPVP8L\x00\x00\x00\x00\x2f\x2b\xc1\x31\x00\x00\x00\x00\x00\x00",
	"extended": "RIFF\x00\x00\x00\x00WEBPVP8X\x00\x00\x00\x00\x00\x00\x00\x00\x2b\x01\x00\xc7\x00\x00",
}

func TestImages(t *testing.T) {
	small, big := encoded(t, 30, 20), encoded(t, 60, 40)
	for kind, data := range small {
		c := compare(t, "photo", data, big[kind], Limits{})
		if c.Kind != KindImage || *c.Before != (Side{Size: int64(len(data)), Type: kind, Width: 30, Height: 20, Show: true}) || c.After.Width != 60 {
			t.Errorf("%s is %s: %+v, %+v", kind, c.Kind, c.Before, c.After)
		}
	}
	for form, data := range webps {
		c := compare(t, "photo.webp", nil, []byte(data), Limits{})
		if c.Kind != KindImage || c.After.Width != 300 || c.After.Height != 200 || !c.After.Show {
			t.Errorf("%s is %s: %+v", form, c.Kind, c.After)
		}
	}
	// A small file that says it is huge is not shown.
	bomb := slices.Clone(small["image/gif"])
	copy(bomb[6:], "\xff\xff\xff\xff")
	if c := compare(t, "a.gif", nil, bomb, Limits{}); c.Kind != KindImage || c.After.Show || c.After.Width != 0xffff {
		t.Errorf("a huge picture: %s %+v", c.Kind, c.After)
	}
	if c := compare(t, "a.png", small["image/png"], []byte("text"), Limits{}); c.Kind != KindOther {
		t.Errorf("a picture that became a text is %s", c.Kind)
	}
	if c := compare(t, "a.svg", nil, []byte("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"), Limits{}); c.Kind != KindText {
		t.Errorf("SVG is %s", c.Kind)
	}
}

func encoded(t *testing.T, width, height int) map[string][]byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	out := map[string][]byte{}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"image/png":  func(b *bytes.Buffer) error { return png.Encode(b, m) },
		"image/jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) },
		"image/gif":  func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	return out
}
