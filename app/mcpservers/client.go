package mcpservers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/problem"
	"piwork/vmhost/network/scrub"
	"piwork/vmhost/sanitize"
)

// ErrNoisy ends a server that says more than it was asked.
var (
	ErrNoisy = errors.New("the server sends more messages than anybody asked for")
	errLong  = errors.New("the server sends more than it may")
)

// protocolVersion is what servers are greeted with: with a later one the client first asks for
// something that older servers do not know, and some of them end.
const protocolVersion = "2025-11-25"

// session is the conversation with one server that runs. It may be used from several
// goroutines.
type session struct {
	cs      atomic.Pointer[mcp.ClientSession]
	said    atomic.Int64 // messages since the last call that answer nothing
	broken  atomic.Pointer[error]
	close   func() // ends the server and all that belongs to it
	closing sync.Once
	tail    func() string // what it printed last beside its answers
	secrets *secrets
	polite  bool // the server is told that it is over
}

// connect greets a server over t. polite servers are told when it is over. end ends its program;
// it is called in any case, at the latest by close.
func connect(ctx context.Context, t mcp.Transport, secrets *secrets, polite bool, tail func() string, end func()) (*session, error) {
	s := &session{close: end, tail: tail, secrets: secrets, polite: polite}
	client := mcp.NewClient(&mcp.Implementation{Name: "piwork", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if s.said.Add(1) > maxSaid {
				s.fail(ErrNoisy)
				return nil, ErrNoisy
			}
			if strings.HasPrefix(method, "notifications/") {
				return nil, nil //nolint:nilnil // nobody here wants any, and the SDK panics over one without parameters
			}
			return next(ctx, method, r)
		}
	})
	cs, err := client.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: protocolVersion})
	if err != nil {
		err = s.because(err)
		s.end()
		return nil, err
	}
	s.cs.Store(cs)
	if why := s.broken.Load(); why != nil { // who ended it may not have seen cs
		_ = cs.Close()
		return nil, s.because(*why)
	}
	return s, nil
}

// fail ends the server because of what it did.
func (s *session) fail(why error) {
	s.broken.CompareAndSwap(nil, &why)
	go s.end() // from within the client's own goroutine
}

// end ends the server; it may be called several times.
func (s *session) end() {
	s.closing.Do(func() {
		cs := s.cs.Load() // nil while it is greeted
		if cs != nil && s.polite {
			_ = cs.Close()
		}
		s.close()
		if cs != nil && !s.polite {
			_ = cs.Close() // it says that the program is gone
		}
	})
}

// because is why something failed: what the server did wrong before what follows from it, and
// what it printed last.
func (s *session) because(err error) error {
	if why := s.broken.Load(); why != nil {
		err = *why
	}
	text := s.clean(err.Error())
	if tail := strings.TrimSpace(s.clean(s.tail())); tail != "" {
		text += "; it printed: " + lastOf(tail, maxTail/2)
	}
	return &serverError{text: cut(text, maxTail), err: err}
}

// clean takes what cannot be seen out of a text, and then the secrets: a secret may stand on
// both sides of what cannot be seen.
func (s *session) clean(text string) string {
	return s.secrets.clean(sanitize.Text(text))
}

// lastOf is the end of a text, of at most n bytes: what is before that may begin within a
// secret.
func lastOf(text string, n int) string {
	if len(text) > n {
		text = text[len(text)-n:]
	}
	return strings.ToValidUTF8(text, "")
}

// within does something that hears the end of ctx, unless the server takes nothing from its
// input meanwhile: then the server is ended.
func (s *session) within(ctx context.Context, do func() error) error {
	done := make(chan struct{})
	defer close(done)
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-done:
		case <-time.After(stuckAfter):
			s.end()
		}
	})
	defer stop()
	return do()
}

// serverError is what a server did, without its secrets.
type serverError struct {
	text string
	err  error
}

func (e *serverError) Error() string { return e.text }

// Is tells what it was without the text of it, which may have secrets.
func (e *serverError) Is(target error) bool { return errors.Is(e.err, target) }

// As finds a problem of this computer: a keychain that is locked when a sign-in is to be renewed. A
// server makes none.
func (e *serverError) As(target any) bool {
	_, ours := target.(**problem.Problem)
	return ours && errors.As(e.err, target)
}

// tools lists what the server has.
func (s *session) tools(ctx context.Context) ([]said, error) {
	var out []said
	p := &mcp.ListToolsParams{}
	for range maxPages {
		var r *mcp.ListToolsResult
		err := s.within(ctx, func() (err error) {
			r, err = s.cs.Load().ListTools(ctx, p)
			return err
		})
		if err != nil {
			return nil, s.because(err)
		}
		for _, t := range r.Tools {
			if t == nil || len(out) >= maxTools {
				continue
			}
			out = append(out, said{t.Name, t.Description, t.InputSchema})
		}
		if r.NextCursor == "" || len(out) >= maxTools {
			break
		}
		p.Cursor = r.NextCursor
	}
	return out, nil
}

// call has a tool do its work.
func (s *session) call(ctx context.Context, tool string, arguments json.RawMessage) (text string, failed bool, err error) {
	s.said.Store(0)
	var r *mcp.CallToolResult
	err = s.within(ctx, func() (err error) {
		r, err = s.cs.Load().CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
		return err
	})
	if said := answered(err); said != nil && ctx.Err() == nil && s.broken.Load() == nil {
		return cut(s.clean(said.Message), maxResult), true, nil
	}
	if err != nil {
		return "", false, s.because(err)
	}
	return cut(s.clean(textOf(r)), maxResult), r.IsError, nil
}

// answered is the error that a server answered with, nil for one of the connection: by these
// codes the client says that it is over.
func answered(err error) *jsonrpc.Error {
	var said *jsonrpc.Error
	if !errors.As(err, &said) || said.Code <= -32003 && said.Code >= -32005 {
		return nil
	}
	return said
}

// textOf is an answer as text. What is none is named.
func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	add := func(s string) {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(s) // a line bounds it
	}
	for _, c := range r.Content {
		if b.Len() > maxResult {
			break
		}
		switch c := c.(type) {
		case *mcp.TextContent:
			add(c.Text)
		case *mcp.ImageContent:
			add(fmt.Sprintf("[a picture of %d bytes, which is not shown]", len(c.Data)))
		case *mcp.AudioContent:
			add(fmt.Sprintf("[a sound of %d bytes, which is not played]", len(c.Data)))
		case *mcp.ResourceLink:
			add("[" + c.Name + ": " + c.URI + "]")
		case *mcp.EmbeddedResource:
			switch {
			case c.Resource == nil:
			case c.Resource.Text != "":
				add(c.Resource.Text)
			default:
				add(fmt.Sprintf("[%s: %d bytes, which are not shown]", c.Resource.URI, len(c.Resource.Blob)))
			}
		}
	}
	if b.Len() == 0 && r.StructuredContent != nil {
		if data, err := json.Marshal(r.StructuredContent); err == nil {
			add(string(data))
		}
	}
	return b.String()
}

// bounded reads at most n bytes.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLong
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// minSecret is how long a value is that is taken out: shorter ones are parts of words.
const minSecret = 6

// maxTurned is how many of what signs in are remembered: those of now, and of before, as long as
// all together take no more than maxForms.
const maxTurned = 5

// secrets are taken out of texts. A sign-in adds to them. They may be used from several
// goroutines.
type secrets struct {
	mu     sync.Mutex
	values []string
	turned []string // of sign-ins, which are renewed: the last of them
	finds  *scrub.Scrubber
}

// newSecrets are values of variables or headers.
func newSecrets(env map[string]string) *secrets {
	s := &secrets{}
	s.add(slices.Collect(maps.Values(env))...)
	return s
}

func (s *secrets) add(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range values {
		if len(v) >= minSecret && !slices.Contains(s.values, v) {
			s.values = append(s.values, v)
		}
	}
	s.look()
}

// turn adds what signs in, in place of what did long before.
func (s *secrets) turn(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := 0
	for _, v := range values {
		if len(v) < minSecret {
			continue
		}
		now++
		s.turned = append(slices.DeleteFunc(s.turned, func(o string) bool { return o == v }), v)
	}
	from, size := len(s.turned), 0
	for from > max(0, len(s.turned)-maxTurned) {
		if size += scrub.Size(s.turned[from-1]); size > maxForms && from <= len(s.turned)-now { // those of now stay
			break
		}
		from--
	}
	s.turned = slices.Clone(s.turned[from:])
	s.look()
}

// look makes what finds them. mu is held.
func (s *secrets) look() { s.finds = scrub.New(slices.Concat(s.values, s.turned)...) }

func (s *secrets) clean(text string) string {
	s.mu.Lock()
	finds := s.finds
	s.mu.Unlock()
	text, _ = finds.Text(text)
	return text
}
