package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/jsonlines"
)

// Bounds of the connection.
const (
	maxMessage  = 10<<20 - 1 // bytes of one message; the SDK takes no more
	maxRequests = 256        // of the editor that are not answered
)

// Run speaks with one editor over two streams, a message a line, until the input ends, ctx does
// or the editor reads nothing any more, and then closes the door.
func (d *Door) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer d.Close()
	defer func() { time.AfterFunc(jsonlines.LastWritten, cancel) }()
	toSDK, lines := io.Pipe()
	defer toSDK.Close()
	w := newWriter(ctx, cancel, out)
	d.conn = sdk.NewAgentSideConnection(d, w, toSDK)
	d.conn.SetLogger(slog.New(slog.DiscardHandler)) // before the first line: the SDK reads it then
	ended := make(chan error, 1)
	go func() { // ends with the input, as far as that can be ended
		err := d.passOn(in, lines, w)
		_ = lines.Close() // after which the SDK ends what it does
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return w.Err()
	}
}

// passOn passes on the messages that are some, and answers the others itself: the SDK would end
// the connection over one that is too long, and say nothing of what is no JSON.
func (d *Door) passOn(in io.Reader, to io.Writer, w *writer) error {
	err := jsonlines.Each(in, maxMessage, func(line []byte, whole bool) error {
		m, refused := d.check(line, whole, w)
		if refused != nil {
			w.answer(refused)
			return nil
		}
		switch m.Method {
		case sdk.AgentMethodSessionPrompt:
			w.prompts.add(m)
		case sdk.AgentMethodSessionCancel:
			if err := d.cancelPrompts(m, to, w); err != nil || !m.request() {
				return err
			}
		}
		_, err := to.Write(append(line, '\n'))
		return err
	})
	if errors.Is(err, io.ErrClosedPipe) {
		return nil // the SDK has ended
	}
	return err
}

// reply is an answer of the door itself.
type reply struct {
	JSONRPC string            `json:"jsonrpc"`
	ID      json.RawMessage   `json:"id"`
	Error   *sdk.RequestError `json:"error"`
}

// envelope is what the door itself reads of a message.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// request reports whether a message has to be answered.
func (m envelope) request() bool { return m.ID != nil && string(m.ID) != "null" && m.Method != "" }

// check reads a message. refused is the answer to one that is not passed on, nil for another.
func (d *Door) check(line []byte, whole bool, w *writer) (m envelope, refused *reply) {
	refuse := func(id json.RawMessage, code int, text string) (envelope, *reply) {
		if id == nil {
			id = json.RawMessage("null")
		}
		return m, &reply{"2.0", id, &sdk.RequestError{Code: code, Message: d.o.Words.Text(text, map[string]any{"bytes": maxMessage})}}
	}
	if !whole {
		return refuse(jsonlines.IDOf(line), codeBadMessage, "acp.too-long")
	}
	if !json.Valid(line) {
		return refuse(nil, codeParse, "acp.no-json")
	}
	if json.Unmarshal(line, &m) != nil || len(m.ID) > 1<<10 {
		return refuse(nil, codeBadMessage, "acp.no-message")
	}
	if !m.request() {
		return m, nil
	}
	if w.open.Add(1) > maxRequests {
		w.open.Add(-1)
		return refuse(m.ID, codeBadMessage, "acp.too-many-requests")
	}
	return m, nil
}

// writer writes to an editor, and knows what of its requests is not answered.
type writer struct {
	*jsonlines.Writer
	open    atomic.Int64 // requests that are not answered
	prompts prompts
}

func newWriter(ctx context.Context, end context.CancelFunc, out io.Writer) *writer {
	return &writer{Writer: jsonlines.NewWriter(ctx, end, out)}
}

// Write writes one message of the SDK.
func (w *writer) Write(b []byte) (int, error) {
	var m envelope
	if json.Unmarshal(b, &m) == nil && m.Method == "" { // an answer
		w.open.Add(-1)
		w.prompts.answered(m)
	}
	return w.Writer.Write(b)
}

// answer writes an answer of the door itself.
func (w *writer) answer(r *reply) {
	if b, err := json.Marshal(r); err == nil {
		_, _ = w.Writer.Write(append(b, '\n')) // whoever left hears nothing
	}
}
