package cli

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/words"
)

// loginEvery is how often a login is looked at.
const loginEvery = 500 * time.Millisecond

func loginCommand(e *env) *cobra.Command {
	var r models.LoginRequest
	cmd := e.Command("login PROVIDER", cobra.ExactArgs(1), func(ctx context.Context, s *session, args []string) error {
		if err := s.Unlock(ctx); err != nil {
			return err
		}
		if _, err := findProvider(ctx, s, args[0]); err != nil {
			return err
		}
		return signIn(ctx, s, args[0], r)
	})
	cmd.Flags().BoolVar(&r.Device, "device", false, "")
	cmd.Flags().StringVar(&r.Domain, "domain", "", "")
	return cmd
}

func signIn(ctx context.Context, s *session, provider string, r models.LoginRequest) error {
	l, err := s.BeginLogin(ctx, provider, r)
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
	if s.JSON {
		s.JSONLine(l)
	} else {
		if l.Terms {
			s.Instruct("%s\n", terminal.Text("login-terms"))
		}
		s.Instruct("%s\n\n  %s\n", terminal.Text("login-open"), words.Printable(l.URL))
		if l.UserCode != "" {
			s.Instruct("%s\n", terminal.Text("login-code", "code", l.UserCode))
		}
	}
	var state models.LoginState
	if l.Needs == "code" {
		state, err = pasteCode(ctx, s, l)
	} else {
		state, err = awaitLogin(ctx, s, l)
	}
	if err != nil {
		return err
	}
	done = true
	if state.Problem != nil {
		return state.Problem
	}
	if s.JSON {
		s.JSONLine(state)
	} else {
		s.PrintText("login-done", "provider", provider)
	}
	return nil
}

// pasteCode asks for the code until it is one, as long as somebody is there.
func pasteCode(ctx context.Context, s *session, l models.Login) (models.LoginState, error) {
	for {
		code, err := s.Prompt(ctx, "prompt-code")
		if err != nil {
			return models.LoginState{}, err
		}
		if code = strings.TrimSpace(code); code == "" {
			return models.LoginState{}, flags.Usage("no-code")
		}
		state, err := s.FinishLogin(ctx, l.ID, models.LoginCode{Code: code})
		if p, is := errors.AsType[*problem.Problem](err); is && p.Cause == "wrong" && s.CanAsk() {
			s.Instruct("%s", terminal.Texts().Text("cause.login.wrong", nil))
			continue
		}
		return state, err
	}
}

// awaitLogin waits until the browser comes back. A browser on another computer can't: the
// person pastes the address of its last page. A login by device code needs neither.
func awaitLogin(ctx context.Context, s *session, l models.Login) (models.LoginState, error) {
	every := time.NewTicker(loginEvery)
	defer every.Stop()
	var asking sync.WaitGroup
	defer asking.Wait() // the terminal shows what is typed again
	typing, end := context.WithCancel(ctx)
	defer end()
	ask := func() <-chan string {
		ch := make(chan string, 1)
		asking.Go(func() {
			defer close(ch)
			if text, err := s.Prompt(typing, "prompt-address"); err == nil {
				ch <- strings.TrimSpace(text)
			}
		})
		return ch
	}
	var pasted <-chan string
	agreeing := false
	asks := l.UserCode == "" && s.CanAsk()
	if asks {
		s.Hint("%s\n", terminal.Text("login-elsewhere"))
		pasted = ask()
	}
	for {
		state, err := s.LoginState(ctx, l.ID)
		if err != nil || state.State != models.LoginWaiting {
			return state, err
		}
		if state.Step == models.StepTerms && !agreeing {
			s.HintText("login-agrees")
			agreeing = true
		}
		select {
		case text, is := <-pasted:
			pasted, asks = nil, is // else nothing can be typed any more
			if text == "" {
				break
			}
			state, err := s.FinishLogin(ctx, l.ID, models.LoginCode{Code: text})
			if p, is := errors.AsType[*problem.Problem](err); !is || p.Cause != "wrong" {
				return state, err
			}
			s.Instruct("%s", terminal.Texts().Text("cause.login.wrong", nil))
		case <-every.C:
			if asks && pasted == nil {
				pasted = ask()
			}
		case <-ctx.Done():
			return state, ctx.Err()
		}
	}
}
