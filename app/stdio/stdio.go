// Package stdio is the API as lines of JSON on standard input and output, for programs that
// start piwork and speak to it through pipes. It passes requests on to the controller, as the
// command line does.
//
// A line to piwork is a request, or takes one back:
//
//	{"id":1,"method":"GET","path":"/v1/tasks"}
//	{"id":"b","method":"POST","path":"/v1/tasks","headers":{"Idempotency-Key":"k"},"body":{…}}
//	{"id":"b","cancel":true}
//
// An id is a string or a number that no other request has at the moment; its answers carry it.
// Several requests are at work at once, and are answered as they are done:
//
//	{"id":1,"status":200,"headers":{"X-Request-Id":"…"},"body":[…]}
//	{"id":2,"status":200,"headers":{…},"data":"aGk="}                 bytes that are no JSON, in base64
//	{"id":3,"status":200,"headers":{…},"stream":true}                 a stream of events begins
//	{"id":3,"event":"message","number":7,"body":{…}}                  without a number where it has no id
//	{"id":3,"end":true}                                               it is over
//	{"id":4,"error":"…"}                                              no answer came, a stream broke, or it was no request
//
// When the input ends, requests are answered, streams end, and then piwork does.
package stdio

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"piwork/app/client"
	"piwork/app/jsonlines"
)

// Bounds.
const (
	maxLine   = 96 << 20 // of a request: the largest body that the API takes, and what is around it
	maxAnswer = 64 << 20 // of what is no stream
	maxID     = 64       // bytes
	maxAtWork = 64       // requests
)

// passed are the headers of requests and answers that mean something here.
var passed = []string{"Accept", "Accept-Language", "Content-Type", "Etag", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range", "Last-Event-Id", "Link", "Location", "Prefer", "Preference-Applied", "Idempotency-Replayed", "Range", "Content-Range", "Ratelimit", "Ratelimit-Policy", "Retry-After", "Traceparent", "X-Request-Id"}

type request struct {
	ID      json.RawMessage   `json:"id"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
	Cancel  bool              `json:"cancel"`
}

type answer struct {
	ID      json.RawMessage   `json:"id"`
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"`
	Data    []byte            `json:"data,omitempty"`
	Stream  bool              `json:"stream,omitempty"`
	Event   string            `json:"event,omitempty"`
	Number  int64             `json:"number,omitempty"` // what Last-Event-ID says behind the event
	End     bool              `json:"end,omitempty"`
	Error   string            `json:"error,omitempty"`
}

// Run passes requests on until in ends or ctx does.
func Run(ctx context.Context, in io.Reader, out io.Writer, c *client.Client) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p := &pipe{client: c, out: out, stop: stop, atWork: map[string]*work{}}
	lines, over := make(chan []byte), make(chan error, 1)
	go func() { // it stays when in never ends, and so does the program that it belongs to
		over <- jsonlines.Each(in, maxLine, func(line []byte, whole bool) error {
			if !whole {
				p.say(answer{Error: fmt.Sprintf("a line has more than %d bytes", maxLine)})
				return nil
			}
			select {
			case lines <- line:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	}()
	for {
		select {
		case line := <-lines:
			p.take(ctx, line)
			continue
		case err := <-over:
			p.endStreams()
			p.all.Wait()
			return errors.Join(err, p.failed())
		case <-ctx.Done():
			p.all.Wait()
			return p.failed()
		}
	}
}

// pipe is what runs between two programs.
type pipe struct {
	client *client.Client
	stop   context.CancelCauseFunc
	all    sync.WaitGroup

	writing sync.Mutex
	out     io.Writer
	err     error // of writing

	mu     sync.Mutex
	atWork map[string]*work // by id
}

// work is a request that is not answered to its end.
type work struct {
	cancel context.CancelFunc
	stream bool
	ending bool // the input is over: it ends where it becomes a stream
}

// failed is why nothing can be said any more.
func (p *pipe) failed() error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.err
}

// say writes a line.
func (p *pipe) say(a answer) {
	if a.ID == nil {
		a.ID = json.RawMessage("null")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(a)
	p.writing.Lock()
	defer p.writing.Unlock()
	if err == nil && p.err == nil {
		_, err = p.out.Write(b.Bytes())
	}
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("answer: %w", err)
		p.stop(p.err)
	}
}

// take begins a request, or takes one back.
func (p *pipe) take(ctx context.Context, line []byte) {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		p.say(answer{Error: "no request: " + err.Error()})
		return
	}
	if !isID(r.ID) {
		p.say(answer{Error: fmt.Sprintf("an id is a string or a number of at most %d bytes", maxID)})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.atWork[string(r.ID)]
	switch {
	case r.Cancel:
		if known != nil {
			known.cancel()
		}
	case known != nil:
		p.say(answer{ID: r.ID, Error: "another request with this id is at work"})
	case len(p.atWork) >= maxAtWork:
		p.say(answer{ID: r.ID, Error: fmt.Sprintf("%d requests are at work, and no more can be", maxAtWork)})
	default:
		ctx, cancel := context.WithCancel(ctx)
		w := &work{cancel: cancel}
		p.atWork[string(r.ID)] = w
		p.all.Go(func() {
			defer cancel()
			last := p.pass(ctx, r, w)
			p.mu.Lock()
			delete(p.atWork, string(r.ID)) // before its last line, after which the id can be used again
			p.mu.Unlock()
			last.ID = r.ID
			p.say(last)
		})
	}
}

// isID tells whether an id can be one.
func isID(id json.RawMessage) bool {
	return len(id) > 0 && len(id) <= maxID && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

// endStreams has streams end, also those that begin later.
func (p *pipe) endStreams() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.atWork {
		if w.ending = true; w.stream {
			w.cancel()
		}
	}
}

// pass has a request done, and returns the last line about it.
func (p *pipe) pass(ctx context.Context, r request, w *work) answer {
	res, err := p.send(ctx, r)
	if err != nil {
		return answer{Error: err.Error()}
	}
	defer res.Body.Close()
	a := answer{Status: res.StatusCode, Headers: map[string]string{}}
	for _, h := range passed {
		if v := res.Header.Get(h); v != "" {
			a.Headers[h] = v
		}
	}
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if media == "text/event-stream" {
		return p.events(ctx, res.Body, a, r.ID, w)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return answer{Error: "read the answer: " + err.Error()}
	case len(b) > maxAnswer:
		return answer{Status: a.Status, Error: fmt.Sprintf("the answer has more than %d bytes: ask for a Range of it, and for the next ones with its ETag as If-Match", maxAnswer)}
	case (media == "application/json" || strings.HasSuffix(media, "+json")) && json.Valid(b):
		a.Body = bytes.TrimSpace(b)
	default:
		a.Data = b
	}
	return a
}

// events passes a stream on.
func (p *pipe) events(ctx context.Context, body io.Reader, a answer, id json.RawMessage, w *work) answer {
	p.mu.Lock()
	w.stream = true
	ending := w.ending
	p.mu.Unlock()
	a.ID, a.Stream = id, true
	p.say(a)
	if ending {
		return answer{End: true}
	}
	err := client.ReadStream(body, func(name string, number int64, data []byte) error {
		name = cmp.Or(name, "message")
		p.say(answer{ID: id, Event: name, Number: number, Body: data})
		return p.failed()
	})
	if !errors.Is(err, io.EOF) && ctx.Err() == nil && p.failed() == nil {
		return answer{Error: "the stream broke: " + err.Error()}
	}
	return answer{End: true}
}

// send sends a request to the controller.
func (p *pipe) send(ctx context.Context, r request) (*http.Response, error) {
	u, err := url.ParseRequestURI(r.Path)
	if err != nil || !strings.HasPrefix(r.Path, "/") || u.Host != "" {
		return nil, errors.New("path is one of the API, such as /v1/tasks")
	}
	header := http.Header{}
	for name, v := range r.Headers {
		if name = http.CanonicalHeaderKey(name); !slices.Contains(passed, name) {
			return nil, fmt.Errorf("the header %q means nothing here", name)
		}
		header.Set(name, v)
	}
	var body io.Reader = http.NoBody
	if len(r.Body) > 0 {
		body = bytes.NewReader(r.Body)
		header.Set("Content-Type", "application/json")
	}
	return client.Send(ctx, p.client, r.Method, r.Path, header, body)
}
