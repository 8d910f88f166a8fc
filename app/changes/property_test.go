package changes

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever two texts hold, putting the hunks into the first gives the second.
func TestHunksAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a", "b", "c", "", "d", "unique", "x y"})
		before := rapid.SliceOfN(line, 0, 60).Draw(t, "before")
		after := rapid.SliceOfN(line, 0, 60).Draw(t, "after")
		b, a := lines{text: before}, lines{text: after}
		got := hunks(b, a, 0, Limits{}.complete())
		var out []string
		next := 0
		for _, h := range got.Hunks {
			if h.BeforeLines > 0 {
				out = append(out, before[next:h.Before-1]...)
				next = h.Before - 1
			} else if h.AfterLines > 0 {
				keep := h.After - 1 - len(out)
				out = append(out, before[next:next+keep]...)
				next += keep
			}
			for _, l := range h.Lines {
				if l.Op != Removed {
					out = append(out, l.Text)
				}
				if l.Op != Added {
					if before[next] != l.Text {
						t.Fatalf("line %d is %q, not %q", next+1, before[next], l.Text)
					}
					next++
				}
			}
		}
		out = append(out, before[next:]...)
		if !slices.Equal(out, after) {
			t.Fatalf("%q became %q", before, out)
		}
	})
}

// Lists that are as bad as can be are compared soon: a deadline of minutes would
// be passed by anything that takes the product of both.
func TestWorstCase(t *testing.T) {
	const n = 50_000
	cases := map[string][2]func(i int) string{
		"nothing the same": {func(i int) string { return "b" + string(rune(i)) }, func(i int) string { return "a" + string(rune(i)) }},
		"two words":        {func(i int) string { return "ab"[i%2 : i%2+1] }, func(i int) string { return "ab"[i*7%3%2 : i*7%3%2+1] }},
		"the other way":    {func(i int) string { return "x" + string(rune(i)) }, func(i int) string { return "x" + string(rune(n-i)) }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var b, a []string
			for i := range n {
				b, a = append(b, c[0](i)), append(a, c[1](i))
			}
			done := make(chan []edit, 1)
			go func() { done <- align(b, a) }()
			select {
			case edits := <-done:
				if len(edits) == 0 {
					t.Error("they are not the same")
				}
			case <-time.After(2 * time.Minute):
				t.Fatal("it does not end")
			}
		})
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("a.txt", []byte("a\nb\n"), []byte("a\nc"))
	f.Add("a.csv", []byte("a,b\n1,2\n"), []byte("a,\"b\n1;2"))
	f.Add("a.csv", []byte("a,b,c\n1,2\n"), []byte("a,c\n1,2,3\n\n,"))
	f.Add("a.png", []byte("\x89PNG\r\n\x1a\n"), []byte(webps["lossy"]))
	f.Add("x", []byte("\xff\xfea\x00\n\x00"), []byte("\xfe\xff\x00a\x00\n\xd8"))
	f.Add("x", []byte("\xef\xbb\xbfa"), []byte("\xe4\xf6\xfc\r\rb"))
	f.Add("x.tsv", []byte(strings.Repeat("a\tb\n", 40)), []byte(strings.Repeat("\t", 300)))
	f.Fuzz(func(t *testing.T, name string, before, after []byte) {
		l := Limits{Text: 512, Lines: 40, Shown: 30, Length: 20}
		c := compare(t, name, before, after, l)
		if c.Text != nil {
			shown := 0
			for _, h := range c.Text.Hunks {
				shown += len(h.Lines)
				for _, line := range h.Lines {
					if n := len([]rune(line.Text)); n > l.Length {
						t.Errorf("a line of %d runes", n)
					}
				}
			}
			if shown > l.Shown {
				t.Errorf("%d lines", shown)
			}
		}
		if c.Table != nil && len(c.Table.Rows) > l.Shown {
			t.Errorf("%d rows", len(c.Table.Rows))
		}
	})
}
