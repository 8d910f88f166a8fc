// Package auditlog has the commands on the log of everything that ran: show, verify, export.
// An exported log is verified without a controller, on any computer.
package auditlog

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/audit"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/problem"
	"piwork/vmhost/share"
)

// Command has all of them.
func Command(e *command.Env) *cobra.Command {
	return command.Group("audit", show(e), verify(e), export(e))
}

var events = []audit.Event{audit.EventBegin, audit.EventEnd, audit.EventDecision, audit.EventFolder, audit.EventTraffic, audit.EventRequest, audit.EventRecovered, audit.EventExpired, audit.EventBroken}

func show(e *command.Env) *cobra.Command {
	var f audit.Filter
	var id, event, since string
	cmd := e.Command("show [--task ID] [--about PATH|HOST] [--since TIME]", cobra.NoArgs, func(ctx context.Context, s *command.Session, _ []string) (err error) {
		if id != "" {
			f.Task, err = command.FindTask(ctx, s, id)
			if p := problem.From(err); err != nil && p.Code != problem.CodeNotFound {
				return err
			}
			f.Task = cmp.Or(f.Task, strings.ToLower(id)) // records outlive tasks
		}
		if event != "" {
			one, err := flags.OneOf("--event", []string{event}, events)
			if err != nil {
				return err
			}
			f.Event = one[0]
		}
		if f.Since, err = flags.ParseTime("--since", since, time.Now()); err != nil {
			return err
		}
		if f.Limit < 1 || f.Limit > audit.MaxLimit {
			return flags.Usage("flag-wrong", "flag", "--limit", "value", strconv.Itoa(f.Limit))
		}
		if f.About, err = about(ctx, s, f.About); err != nil {
			return err
		}
		page, err := s.AuditRecords(ctx, f)
		return s.Reply(page, err, func() { print(s, page) })
	})
	fl := cmd.Flags()
	fl.StringVar(&id, "task", "", "")
	fl.StringVar(&f.Client, "client", "", "")
	fl.StringVar(&f.Request, "request", "", "")
	fl.StringVar(&f.About, "about", "", "")
	fl.StringVar(&event, "event", "", "")
	fl.StringVar(&since, "since", "", "")
	fl.Int64Var(&f.Before, "before", 0, "")
	fl.IntVarP(&f.Limit, "limit", "n", audit.DefaultLimit, "")
	cmd.Annotations = map[string]string{"events": strings.Join(flags.Names(events), ", ")}
	_ = cmd.RegisterFlagCompletionFunc("event", cobra.FixedCompletions(flags.Names(events), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// about is what is looked for: a path of this computer as a whole one, all else as it is.
func about(ctx context.Context, s *command.Session, given string) (string, error) {
	if given == "" || strings.Contains(given, "://") {
		return given, nil
	}
	if s.On != "" {
		if strings.HasPrefix(given, "/") || strings.HasPrefix(given, "~/") {
			return s.Paths(ctx).Abs(given)
		}
		return given, nil
	}
	if real, err := share.RealPath(given); err == nil { // as tasks have it
		return filepath.Abs(real)
	}
	if filepath.IsAbs(given) {
		return filepath.Clean(given), nil
	}
	return given, nil
}

// print shows records, the latest last: where a terminal stands.
func print(s *command.Session, page audit.Page) {
	if command.Wide(s, page.Records, "N TIME EVENT TASK CLIENT REQUEST WHAT", func(r audit.Record) []any {
		return []any{r.N, stamp(r), r.Event, r.Task, r.Client, r.Request, what(r)}
	}) {
		return
	}
	if len(page.Records) == 0 {
		s.PrintText("audit-none")
	}
	if page.Before > 0 {
		s.HintText("audit-more", "before", page.Before)
	}
	for _, r := range slices.Backward(page.Records) {
		s.Print("%6d  %s  %s", r.N, stamp(r), what(r))
	}
	if page.BadLine > 0 {
		s.HintText("audit-damaged", "record", page.BadLine)
	}
}

func stamp(r audit.Record) string { return r.Time.Local().Format(time.DateTime) }

// what is a record in words.
func what(r audit.Record) string {
	id := short(r.Task)
	switch r.Event {
	case audit.EventBegin:
		return terminal.Text("audit-begin", "task", id, "action", r.Action, "ran", cmp.Or(r.Op, r.Program), "inputs", terminal.Some(r.Inputs),
			"runtime", r.Runtime, "isolation", r.Isolation, "folders", terminal.Some(len(r.Folders)), "client", r.Client)
	case audit.EventEnd:
		exit := ""
		if r.Exit != nil {
			exit = strconv.Itoa(*r.Exit)
		}
		return terminal.Text("audit-end", "task", id, "exit", exit, "ended", r.Ended, "problem", r.Problem, "ms", terminal.Some(r.WallMS))
	case audit.EventDecision:
		return terminal.Text("audit-decision", "task", id, "answer", named("audit-answer", r.Answer), "topic", named("audit-topic", r.Topic), "about", cmp.Or(r.Host, r.Program, r.Service, r.Runtime), "mode", r.Mode, "scope", named("audit-scope", r.Scope), "by", named("decision-by", r.By), "client", r.Client, "door", r.Door)
	case audit.EventFolder:
		return terminal.Text("audit-folder", "task", id, "topic", r.Topic, "mode", r.Mode, "by", named("decision-by", r.By), "client", r.Client)
	case audit.EventTraffic:
		return terminal.Text("audit-traffic", "task", id, "host", r.Host, "port", terminal.Some(r.Port), "out", r.BytesOut, "in", r.BytesIn, "purpose", r.Purpose)
	case audit.EventRequest:
		return terminal.Text("audit-request", "task", id, "service", r.Service, "host", r.Host, "method", r.Method, "status", terminal.Some(r.Status), "answer", named("audit-answer", r.Answer), "count", terminal.Some(r.Times))
	case audit.EventRecovered:
		return terminal.Text("audit-recovered", "reason", r.Reason)
	case audit.EventExpired:
		return terminal.Text("audit-expired", "dropped", r.Dropped)
	case audit.EventBroken:
		return terminal.Text("audit-broken", "reason", r.Reason)
	}
	return string(r.Event) // of another version of the program
}

// named is a word of a record in the person's language.
func named(table, word string) string {
	if word == "" {
		return ""
	}
	return wording.Name(table, word)
}

// short is how lists show a task.
func short(id string) string { return id[:min(len(id), 13)] }

func verify(e *command.Env) *cobra.Command {
	var key string
	cmd := &cobra.Command{Use: "verify [FILE] [--key KEY]", Args: cobra.MaximumNArgs(1), RunE: command.Do(func(ctx context.Context, args []string) error {
		if len(args) == 1 {
			if e.On != "" {
				return flags.Usage("exclude", "one", "--on", "other", "FILE")
			}
			r, err := verifyFile(args[0], key)
			if err != nil {
				return err
			}
			return verified(e, r)
		}
		if key != "" {
			return flags.Usage("together", "one", "--key", "other", "FILE")
		}
		return e.With(ctx, func(ctx context.Context, s *command.Session) error {
			r, err := s.AuditVerify(ctx)
			if err != nil {
				return err
			}
			return verified(e, r)
		})
	})}
	cmd.Flags().StringVar(&key, "key", "", "")
	return cmd
}

func verifyFile(file, key string) (r audit.Report, err error) {
	var of audit.PublicKey
	if key != "" {
		if of, err = audit.ParsePublicKey(key); err != nil {
			return r, flags.Usage("flag-wrong", "flag", "--key", "value", key)
		}
	}
	path, err := flags.GivenFile(file)
	if err != nil {
		return r, err
	}
	in, err := os.Open(path)
	if err != nil {
		return r, problem.From(err)
	}
	defer in.Close()
	if r, err = audit.VerifyExport(in, of); err != nil {
		return r, problem.From(err)
	}
	return r, nil
}

func verified(e *command.Env, r audit.Report) error {
	e.Show(r, func() {
		if !r.OK {
			e.PrintText("log-broken", "record", r.BadLine, "reason", r.Reason)
			return
		}
		e.PrintText("log-whole", "count", r.Records)
		if r.First > 1 {
			e.HintText("log-expired", "first", r.First)
		}
		if r.Key != "" {
			e.HintText("log-key", "key", r.Key)
		}
	})
	if !r.OK {
		return &command.Ended{Code: command.ExitVerify}
	}
	return nil
}

func export(e *command.Env) *cobra.Command {
	var format, out string
	cmd := e.Command("export [--format jsonl|ocsf] [--out FILE]", cobra.NoArgs, func(ctx context.Context, s *command.Session, _ []string) error {
		if _, err := flags.OneOf("--format", []string{format}, []string{"jsonl", "ocsf"}); err != nil {
			return err
		}
		in, err := s.ExportAudit(ctx)
		if err != nil {
			return err
		}
		defer in.Close()
		var from io.Reader = in
		if format == "ocsf" {
			var stop func()
			from, stop = translated(in)
			defer stop()
		}
		if out == "" || out == "-" {
			_, err := io.Copy(s.Answers(), from)
			return err
		}
		n, err := command.SaveNew(out, from)
		return s.Reply(map[string]any{"file": out, "bytes": n}, err, func() { s.PrintText("written", "path", out, "bytes", n) })
	})
	cmd.Flags().StringVar(&format, "format", "jsonl", "")
	cmd.Flags().StringVar(&out, "out", "", "")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"jsonl", "ocsf"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// translated are the records of an export as events of OCSF. stop ends the translation.
func translated(in io.Reader) (out io.Reader, stop func()) {
	r, w := io.Pipe()
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = w.CloseWithError(translate(in, w)) // always nil
	}()
	return r, func() { _ = r.Close(); <-over }
}

// maxLine is more than a record has: another computer may send a line that does not end.
const maxLine = 1 << 20

func translate(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	to := json.NewEncoder(out)
	for n := 0; lines.Scan(); n++ {
		if n == 0 {
			continue // the head
		}
		var r audit.Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			continue // it does not hold; verify says so
		}
		if err := to.Encode(r.OCSF()); err != nil {
			return err
		}
	}
	return lines.Err()
}
