package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"piwork/app/api/paging"
	"piwork/app/problem"
	"piwork/app/tasks"
)

// answering is a transport to a controller that answers every request so.
func answering(t *testing.T, dials *atomic.Int32, answer func(net.Conn)) *Client {
	rt := Over(func(context.Context) (net.Conn, error) {
		dials.Add(1)
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			if r, err := http.ReadRequest(bufio.NewReader(theirs)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				answer(theirs)
			}
		}()
		t.Cleanup(func() { ours.Close() })
		return ours, nil
	})
	return New(rt, nil)
}

// A controller on another computer can answer anything: it is bounded, sends nobody elsewhere,
// has nothing asked twice that is not to be done twice, and what is no answer is none.
func TestHostileController(t *testing.T) {
	says := func(text string) func(net.Conn) {
		return func(c net.Conn) { _, _ = io.WriteString(c, text) }
	}
	for name, answer := range map[string]func(net.Conn){
		"nothing":                 func(net.Conn) {},
		"garbage":                 says("SSH-2.0-OpenSSH_9.2\r\n\r\n"),
		"a page":                  says("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Type: text/html\r\n\r\n<html>"),
		"elsewhere":               says("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/v1/tasks\r\nContent-Length: 0\r\n\r\n"),
		"half of it":              says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{\"id\":"),
		"an error without a code": says("HTTP/1.1 500 Oops\r\nContent-Type: application/problem+json\r\nContent-Length: 2\r\n\r\n{}"),
		"endless headers": func(c net.Conn) {
			_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for line := "X: " + strings.Repeat("x", 4000) + "\r\n"; err == nil; {
				_, err = io.WriteString(c, line)
			}
		},
		"an endless error": func(c net.Conn) {
			_, err := io.WriteString(c, "HTTP/1.1 500 Oops\r\nContent-Type: application/problem+json\r\n\r\n{\"code\":\"")
			for text := strings.Repeat("x", 64<<10); err == nil; {
				_, err = io.WriteString(c, text)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var dials atomic.Int32
			_, err := answering(t, &dials, answer).StartTask(t.Context(), tasks.StartRequest{Detached: true})
			if _, is := errors.AsType[*problem.Problem](err); !IsUnreachable(err) || is {
				t.Errorf("%v", err)
			}
			if n := dials.Load(); n != 1 {
				t.Errorf("it was asked %d times", n)
			}
		})
	}
}

// Nor does a list of it have no end, or pages that are longer than any.
func TestHostileLists(t *testing.T) {
	for name, page := range map[string]string{
		"pages without end":          `["a"]`,
		"pages without any in them":  `[]`,
		"more than a page can have":  "[" + strings.Repeat(`"a",`, paging.Most) + `"a"]`,
		"something else than a list": `{"a":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			var dials atomic.Int32
			answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nLink: </v1/keys?cursor=1>; rel=\"next\"\r\nContent-Length: %d\r\n\r\n%s", len(page), page)
			c := answering(t, &dials, func(to net.Conn) { _, _ = io.WriteString(to, answer) })
			if list, err := whole(pages[string](t.Context(), c, "GET /v1/keys", nil)); !IsUnreachable(err) {
				t.Errorf("%d entries, %v", len(list), err)
			}
			if n := dials.Load(); n > maxPages+1 {
				t.Errorf("it was asked %d times", n)
			}
		})
	}
}
