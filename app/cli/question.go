package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/approval"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost"
)

// question asks the person what a task asks; where nobody is there the answer is
// no, and the end of the command says so.
func (f *follower) question(ctx context.Context, q vmhost.Question) error {
	if f.asked == nil {
		f.asked = map[string]bool{}
	}
	if f.asked[q.ID] {
		return nil // it has grown, or the stream began again
	}
	f.asked[q.ID] = true
	if f.joined.Listens() && f.IsTerminal(f.Stderr) || f.guest && !f.CanAsk() { // what is typed is the program's
		f.elsewhere("question-elsewhere")
		return nil
	}
	terminal.Texts().Question(&q)
	f.bar.Stop()
	r := consent.AnswerRequest{Answer: vmhost.AnswerDeny, Seen: len(q.Items)}
	over := false
	if f.CanAsk() {
		showQuestion(f.Env, q)
		over = f.asks(ctx, f.questionOver(q.ID), func(ctx context.Context) {
			if q.Open() {
				openAnswer(ctx, f.Env, q, &r)
			} else {
				f.choose(ctx, q, &r)
			}
		})
	} else {
		r.Unattended = true
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if over {
		f.HintText("question-decided")
		f.bar = f.StartProgress(terminal.Text("progress-continue"))
		return nil
	}
	f.bar = f.StartProgress(terminal.Text("progress-continue"))
	_, err := f.Answer(ctx, f.id, q.ID, r)
	var p *problem.Problem
	for q.Kind == vmhost.AskFolder && r.Answer == vmhost.AnswerAllow && errors.As(err, &p) && p.Code != problem.CodeQuestionOver {
		f.bar.Stop() // that folder cannot be: another one may
		f.Card(f.Stderr, "", *p)
		r = consent.AnswerRequest{Answer: vmhost.AnswerDeny}
		openAnswer(ctx, f.Env, q, &r)
		_, err = f.Answer(ctx, f.id, q.ID, r)
	}
	if errors.As(err, &p) && p.Code == problem.CodeQuestionOver {
		return nil // somebody else did, or it is of no interest any more
	}
	if r.Unattended && err == nil {
		f.refused = append(f.refused, q)
	}
	return err
}

// questionOver reports of an event whether a question waits for nobody any more. After a reset,
// what is open is asked for.
func (f *follower) questionOver(id string) func(context.Context, task.Event) bool {
	return func(ctx context.Context, ev task.Event) bool {
		switch d := ev.Data.(type) {
		case vmhost.Decision:
			return d.ID == id
		case task.StateData:
			over, err := f.over(ctx, d.State)
			return over && err == nil
		}
		if ev.Kind != task.EventReset {
			return ev.Kind == task.EventGone
		}
		list, err := f.Questions(ctx, f.id)
		return err == nil && !slices.ContainsFunc(list, func(q vmhost.Question) bool { return q.ID == id })
	}
}

// choose asks for a yes, and how far it reaches, or for a no.
func (f *follower) choose(ctx context.Context, q vmhost.Question, r *consent.AnswerRequest) {
	fmt.Fprintln(f.Stderr, q.Caution)
	for _, a := range q.Answers {
		key := answerKey(a)
		if key == "y" {
			key = terminal.Text("key-yes")
		}
		fmt.Fprintf(f.Stderr, "  %s  %s\n", key, a.Label)
	}
	key := f.AskLine(ctx, terminal.Text("ask-allow"), !risky(q))
	for _, a := range q.Answers {
		if answerKey(a) == key {
			r.Answer, r.Scope, r.Rest = a.Answer, a.Scope, a.Rest
		}
	}
}

// answerKey is what a person types for an answer.
func answerKey(a vmhost.AnswerOption) string {
	switch {
	case a.Rest:
		return "r"
	case a.Answer == vmhost.AnswerDeny && a.Scope != "":
		return "v"
	case a.Answer == vmhost.AnswerDeny:
		return "n"
	case a.Scope == vmhost.ScopeOnce:
		return "y"
	}
	return a.Scope[:1]
}

// risky reports whether no is the usual answer: where it is not said that there is
// little risk, there may be much.
func risky(q vmhost.Question) bool {
	return q.Risk != approval.RiskNone.String() && q.Risk != approval.RiskLow.String()
}

// notAllowed says what was refused because nobody could be asked.
func (f *follower) notAllowed() {
	if f.JSON {
		return
	}
	open, network, server, unpack := true, "", "", false
	for _, q := range f.refused {
		showQuestion(f.Env, q)
		if risky(q) {
			f.Hint("%s", q.Caution)
		}
		open = open && q.Open()
		if q.Kind == vmhost.AskNetwork {
			network, _ = q.Text.Params["host"].(string)
		}
		if q.Kind == vmhost.AskServer {
			server, _ = q.Text.Params["server"].(string)
		}
		unpack = unpack || q.Kind == vmhost.AskUnpack
	}
	if open {
		f.HintText("nobody-open")
		return
	}
	if network != "" {
		f.HintText("nobody-network", "host", network)
		return
	}
	if server != "" {
		f.HintText("nobody-server", "server", server)
		return
	}
	if unpack && f.req.Kind == task.KindChore {
		f.HintText("nobody-unpack")
		return
	}
	if f.Yes { // which did not cover it
		f.HintText("nobody-yes")
		return
	}
	f.HintText("nobody")
}

// showQuestion writes a question for people.
func showQuestion(e *env, q vmhost.Question) {
	for _, line := range wording.QuestionLines(q) {
		_, _ = e.Stderr.Write([]byte(line + "\n"))
	}
}

// answerCommand decides what a task that runs asks.
func answerCommand(e *env) *cobra.Command {
	var scope string
	var rest bool
	cmd := &cobra.Command{
		Use: "answer ID [QUESTION allow|deny|ANSWER]",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 3 {
				return flags.Usage("answer")
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "")
	cmd.Flags().BoolVar(&rest, "rest", false, "")
	cmd.RunE = e.Connected(func(ctx context.Context, s *session, args []string) error {
		id, err := command.FindTask(ctx, s, args[0])
		if err != nil {
			return err
		}
		if len(args) == 1 {
			return listQuestions(ctx, s, id)
		}
		r, err := answerRequest(ctx, s, id, args[1], args[2])
		if err != nil {
			return err
		}
		r.Scope, r.Rest = scope, rest
		d, err := s.Answer(ctx, id, args[1], r)
		return e.Reply(d, err, func() { e.Print("%s.", wording.Name("decision", d.Answer)) })
	})
	return cmd
}

func listQuestions(ctx context.Context, s *session, id string) error {
	list, err := s.Questions(ctx, id)
	return s.Reply(list, err, func() {
		if len(list) == 0 {
			s.PrintText("no-questions")
		}
		for _, q := range list {
			terminal.Texts().Question(&q)
			s.Print("%s  %s", words.Printable(q.ID), strings.ReplaceAll(strings.Join(wording.QuestionLines(q), "\n"), "\n", "\n    "))
			if risky(q) {
				s.Print("    %s", q.Caution)
			}
			for _, a := range q.Answers {
				if a.Answer == vmhost.AnswerAllow && a.Scope != vmhost.ScopeOnce {
					s.Print("    --scope %s: %s", a.Scope, a.Label)
				}
			}
		}
	})
}
