package meter

import (
	"bytes"
	"encoding/json"
	"mime"
	"strings"

	"piwork/app/gateway/provider"
)

// Bounds of a reader.
const (
	maxLine   = 4 << 20 // of a line of a stream, or of a whole answer in JSON; longer ones are not read
	maxTokens = 1 << 40 // no answer has more
	maxModel  = 200     // characters of a model's name
)

// Tokens is what one answer used.
type Tokens struct {
	Model      string // as the answer names it
	Input      int64  // not from, and not to, a cache
	Output     int64
	CacheRead  int64
	CacheWrite int64
	CacheHour  int64    // part of CacheWrite that is kept for an hour (Anthropic)
	Searches   int64    // of the web, by the provider
	Dollars    *float64 // what the answer says that it cost
	Guessed    bool     // the answer ended before it said what it used
}

// Reader reads one answer. It is used by one goroutine.
type Reader struct {
	protocol provider.Protocol
	stream   bool
	line     []byte
	skip     bool // the line is too long
	cut      bool // some line was
	data     int64
	bytes    int64
	done     bool // the last word on what was used has come
	t        Tokens
}

// NewReader makes a reader of an answer of a kind (its Content-Type).
func NewReader(p provider.Protocol, contentType string) *Reader {
	kind, _, err := mime.ParseMediaType(contentType)
	return &Reader{protocol: p, stream: err == nil && kind == "text/event-stream"}
}

// Write takes the next part of the answer. It always takes all of it.
func (r *Reader) Write(b []byte) (int, error) {
	n := len(b)
	r.bytes += int64(n)
	if !r.stream {
		r.add(b)
		return n, nil
	}
	for len(b) > 0 {
		i := bytes.IndexAny(b, "\n\r") // all three ends of lines of the format, CRLF as an empty line more
		if i < 0 {
			r.add(b)
			break
		}
		if len(r.line) == 0 && !r.skip {
			r.event(b[:i])
		} else {
			r.add(b[:i])
			r.event(r.line)
		}
		r.line, r.skip = r.line[:0], false
		b = b[i+1:]
	}
	return n, nil
}

// add keeps a part of a line, or of the answer.
func (r *Reader) add(b []byte) {
	if r.skip || len(r.line)+len(b) > maxLine {
		r.skip, r.cut, r.line = true, true, r.line[:0]
		return
	}
	r.line = append(r.line, b...)
}

// event reads a line of a stream.
func (r *Reader) event(line []byte) {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok || r.skip {
		return
	}
	r.data++
	if bytes.Contains(data, []byte(`"usage`)) { // also usageMetadata
		r.read(data)
	}
}

// counts are the names of all protocols together; none has two meanings.
type counts struct {
	InputTokens   *int64 `json:"input_tokens"`
	OutputTokens  *int64 `json:"output_tokens"`
	CacheCreation *int64 `json:"cache_creation_input_tokens"`
	CacheRead     *int64 `json:"cache_read_input_tokens"`
	Creation      *struct {
		Hour int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	Server *struct {
		Searches int64 `json:"web_search_requests"`
	} `json:"server_tool_use"`

	PromptTokens     *int64   `json:"prompt_tokens"`
	CompletionTokens *int64   `json:"completion_tokens"`
	PromptDetails    *details `json:"prompt_tokens_details"`
	InputDetails     *details `json:"input_tokens_details"`
	CacheHit         *int64   `json:"prompt_cache_hit_tokens"`
	Cost             *float64 `json:"cost"`
}

type details struct {
	Cached  int64 `json:"cached_tokens"`
	Written int64 `json:"cache_write_tokens"`
}

type answer struct {
	Type    string  `json:"type"`
	Model   string  `json:"model"`
	Usage   *counts `json:"usage"`
	Message *answer `json:"message"`  // of Anthropic's message_start
	Resp    *answer `json:"response"` // of OpenAI's response.completed

	Version string `json:"modelVersion"`
	Google  *struct {
		Prompt     int64 `json:"promptTokenCount"`
		Cached     int64 `json:"cachedContentTokenCount"`
		Candidates int64 `json:"candidatesTokenCount"`
		Thoughts   int64 `json:"thoughtsTokenCount"`
		Tools      int64 `json:"toolUsePromptTokenCount"`
	} `json:"usageMetadata"`
}

// read takes what one JSON value says about use.
func (r *Reader) read(data []byte) {
	if r.protocol == provider.Pi {
		r.pi(data)
		return
	}
	var a answer
	if json.Unmarshal(data, &a) != nil {
		return
	}
	r.model(a.Model)
	r.model(a.Version)
	switch r.protocol {
	case provider.Anthropic:
		if a.Message != nil {
			r.model(a.Message.Model)
			r.anthropic(a.Message.Usage)
		}
		if r.anthropic(a.Usage) && (a.Type == "message_delta" || a.Type == "message") {
			r.done = true
		}
	case provider.Google:
		if g := a.Google; g != nil {
			cached := clamp(g.Cached)
			r.t.CacheRead = cached
			r.t.Input = max(0, clamp(g.Prompt)-cached) + clamp(g.Tools)
			r.t.Output = clamp(g.Candidates) + clamp(g.Thoughts)
			r.done = true // each replaces the one before
		}
	default:
		if a.Resp != nil {
			r.model(a.Resp.Model)
			r.openai(a.Resp.Usage)
		}
		r.openai(a.Usage)
	}
}

func (r *Reader) anthropic(u *counts) bool {
	if u == nil {
		return false
	}
	set(&r.t.Input, u.InputTokens)
	set(&r.t.Output, u.OutputTokens)
	set(&r.t.CacheRead, u.CacheRead)
	set(&r.t.CacheWrite, u.CacheCreation)
	if u.Creation != nil {
		r.t.CacheHour = min(clamp(u.Creation.Hour), r.t.CacheWrite)
	}
	if u.Server != nil {
		r.t.Searches = clamp(u.Server.Searches)
	}
	return true
}

func (r *Reader) openai(u *counts) {
	if u == nil {
		return
	}
	in, out, d := u.PromptTokens, u.CompletionTokens, u.PromptDetails
	if in == nil {
		in, d = u.InputTokens, u.InputDetails
	}
	if out == nil {
		out = u.OutputTokens
	}
	if in == nil && out == nil {
		return
	}
	r.t.CacheRead, r.t.CacheWrite = 0, 0
	set(&r.t.CacheRead, u.CacheHit)
	if d != nil {
		r.t.CacheRead, r.t.CacheWrite = max(r.t.CacheRead, clamp(d.Cached)), clamp(d.Written)
	}
	set(&r.t.Input, in)
	r.t.Input = max(0, r.t.Input-r.t.CacheRead-r.t.CacheWrite)
	set(&r.t.Output, out)
	if u.Cost != nil && *u.Cost >= 0 && *u.Cost < 1e6 {
		r.t.Dollars = u.Cost
	}
	r.done = true
}

func (r *Reader) model(name string) {
	if name != "" && len(name) <= maxModel && !strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		r.t.Model = name
	}
}

func set(to *int64, v *int64) {
	if v != nil {
		*to = clamp(*v)
	}
}

func clamp(n int64) int64 { return min(max(n, 0), maxTokens) }

// GuessInput is how many tokens a question of so many bytes has, about.
func GuessInput(request int64) int64 { return request / 4 }

// Tokens says what the answer used, when it has come to its end. request is the
// length of the question in bytes. An answer that was cut off before it said so
// is guessed, so that going away early costs no less: a token for four bytes of
// the question, and one for each event, or four bytes of the answer.
func (r *Reader) Tokens(request int64) Tokens {
	if !r.stream && !r.skip {
		r.read(r.line)
		if r.protocol == provider.Anthropic && r.t.Input+r.t.Output > 0 {
			r.done = true
		}
	} else if len(r.line) > 0 && !r.done {
		r.event(r.line) // the last line may have no end
	}
	t := r.t
	if r.done {
		return t
	}
	t.Guessed = true
	if t.Input+t.CacheRead+t.CacheWrite == 0 {
		t.Input = GuessInput(request)
	}
	out := r.bytes / 4
	if r.stream {
		out = r.data
	}
	t.Output = max(t.Output, out)
	return t
}
