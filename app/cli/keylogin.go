package cli

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

// loginEvery is how often a login is looked at.
const loginEvery = 500 * time.Millisecond

func loginCommand(e *env) *cobra.Command {
	var r models.LoginRequest
	cmd := &cobra.Command{
		Use:   "login PROVIDER",
		Short: "Sign in to an AI service instead of using a key",
		Long: "Signs in to anthropic, openrouter, radius and xai, and to what you have a subscription\n" +
			"of: github-copilot, kimi-coding, meta, openai (with ChatGPT) and openai-codex (ChatGPT).\n\n" +
			"Prints an address to open in a browser. After you signed in there it is done by\n" +
			"itself, or with the code that the page shows, which is asked for. What comes of it\n" +
			"is kept as keys are; see `piwork key store`.\n\n" +
			"If your browser is on another computer than piwork, the last page of some services\n" +
			"cannot be shown there (its address begins with http://localhost or http://127.0.0.1).\n" +
			"You are asked for that address: copy it out of the browser and paste it.\n" +
			"With openai-codex and radius, --device asks for a code in any browser instead.\n\n" +
			"Copilot of a company that has a GitHub of its own is signed in to with --domain.",
		Example: "  piwork key login anthropic\n  piwork key login openai-codex --device\n  piwork key login github-copilot --domain company.ghe.com", Args: cobra.ExactArgs(1),
		RunE: e.connected(func(ctx context.Context, s *session, args []string) error {
			if err := unlocked(ctx, s); err != nil {
				return err
			}
			return signIn(ctx, s, args[0], r)
		}),
	}
	cmd.Flags().BoolVar(&r.Device, "device", false, "by a code that you type in a browser on any device")
	cmd.Flags().StringVar(&r.Domain, "domain", "", "a company's own GitHub, such as company.ghe.com")
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
			s.Hint("When you sign in, your account agrees to the terms of the models there that piwork can use.\n")
		}
		s.Hint("Open this address in a browser and sign in there:\n\n  %s\n", words.Printable(l.URL))
		if l.UserCode != "" {
			s.Hint("The page asks for this code, or shows it: %s\n", words.Printable(l.UserCode))
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
		s.Print("Signed in to %s.", words.Printable(provider))
	}
	return nil
}

// pasteCode asks for the code until it is one, as long as somebody is there.
func pasteCode(ctx context.Context, s *session, l models.Login) (models.LoginState, error) {
	for {
		code, err := s.Secret(ctx, "Code: ")
		if err != nil {
			return models.LoginState{}, err
		}
		if code = strings.TrimSpace(code); code == "" {
			return models.LoginState{}, flags.Usage("no code was given; paste it, or pipe it into the command")
		}
		state, err := s.FinishLogin(ctx, l.ID, models.LoginCode{Code: code})
		var p *problem.Problem
		if errors.As(err, &p) && p.Cause == "wrong" && s.CanAsk() {
			s.Hint("%s", wording.Texts().Text("cause.login.wrong", nil))
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
			if text, err := s.Secret(typing, "Address: "); err == nil {
				ch <- strings.TrimSpace(text)
			}
		})
		return ch
	}
	var pasted <-chan string
	agreeing := false
	asks := l.UserCode == "" && s.CanAsk()
	if asks {
		s.Hint("If your browser is on another computer, it cannot show the last page. Copy the\naddress of that page then, and paste it here. It is not shown.\n")
		pasted = ask()
	}
	for {
		state, err := s.LoginState(ctx, l.ID)
		if err != nil || state.State != models.LoginWaiting {
			return state, err
		}
		if state.Step == models.StepTerms && !agreeing {
			s.Hint("You are signed in. Your account now agrees to the terms of the models there; that takes some seconds.")
			agreeing = true
		}
		select {
		case text, is := <-pasted:
			pasted, asks = nil, is // else nothing can be typed any more
			if text == "" {
				break
			}
			state, err := s.FinishLogin(ctx, l.ID, models.LoginCode{Code: text})
			var p *problem.Problem
			if !errors.As(err, &p) || p.Cause != "wrong" {
				return state, err
			}
			s.Hint("%s", wording.Texts().Text("cause.login.wrong", nil))
		case <-every.C:
			if asks && pasted == nil {
				pasted = ask()
			}
		case <-ctx.Done():
			return state, ctx.Err()
		}
	}
}
