package client

import (
	"net/http"
	"strings"
	"testing"

	"piwork/app/sessions"
	"piwork/app/task"
)

// asking is a transport that answers nothing, and has the header of the last request.
type asking struct{ header http.Header }

func (a *asking) RoundTrip(r *http.Request) (*http.Response, error) {
	a.header = r.Header
	return nil, http.ErrServerClosed
}

// Each request asks for the language of the client, and without one for none.
func TestLanguage(t *testing.T) {
	german, err := ParseLanguage("de-AT, en;q=0.5, *;q=0.1")
	if err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(*Client){
		"an operation": func(c *Client) { _, _ = c.Task(t.Context(), "x") },
		"a change":     func(c *Client) { _, _ = WhileStill(c, Record[task.Task]{}).CancelTask(t.Context(), "x") },
		"a list":       func(c *Client) { _, _ = whole(AllTasks(t.Context(), c, task.Filter{})) },
		"a stream":     func(c *Client) { _ = stream(t.Context(), c, EventsOptions{}, 7, nil, nil) },
		"a WebSocket":  func(c *Client) { _, _ = c.AttachSession(t.Context(), "x", sessions.AttachRequest{}) },
	} {
		for _, tt := range []struct {
			language Language
			want     []string
		}{{german, []string{"de-AT, en;q=0.5, *;q=0.1"}}, {Language{}, nil}} {
			way := &asking{}
			do(InLanguage(New(way, nil), tt.language))
			if got := way.header["Accept-Language"]; way.header == nil || strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("%s: %q, want %q", name, got, tt.want)
			}
		}
	}
}

// A value that is not one of Accept-Language is refused.
func TestParseLanguage(t *testing.T) {
	for _, wrong := range []string{"de\n", "de\r\nX-Y: z", "\tde", "de_DE", "dé", "de\x00", strings.Repeat("de", 51)} {
		if _, err := ParseLanguage(wrong); err == nil || !strings.Contains(err.Error(), "is not a language") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	for _, right := range []string{"", "de", "de-CH-1996", "*", strings.Repeat("d", 100)} {
		if got, err := ParseLanguage(right); err != nil || got.accept != right {
			t.Errorf("%q: %v %v", right, got, err)
		}
	}
}
