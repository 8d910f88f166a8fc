package act

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"

	"piwork/pack/guest/operate/job"
	"piwork/vmhost/wire"
)

// Bounds of what a browser says.
const (
	maxDevtools = 96 << 20 // bytes of one message: a picture
	maxEvents   = 10_000   // that wait to be heard
)

// devtools is a conversation with a browser in the Chrome DevTools Protocol over two pipes
// (--remote-debugging-pipe): messages of JSON that end with a NUL. No port is opened.
// Libraries for the protocol speak it over WebSockets alone, and bring types for all of it.
type devtools struct {
	cmd *exec.Cmd
	out *os.File
	in  *os.File

	mu     sync.Mutex
	last   int
	calls  map[int]chan devtoolsReply
	events []devtoolsEvent
	news   chan struct{} // of capacity 1: there are events
	over   chan struct{} // closed at its end; then err says why
	err    error
}

type devtoolsReply struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// devtoolsEvent is something that the browser says by itself.
type devtoolsEvent struct {
	Session string          `json:"sessionId"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// startBrowser starts a browser that has of files its own directory and the system: a page that
// takes it over finds no folder. Its own sandbox is off (package image, the add-on "browser").
func startBrowser(ctx context.Context, dir string, argv []string) (_ *devtools, err error) {
	var files []*os.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	pipe := func() (r, w *os.File) {
		if err == nil {
			if r, w, err = os.Pipe(); err == nil {
				files = append(files, r, w)
			}
		}
		return r, w
	}
	theirs, out := pipe()
	in, says := pipe()
	if err != nil {
		return nil, err
	}
	d := &devtools{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), out: out, in: in, calls: map[int]chan devtoolsReply{}, news: make(chan struct{}, 1), over: make(chan struct{})}
	d.cmd.ExtraFiles = []*os.File{theirs, says}
	d.cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
	ownGroup(d.cmd)
	if err := job.StartOnline(d.cmd, dir); err != nil {
		return nil, err
	}
	files = []*os.File{theirs, says}
	go d.read()
	return d, nil
}

// close ends the browser and all that it started.
func (d *devtools) close() {
	endGroup(d.cmd)
	_ = d.cmd.Wait()
	d.out.Close()
	d.in.Close() // a process of it that is not in its group may have the other end
	<-d.over
}

func (d *devtools) read() {
	lines := bufio.NewScanner(d.in)
	lines.Buffer(make([]byte, 0, 64<<10), maxDevtools)
	lines.Split(func(data []byte, end bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return i + 1, data[:i], nil
		}
		return 0, nil, nil
	})
	err := error(nil)
	for err == nil && lines.Scan() {
		err = d.heard(lines.Bytes())
	}
	if err = errors.Join(err, lines.Err()); err == nil {
		err = io.ErrUnexpectedEOF
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = fmt.Errorf("the browser ended: %w", err)
	close(d.over)
}

func (d *devtools) heard(message []byte) error {
	var m struct {
		ID int `json:"id"`
		devtoolsReply
		devtoolsEvent
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if m.ID != 0 {
		if answer := d.calls[m.ID]; answer != nil {
			delete(d.calls, m.ID)
			answer <- m.devtoolsReply
		}
		return nil
	}
	if len(d.events) >= maxEvents {
		return errors.New("it says too much")
	}
	d.events = append(d.events, m.devtoolsEvent)
	select {
	case d.news <- struct{}{}:
	default:
	}
	return nil
}

// pending are the events since the last time.
func (d *devtools) pending() []devtoolsEvent {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.events
	d.events = nil
	return out
}

// call has the browser do something in a session, "" for the browser itself.
func (d *devtools) call(ctx context.Context, session, method string, params map[string]any, result any) error {
	if params == nil {
		params = map[string]any{}
	}
	answer := make(chan devtoolsReply, 1)
	d.mu.Lock()
	d.last++
	id := d.last
	d.calls[id] = answer
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.calls, id)
	}()
	message := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	b, err := json.Marshal(message)
	if err == nil {
		_, err = d.out.Write(append(b, 0))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case r := <-answer:
		if r.Error != nil {
			return fmt.Errorf("%s: %s", method, wire.Short(r.Error.Message))
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(r.Result, result)
	case <-d.over:
		return d.err
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
}
