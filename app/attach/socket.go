package attach

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"piwork/vmhost/wire"
)

// MaxMessage is the longest message, in bytes.
const MaxMessage = 64 << 10

// ahead is how many messages of input wait for a program while sizes of the terminal go past them.
const ahead = 16

// Protocol is the subprotocol of the WebSocket.
const Protocol = "attach.piwork.v1"

// stall ends the connection of a client that takes nothing and is not waited for.
const stall = 30 * time.Second

// beat is how often a client is sent a message that says nothing: nobody reads what it sends
// while its input waits for the program, so that its end is noticed by writing alone.
var beat = 15 * time.Second // tests change it

// Control is a text message.
type Control struct {
	Info       *Info              `json:"info,omitempty"`
	Size       *wire.TerminalSize `json:"size,omitempty"`
	CloseInput bool               `json:"closeInput,omitempty"`
	Skipped    int64              `json:"skipped,omitempty"`
	Taken      bool               `json:"taken,omitempty"`
	End        string             `json:"end,omitempty"`
}

// Ends of a connection, the last of the server's messages.
const (
	endOver   = "over"
	endBehind = "behind"
)

// streams are the first bytes of binary messages.
const stdin = 0

var streams = []string{1: wire.Stdout, 2: wire.Stderr}

// RefusedError is what Serve returns for a request that is none for a WebSocket. It has not
// answered it.
type RefusedError struct {
	Status int
	err    error
}

// Error implements error.
func (e *RefusedError) Error() string { return e.err.Error() }

// Unwrap is for errors.Is.
func (e *RefusedError) Unwrap() error { return e.err }

// withoutRefusal leaves a refusal to who called.
type withoutRefusal struct {
	http.ResponseWriter
	status int
}

// Unwrap is for http.ResponseController.
func (w *withoutRefusal) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *withoutRefusal) WriteHeader(status int) {
	if status < http.StatusBadRequest {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.status = status
}

// Write implements http.ResponseWriter.
func (w *withoutRefusal) Write(p []byte) (int, error) {
	if w.status != 0 {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Serve attaches whoever made a request to c until one of them ends, and closes c. With
// wait the client may be slow.
func Serve(ctx context.Context, w http.ResponseWriter, r *http.Request, c Conn, wait bool) error {
	defer c.Close()
	answer := &withoutRefusal{ResponseWriter: w}
	ws, err := websocket.Accept(answer, r, &websocket.AcceptOptions{Subprotocols: []string{Protocol}})
	if answer.status != 0 {
		return &RefusedError{answer.status, err}
	}
	if err != nil {
		return err
	}
	defer func() { _ = ws.CloseNow() }() // of one that is closed
	ws.SetReadLimit(MaxMessage)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard := make(chan error, 1)
	go func() {
		defer cancel()
		heard <- hear(ctx, ws, c)
	}()
	s := sender{ws: ws, wait: wait}
	info := c.Info()
	err = s.control(ctx, Control{Info: &info})
	quiet, still := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(still)
		if s := (sender{ws: ws, wait: wait}); s.beats(ctx, quiet) != nil {
			cancel()
		}
	}()
	for err == nil {
		var piece Piece
		if piece, err = c.Read(ctx); err == nil {
			err = s.piece(ctx, piece)
		}
	}
	close(quiet)
	<-still // else it could write behind the end
	switch {
	case errors.Is(err, io.EOF):
		err = s.control(ctx, Control{End: endOver})
	case errors.Is(err, ErrBehind):
		err = errors.Join(err, s.control(ctx, Control{End: endBehind}))
	}
	if err == nil {
		// The other side closes when it has read that: this waits for it, but not long.
		_ = ws.Close(websocket.StatusNormalClosure, "")
	}
	cancel()
	_ = ws.CloseNow()
	if said := <-heard; err == nil || errors.Is(err, context.Canceled) && said != nil {
		return said
	}
	return err
}

// hear takes the messages of a client until there are no more.
func hear(ctx context.Context, ws *websocket.Conn, c Conn) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	input, written := make(chan []byte, ahead), make(chan error, 1)
	go func() {
		err := write(ctx, c, input)
		if err != nil {
			fail(err)
		}
		written <- err
	}()
	gone, err := read(ctx, ws, c, input)
	if !gone {
		fail(err)
	}
	close(input)
	return cmp.Or(<-written, err)
}

// read takes the messages of a client, of which sizes go past the input, until it is gone.
func read(ctx context.Context, ws *websocket.Conn, c Conn, input chan<- []byte) (gone bool, err error) {
	for {
		kind, data, err := ws.Read(ctx)
		if err != nil {
			return true, err
		}
		var said Control
		switch {
		case kind == websocket.MessageBinary && (len(data) == 0 || data[0] != stdin):
			return false, errors.New("attach: a client writes to a stream that is not the input")
		case kind == websocket.MessageBinary:
			data = data[1:]
		default:
			if err := json.Unmarshal(data, &said); err != nil {
				return false, fmt.Errorf("attach: a message is no JSON: %w", err)
			}
			data = nil
		}
		if said.Size != nil {
			if err := c.Resize(ctx, *said.Size); err != nil {
				return false, err
			}
		}
		if data == nil && !said.CloseInput {
			continue
		}
		select {
		case input <- data:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// write writes the input of a client, of which nil is the end.
func write(ctx context.Context, c Conn, input <-chan []byte) error {
	for data := range input {
		do := c.CloseInput
		if data != nil {
			do = func(ctx context.Context) error { return c.Write(ctx, data) }
		}
		if err := do(ctx); err != nil && !errors.Is(err, ErrNoInput) {
			return err
		}
	}
	return nil
}

// sender writes messages.
type sender struct {
	ws   *websocket.Conn
	wait bool
	buf  []byte
}

func (s *sender) send(ctx context.Context, kind websocket.MessageType, data []byte) error {
	if !s.wait {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, stall)
		defer cancel()
	}
	return s.ws.Write(ctx, kind, data)
}

func (s *sender) control(ctx context.Context, c Control) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return s.send(ctx, websocket.MessageText, data)
}

// beats writes messages that say nothing until quiet is closed.
func (s *sender) beats(ctx context.Context, quiet <-chan struct{}) error {
	t := time.NewTicker(beat)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := s.control(ctx, Control{}); err != nil {
				return err
			}
		case <-quiet:
			return nil
		}
	}
}

func (s *sender) piece(ctx context.Context, p Piece) error {
	if p.Skipped > 0 || p.Taken {
		return s.control(ctx, Control{Skipped: p.Skipped, Taken: p.Taken})
	}
	id := byte(1)
	if p.Stream == wire.Stderr {
		id = 2
	}
	return s.data(ctx, id, p.Data)
}

// data sends bytes of a stream, in as many messages as it takes, none of which is left with a
// few bytes only.
func (s *sender) data(ctx context.Context, stream byte, data []byte) error {
	const most = MaxMessage - 1
	for parts := (len(data) + most - 1) / most; parts > 0; parts-- {
		n := (len(data) + parts - 1) / parts
		s.buf = append(append(s.buf[:0], stream), data[:n]...)
		if err := s.send(ctx, websocket.MessageBinary, s.buf); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// remote is a [Conn] to another process.
type remote struct {
	info Info
	ws   *websocket.Conn
	out  chan sender // the one who may write
	in   []byte      // for one message, of who reads
}

// LostError says that a connection ended before the program did.
type LostError struct{ Err error }

func (e *LostError) Error() string { return "attach: the connection was lost: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *LostError) Unwrap() error { return e.Err }

// Dial attaches over HTTP. An answer that is none of a WebSocket is returned with an error.
func Dial(ctx context.Context, url string, c *http.Client, header http.Header) (Conn, *http.Response, error) {
	ws, res, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: c, HTTPHeader: header, Subprotocols: []string{Protocol}})
	if err != nil {
		return nil, res, err
	}
	ws.SetReadLimit(MaxMessage)
	r := &remote{ws: ws, out: make(chan sender, 1), in: make([]byte, MaxMessage+1)}
	r.out <- sender{ws: ws, wait: true}
	kind, data, err := ws.Read(ctx)
	var said Control
	if err == nil && (kind != websocket.MessageText || json.Unmarshal(data, &said) != nil || said.Info == nil) {
		err = errors.New("the first message does not say what the program takes")
	}
	if err != nil {
		_ = ws.CloseNow()
		return nil, nil, &LostError{err}
	}
	r.info = *said.Info
	return r, res, nil
}

// Info implements Conn.
func (r *remote) Info() Info { return r.info }

// Read implements Conn.
func (r *remote) Read(ctx context.Context) (Piece, error) {
	for {
		kind, data, err := r.message(ctx)
		switch {
		case ctx.Err() != nil:
			return Piece{}, context.Cause(ctx)
		case err != nil:
			return Piece{}, &LostError{err}
		case kind == websocket.MessageBinary:
			if len(data) > 1 && int(data[0]) < len(streams) && streams[data[0]] != "" {
				return Piece{Stream: streams[data[0]], Data: data[1:]}, nil
			}
			return Piece{}, &LostError{errors.New("a message is of no stream")}
		}
		var said Control
		if err := json.Unmarshal(data, &said); err != nil {
			return Piece{}, &LostError{err}
		}
		switch said.End {
		case endOver:
			return Piece{}, io.EOF
		case endBehind:
			return Piece{}, ErrBehind
		}
		if said.Skipped > 0 || said.Taken {
			return Piece{Skipped: said.Skipped, Taken: said.Taken}, nil
		}
	}
}

// message reads one, which is there until the next. The library's own way reads into a slice
// that grows, so that each byte is copied several times.
func (r *remote) message(ctx context.Context) (websocket.MessageType, []byte, error) {
	kind, from, err := r.ws.Reader(ctx)
	if err != nil {
		return 0, nil, err
	}
	for n := 0; n < len(r.in); {
		more, err := from.Read(r.in[n:])
		n += more
		if err == io.EOF { // an error that has it in it is that of the connection
			return kind, r.in[:n], nil
		}
		if err != nil {
			return 0, nil, err
		}
	}
	return 0, nil, errors.New("a message is too long")
}

// write is for one at a time: messages of one call are not parted.
func (r *remote) write(ctx context.Context, f func(*sender) error) error {
	select {
	case s := <-r.out:
		defer func() { r.out <- s }()
		return f(&s)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Write implements Conn.
func (r *remote) Write(ctx context.Context, data []byte) error {
	return r.write(ctx, func(s *sender) error { return s.data(ctx, stdin, data) })
}

// CloseInput implements Conn.
func (r *remote) CloseInput(ctx context.Context) error {
	return r.write(ctx, func(s *sender) error { return s.control(ctx, Control{CloseInput: true}) })
}

// Resize implements Conn.
func (r *remote) Resize(ctx context.Context, size wire.TerminalSize) error {
	return r.write(ctx, func(s *sender) error { return s.control(ctx, Control{Size: &size}) })
}

// Close implements Conn.
func (r *remote) Close() error { return r.ws.CloseNow() }
