package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/client"
)

// talk is a program at the other end.
type talk struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Scanner
	over  chan error
}

// begin starts the pipe over a handler.
func begin(t *testing.T, h http.Handler) *talk {
	t.Helper()
	in, send := io.Pipe()
	hear, out := io.Pipe()
	v := &talk{t, send, bufio.NewScanner(hear), make(chan error, 1)}
	v.lines.Buffer(nil, 1<<20)
	rt := client.InProcess(h)
	go func() {
		v.over <- Run(t.Context(), in, out, client.New(rt, nil))
		out.Close()
	}()
	t.Cleanup(func() { send.Close() })
	return v
}

func (v *talk) say(line string) {
	v.t.Helper()
	if _, err := io.WriteString(v.in, line+"\n"); err != nil {
		v.t.Fatal(err)
	}
}

// hear is the next line.
func (v *talk) hear() (a answer) {
	v.t.Helper()
	if !v.lines.Scan() {
		v.t.Fatal("nothing more is said")
	}
	if err := json.Unmarshal(v.lines.Bytes(), &a); err != nil {
		v.t.Fatalf("%s: %v", v.lines.Bytes(), err)
	}
	return a
}

// end ends the input, and waits for the end.
func (v *talk) end() error {
	v.in.Close()
	for v.lines.Scan() {
	}
	return <-v.over
}

func scripted(t *testing.T, s apitest.Script) (*apitest.Fake, http.Handler) {
	t.Helper()
	f := apitest.New(s)
	a := api.New(api.Options{Service: f})
	t.Cleanup(a.Close)
	return f, a.Handler()
}

// What is asked is answered, whatever it is; what is none is said, and nothing else suffers.
func TestRequests(t *testing.T) {
	_, h := scripted(t, apitest.Script{Endless: true})
	v := begin(t, h)
	for _, row := range []struct{ line, want string }{
		{`{"id":1,"method":"GET","path":"/v1/tasks"}`, `"id":1,"status":200`},
		{`{"id":"a","path":"/v1/tasks"}`, `"id":"a","status":200`},
		{`{"id":2,"method":"POST","path":"/v1/tasks","headers":{"idempotency-key":"k"},"body":{"kind":"exec","argv":["true"],"folders":[],"detached":true}}`, `"status":201`},
		{`{"id":2,"method":"POST","path":"/v1/tasks","headers":{"Idempotency-Key":"k"},"body":{"kind":"exec","argv":["true"],"folders":[],"detached":true}}`, `"Idempotency-Replayed":"true"`},
		{`{"id":3,"method":"GET","path":"/v1/tasks/none"}`, `"code":"not-found"`},
		{`{"id":4,"method":"GET","path":"/openapi.yaml"}`, `"data":"`},
		{`{"id":5,"method":"DELETE","path":"/v1/tasks/none","headers":{"Accept-Language":"de"}}`, `"status":404`},
		{`{"id":6,"method":"GET","path":"/v1/tasks/x/attach"}`, `"status":4`},
		{`{"id":1,"method":"GET","path":"v1/tasks"}`, `"id":1,"error":"path`},
		{`{"id":1,"method":"GET","path":"http://elsewhere/v1/tasks"}`, `"id":1,"error":"path`},
		{`{"id":1,"method":"GET","path":"//elsewhere/v1/tasks"}`, `"id":1,"`},
		{`{"id":1,"method":"G T","path":"/v1/tasks"}`, `"id":1,"error":`},
		{`{"id":1,"path":"/v1/tasks","headers":{"Host":"x"}}`, `"error":"the header \"Host\"`},
		{`{"id":1,"path":"/v1/tasks","headers":{"X-Request-Id":"a\r\nb"}}`, `"error":`},
		{`{"method":"GET","path":"/v1/tasks"}`, `"id":null,"error":"an id`},
		{`{"id":{},"path":"/v1/tasks"}`, `"error":"an id`},
		{`{"id":null,"path":"/v1/tasks"}`, `"error":"an id`},
		{`{"id":"` + strings.Repeat("a", 64) + `","path":"/v1/tasks"}`, `"error":"an id`},
		{`hello`, `"error":"no request`},
		{`[]`, `"error":"no request`},
		{`{"id":7,"cancel":true}` + "\n" + `{"id":7,"path":"/_health"}`, `"status":200`},
	} {
		v.say(row.line)
		if !v.lines.Scan() || !strings.Contains(v.lines.Text(), row.want) {
			t.Errorf("%s: %.300s", row.line, v.lines.Text())
		}
	}
	if err := v.end(); err != nil {
		t.Error(err)
	}
}

// Events come as they happen, beside other answers; a stream ends when it is taken back, and
// with the input, which what is at work survives.
func TestStreams(t *testing.T) {
	_, h := scripted(t, apitest.Script{Endless: true})
	slow, came := make(chan struct{}), make(chan struct{})
	v := begin(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(came)
			<-slow
			return
		}
		h.ServeHTTP(w, r)
	}))
	for _, id := range []string{"1", "2"} {
		v.say(`{"id":` + id + `,"path":"/v1/events"}`)
		if a := v.hear(); !a.Stream || a.Status != 200 {
			t.Fatalf("%+v", a)
		}
	}
	v.say(`{"id":1,"path":"/v1/tasks"}`)
	if a := v.hear(); a.Error == "" {
		t.Errorf("an id that is at work: %+v", a)
	}
	v.say(`{"id":3,"method":"POST","path":"/v1/tasks","body":{"kind":"exec","argv":["true"],"folders":[],"detached":true}}`)
	for heard := map[string]bool{}; !heard["1"] || !heard["2"] || !heard["3"]; {
		a := v.hear()
		heard[string(a.ID)] = true
		if string(a.ID) != "3" && (a.Event != "message" || !json.Valid(a.Body)) {
			t.Errorf("%+v", a)
		}
	}
	v.say(`{"id":1,"cancel":true}`)
	for a := v.hear(); !a.End; a = v.hear() {
	}
	v.say(`{"id":"slow","path":"/slow"}`)
	<-came
	go func() { v.in.Close() }()
	var last []string
	for v.lines.Scan() {
		var a answer
		_ = json.Unmarshal(v.lines.Bytes(), &a)
		if a.End || a.Status != 0 {
			last = append(last, fmt.Sprintf("%s %v %d", a.ID, a.End, a.Status))
		}
		if a.End {
			close(slow)
		}
	}
	if err := <-v.over; err != nil || strings.Join(last, ", ") != `2 true 0, "slow" false 200` {
		t.Errorf("%v %q", err, last)
	}
}

// A stream that breaks behind piwork is told from one that piwork ends.
func TestBrokenStream(t *testing.T) {
	v := begin(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 1\ndata: {\"seq\":1}\n\nid: 2\ndata: {\"se")
		_ = http.NewResponseController(w).Flush()
		if r.URL.Path == "/broken" {
			panic(http.ErrAbortHandler)
		}
	}))
	for path, want := range map[string]string{"/broken": "the stream broke: unexpected EOF", "/ended": ""} {
		v.say(`{"id":1,"path":"` + path + `"}`)
		begun, event, last := v.hear(), v.hear(), v.hear()
		if !begun.Stream || string(event.Body) != `{"seq":1}` || last.Error != want || last.End != (want == "") {
			t.Errorf("%s: %+v %+v %+v", path, begun, event, last)
		}
	}
	if err := v.end(); err != nil {
		t.Error(err)
	}
}

// A program that reads nothing any more ends it, with all that it holds.
func TestReaderGone(t *testing.T) {
	_, h := scripted(t, apitest.Script{})
	hear, out := io.Pipe()
	in, send := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- Run(t.Context(), in, out, client.New(client.InProcess(h), nil)) }()
	hear.CloseWithError(errors.New("gone"))
	fmt.Fprintln(send, `{"id":1,"path":"/v1/tasks"}`)
	if err := <-over; err == nil || !strings.Contains(err.Error(), "gone") {
		t.Error(err)
	}
}

// No more is at work than may be, and cancelling makes room.
func TestAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var out bytes.Buffer
		p := &pipe{client: client.New(stuck{}, nil), out: &out, stop: func(error) {}, atWork: map[string]*work{}}
		for i := range maxAtWork {
			p.take(ctx, fmt.Appendf(nil, `{"id":%d,"path":"/"}`, i))
		}
		p.take(ctx, []byte(`{"id":"more","path":"/"}`))
		p.take(ctx, []byte(`{"id":0,"cancel":true}`))
		synctest.Wait()
		p.take(ctx, []byte(`{"id":"now","path":"/"}`))
		synctest.Wait()
		if got := out.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, `"more","error"`) || !strings.Contains(got, `"id":0,"error"`) {
			t.Error(got)
		}
		cancel()
		p.all.Wait()
	})
}

// stuck is a server that answers nothing.
type stuck struct{}

func (stuck) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(time.Hour):
		return nil, errors.New("nobody gave up")
	}
}

// FuzzLines: whatever comes in, each line is answered by at least one, which is JSON.
func FuzzLines(f *testing.F) {
	for _, s := range []string{`{"id":1,"path":"/v1/tasks"}`, `{"id":1,"cancel":true}`, "\n\n", `{"id":-0,"method":"","path":"/%zz"}`, `{"id":"\u0000","path":"/","headers":{"Range":"x"}}`} {
		f.Add(s)
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	f.Fuzz(func(t *testing.T, s string) {
		var out bytes.Buffer
		if err := Run(t.Context(), strings.NewReader(s), &out, client.New(client.InProcess(h), nil)); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q", line)
			}
		}
	})
}
