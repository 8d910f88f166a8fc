package mcp

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/actions"
	"piwork/app/problem"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

// usualTimeout is how long a command may take where it is not said.
const usualTimeout = 10 * time.Minute

// shell is the one shell of a door, in a task that keeps its workroom open.
type shell struct {
	turn    chan struct{} // held by who uses it, or opens it: one command after the other
	holder  *call         // who has the turn; guarded by the door
	task    string
	session string   // "" where there is none
	watch   *watcher // of the task
}

// enter waits for the turn, and returns how to leave. A call that has it and waits for the
// person, while its assistant goes on with another, is cancelled.
func (d *Door) enter(ctx context.Context, c *call) (leave func(), err error) {
	d.mu.Lock()
	holder := d.shell.holder
	d.mu.Unlock()
	d.drop(holder)
	select {
	case d.shell.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	hold := func(by *call) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.shell.holder = by
	}
	hold(c)
	return func() { hold(nil); <-d.shell.turn }, nil
}

// open makes the workroom with its shell, unless there is one; it has the turn.
func (d *Door) open(ctx context.Context, c *call) error {
	if d.shell.session != "" {
		return nil
	}
	id, err := task.NewID()
	if err != nil {
		return err
	}
	events, stop := d.service.Subscribe(task.EventFilter{Task: id, Kinds: []task.EventKind{task.EventStep, task.EventState, task.EventQuestion, task.EventDecision}})
	r := tasks.StartRequest{
		ID: id, Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true}, Title: d.o.Title,
		Folders: d.shared(true), Network: d.o.Network, MachineChoice: d.o.Machine, PolicyRequest: task.PolicyRequest{Agent: true},
	}
	if _, err := d.service.StartTask(d.life, r); err != nil {
		stop()
		return err
	}
	d.note(id)
	d.shell.watch = d.watchRoom(c, id, events, stop)
	made, err := d.service.CreateSession(ctx, id, sessions.Request{})
	if err != nil {
		d.cancel(id)
		return err
	}
	d.shell.task, d.shell.session = id, made.ID
	return nil
}

// inShell has something done in the workroom. One that was closed meanwhile is opened anew,
// once.
func (d *Door) inShell(ctx context.Context, c *call, do func() error) error {
	leave, err := d.enter(ctx, c)
	if err != nil {
		return err
	}
	defer leave()
	kept := d.shell.session != ""
	if kept {
		d.shell.watch.serve(ctx, c)
	}
	if err := d.open(ctx, c); err != nil {
		return err
	}
	err = do()
	if !missing(err) && !isOver(err) {
		return err
	}
	d.shell.session = ""
	if !kept {
		return err
	}
	if err := d.open(ctx, c); err != nil {
		return err
	}
	return do()
}

// watcher hears what happens in the workroom, for whoever's call it is.
type watcher struct {
	mu sync.Mutex
	f  *following
}

// watchRoom watches until the task is over, or the door is closed.
func (d *Door) watchRoom(c *call, id string, events <-chan task.Event, stop func()) *watcher {
	w := &watcher{f: d.following(c, id)}
	d.work.Go(func() {
		defer stop()
		for {
			select {
			case e, open := <-events:
				if !open {
					return
				}
				w.mu.Lock()
				_ = w.f.event(d.life, e) // the call itself says what went wrong
				over := w.f.over && len(w.f.waits) == 0
				if s, is := e.Data.(task.StateData); is && s.State.Final() { // with which all that waited ended
					over = true
				}
				w.mu.Unlock()
				if over {
					return
				}
			case q := <-w.f.back:
				w.mu.Lock()
				_ = w.f.returned(d.life, q)
				w.mu.Unlock()
			case <-d.life.Done():
				return
			}
		}
	})
	return w
}

// serve has another call hear from the workroom, and ask what is still open.
func (w *watcher) serve(ctx context.Context, c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.f.c, w.f.waits, w.f.over = c, nil, false
	clear(w.f.asked)
	_ = w.f.look(ctx) // the call itself says what is wrong
}

// waits is what the person was asked during the call, where the assistant cannot ask.
func (w *watcher) waits() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.f.waits)
}

// isOver is that a session has ended.
func isOver(err error) bool {
	p := problem.From(err)
	return p != nil && p.Code == problem.CodeSessionOver
}

// RunInput is a command for the shell.
type RunInput struct {
	Command string `json:"command" jsonschema:"as bash has it; it may have several lines. Directory, variables and functions stay for the next one"`
	Seconds int    `json:"seconds,omitempty" jsonschema:"after which it is interrupted; 600 where it is not said"`
}

// RunOutput is how a command ended.
type RunOutput struct {
	ExitCode int     `json:"exitCode"`
	Stdout   string  `json:"stdout"`
	Stderr   string  `json:"stderr"`
	Whole    bool    `json:"whole" jsonschema:"that is all it wrote"`
	Ended    string  `json:"ended,omitempty" jsonschema:"why it did not end by itself, such as timeout"`
	Seconds  float64 `json:"seconds" jsonschema:"that it took"`

	Waited []string `json:"waited,omitempty" jsonschema:"for what the person was asked by piwork meanwhile"`
}

// run has the shell do a command.
func (d *Door) run(ctx context.Context, c *call, in RunInput) (out RunOutput, err error) {
	timeout := usualTimeout
	if in.Seconds > 0 {
		timeout = time.Duration(in.Seconds) * time.Second
	}
	err = d.inShell(ctx, c, func() error {
		r, err := d.service.RunInSession(ctx, d.shell.session, sessions.RunRequest{Command: in.Command, TimeoutMS: timeout.Milliseconds()})
		if ctx.Err() != nil { // nobody waits for it any more
			d.closeShell()
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		stdout, first := clip(r.Stdout)
		stderr, second := clip(r.Stderr)
		out = RunOutput{
			ExitCode: r.ExitCode, Stdout: stdout, Stderr: stderr, Ended: string(r.Ended), Seconds: float64(r.WallMS) / 1000,
			Waited: d.shell.watch.waits(), Whole: first && second && r.StdoutSize == int64(len(r.Stdout)) && r.StderrSize == int64(len(r.Stderr)),
		}
		return nil
	})
	return out, err
}

// closeShell ends the shell, and all that runs in it.
func (d *Door) closeShell() {
	ctx, done := context.WithTimeout(context.Background(), cancelWithin)
	defer done()
	_, _ = d.service.CloseSession(ctx, d.shell.session) // else it ends with the door
	d.shell.session = ""
}

// text is what a command wrote, as a model reads it.
func (o RunOutput) text() string {
	out := joined([]string{o.Stdout, o.Stderr}, "\n")
	if len(o.Waited) > 0 {
		out = joined([]string{out, "The person was asked by piwork:", strings.Join(o.Waited, "\n")}, "\n")
	}
	if o.Ended != "" {
		out = joined([]string{out, "ended: " + o.Ended}, "\n")
	}
	if o.ExitCode != 0 {
		out = joined([]string{out, fmt.Sprintf("exit status %d", o.ExitCode)}, "\n")
	}
	return out
}

// ReadInput names a file, or a piece of one.
type ReadInput struct {
	Path   string `json:"path" jsonschema:"in the workroom"`
	Offset int64  `json:"offset,omitempty" jsonschema:"of the first byte"`
	Length int64  `json:"length,omitempty" jsonschema:"at most so many bytes, from 4; 65536 at most, and where it is not said"`
}

// ReadOutput is the content of a file, or a piece of it: as text, or in base64 where it is none.
type ReadOutput struct {
	Path   string `json:"path"`
	Size   int64  `json:"size" jsonschema:"of the whole file, in bytes"`
	SHA256 string `json:"sha256,omitempty" jsonschema:"of the whole file"`
	Text   string `json:"text,omitempty"`
	Base64 string `json:"base64,omitempty"`
	Offset int64  `json:"offset,omitempty" jsonschema:"of the first byte given here: beyond what was asked for where that was within a letter"`
	Next   int64  `json:"next,omitempty" jsonschema:"offset from which to read on; none at the end of the file"`
}

// piece is what a model gets of bytes that were read from an offset on. A text is cut between
// letters, so that it stays one.
func piece(got actions.FileContent, offset int64) ReadOutput {
	out := ReadOutput{Path: got.Path, Size: got.Size, SHA256: got.SHA256}
	from, to := letters(got.Data, offset > 0, offset+int64(len(got.Data)) < got.Size)
	if text := got.Data[from:to]; utf8.Valid(text) {
		out.Text = string(text)
	} else {
		from, to = 0, len(got.Data)
		out.Base64 = base64.StdEncoding.EncodeToString(got.Data)
	}
	out.Offset = offset + int64(from)
	if end := offset + int64(to); offset < end && end < got.Size {
		out.Next = end
	}
	return out
}

// WriteInput is a file as it is to be.
type WriteInput struct {
	Path   string `json:"path" jsonschema:"in the workroom; directories on the way are made"`
	Text   string `json:"text,omitempty" jsonschema:"the whole content"`
	Base64 string `json:"base64,omitempty" jsonschema:"the whole content, where it is no text"`
	Expect string `json:"expect,omitempty" jsonschema:"SHA-256 that the file has to have, or absent: else nothing is written"`
}

// ListInput names a directory.
type ListInput struct {
	Path  string `json:"path" jsonschema:"in the workroom"`
	Depth int    `json:"depth,omitempty" jsonschema:"how many directories below it are listed, too"`
}

// Entry is a file or a directory.
type Entry struct {
	Path     string    `json:"path"`
	Kind     string    `json:"kind" jsonschema:"file, directory, link or other"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	SHA256   string    `json:"sha256,omitempty"`
}

// ListOutput is what is in a directory.
type ListOutput struct {
	Entries []Entry `json:"entries"`
	More    bool    `json:"more" jsonschema:"there are more than are listed"`
}

func entry(i wire.FileInfo) Entry {
	return Entry{Path: i.Path, Kind: i.Kind, Size: i.Size, Modified: i.Modified, SHA256: i.SHA256}
}

// addWorkroom adds what is done in the workroom that stays open.
func (d *Door) addWorkroom(s *sdk.Server) {
	yes, no := true, false
	alone := d.o.Network == "" || d.o.Network == task.NetworkOff
	addTool(d, s, &sdk.Tool{
		Name: "run_command", Title: "Run a command",
		Description: "Runs a command in a shell " + d.placeText() + " It has no network unless the person allowed it.",
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: pick(alone, &no, &yes)},
	}, func(ctx context.Context, c *call, in RunInput) (*sdk.CallToolResult, RunOutput, error) {
		out, err := d.run(ctx, c, in)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: out.text()}}}, out, err
	})
	addTool(d, s, &sdk.Tool{
		Name: "read_file", Title: "Read a file", Description: "Reads a file of the workroom, or a piece of it.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}, func(ctx context.Context, c *call, in ReadInput) (*sdk.CallToolResult, ReadOutput, error) {
		if in.Length <= 0 {
			in.Length = maxText
		}
		in.Length = min(max(in.Length, utf8.UTFMax), maxText)
		var got actions.FileContent
		err := d.inShell(ctx, c, func() (err error) {
			got, err = d.service.ReadFile(ctx, d.shell.task, actions.ReadRequest{StatRequest: actions.StatRequest{Path: in.Path}, Offset: in.Offset, Length: in.Length})
			return err
		})
		return nil, piece(got, in.Offset), err
	})
	addTool(d, s, &sdk.Tool{
		Name: "write_file", Title: "Write a file", Description: "Makes a file of the workroom, or replaces one as a whole. In a folder of the person that can be undone.",
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: true, OpenWorldHint: &no},
	}, func(ctx context.Context, c *call, in WriteInput) (*sdk.CallToolResult, Entry, error) {
		data := []byte(in.Text)
		if in.Base64 != "" {
			var err error
			if data, err = base64.StdEncoding.DecodeString(in.Base64); err != nil || in.Text != "" {
				return nil, Entry{}, problem.BadRequest("base64", "it is no base64, or there is a text, too")
			}
		}
		var got wire.FileInfo
		err := d.inShell(ctx, c, func() (err error) {
			got, err = d.service.WriteFile(ctx, d.shell.task, actions.WriteRequest{StatRequest: actions.StatRequest{Path: in.Path}, Data: data, Expect: strings.ToLower(in.Expect), Parents: true})
			return err
		})
		return nil, entry(got), err
	})
	addTool(d, s, &sdk.Tool{
		Name: "list_files", Title: "List files", Description: "Lists a directory of the workroom.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}, func(ctx context.Context, c *call, in ListInput) (*sdk.CallToolResult, ListOutput, error) {
		var got actions.FileList
		err := d.inShell(ctx, c, func() (err error) {
			got, err = d.service.ListFiles(ctx, d.shell.task, actions.ListRequest{StatRequest: actions.StatRequest{Path: in.Path}, Depth: in.Depth})
			return err
		})
		out := ListOutput{Entries: []Entry{}, More: got.More || got.Unnamed > 0}
		size := 0
		for _, i := range got.Entries {
			if size += len(i.Path) + 150; size > maxText {
				out.More = true
				break
			}
			out.Entries = append(out.Entries, entry(i))
		}
		return nil, out, err
	})
}
