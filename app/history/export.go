package history

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"piwork/app/filename"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
)

// ExportName is what a file with everything of a task is called, whose title a person knows.
// It is a name on every system.
func ExportName(t task.Task, title string) string {
	name := filename.Portable(title, "task")
	for len(name) > 100 {
		name = strings.TrimRight(string([]rune(name)[:len([]rune(name))-1]), ". ")
	}
	return "piwork " + t.Created.UTC().Format("2006-01-02") + " " + name + ".zip"
}

// ExportTask returns everything that is known of a task. In the ZIP
// file are task.json, timeline.jsonl, changes.json, of an AI task conversation.md,
// and results/; what could not be read, results or changes, is in missing.json. Records
// hold no secrets, so it has none but what the person wrote or the task made.
func (h *History) ExportTask(ctx context.Context, id string) (io.ReadCloser, error) {
	t, err := h.o.Store.Get(id)
	if err != nil {
		return nil, registry.Problem(id, err)
	}
	if end, ok := h.o.Registry.Unsaved(id); ok {
		t = end
	}
	events, err := h.o.Registry.Timeline(id, 0)
	if err != nil {
		return nil, err
	}
	var missing []gone
	changes, err := h.Changes(ctx, id)
	if away := problem.From(err); away != nil && (away.Code == problem.CodeFolderRefused || away.Code == problem.CodeFolderSilent) {
		missing, err = append(missing, gone{Problem: away}), nil
	}
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	go func() {
		x := exporter{zip: zip.NewWriter(w), modified: t.Created, taken: map[string]bool{}}
		if t.Ended != nil {
			x.modified = *t.Ended
		}
		x.json("task.json", t)
		x.lines("timeline.jsonl", events)
		x.json("changes.json", nonNil(changes))
		if t.Kind == task.KindAI {
			_ = x.file("conversation.md", strings.NewReader(conversation(t, events)))
		}
		x.results(t.Results, func(i int) (io.ReadCloser, error) {
			f, _, err := h.OpenResult(ctx, t.ID, i)
			return f, err
		}, missing)
		if x.err == nil {
			x.err = x.zip.Close()
		}
		_ = w.CloseWithError(x.err)
	}()
	return r, nil
}

// gone is an entry of missing.json.
type gone struct {
	Result  *task.Result     `json:"result,omitempty"` // nil are changes that wait for review
	Problem *problem.Problem `json:"problem"`
}

// results adds what the task made, and says what is missing. One that is gone or cannot be
// read hinders no other; what could be read of it stays in the ZIP file.
func (x *exporter) results(list []task.Result, open func(i int) (io.ReadCloser, error), missing []gone) {
	for i, res := range list {
		f, err := open(i)
		if err == nil {
			err = x.file("results/"+filename.PortablePath(res.Path), f)
			_ = f.Close()
		}
		if err != nil {
			missing = append(missing, gone{&res, problem.From(err)})
		}
	}
	if len(missing) > 0 {
		x.json("missing.json", missing)
	}
}

// exporter writes a ZIP file until the first error.
type exporter struct {
	zip      *zip.Writer
	modified time.Time
	taken    map[string]bool // names as systems compare them that do not tell case apart
	err      error
}

// file adds a file. It returns why the content could not be read to its end: that is no
// error of the ZIP file, which goes on with the next one.
func (x *exporter) file(name string, content io.Reader) (unread error) {
	if x.err != nil {
		return nil
	}
	ext := path.Ext(name)
	free := name
	for n := 2; x.taken[filename.Fold(free)]; n++ {
		free = strings.TrimSuffix(name, ext) + " (" + strconv.Itoa(n) + ")" + ext
	}
	x.taken[filename.Fold(free)] = true
	w, err := x.zip.CreateHeader(&zip.FileHeader{Name: free, Method: zip.Deflate, Modified: x.modified})
	from := &source{Reader: content}
	if err == nil {
		_, err = io.Copy(w, from)
	}
	if err != nil && from.err == nil {
		x.err = fmt.Errorf("export %s: %w", name, err)
	}
	return from.err
}

// source remembers why it could not be read to its end.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

func (x *exporter) json(name string, v any) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		x.err = fmt.Errorf("export %s: %w", name, err)
		return
	}
	_ = x.file(name, bytes.NewReader(append(data, '\n')))
}

func (x *exporter) lines(name string, events []task.Event) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			x.err = fmt.Errorf("export %s: %w", name, err)
			return
		}
	}
	_ = x.file(name, &b)
}

// conversation is what the person and the agent said, as Markdown, with what the
// agent did in between.
func conversation(t task.Task, events []task.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", t.Title)
	if t.AI != nil {
		fmt.Fprintf(&b, "\n%s, %s\n", t.AI.Model, t.Created.UTC().Format("2006-01-02 15:04 MST"))
	}
	who := ""
	speaks := func(name string, at time.Time) {
		if who != name {
			fmt.Fprintf(&b, "\n## %s, %s\n", name, at.UTC().Format("15:04"))
		}
		who = name
	}
	for _, e := range events {
		raw, ok := e.Data.(json.RawMessage)
		if !ok {
			continue
		}
		switch e.Kind {
		case task.EventMessage:
			var m task.MessageData
			if json.Unmarshal(raw, &m) != nil {
				continue
			}
			who = ""
			speaks(map[string]string{"user": "You", "assistant": "AI"}[m.Role], e.Time)
			if m.Text != "" {
				fmt.Fprintf(&b, "\n%s\n", m.Text)
			}
			for _, image := range m.Images {
				fmt.Fprintf(&b, "\n(with the picture %s)\n", task.GivenName(image))
			}
		case task.EventTool:
			var d task.ToolData
			if json.Unmarshal(raw, &d) != nil || d.State == "started" {
				continue
			}
			speaks("AI", e.Time)
			failed := ""
			if d.State == "failed" {
				failed = " (that did not work)"
			}
			fmt.Fprintf(&b, "\n- %s: %s%s\n", d.Verb, codeSpan(d.Target), failed)
		}
	}
	return b.String()
}

// codeSpan writes a text as Markdown code of one line (CommonMark 0.31, 6.1).
func codeSpan(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}
