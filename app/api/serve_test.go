package api_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

// stream reads server-sent events over real HTTP.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
	end   func()
}

func openStream(t *testing.T, url string, header ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("stream: %d %s", res.StatusCode, res.Header)
	}
	s := &stream{t: t, lines: bufio.NewScanner(res.Body), end: func() { cancel(); _ = res.Body.Close() }}
	t.Cleanup(s.end)
	return s
}

// until returns the lines up to and with the first that has the prefix.
func (s *stream) until(prefix string) []string {
	s.t.Helper()
	var got []string
	for s.lines.Scan() {
		got = append(got, s.lines.Text())
		if strings.HasPrefix(s.lines.Text(), prefix) {
			return got
		}
	}
	s.t.Fatalf("the stream ended before %q: %q %v", prefix, got, s.lines.Err())
	return nil
}
