package acpagent

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/app/jsonlines"
)

// Bounds of what the program says.
const (
	maxLine     = 8 << 20     // bytes; the connection reads 10 MiB
	maxRequests = 64          // whose answers the program does not have yet
	maxHeld     = 4 * maxLine // bytes of these requests
	maxReading  = 2           // of them that read a file: their answers are long
	maxUpdates  = 256         // that are not dealt with yet; the connection keeps 1,024
	maxAmong    = 64 << 10    // bytes of an update that waits among others
)

// gate is what the connection reads of the program: whole messages, bounded, and no faster than
// they are dealt with.
type gate struct {
	s     *Session
	from  io.Reader
	out   *io.PipeReader
	lines *io.PipeWriter
	heard atomic.Int64 // lines that were let through

	asked   requests
	updates chan int64     // numbers of the lines of updates that are not dealt with
	telling sync.WaitGroup // these updates
	open    sync.WaitGroup // what was let through and is not dealt with
	deaf    sync.Once      // the program does not read
}

func newGate(s *Session, from io.Reader) *gate {
	g := &gate{s: s, from: from, updates: make(chan int64, maxUpdates)}
	g.asked.changed.L = &g.asked.mu
	g.out, g.lines = io.Pipe()
	return g
}

// Read implements io.Reader.
func (g *gate) Read(p []byte) (int, error) { return g.out.Read(p) }

// close lets nothing through any more.
func (g *gate) close() { _ = g.out.CloseWithError(errOver) } // it has no error

// envelope is a message as the connection reads it: what is none for it is none here.
type envelope struct {
	JSONRPC string            `json:"jsonrpc"`
	ID      *json.RawMessage  `json:"id"`
	Method  string            `json:"method"`
	Params  json.RawMessage   `json:"params"`
	Result  json.RawMessage   `json:"result"`
	Error   *sdk.RequestError `json:"error"`
}

var errOver = errors.New("the session is over")

// pump reads until the program is gone.
func (g *gate) pump() {
	err := jsonlines.Each(g.from, maxLine, func(line []byte, whole bool) error {
		if g.s.ctx.Err() != nil {
			return errOver // nobody hears it
		}
		if !whole {
			g.unreadable()
			if id := jsonlines.IDOf(line); id != nil {
				g.refuse(id, failed, "the message is too long")
			}
			return nil
		}
		raw := g.s.o.Record(line)
		var m envelope
		if json.Unmarshal(line, &m) != nil || m.ID == nil && m.Method == "" {
			g.unreadable()
			return nil
		}
		return g.pass(m, raw, line)
	})
	if err != nil && !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, errOver) {
		g.s.o.Log.Info("reading from the AI program ended", "error", err)
	}
	_ = g.lines.Close() // it has no error
}

// pass lets a message through when there is room for it.
func (g *gate) pass(m envelope, raw int64, line []byte) error {
	switch {
	case m.Method == "" || m.ID == nil && m.Method == "$/cancel_request": // dealt with at once
	case m.ID == nil && m.Method != sdk.ClientMethodSessionUpdate:
		return nil // nothing else is told without being asked for
	case m.ID == nil:
		if len(line) > maxAmong {
			g.telling.Wait()
		}
		select {
		case g.updates <- raw:
			g.telling.Add(1)
			g.open.Add(1)
		case <-g.s.conn.Done():
			return errOver
		}
	case len(*m.ID) > maxID:
		g.unreadable()
		return nil
	case m.Method == sdk.ClientMethodSessionUpdate:
		g.refuse(*m.ID, failed, "an update has no id")
		return nil
	case !slices.Contains(answers, m.Method):
		g.refuse(*m.ID, unknown, "there is no such method")
		return nil
	default:
		g.telling.Wait() // a request is about what was told before it; the connection deals with both at once
		if !g.asked.add(g.s.ctx, *m.ID, request{len(line), m.Method == sdk.ClientMethodFsReadTextFile}) {
			g.refuse(*m.ID, failed, "too many requests at once")
			return nil
		}
		g.open.Add(1)
	}
	_, err := g.lines.Write(append(line, '\n'))
	if err == nil {
		g.heard.Add(1)
	}
	return err
}

const maxID = 1 << 10 // bytes

// told notes that the update was dealt with whose number came from updates.
func (g *gate) told() {
	g.telling.Done()
	g.open.Done()
}

func (g *gate) unreadable() {
	g.s.say(func() []agent.Entry { return g.s.line.Unreadable() })
}

// Codes of errors in the protocol.
const (
	failed  = -32000
	unknown = -32601
)

// refuse answers a request that is not let through. Where the program does not read, it gets no
// answer.
func (g *gate) refuse(id json.RawMessage, code int, why string) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": sdk.RequestError{Code: code, Message: why}})
	if err != nil {
		return // ids were read as JSON
	}
	if !g.s.in.offer(append(line, '\n')) {
		g.deaf.Do(func() { g.s.o.Log.Warn("an answer for the AI program was dropped: it does not read") })
	}
}
