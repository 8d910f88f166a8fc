package scrub

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
)

const secret = "ghp_Abc/def+123&Xyz=9"

// whole is what a scrubber makes of a text that comes in pieces of n bytes; 0 is at once.
func whole(t testing.TB, s *Scrubber, text string, n int) string {
	t.Helper()
	var r io.Reader = strings.NewReader(text)
	if n > 0 {
		r = &pieces{text: text, n: n}
	}
	out, err := io.ReadAll(s.Reader(r))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

type pieces struct {
	text string
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b[:min(p.n, len(b))], p.text)
	p.text = p.text[n:]
	return n, nil
}

func TestTheSecretIsFoundInEveryForm(t *testing.T) {
	s := New(secret)
	basic := func(user string) string { return base64.StdEncoding.EncodeToString([]byte(user + ":" + secret + "\n")) }
	for name, text := range map[string]string{
		"as it is":           secret,
		"in capitals":        strings.ToUpper(secret),
		"in a query":         url.QueryEscape(secret),
		"in a path":          url.PathEscape(secret),
		"in HTML":            html.EscapeString(secret),
		"in JSON":            `ghp_Abc/def+123\u0026Xyz=9`,
		"in JSON of PHP":     strings.ReplaceAll(secret, "/", `\/`),
		"in hexadecimal":     hex.EncodeToString([]byte(secret)),
		"in base64, first":   basic(""),
		"in base64, second":  basic("ab"),
		"in base64, third":   basic("a"),
		"in base64 of URLs":  base64.URLEncoding.EncodeToString([]byte(secret)),
		"each byte escaped":  "%67%68%70%5f%41%62%63%2F%64%65%66%2B%31%32%33%26%58%79%7A%3D%39",
		"right after a part": "ghp_Abc/ghp_ghp_Abc/def+12" + secret,
	} {
		t.Run(name, func(t *testing.T) {
			text := `{"echo": "` + text + `", "rest": true}`
			for n := range 70 {
				got := whole(t, s, text, n)
				if len(got) != len(text) || !strings.Contains(got, "*******") || !strings.HasSuffix(got, `", "rest": true}`) {
					t.Fatalf("in pieces of %d: %q", n, got)
				}
				holds(t, got)
			}
		})
	}
}

// A secret with everything in it that somebody escapes.
func TestTheSecretIsFoundWithEachEscape(t *testing.T) {
	const secret = `p"w'd/<x>& +9\"`
	s := New(secret)
	for name, text := range map[string]string{
		"as it is":                           secret,
		"in JSON":                            `p\"w'd/\u003cx\u003e\u0026 +9\\\"`,
		"in JSON, not for HTML":              `p\"w'd/<x>& +9\\\"`,
		"in JSON with slashes":               `p\"w'd\/\u003cx\u003e\u0026 +9\\\"`,
		"in JSON with slashes, not for HTML": `p\"w'd\/<x>& +9\\\"`,
		"in a query":                         "p%22w%27d%2F%3Cx%3E%26+%2B9%5C%22",
		"in a query with slashes":            "p%22w%27d/%3Cx%3E%26+%2B9%5C%22",
		"in a query with %20":                "p%22w%27d%2f%3cx%3e%26%20%2b9%5c%22",
		"in a query with both":               "p%22w%27d/%3Cx%3E%26%20%2B9%5C%22",
		"in HTML by numbers":                 `p&#34;w&#39;d/&lt;x&gt;&amp; +9\&#34;`,
		"in HTML by names":                   `p&quot;w&apos;d/&lt;x&gt;&amp; +9\&quot;`,
		"in HTML of Python":                  `p&quot;w&#x27;d/&lt;x&gt;&amp; +9\&quot;`,
		"in HTML of PHP":                     `p&quot;w&#039;d/&lt;x&gt;&amp; +9\&quot;`,
		"in HTML, mixed":                     `p&#34;w&#x27;d/&lt;x&gt;&amp; +9\&#34;`,
		"in HTML, one quote":                 `p&quot;w'd/&lt;x&gt;&amp; +9\&quot;`,
		"in HTML, no quote":                  `p"w'd/&lt;x&gt;&amp; +9\"`,
		"in HTML of templates":               `p&quot;w&#39;d&#x2F;&lt;x&gt;&amp; +9\&quot;`,
	} {
		if got := whole(t, s, "a:"+text+":b", 3); got != "a:"+strings.Repeat("*", len(text))+":b" {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
}

// holds fails when the secret can be read out of a text.
func holds(t testing.TB, text string) {
	t.Helper()
	low := strings.ToLower(text)
	for _, form := range forms(secret) {
		if strings.Contains(low, form) {
			t.Fatalf("%q has %q", text, form)
		}
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	s := New(secret, "", "another-secret")
	for _, text := range []string{"", "ghp_Abc/def+123&Xyz=", "hp_Abc/def+123&Xyz=9", strings.Repeat("ghp_", 100), "another-secre", "äöü\x00\xff"} {
		for n := range 30 {
			if got := whole(t, s, text, n); got != text {
				t.Errorf("%q in pieces of %d became %q", text, n, got)
			}
		}
	}
	if text, found := New().Text("anything"); found || text != "anything" {
		t.Error("a scrubber without a secret found one")
	}
}

func TestSecretsThatOverlapGoBoth(t *testing.T) {
	s := New("secret-one", "one-secret")
	if got := whole(t, s, "a secret-one-secret b", 0); got != "a ***************** b" {
		t.Errorf("got %q", got)
	}
}

func TestNothingIsHeldBackThatBeginsNoSecret(t *testing.T) {
	s := New(secret)
	in, out := io.Pipe()
	r := s.Reader(in)
	go out.Write([]byte("data: hello\n\n"))
	buf := make([]byte, 100)
	n, err := r.Read(buf)
	if err != nil || string(buf[:n]) != "data: hello\n\n" {
		t.Errorf("got %q, %v", buf[:n], err)
	}
}

func TestTheErrorOfTheReaderComesAfterWhatItRead(t *testing.T) {
	broken := errors.New("broken")
	r := New(secret).Reader(io.MultiReader(strings.NewReader("ghp_Abc"), iotest.ErrReader(broken)))
	got, err := io.ReadAll(r)
	if string(got) != "ghp_Abc" || !errors.Is(err, broken) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestHeader(t *testing.T) {
	h := http.Header{"X-Echo": {"Bearer " + secret, "fine"}, "Location": {"https://example.org/?t=" + url.QueryEscape(secret)}, "X-" + secret: {"a"}, "Etag": {"b"}}
	if !New(secret).Header(h) {
		t.Error("nothing was found")
	}
	if h.Get("X-Echo") != "Bearer *********************" || h["X-Echo"][1] != "fine" || strings.Contains(h.Get("Location"), "Abc") || len(h) != 3 || h.Get("Etag") != "b" {
		t.Errorf("left: %v", h)
	}
}

// FuzzReader: whatever comes, in whatever pieces: the length stays, the forms are gone, and
// the result is the same as at once.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a "+secret+" b"), uint8(3))
	f.Add([]byte(base64.StdEncoding.EncodeToString([]byte("x:"+secret))), uint8(1))
	f.Add([]byte("ghp_ghp_Abc/ghp_Abc/def+123&Xyz=9"), uint8(7))
	s := New(secret)
	f.Fuzz(func(t *testing.T, text []byte, n uint8) {
		got := whole(t, s, string(text), int(n))
		if len(got) != len(text) {
			t.Fatalf("%d bytes became %d", len(text), len(got))
		}
		holds(t, got)
		if at, _ := s.Text(string(text)); at != got {
			t.Fatalf("at once %q, in pieces %q", at, got)
		}
		if bytes.IndexByte(text, '*') < 0 && !strings.Contains(got, "*") && got != string(text) {
			t.Fatalf("changed without a secret: %q", got)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	s := New(secret, "Bearer "+secret)
	text := bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog 0123456789 "), 20000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		io.Copy(io.Discard, s.Reader(bytes.NewReader(text)))
	}
}
