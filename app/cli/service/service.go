// Package service has the commands about services that tasks use with a secret of the person.
package service

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/services"
	"piwork/app/task"
)

// Command adds, shows, tries and removes services.
func Command(e *command.Env) *cobra.Command {
	return command.Group("service",
		add(e),
		e.Command("list", cobra.NoArgs, list),
		e.Command("show NAME", cobra.ExactArgs(1), show),
		secret(e),
		e.EachCommand("test NAME...", test),
		e.EachCommand("remove NAME...", func(ctx context.Context, s *command.Session, name string) error {
			return s.Reply(map[string]string{"removed": name}, s.RemoveService(ctx, name), func() { s.PrintText("service-removed", "name", name) })
		}),
	)
}

func add(e *command.Env) *cobra.Command {
	var d services.Definition
	var hosts, rules []string
	var put services.Put
	testPath := ""
	cmd := e.Command("add NAME --preset PRESET | NAME --host HOST... --rule RULE...", cobra.ExactArgs(1), func(ctx context.Context, s *command.Session, args []string) error {
		if d.Preset == "" && len(hosts) == 0 {
			return flags.Usage("together", "one", "service add", "other", "--preset, --host")
		}
		for _, h := range hosts {
			one := services.Host{Host: h, Rules: rules, Test: testPath}
			if put != (services.Put{}) {
				one.Put = &put
			}
			d.Hosts = append(d.Hosts, one)
		}
		if err := s.Unlock(ctx); err != nil {
			return err
		}
		made, err := s.PutService(ctx, args[0], d)
		return s.Reply(made, err, func() {
			s.PrintText("service-added", "name", made.Name, "missing", made.Secret == services.SecretMissing)
		})
	})
	f := cmd.Flags()
	var codes []string
	for _, p := range services.Presets() {
		codes = append(codes, p.Code)
	}
	flags.OneWord(f, &d.Preset, "preset", codes...)
	f.StringArrayVar(&hosts, "host", nil, "")
	f.StringArrayVar(&rules, "rule", nil, "")
	f.StringVar(&put.Header, "header", "", "")
	f.StringVar(&put.Template, "template", "", "")
	f.StringVar(&put.User, "basic", "", "")
	f.StringVar(&testPath, "test", "", "")
	for _, of := range []string{"host", "rule", "header", "template", "basic", "test"} { // a preset has its own
		cmd.MarkFlagsMutuallyExclusive("preset", of)
	}
	cmd.MarkFlagsMutuallyExclusive("template", "basic")
	cmd.MarkFlagsRequiredTogether("host", "rule")
	return cmd
}

func list(ctx context.Context, s *command.Session, _ []string) error {
	if err := s.Unlock(ctx); err != nil {
		return err
	}
	all, err := s.Services(ctx)
	return s.Reply(all, err, func() {
		if command.Wide(s, all, "NAME HOSTS SECRET ENDING", func(v services.Service) []any {
			return []any{v.Name, names(v), string(v.Secret), v.Ending}
		}) {
			return
		}
		if len(all) == 0 {
			s.PrintText("service-none")
		}
		for _, v := range all {
			s.Print("%-16s %s  %s", v.Name, names(v), stands(v))
		}
	})
}

func names(v services.Service) string {
	var out []string
	for _, h := range v.Hosts {
		out = append(out, h.Host)
	}
	return strings.Join(out, ", ")
}

func stands(v services.Service) string {
	return terminal.Text("service-secret", "state", string(v.Secret), "ending", v.Ending, "name", v.Name)
}

func show(ctx context.Context, s *command.Session, args []string) error {
	if err := s.Unlock(ctx); err != nil {
		return err
	}
	v, err := s.FindService(ctx, args[0])
	return s.Reply(v, err, func() {
		s.Print("%s  %s", v.Name, stands(v))
		for _, h := range v.Hosts {
			s.Print("  %s  %s", h.Host, put(h.Put))
			for _, r := range h.Rules {
				s.Print("    %s", r)
			}
		}
		s.HintText("service-else")
	})
}

// put is where a secret goes, as a field of a request looks.
func put(p *services.Put) string {
	switch {
	case p == nil:
		return ""
	case p.User != "":
		return fmt.Sprintf("Authorization: Basic %s:{secret}", p.User)
	case p.Header == "":
		return "Authorization: " + p.Template
	}
	return p.Header + ": " + p.Template
}

// secret keeps a secret, which is typed or read from the standard input, or forgets it.
func secret(e *command.Env) *cobra.Command {
	forget := false
	cmd := e.Command("secret NAME", cobra.ExactArgs(1), func(ctx context.Context, s *command.Session, args []string) error {
		if err := s.Unlock(ctx); err != nil {
			return err
		}
		if forget {
			return s.Reply(map[string]string{"forgotten": args[0]}, s.ForgetServiceSecret(ctx, args[0]), func() { s.PrintText("deleted") })
		}
		if _, err := s.FindService(ctx, args[0]); err != nil { // before anybody types it
			return err
		}
		typed, err := e.Prompt(ctx, "prompt-service", "name", args[0])
		if err != nil {
			return err
		}
		if typed = strings.TrimSpace(typed); typed == "" {
			return flags.Usage("no-key")
		}
		v, err := s.SetServiceSecret(ctx, args[0], services.SecretRequest{Secret: typed})
		return s.Reply(v, err, func() { s.PrintText("service-kept", "name", v.Name) })
	})
	cmd.Flags().BoolVar(&forget, "forget", false, "")
	return cmd
}

func test(ctx context.Context, s *command.Session, name string) error {
	if err := s.Unlock(ctx); err != nil {
		return err
	}
	all, err := s.TestService(ctx, name)
	if err != nil {
		return err
	}
	failed := false
	s.Show(all, func() {
		if len(all) == 0 {
			s.PrintText("service-untested", "name", name)
		}
		for _, h := range all {
			s.PrintText("service-tested", "host", h.Host, "path", h.Path, "status", h.Status, "ok", h.OK, "detail", terminal.PrintableText(h.Detail))
		}
	})
	for _, h := range all {
		failed = failed || !h.OK
	}
	if failed {
		return &command.Ended{Code: command.ExitFailed}
	}
	return nil
}

// Requests lists what a task asked of services.
func Requests(e *command.Env) *cobra.Command {
	return command.OnTask(e, "requests ID", cobra.ExactArgs(1), func(ctx context.Context, s *command.Session, t task.Task, _ []string) error {
		all, err := s.TaskRequests(ctx, t.ID)
		return s.Reply(all, err, func() {
			if command.Wide(s, all.List, "SERVICE METHOD HOST PATH STATUS ALLOWED REASON COUNT SENT RECEIVED LAST", func(q services.TaskRequest) []any {
				return []any{q.Service, q.Method, q.Host, q.Path, q.Status, q.Allowed, q.Reason, q.Count, q.Sent, q.Received, q.Last.Local().Format(time.DateTime)}
			}) {
				return
			}
			if len(all.List) == 0 {
				s.PrintText("requests-none")
			}
			for _, q := range all.List {
				times := ""
				if q.Count > 1 {
					times = strconv.FormatInt(q.Count, 10)
				}
				s.PrintText("request-line", "method", terminal.PrintableText(q.Method), "host", q.Host, "path", terminal.PrintableText(q.Path), "status", terminal.Some(q.Status),
					"times", times, "sent", terminal.Some(q.Sent), "received", terminal.Some(q.Received), "reason", q.Said)
			}
			if all.More > 0 {
				s.PrintText("requests-more", "count", all.More)
			}
		})
	})
}
