package apifuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// Route is one operation of the document, over something that answers.
type Route struct {
	*Fuzz
	Method, Path string

	// Known are values of parameters that mean something where it is sent to.
	Known map[string]string

	// Examples are bodies that mean something there, as encoding/json has them.
	Examples []any

	// Send sends a request and has all of the answer. It is not called by two at once.
	Send func(*http.Request) (*http.Response, []byte, error)

	// Within bounds how long an answer may take; that of the endless stream of events is
	// cut off sooner.
	Within time.Duration

	// Fine is whether some request was answered by a success.
	Fine bool

	op map[string]any
}

// ID is the name of the operation.
func (r *Route) ID() string {
	id, _ := r.op["operationId"].(string)
	return id
}

// kinds of requests.
const (
	fits = iota
	nearlyFits
	fitsNot
)

// requestID is what every answer has in its header X-Request-Id.
var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Check makes one request and judges the answer.
func (r *Route) Check(t *rapid.T) {
	how := rapid.SampledFrom([]int{fits, fits, nearlyFits, nearlyFits, fitsNot}).Draw(t, "request")
	within, endless := r.Within, r.Path == "/v1/events"
	if endless {
		within = 20 * time.Millisecond
	}
	ctx, stop := context.WithTimeout(context.Background(), within)
	defer stop()
	req := r.request(t, how).on(ctx)
	r.requests.Add(1)
	var res *http.Response
	var data []byte
	var err error
	over := make(chan struct{})
	go func() {
		defer close(over)
		res, data, err = r.Send(req) //nolint:bodyclose // it has read all of it
	}()
	select {
	case <-over:
	case <-time.After(within + time.Minute):
		t.Fatalf("no answer to %s %s", req.Method, req.URL)
	}
	if ctx.Err() != nil && endless {
		return
	}
	if ctx.Err() != nil {
		t.Fatalf("%s %s was answered only when the caller went away", req.Method, req.URL)
	}
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	said := fmt.Sprintf("%s %s: %d %.2000s", req.Method, req.URL, res.StatusCode, data)
	if id := res.Header.Get("X-Request-Id"); !requestID.MatchString(id) {
		t.Fatalf("%s: request id %q", said, id)
	}
	if res.StatusCode == http.StatusInternalServerError || bytes.Contains(data, []byte(`"code":"unknown"`)) {
		t.Fatalf("a fault of the server: %s", said)
	}
	if res.StatusCode < 300 {
		r.Fine = true
	}
	if req.Method != r.Method { // of another route, or of none
		return
	}
	if err := r.judge(res, data); err != nil {
		t.Fatalf("%s\n%v", said, err)
	}
}

// Request is a request that was made.
type Request struct {
	Method, Target string // a path, and what is asked of it
	Header         http.Header
	Body           []byte
}

// on is the request as net/http has it.
func (r Request) on(ctx context.Context) *http.Request {
	req := httptest.NewRequestWithContext(ctx, r.Method, "http://piwork"+r.Target, bytes.NewReader(r.Body))
	req.Header = r.Header
	return req
}

// request makes a request.
func (r *Route) request(t *rapid.T, how int) Request {
	path, query := r.Path, url.Values{}
	header := http.Header{}
	list, _ := r.op["parameters"].([]any)
	for _, p := range list {
		param := p.(map[string]any)
		name, _ := param["name"].(string)
		value := fmt.Sprint(r.gen.value(t, param["schema"].(map[string]any), 0))
		if known, is := r.Known[name]; is && rapid.IntRange(0, 3).Draw(t, "known") > 0 {
			value = known
		}
		if how == fitsNot && rapid.Bool().Draw(t, "wrong") {
			value = rapid.SampledFrom([]string{"..", "%2e%2e", "-1", "99999999999999999999", "x y", "\u2028", strings.Repeat("a", 3000), "NaN", "a/../b"}).Draw(t, "value")
		}
		switch param["in"] {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
		case "query":
			if param["required"] == true || rapid.Bool().Draw(t, "has "+name) {
				query.Set(name, value)
			}
		case "header":
			if rapid.IntRange(0, 4).Draw(t, "has "+name) == 0 {
				header.Set(name, strings.Map(func(c rune) rune {
					if c < ' ' || c > '~' {
						return -1
					}
					return c
				}, value))
			}
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "async") == 0 {
		header.Set("Prefer", "respond-async")
	}
	if accept := rapid.SampledFrom([]string{"", "", "*/*", "application/json", "text/event-stream", "image/png", ";;;", "application/json;q=x"}).Draw(t, "accept"); accept != "" {
		header.Set("Accept", accept)
	}
	if how == fitsNot {
		header.Set("X-Request-Id", rapid.SampledFrom([]string{"", "ok-1", strings.Repeat("i", 5000), "a b", "<script>"}).Draw(t, "id"))
	}
	body, kind := r.body(t, how)
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	method := r.Method
	if how == fitsNot && rapid.IntRange(0, 5).Draw(t, "other method") == 0 {
		method = rapid.SampledFrom([]string{"PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "X"}).Draw(t, "method")
	}
	target := path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	return Request{method, target, header, body}
}

// body makes the body of a request, and its type.
func (r *Route) body(t *rapid.T, how int) (data []byte, kind string) {
	described, _ := r.op["requestBody"].(map[string]any)
	content, _ := described["content"].(map[string]any)
	if len(content) == 0 {
		if how == fitsNot {
			return junk(t), "application/json"
		}
		return nil, ""
	}
	kind = rapid.SampledFrom(slices.Sorted(maps.Keys(content))).Draw(t, "type")
	media, _ := content[kind].(map[string]any)
	s, _ := media["schema"].(map[string]any)
	if how == fitsNot {
		other := rapid.SampledFrom([]string{kind, kind, "", "text/plain", "multipart/form-data", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "\xff"}).Draw(t, "other type")
		return junk(t), other
	}
	var v any
	if len(r.Examples) > 0 && rapid.IntRange(0, 2).Draw(t, "example") > 0 {
		v = clone(rapid.SampledFrom(r.Examples).Draw(t, "which example"))
	} else {
		v = r.gen.value(t, s, 0)
	}
	if how == nearlyFits {
		v = bent(t, v)
	}
	if kind == "multipart/form-data" {
		return r.gen.form(t, s, v)
	}
	return marshalled(t, v), kind
}

// judge compares an answer with the document.
func (r *Route) judge(res *http.Response, data []byte) error {
	status := fmt.Sprint(res.StatusCode)
	responses, _ := r.op["responses"].(map[string]any)
	if responses[status] == nil {
		if res.StatusCode < 400 && res.StatusCode != http.StatusPartialContent {
			return fmt.Errorf("the status is not in the document")
		}
		if status = "default"; res.StatusCode == http.StatusPartialContent {
			status = "200"
		}
	}
	if err := r.foreseen(res.StatusCode, data); err != nil {
		return err
	}
	described, _ := responses[status].(map[string]any)
	content, _ := described["content"].(map[string]any)
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if len(content) == 0 {
		if len(data) > 0 {
			return fmt.Errorf("a body, and none is in the document")
		}
		return nil
	}
	if content[kind] == nil {
		for _, wide := range []string{"*/*", "application/octet-stream"} { // bytes: the type is the file's
			if media, is := content[wide].(map[string]any); is && media["schema"].(map[string]any)["format"] == "binary" {
				return nil
			}
		}
		return fmt.Errorf("the type %s is not in the document", kind)
	}
	at := []string{"paths", r.Path, strings.ToLower(r.Method), "responses", status, "content", kind, "schema"}
	switch kind {
	case "application/json", "application/problem+json":
		return r.valid(at, data)
	case "text/event-stream":
		for message := range strings.SplitSeq(string(data), "\n\n") {
			for line := range strings.SplitSeq(message, "\n") {
				if text, is := strings.CutPrefix(line, "data: "); is {
					if err := r.valid(at, []byte(text)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// foreseen says that a problem is in the document: of the operation, or of each.
func (r *Route) foreseen(status int, data []byte) error {
	var p struct{ Code string }
	if status < 400 || json.Unmarshal(data, &p) != nil {
		return nil
	}
	for _, of := range []map[string]any{r.op, r.gen.doc} {
		if codes, _ := of["x-problems"].([]any); slices.Contains(codes, any(p.Code)) {
			return nil
		}
	}
	return fmt.Errorf("the problem %s is not in the document", p.Code)
}
