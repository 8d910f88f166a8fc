package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/problem"
)

// loginEvery is how often a login is looked at.
const loginEvery = 500 * time.Millisecond

func (e *env) loginCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "login PROVIDER",
		Short: "Sign in to an AI service in place of a key",
		Long: "Signs in to anthropic, openrouter and xai, and to what you have a subscription of:\n" +
			"github-copilot, kimi-coding, meta, and openai-codex (ChatGPT).\n\n" +
			"Prints an address to open in a browser. After you signed in there it is done by\n" +
			"itself, or with the code that the page shows, which is asked for. What comes of it\n" +
			"is kept as keys are; see `piwork key store`.",
		Example: "  piwork key login anthropic\n  piwork key login github-copilot", Args: cobra.ExactArgs(1),
		RunE: do(func(ctx context.Context, args []string) error {
			return e.with(ctx, func(ctx context.Context, s *session) error {
				if err := e.unlocked(ctx, s); err != nil {
					return err
				}
				return e.login(ctx, s, args[0])
			})
		}),
	}
}

func (e *env) login(ctx context.Context, s *session, provider string) error {
	l, err := s.BeginLogin(ctx, provider)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // nobody else knows of it
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = s.CancelLogin(end, l.ID)
		}
	}()
	if e.json {
		e.line(l)
	} else {
		if l.Terms {
			e.hint("When you sign in, your account agrees to the terms of the models there that piwork can use.\n")
		}
		e.hint("Open this address in a browser and sign in there:\n\n  %s\n", printable(l.URL))
		if l.UserCode != "" {
			e.hint("The page asks for this code, or shows it: %s\n", printable(l.UserCode))
		}
	}
	var state app.LoginState
	if l.Needs == "code" {
		state, err = e.pasteCode(ctx, s, l)
	} else {
		state, err = e.awaitLogin(ctx, s, l)
	}
	if err != nil {
		return err
	}
	done = true
	if state.Problem != nil {
		return state.Problem
	}
	if e.json {
		e.line(state)
	} else {
		e.say("Signed in to %s.", printable(provider))
	}
	return nil
}

// pasteCode asks for the code until it is one, as long as somebody is there.
func (e *env) pasteCode(ctx context.Context, s *session, l app.Login) (app.LoginState, error) {
	for {
		code, err := e.secret(ctx, "Code: ")
		if err != nil {
			return app.LoginState{}, err
		}
		if code = strings.TrimSpace(code); code == "" {
			return app.LoginState{}, usage("no code was given; paste it, or pipe it into the command")
		}
		state, err := s.FinishLogin(ctx, l.ID, app.LoginCode{Code: code})
		var p *problem.Problem
		if errors.As(err, &p) && p.Cause == "wrong" && e.canAsk() {
			e.hint("%s", causeWords[problem.CodeLoginFailed]["wrong"])
			continue
		}
		return state, err
	}
}

// awaitLogin waits for the browser.
func (e *env) awaitLogin(ctx context.Context, s *session, l app.Login) (app.LoginState, error) {
	every := time.NewTicker(loginEvery)
	defer every.Stop()
	for {
		state, err := s.LoginState(ctx, l.ID)
		if err != nil || state.State != app.LoginWaiting {
			return state, err
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return state, ctx.Err()
		}
	}
}
