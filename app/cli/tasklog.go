package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/filename"
	"piwork/app/task"
	"piwork/app/words"
)

func taskLog(ctx context.Context, s *session, id string, _ []string) error {
	events, err := s.Timeline(ctx, id, 0)
	if err != nil {
		return err
	}
	if s.JSON {
		for _, ev := range events {
			s.JSONLine(ev)
		}
		return nil
	}
	last := ""
	for _, ev := range events {
		if ev.Kind == task.EventUsage || ev.Kind == task.EventQueue { // its sum is in the record
			continue
		}
		if line := wording.EventWords(ev); line != last { // steps that are one for people
			s.Print("%s  %s", ev.Time.Local().Format("15:04:05.000"), line)
			last = line
		}
	}
	return nil
}

func resultsCommand(e *env) *cobra.Command {
	var out string
	cmd := command.OnEach(e, "results ID...", func(ctx context.Context, s *session, t task.Task) error {
		if out != "" {
			return saveResults(ctx, s, t, out)
		}
		return taskResults(s, t)
	})
	cmd.Flags().StringVar(&out, "out", "", "")
	return cmd
}

func taskResults(s *session, t task.Task) error {
	results := t.Results
	if results == nil {
		results = []task.Result{}
	}
	return s.Reply(results, nil, func() {
		if len(results) == 0 {
			s.PrintText("no-results")
		}
		kept := false
		for _, r := range results {
			note := ""
			if r.Folder == "" {
				kept, note = true, "  ["+terminal.Text("mark-kept")+"]"
			}
			s.Print("%s (%s)%s", words.Printable(resultPath(t, r)), terminal.Size(r.Size), note)
		}
		if kept {
			s.HintText("copy-results", "id", words.ShortID(t.ID))
		}
	})
}

// saveResults copies the results of a task into a folder. Nothing is replaced.
func saveResults(ctx context.Context, s *session, t task.Task, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(out)
	if err != nil {
		return err
	}
	defer root.Close()
	saved := []string{}
	for i, r := range t.Results {
		name, err := saveResult(ctx, s, root, t.ID, i, r)
		if err != nil {
			return err
		}
		saved = append(saved, filepath.Join(out, name))
	}
	return s.Reply(saved, nil, func() {
		for _, name := range saved {
			s.PrintText("saved", "path", name)
		}
	})
}

// saveResult copies one result under a name that is free.
func saveResult(ctx context.Context, s *session, root *os.Root, id string, i int, r task.Result) (string, error) {
	in, _, err := s.OpenResult(ctx, id, i)
	if err != nil {
		return "", err
	}
	defer in.Close()
	base := filename.Portable(path.Base(r.Path), "result") // another computer may call it anything
	ext := path.Ext(base)
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(base, ext), n, ext)
		}
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = io.Copy(f, in)
		if err == nil {
			err = f.Sync()
		}
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = root.Remove(name) // half a file helps nobody
			return "", err
		}
		return name, nil
	}
}

func logCommand(e *env) *cobra.Command {
	var raw bool
	cmd := command.OnID(e, "log ID", cobra.ExactArgs(1), func(ctx context.Context, s *session, id string, rest []string) error {
		if raw {
			return agentEvents(ctx, s, id)
		}
		return taskLog(ctx, s, id, rest)
	})
	cmd.Flags().BoolVar(&raw, "raw", false, "")
	return cmd
}

// agentEvents writes the AI program's own lines.
func agentEvents(ctx context.Context, s *session, id string) error {
	if _, err := s.Task(ctx, id); err != nil {
		return err
	}
	return s.AgentEvents(ctx, id, task.OnlyNew, func(_ int64, line json.RawMessage) error {
		_, err := s.Answers().Write(append(bytes.Clone(line), '\n'))
		return err
	})
}
