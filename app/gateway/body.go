package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"piwork/app/gateway/provider"
)

// step is by how much a body grows in memory.
const step = 256 << 10

// errNoRoom: the bodies of all requests together would be too long.
var errNoRoom = errors.New("no room for the request")

// readBody reads the whole of a request: its model has to be known before it is
// sent, and it may have to be sent a second time. It takes from room what it
// needs; release gives it back.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, stall time.Duration, room *semaphore.Weighted) (body []byte, release func(), err error) {
	var taken int64
	release = func() { room.Release(taken) }
	if r.ContentLength > limit {
		return nil, release, &http.MaxBytesError{Limit: limit}
	}
	rc := http.NewResponseController(w)
	for {
		if cap(body) == len(body) {
			// Growing copies, so that for a moment both are there.
			more := int64(max(step, len(body)))
			if n := r.ContentLength - int64(len(body)); n > 0 && len(body) == 0 {
				more = n + 1
			}
			if !room.TryAcquire(more) {
				return nil, release, errNoRoom
			}
			taken += more
			body = append(make([]byte, 0, int64(len(body))+more), body...)
		}
		if err := rc.SetReadDeadline(time.Now().Add(stall)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return nil, release, err
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if int64(len(body)) > limit {
			return nil, release, &http.MaxBytesError{Limit: limit}
		}
		if errors.Is(err, io.EOF) {
			err := rc.SetReadDeadline(time.Time{})
			if errors.Is(err, http.ErrNotSupported) {
				err = nil
			}
			return body, release, err
		}
		if err != nil {
			return nil, release, err
		}
	}
}

// question is what the gateway has to know of a body.
type question struct {
	model  string
	stream bool
	others bool   // it names models to fall back to
	later  bool   // it is answered at once, and worked on afterwards, when nobody counts
	extra  string // the part of it that has a price besides that of tokens, such as an order of service; "" is none
	output int64  // tokens that the answer may have; 0 where it does not say
	times  int64  // answers; 0 is one
	alone  bool   // it has input that is not in it, such as a conversation that the provider keeps
	hour   bool   // its input may be kept for an hour
	spared int64  // bytes of it that are no tokens
}

// usualTiers are the orders of service that have the price of the table, or less.
var usualTiers = map[string]bool{"": true, "auto": true, "default": true, "standard": true, "standard_only": true, "flex": true, "global": true}

// bounds reports whether an operation keeps its answer to a member of its question: a limit in
// the words of another one binds nobody.
func bounds(op provider.Operation, name string) bool {
	responses := strings.HasSuffix(op.Path, "/responses")
	switch name {
	case "max_tokens":
		return op.Protocol == provider.Anthropic || op.Protocol == provider.OpenAI && !responses
	case "max_completion_tokens":
		return op.Protocol == provider.OpenAI && !responses
	case "max_output_tokens":
		return op.Protocol == provider.OpenAI && responses
	case "generationConfig", "generation_config":
		return op.Protocol == provider.Google
	case "options":
		return op.Protocol == provider.Pi
	}
	return false
}

// size reads what a member of a question says of the length of the answer, and of what
// kind it is.
func (q *question) size(op provider.Operation, name string, v json.RawMessage) {
	n := func(v json.RawMessage) (n int64) {
		if json.Unmarshal(v, &n) != nil || n < 0 || n > maxOutput {
			return maxOutput // who reads it otherwise reads no more
		}
		return n
	}
	switch name {
	case "max_tokens", "max_completion_tokens", "max_output_tokens":
		if bounds(op, name) {
			q.output = max(q.output, n(v))
		}
	case "n", "candidate_count":
		q.times = max(q.times, n(v))
	case "generationConfig", "generation_config", "options":
		var parts map[string]json.RawMessage // what is no object is none for whoever reads it
		_ = json.Unmarshal(v, &parts)
		for part, v := range parts {
			switch part {
			case "maxOutputTokens", "max_output_tokens", "maxTokens":
				if bounds(op, name) {
					q.output = max(q.output, n(v))
				}
			case "candidateCount", "candidate_count":
				q.times = max(q.times, n(v))
			}
		}
	case "service_tier", "serviceTier", "speed", "inference_geo":
		var tier *string
		if json.Unmarshal(v, &tier) != nil || tier != nil && !usualTiers[*tier] {
			q.extra = name
		}
	case "background": // OpenAI's; what it costs would stand in an answer that the gateway does not fetch
		q.later = json.Unmarshal(v, &q.later) != nil || q.later
	}
}

var errBody = errors.New("not a request of this protocol")

// ask reads the top level of a body, and returns the body as it is to be sent: the
// same bytes, but for the wish to be told what a streamed answer used. A name
// that is there twice is refused: others could take the other one.
func ask(op provider.Operation, body []byte) (question, []byte, error) {
	q := question{model: op.Model, stream: op.Protocol == provider.Pi || strings.HasSuffix(op.Path, ":streamGenerateContent")}
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return q, nil, errBody
	}
	inside := d.InputOffset()
	var from, to int64 // of stream_options
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return q, nil, errBody
		}
		name, _ := t.(string)
		if len(seen) > 256 || seen[name] {
			return q, nil, errBody
		}
		seen[name] = true
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return q, nil, errBody
		}
		switch name {
		case "model":
			if op.Model == "" && (json.Unmarshal(v, &q.model) != nil || v[0] != '"') {
				return q, nil, errBody
			}
		case "models":
			q.others = true
		case "fallbacks": // Anthropic itself takes only its own list for the model, which pi sends
			q.others = q.others || op.Provider != "anthropic"
		case "stream":
			if json.Unmarshal(v, &q.stream) != nil {
				return q, nil, errBody
			}
		case "stream_options":
			to = d.InputOffset()
			from = to - int64(len(v))
		default:
			q.size(op, name, v)
		}
	}
	if t, err := d.Token(); err != nil || t != json.Delim('}') {
		return q, nil, errBody
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return q, nil, errBody // something follows
	}
	if q.model == "" || len(q.model) > 200 {
		return q, nil, errBody
	}
	if !op.Usage || !q.stream {
		return q, body, nil
	}
	return withUsage(q, body, inside, from, to)
}

// withUsage adds the wish to be told what was used.
func withUsage(q question, body []byte, inside, from, to int64) (question, []byte, error) {
	const wish = `"include_usage":true`
	if to == 0 {
		return q, splice(body, inside, inside, `"stream_options":{`+wish+`},`), nil
	}
	options := map[string]json.RawMessage{}
	if json.Unmarshal(body[from:to], &options) != nil {
		return q, nil, errBody
	}
	if string(options["include_usage"]) == "true" {
		return q, body, nil
	}
	if options == nil {
		options = map[string]json.RawMessage{}
	}
	options["include_usage"] = json.RawMessage("true")
	text, err := json.Marshal(options)
	if err != nil {
		return q, nil, errBody
	}
	return q, splice(body, from, to, string(text)), nil
}

func splice(body []byte, from, to int64, text string) []byte {
	out := make([]byte, 0, len(body)+len(text))
	out = append(out, body[:from]...)
	out = append(out, text...)
	return append(out, body[to:]...)
}
