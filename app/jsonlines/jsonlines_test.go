package jsonlines

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// each are the lines of a text, those that were cut with an ellipsis.
func each(t *testing.T, in io.Reader, most int) (got []string) {
	t.Helper()
	err := Each(in, most, func(line []byte, whole bool) error {
		if !whole {
			line = append(line, "…"...)
		}
		got = append(got, string(line))
		return nil
	})
	if err != nil {
		t.Errorf("%v", err)
	}
	return got
}

// Lines are bounded, and what follows one that is too long is heard.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	got := each(t, strings.NewReader("a\n\n \n"+long+"\nb\r\nc"), 199<<10)
	if strings.Join(got, ",") != "a,"+long[:199<<10]+"…,b\r,c" {
		t.Errorf("%d lines", len(got))
	}
}

func TestEndsWithItsCallersError(t *testing.T) {
	broken := errors.New("broken")
	if err := Each(strings.NewReader("a\nb\n"), 10, func([]byte, bool) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	r, w := io.Pipe()
	_ = w.CloseWithError(broken)
	if err := Each(r, 10, func([]byte, bool) error { return nil }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func TestIDOf(t *testing.T) {
	for head, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"bbbb`: "7", `{"method":"x","id":"a","params"`: `"a"`,
		`{"params":{"id":1},"id":2,`: "2", `{"id":{"a":1},"x":`: "", `{"params":"aaaa`: "", `[1`: "", ``: "", `{"id":null,`: "null",
	} {
		if got := string(IDOf([]byte(head))); got != want {
			t.Errorf("%s: %q", head, got)
		}
	}
}

// Whatever is written: each line comes once, bounded, and an id is JSON.
func FuzzEach(f *testing.F) {
	f.Add("{\"id\":1}\n", "x")
	f.Add("a\n\nb", strings.Repeat("y", 30))
	f.Fuzz(func(t *testing.T, a, b string) {
		if id := IDOf([]byte(a)); id != nil && !json.Valid(id) {
			t.Errorf("the id of %q is %q", a, id)
		}
		const most = 20
		var want []string
		for line := range strings.SplitSeq(a+"\n"+b, "\n") {
			if strings.TrimSpace(line[:min(most, len(line))]) == "" {
				continue
			}
			if len(line) > most {
				line = line[:most] + "…"
			}
			want = append(want, line)
		}
		if got := each(t, strings.NewReader(a+"\n"+b), most); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q became %q", want, got)
		}
	})
}
