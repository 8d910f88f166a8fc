package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/consent"
	"piwork/vmhost"
)

// openAnswer asks a person for one of several choices, or for a text. An empty
// JSONLine is none of them, a no.
func openAnswer(ctx context.Context, e *env, q vmhost.Question, r *consent.AnswerRequest) {
	prompt := "ask-text"
	if q.Kind == vmhost.AskFolder {
		prompt = "ask-folder"
	}
	if len(q.Choices) > 0 {
		prompt = "ask-choice"
	}
	for ctx.Err() == nil {
		_, _ = e.Stderr.Write([]byte(terminal.Text(prompt) + " "))
		typed, _ := e.Line(ctx) // an error is an end, and no answer
		if typed = strings.TrimSpace(typed); typed == "" {
			return
		}
		if pick(q, typed, e.Paths(ctx), r) == nil {
			return
		}
	}
}

// pick makes an answer of what was typed.
func pick(q vmhost.Question, typed string, paths flags.Paths, r *consent.AnswerRequest) error {
	r.Scope = vmhost.ScopeOnce
	if q.Kind == vmhost.AskFolder {
		abs, err := paths.Abs(typed)
		if err != nil {
			return err
		}
		typed = abs
	}
	if len(q.Choices) == 0 {
		r.Answer, r.Text = vmhost.AnswerAllow, typed
		return nil
	}
	n, err := strconv.Atoi(typed)
	if err != nil || n < 1 || n > len(q.Choices) {
		return flags.Usage("number", "value", typed, "most", len(q.Choices))
	}
	r.Answer, r.Choice = vmhost.AnswerAllow, new(n-1)
	return nil
}

// answerRequest makes an answer of an argument, which means what the question
// wants.
func answerRequest(ctx context.Context, s *session, id, question, arg string) (consent.AnswerRequest, error) {
	r := consent.AnswerRequest{Answer: arg}
	if arg == vmhost.AnswerDeny {
		return r, nil
	}
	list, err := s.Questions(ctx, id)
	if err != nil {
		return r, err
	}
	i := slices.IndexFunc(list, func(q vmhost.Question) bool { return q.ID == question })
	if i >= 0 && list[i].Open() {
		if arg == "-" {
			text, err := flags.ReadStdin(ctx, s.Stdin)
			if err != nil {
				return r, err
			}
			arg = strings.TrimSuffix(string(text), "\n")
		}
		return r, pick(list[i], arg, s.Paths(ctx), &r)
	}
	if arg != vmhost.AnswerAllow {
		return r, flags.Usage("answer")
	}
	return r, nil
}
