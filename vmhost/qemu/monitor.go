package qemu

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/digitalocean/go-qemu/qmp"
)

const (
	maxReply   = 8 << 20 // longest line of QMP; the longest useful one is query-qmp-schema's, about 200 KiB
	maxPending = 64      // commands without an answer
	eventQueue = 64      // events that a slow listener may be behind

	// handshakeTime is how long Connect waits. The methods that take a context
	// know no time of their own.
	handshakeTime = 30 * time.Second
)

// After either of them QEMU exits (qapi/run-state.json: this program lets it do
// nothing else). It reads on until its monitor is gone, and a command that comes
// when the coroutine for commands has ended is its last: it wakes a coroutine at
// address 0 (monitor/qmp.c of QEMU 10.0, qmp_dispatcher_co_wake). So there is none.
const (
	eventShutdown = "SHUTDOWN"
	commandQuit   = "quit"
)

// Errors of a Monitor.
var (
	ErrMonitorClosed = errors.New("the QMP conversation is over")
	ErrMonitorBusy   = errors.New("too many QMP commands are without an answer")
)

// CommandError is QEMU's answer to a command that it refused.
type CommandError struct {
	Command string
	Class   string // e.g. "GenericError", "CommandNotFound"
	Desc    string
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("QMP %s: %s (%s)", e.Command, e.Desc, e.Class)
}

// Monitor is a QMP conversation (docs/interop/qmp-spec.rst of QEMU): a go-qemu
// qmp.Monitor over a transport of its own. go-qemu's SocketMonitor was tried: it knows
// neither contexts nor pipes, ends at a reply of 64 KiB, stops when nobody reads its
// events, and hands out a buffer that it goes on writing to.
//
// One goroutine owns the conversation and another only reads, so that a caller that
// gives up disturbs nobody. Methods may be called from several goroutines at once.
type Monitor struct {
	rw      io.ReadWriteCloser
	onEvent func(qmp.Event)

	calls    chan *monitorCall
	greeting chan qmp.Version // holds QEMU's greeting, once
	quit     chan struct{}    // closed by Disconnect
	done     chan struct{}    // closed when the owner has ended
	err      error            // why; read after done

	closeOnce sync.Once
	mu        sync.Mutex
	listeners map[chan qmp.Event]struct{} // nil when over
}

var _ qmp.Monitor = (*Monitor)(nil)

type monitorCall struct {
	name  string
	line  func(id uint64) ([]byte, error)
	reply chan monitorReply // of capacity 1
}

type monitorReply struct {
	line []byte
	err  error
}

// monitorMessage is any message of QEMU.
type monitorMessage struct {
	QMP *struct {
		Version qmp.Version `json:"version"`
	} `json:"QMP"`
	Event  string          `json:"event"`
	ID     *uint64         `json:"id"`
	Return json.RawMessage `json:"return"`
	Error  *struct {
		Class string `json:"class"`
		Desc  string `json:"desc"`
	} `json:"error"`
}

// NewMonitor starts a conversation on rw and owns it. onEvent, which may be
// nil, hears every event in order and must not block.
func NewMonitor(rw io.ReadWriteCloser, onEvent func(qmp.Event)) *Monitor {
	m := &Monitor{
		rw:        rw,
		onEvent:   onEvent,
		calls:     make(chan *monitorCall),
		greeting:  make(chan qmp.Version, 1),
		quit:      make(chan struct{}),
		done:      make(chan struct{}),
		listeners: make(map[chan qmp.Event]struct{}),
	}
	lines := make(chan []byte)
	readErr := make(chan error, 1)
	go m.read(lines, readErr)
	go m.own(lines, readErr)
	return m
}

// Handshake waits for QEMU's greeting and leaves the negotiation mode. It is
// called once, before any command.
func (m *Monitor) Handshake(ctx context.Context) (qmp.Version, error) {
	var v qmp.Version
	select {
	case v = <-m.greeting:
	case <-m.done:
		return v, m.err
	case <-ctx.Done():
		return v, fmt.Errorf("wait for QMP's greeting: %w", context.Cause(ctx))
	}
	return v, m.Do(ctx, qmp.Command{Execute: "qmp_capabilities"}, nil)
}

// Do runs a command and decodes what it returns into result, unless that is
// nil. A refusal is a *CommandError. When ctx ends the command may still run.
func (m *Monitor) Do(ctx context.Context, cmd qmp.Command, result any) error {
	line, err := m.call(ctx, cmd.Execute, func(id uint64) ([]byte, error) {
		return json.Marshal(struct {
			qmp.Command
			ID uint64 `json:"id"`
		}{cmd, id})
	})
	if err != nil || result == nil {
		return err
	}
	var msg monitorMessage
	if err := json.Unmarshal(line, &msg); err != nil {
		return fmt.Errorf("QMP %s: %w", cmd.Execute, err)
	}
	if err := json.Unmarshal(msg.Return, result); err != nil {
		return fmt.Errorf("QMP %s: %w", cmd.Execute, err)
	}
	return nil
}

// Done is closed when the conversation is over.
func (m *Monitor) Done() <-chan struct{} { return m.done }

// Connect is Handshake for code that takes a qmp.Monitor.
func (m *Monitor) Connect() error {
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTime)
	defer cancel()
	_, err := m.Handshake(ctx)
	return err
}

// Disconnect ends the conversation and returns when its goroutines are about
// to end. Commands without an answer fail with ErrMonitorClosed.
func (m *Monitor) Disconnect() error {
	m.closeOnce.Do(func() { close(m.quit) })
	return m.rw.Close()
}

// Run runs a command given as JSON and returns QEMU's answer as JSON. It is for
// code that takes a qmp.Monitor; it waits as long as the conversation lasts.
func (m *Monitor) Run(command []byte) ([]byte, error) {
	var cmd struct {
		Execute   string          `json:"execute"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
		ID        uint64          `json:"id"`
	}
	if err := json.Unmarshal(command, &cmd); err != nil {
		return nil, fmt.Errorf("QMP command: %w", err)
	}
	return m.call(context.Background(), cmd.Execute, func(id uint64) ([]byte, error) {
		cmd.ID = id
		return json.Marshal(cmd)
	})
}

// Events returns a channel that gets every event from now on until ctx or the
// conversation ends; then it is closed. Events that find it full are dropped.
func (m *Monitor) Events(ctx context.Context) (<-chan qmp.Event, error) {
	ch := make(chan qmp.Event, eventQueue)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.listeners == nil {
		return nil, ErrMonitorClosed
	}
	m.listeners[ch] = struct{}{}
	context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if _, ok := m.listeners[ch]; ok {
			delete(m.listeners, ch)
			close(ch)
		}
	})
	return ch, nil
}

// call hands a command to the owner and waits for the answer.
func (m *Monitor) call(ctx context.Context, name string, line func(uint64) ([]byte, error)) ([]byte, error) {
	c := &monitorCall{name: name, line: line, reply: make(chan monitorReply, 1)}
	select {
	case m.calls <- c:
	case <-m.done:
		return nil, fmt.Errorf("QMP %s: %w", name, m.err)
	case <-ctx.Done():
		return nil, fmt.Errorf("QMP %s: %w", name, context.Cause(ctx))
	}
	select {
	case r := <-c.reply:
		return r.line, r.err
	case <-m.done:
		select { // the answer may have been the last thing that came
		case r := <-c.reply:
			return r.line, r.err
		default:
		}
		return nil, fmt.Errorf("QMP %s: %w", name, m.err)
	case <-ctx.Done():
		return nil, fmt.Errorf("QMP %s: %w", name, context.Cause(ctx))
	}
}

// read sends every line to the owner until reading fails.
func (m *Monitor) read(lines chan<- []byte, readErr chan<- error) {
	r := bufio.NewReaderSize(m.rw, 64<<10)
	for {
		line, err := readLine(r, maxReply)
		if err != nil {
			readErr <- err
			return
		}
		select {
		case lines <- line:
		case <-m.done:
			return
		}
	}
}

// own is the only goroutine that writes and that knows which commands wait.
func (m *Monitor) own(lines <-chan []byte, readErr <-chan error) {
	pending := make(map[uint64]*monitorCall)
	var id uint64
	ending := false // QEMU is about to exit
	end := func(err error) {
		m.err = err
		_ = m.rw.Close()
		m.mu.Lock()
		for ch := range m.listeners {
			close(ch)
		}
		m.listeners = nil
		m.mu.Unlock()
		close(m.done)
	}
	for {
		select {
		case <-m.quit:
			end(ErrMonitorClosed)
			return
		case err := <-readErr:
			if !errors.Is(err, io.EOF) {
				end(fmt.Errorf("%w: %w", ErrMonitorClosed, err))
			} else {
				end(ErrMonitorClosed)
			}
			return
		case line := <-lines:
			ending = m.handle(line, pending) == eventShutdown || ending
		case c := <-m.calls:
			if ending {
				c.reply <- monitorReply{err: fmt.Errorf("QMP %s: %w", c.name, ErrMonitorClosed)}
				continue
			}
			if len(pending) >= maxPending {
				c.reply <- monitorReply{err: fmt.Errorf("QMP %s: %w", c.name, ErrMonitorBusy)}
				continue
			}
			id++
			b, err := c.line(id)
			if err == nil {
				_, err = m.rw.Write(append(b, '\n'))
			}
			if err != nil {
				c.reply <- monitorReply{err: fmt.Errorf("QMP %s: %w", c.name, err)}
				continue
			}
			pending[id] = c
			ending = c.name == commandQuit
		}
	}
}

// handle takes one line from QEMU and returns the event that it is, if it is one.
// What is no message of QMP is not QEMU's answer to anything and is dropped.
func (m *Monitor) handle(line []byte, pending map[uint64]*monitorCall) (event string) {
	var msg monitorMessage
	if json.Unmarshal(line, &msg) != nil {
		return ""
	}
	switch {
	case msg.Event != "":
		var e qmp.Event
		if json.Unmarshal(line, &e) == nil {
			m.event(e)
		}
	case msg.QMP != nil:
		select {
		case m.greeting <- msg.QMP.Version:
		default:
		}
	case msg.ID != nil:
		c, ok := pending[*msg.ID]
		if !ok {
			return ""
		}
		delete(pending, *msg.ID)
		switch {
		case msg.Error != nil:
			c.reply <- monitorReply{err: &CommandError{Command: c.name, Class: msg.Error.Class, Desc: msg.Error.Desc}}
		default:
			c.reply <- monitorReply{line: line}
		}
	}
	return msg.Event
}

func (m *Monitor) event(e qmp.Event) {
	if m.onEvent != nil {
		m.onEvent(e)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for ch := range m.listeners {
		select {
		case ch <- e:
		default:
		}
	}
}

// readLine returns the next line without its end, in memory of its own. A line
// over limit bytes is an error.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, fmt.Errorf("a line of more than %d bytes", limit)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
