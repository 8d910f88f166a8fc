package piwork

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"piwork/app/actions"
	"piwork/app/problem"
	"piwork/app/sdk/sdktest"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

// way is one over HTTP, with a token.
type way struct {
	http.Transport
	host, token string
}

func (w *way) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = w.host
	r.Header.Set("Authorization", "Bearer "+w.token)
	return w.Transport.RoundTrip(r)
}

// The same table as in the tests of the other languages; Go has no pipes.
func TestStreamsGoOn(t *testing.T) {
	address, rows := sdktest.Serve(t)
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("rows", func(t *testing.T) {
		for i, row := range rows {
			if row.Program != "" {
				continue
			}
			t.Run(row.Name, func(t *testing.T) {
				t.Parallel() // they wait before they try again
				w := &way{host: at.Host, token: fmt.Sprintf("%d.go", i), Transport: http.Transport{DisableKeepAlives: true}}
				use, err := optionsOf([]Option{Language(row.Language)})
				if err != nil {
					t.Fatal(err)
				}
				heard, out, err := listen(t.Context(), connect(w, use), row.Stream)
				if !slices.Equal(heard, row.Heard) || out != row.Output {
					t.Errorf("heard %v %q, want %v %q", heard, out, row.Heard, row.Output)
				}
				var no *problem.Problem
				switch {
				case row.Code != "":
					if !errors.As(err, &no) || no.Code != row.Code || !strings.Contains(no.Title, row.Error) {
						t.Errorf("%v %+v, want %s %q", err, no, row.Code, row.Error)
					}
				case row.Error == "" && err != nil, row.Error != "" && (err == nil || !strings.Contains(err.Error(), row.Error)):
					t.Errorf("%v, want %q", err, row.Error)
				}
				if asked := asked(t, w); !slices.Equal(asked, row.Asked) {
					t.Errorf("asked %q, want %q", asked, row.Asked)
				}
			})
		}
	})
}

// listen hears a stream to its end.
func listen(ctx context.Context, p *Piwork, stream string) (heard []int64, out string, err error) {
	switch stream {
	case sdktest.Agent:
		err = p.AgentEvents(ctx, "x", task.OnlyNew, func(_ int64, line json.RawMessage) error {
			var said struct{ Seq int64 }
			heard = append(heard, 0)
			err := json.Unmarshal(line, &said)
			heard[len(heard)-1] = said.Seq
			return err
		})
	case sdktest.Watch:
		err = p.WatchFiles(ctx, "x", actions.WatchRequest{Path: "/x"}, func(wire.FileChange) error {
			heard = append(heard, int64(len(heard)+1))
			return nil
		})
	case sdktest.Request:
		_, err = p.Client.Task(ctx, "none")
	case sdktest.Output:
		var one *Task
		var said []byte
		if one, err = p.Run(ctx, []string{"x"}, nil, func(r *tasks.StartRequest) { r.Detached = true }); err == nil {
			said, err = one.Output(ctx)
		}
		if err == nil {
			out = string(said)
		}
	default:
		for e, failed := range p.StreamEvents(ctx, task.EventFilter{}) {
			if err = failed; err == nil {
				heard = append(heard, e.Seq)
			}
		}
	}
	return heard, out, err
}

// asked is what the server was asked with a token.
func asked(t *testing.T, w *way) (out []string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x/asked", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := w.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || json.Unmarshal(body, &out) != nil {
		t.Errorf("%v %s", err, body)
	}
	return out
}

// Close ends streams at once, as they stand, and nothing is asked for again.
func TestCloseEndsStreams(t *testing.T) {
	address, _ := sdktest.Serve(t)
	at, _ := url.Parse(address)
	for name, hear := range map[string]func(*Piwork, *Task) error{
		"events": func(p *Piwork, _ *Task) (err error) {
			for _, err = range p.StreamEvents(t.Context(), task.EventFilter{}) {
				err = errors.Join(err, p.Close(t.Context()))
			}
			return err
		},
		"agent": func(p *Piwork, _ *Task) error {
			return p.AgentEvents(t.Context(), "x", task.OnlyNew, func(int64, json.RawMessage) error { return p.Close(t.Context()) })
		},
		"watch": func(p *Piwork, _ *Task) error {
			return p.WatchFiles(t.Context(), "x", actions.WatchRequest{Path: "/x"}, func(wire.FileChange) error { return p.Close(t.Context()) })
		},
		"task": func(p *Piwork, one *Task) error {
			err := p.Close(t.Context())
			_, wait := one.Wait(t.Context())
			return errors.Join(err, wait)
		},
	} {
		w := &way{host: at.Host, token: "stands." + name, Transport: http.Transport{DisableKeepAlives: true}}
		p := Connect(w)
		one, err := p.Run(t.Context(), []string{"x"}, nil, func(r *tasks.StartRequest) { r.Detached = true })
		if err != nil {
			t.Fatal(err)
		}
		if err := hear(p, one); !errors.Is(err, errClosed) {
			t.Errorf("%s: %v", name, err)
		}
		<-one.over
		if got := asked(t, w); slices.ContainsFunc(got, func(last string) bool { return last != "" }) {
			t.Errorf("%s: opened again behind %q", name, got)
		}
	}
}

// Whoever has heard enough of a stream, or whose context ends, ends it.
func TestStreamEventsEnds(t *testing.T) {
	address, rows := sdktest.Serve(t)
	at, _ := url.Parse(address)
	i := slices.IndexFunc(rows, func(r sdktest.Row) bool { return len(r.Heard) > 2 && len(r.Asked) == 2 })
	w := &way{host: at.Host, token: fmt.Sprintf("%d.enough", i), Transport: http.Transport{DisableKeepAlives: true}}
	for range Connect(w).StreamEvents(t.Context(), task.EventFilter{}) {
		break
	}
	if got := asked(t, w); len(got) != 1 {
		t.Errorf("%q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range Connect(w).StreamEvents(ctx, task.EventFilter{}) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Error(last)
	}
}
