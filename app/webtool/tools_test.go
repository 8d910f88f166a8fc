package webtool

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
)

func ask(h http.Handler, method, path, body string) (int, string) {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(method, path, strings.NewReader(body)))
	return rec.Code, rec.Body.String()
}

// What a guest sends, and what it gets.
func TestTools(t *testing.T) {
	var got []string
	tools := NewTools(func(_ context.Context, u *url.URL) (Page, error) {
		got = append(got, u.String())
		switch u.Host {
		case "denied.example":
			return Page{}, fmt.Errorf("a rule: %w", ErrDenied)
		case "broken.example":
			return Page{}, errors.New("no route\xff" + strings.Repeat("x", 1000))
		}
		return Page{URL: u.String(), Status: 200, Type: "text/plain", Text: "hello"}, nil
	}, func(_ context.Context, query string) (Results, error) {
		got = append(got, query)
		return Results{Results: []Result{}}, nil
	})
	for name, tt := range map[string]struct {
		method, path, body string
		status             int
		answer, asked      string
	}{
		"page":            {"POST", PathFetch, `{"url":"https://a.example/x#y"}`, 200, `"text":"hello"`, "https://a.example/x"},
		"search":          {"POST", PathSearch, `{"query":" two\n words "}`, 200, `{"results":[]}`, "two words"},
		"denied":          {"POST", PathFetch, `{"url":"https://denied.example/"}`, 403, `"denied"`, "https://denied.example/"},
		"broken":          {"POST", PathFetch, `{"url":"https://broken.example/"}`, 502, `no route`, "https://broken.example/"},
		"get":             {"GET", PathFetch, `{"url":"https://a.example/"}`, 405, CodeBadRequest, ""},
		"query in path":   {"POST", PathFetch + "?url=https://a.example/", `{}`, 405, CodeBadRequest, ""},
		"another tool":    {"POST", "/piwork/run", `{"url":"https://a.example/"}`, 404, CodeBadRequest, ""},
		"not JSON":        {"POST", PathFetch, `url=https://a.example`, 400, CodeBadRequest, ""},
		"nothing":         {"POST", PathFetch, ``, 400, CodeBadRequest, ""},
		"two requests":    {"POST", PathFetch, `{"url":"https://a.example/"}{}`, 400, CodeBadRequest, ""},
		"other members":   {"POST", PathFetch, `{"url":"https://a.example/","method":"POST"}`, 400, CodeBadRequest, ""},
		"another type":    {"POST", PathFetch, `{"url":["https://a.example/"]}`, 400, CodeBadRequest, ""},
		"too long":        {"POST", PathFetch, `{"url":"https://a.example/` + strings.Repeat("a", maxAsked) + `"}`, 400, CodeBadRequest, ""},
		"long address":    {"POST", PathFetch, `{"url":"https://a.example/` + strings.Repeat("a", maxAddress) + `"}`, 400, CodeBadRequest, ""},
		"user":            {"POST", PathFetch, `{"url":"https://me:pass@a.example/"}`, 400, "user", ""},
		"file":            {"POST", PathFetch, `{"url":"file:///etc/passwd"}`, 400, CodeBadRequest, ""},
		"no query":        {"POST", PathSearch, `{"query":" "}`, 400, CodeBadRequest, ""},
		"escape in query": {"POST", PathSearch, `{"query":"a\u001b[2J"}`, 400, CodeBadRequest, ""},
		"long query":      {"POST", PathSearch, `{"query":"` + strings.Repeat("a", maxQuery+1) + `"}`, 400, CodeBadRequest, ""},
	} {
		got = nil
		status, text := ask(tools, tt.method, tt.path, tt.body)
		if status != tt.status || !strings.Contains(text, tt.answer) || len(text) > 1500 || strings.Join(got, " ") != tt.asked {
			t.Errorf("%s: %d %.200s, asked for %q", name, status, text, got)
		}
	}
	tools.Search = nil
	if status, text := ask(tools, "POST", PathSearch, `{"query":"x"}`); status != 400 || !strings.Contains(text, CodeNoSearch) {
		t.Errorf("nothing searches: %d %s", status, text)
	}
}

// A guest that asks for all at once.
func TestToolsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold, in := make(chan struct{}), make(chan struct{}, maxWaiting)
		tools := NewTools(func(context.Context, *url.URL) (Page, error) {
			in <- struct{}{}
			<-hold
			return Page{}, nil
		}, nil)
		done := make(chan int, maxWaiting)
		for range maxWaiting {
			go func() {
				status, _ := ask(tools, "POST", PathFetch, `{"url":"https://a.example/"}`)
				done <- status
			}()
		}
		synctest.Wait()
		if len(in) != maxAtOnce {
			t.Errorf("%d at once", len(in))
		}
		if status, text := ask(tools, "POST", PathFetch, `{"url":"https://a.example/"}`); status != 503 || !strings.Contains(text, CodeBusy) {
			t.Errorf("one more: %d %s", status, text)
		}
		close(hold)
		for range maxWaiting {
			if status := <-done; status != 200 {
				t.Errorf("status %d", status)
			}
		}
	})
}

// Every address is allowed before it is asked for, and no connection is used twice.
func TestFetchAllowed(t *testing.T) {
	f, w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" {
			http.Redirect(w, r, "http://b.example/b", http.StatusFound)
			return
		}
		io.WriteString(w, "here")
	})
	var asked []string
	stop := ""
	f.client.Transport.(*shy).allow = func(_ context.Context, u *url.URL) error {
		asked = append(asked, u.String())
		if u.String() == stop {
			return ErrDenied
		}
		return nil
	}
	for range 2 {
		if _, err := f.Fetch(t.Context(), "http://a.example/a"); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(asked, " "); got != "http://a.example/a http://b.example/b http://a.example/a http://b.example/b" {
		t.Errorf("allowed %s", got)
	}
	if len(w.dialled) != 4 {
		t.Errorf("connected to %v", w.dialled)
	}
	stop, w.dialled = "http://b.example/b", nil
	if _, err := f.Fetch(t.Context(), "http://a.example/a"); !errors.Is(err, ErrDenied) || len(w.dialled) != 1 {
		t.Errorf("%v, connected to %v", err, w.dialled)
	}
}

// What a server that is asked for a search must not be able to do.
func TestSearch(t *testing.T) {
	bomb := func() string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(bytes.Repeat([]byte(" "), 64<<20))
		z.Close()
		return b.String()
	}()
	for name, tt := range map[string]struct {
		typ, coding, body string
		results           int // negative is an error
	}{
		"results":    {"application/json", "", `{"results":[{"title":"a","url":"https://a.example/"},{"title":"b","url":"http://b.example/","content":"c"}],"query":"x"}`, 2},
		"none":       {"application/json; charset=utf-8", "", `{}`, 0},
		"bad links":  {"application/json", "", `{"results":[{"url":"javascript:alert(1)"},{"url":"https://a:b@c.example/"},{"url":"file:///x"},{"url":""},{"title":"x"}]}`, 0},
		"too many":   {"application/json", "", `{"results":[` + strings.Repeat(`{"url":"https://a.example/"},`, 500) + `{}]}`, maxResults},
		"a page":     {"text/html", "", `<p>results`, -1},
		"broken":     {"application/json", "", `{"results":[`, -1},
		"other type": {"application/json", "", `{"results":"none"}`, -1},
		"huge":       {"application/json", "", strings.Repeat(" ", maxBody+1) + `{}`, -1},
		"a bomb":     {"application/json", "gzip", bomb, -1},
		"no type":    {"", "", `{}`, -1},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if tt.coding != "" {
					w.Header().Set("Content-Encoding", tt.coding)
				}
				w.Header()["Content-Type"] = []string{tt.typ}
				io.WriteString(w, tt.body)
			})
			r, err := f.Search(t.Context(), "http://a.example/", "x & y")
			if tt.results < 0 && err == nil || tt.results >= 0 && (err != nil || len(r.Results) != tt.results) {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
	if got := SearchURL("https://a.example/s/", "x & y=z"); got != "https://a.example/s/search?format=json&q=x+%26+y%3Dz" {
		t.Errorf("asked %s", got)
	}
	for in, want := range map[string]string{
		" https://s.example ": "https://s.example/", "https://s.example/searx/search": "https://s.example/searx/", "https://s.example/x/": "https://s.example/x/",
		"http://127.0.0.1:8888": "http://127.0.0.1:8888/", "http://192.168.1.2/": "http://192.168.1.2/",
		"http://s.example/": "", "http://8.8.8.8/": "", "ftp://s.example": "", "https://a@s.example": "", "https://s.example/?q=": "", "https://s.example/?": "", "s.example": "", "": "",
	} {
		if got, err := SearchAddress(in); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", in, got, err)
		}
	}
}

// Text that says nothing about its letters has those of UTF-8.
func TestFetchLetters(t *testing.T) {
	long := strings.Repeat("a", 3000) + "ä"
	for _, typ := range []string{"application/json", "text/plain"} {
		f, _ := serve(t, says(typ, long))
		if p, err := f.Fetch(t.Context(), "http://a.example/"); err != nil || p.Text != long {
			t.Errorf("%s: %v, ends in %q", typ, err, p.Text[max(0, len(p.Text)-3):])
		}
	}
}

// No request has the host ask for what is no page of the web.
func FuzzAsked(f *testing.F) {
	for _, s := range []string{`{"url":"https://a.example/x"}`, `{"query":"two words"}`, `{"url":"http://[::1%25x]/"}`, `{"url":"https://a\u0000/"}`, `{}`, `[]`, `{"url":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		tools := NewTools(func(_ context.Context, u *url.URL) (Page, error) {
			if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Host == "" || u.Fragment != "" || len(u.String()) > maxAddress {
				t.Errorf("asked for %q", u)
			}
			return Page{}, nil
		}, func(_ context.Context, q string) (Results, error) {
			if q == "" || len(q) > 4*maxQuery || strings.ContainsAny(q, "\n\x1b") {
				t.Errorf("searched for %q", q)
			}
			return Results{}, nil
		})
		for _, path := range []string{PathFetch, PathSearch} {
			status, text := ask(tools, "POST", path, string(body))
			if !json.Valid([]byte(text)) || status != 200 && status != 400 {
				t.Errorf("%d %s", status, text)
			}
		}
	})
}

// Results of a search are bounded, and lead to the web.
func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"results":[{"title":"a","url":"https://a.example/","content":"b"}]}`))
	f.Add([]byte(`{"results":[{"title":"\u0007\u009b","url":"https://a.example/ä"},{"url":"javascript:1"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := readResults(data)
		if err != nil {
			return
		}
		if len(r.Results) > maxResults {
			t.Errorf("%d results", len(r.Results))
		}
		for _, x := range r.Results {
			if _, err := Address(x.URL); err != nil || len(x.Title) > maxTitle || len(x.Text) > maxSnippet || strings.ContainsAny(x.Title+x.Text, "\n\x1b\x07") {
				t.Errorf("%+v: %v", x, err)
			}
		}
	})
}
