package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"piwork/app"
	"piwork/app/api/apitest"
	"piwork/app/client"
	"piwork/app/task"
	"piwork/vmhost"
)

// Enter alone is a no where the risk is high or nobody said it, and a yes where it
// is low. The end of the stream is no Enter.
func TestUsualAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, risk, typed, prompt, want string
	}{
		{"high, Enter", "high", "\n", "[y/N]", vmhost.AnswerDeny},
		{"high, yes", "high", "y\n", "[y/N]", vmhost.AnswerAllow},
		{"high, anything", "high", "well\n", "[y/N]", vmhost.AnswerDeny},
		{"not said, Enter", "", "\n", "[y/N]", vmhost.AnswerDeny},
		{"a new word, Enter", "higher", "\n", "[y/N]", vmhost.AnswerDeny},
		{"low, Enter", "low", "\n", "[Y/n]", vmhost.AnswerAllow},
		{"low, Enter of Windows", "low", "\r\n", "[Y/n]", vmhost.AnswerAllow},
		{"low, no", "low", "n\n", "[Y/n]", vmhost.AnswerDeny},
		{"low, anything", "low", "well\n", "[Y/n]", vmhost.AnswerDeny},
		{"low, the end", "low", "", "[Y/n]", vmhost.AnswerDeny},
		{"low, yes and the end", "low", "yes", "[Y/n]", vmhost.AnswerAllow},
		{"none, Enter", "none", "\n", "[Y/n]", vmhost.AnswerAllow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := vmhost.Question{ID: "q1", Kind: vmhost.AskCommand, Risk: tt.risk, Items: []string{}, Text: vmhost.Text{Code: "agent-command"}}
			fake := &apitest.Fake{Consent: apitest.Consent{Questions: []vmhost.Question{q}}}
			said := answered(t, fake, tt.typed)
			if !strings.Contains(said, tt.prompt) || strings.Contains(said, "High risk") != (tt.prompt == "[y/N]") {
				t.Errorf("it says %q", said)
			}
			if got := fake.Answers(); len(got) != 1 || got[0].Answer != tt.want {
				t.Errorf("%+v, want %s", got, tt.want)
			}
		})
	}
}

// answered runs a task of fake in front of a person who types, and returns what
// they were told.
func answered(t *testing.T, service *apitest.Fake, typed string) string {
	t.Helper()
	dir := t.TempDir()
	var said bytes.Buffer
	e := &env{quiet: true, Options: Options{Stdin: strings.NewReader(typed), Stdout: &bytes.Buffer{}, Stderr: &said,
		IsTerminal: func(any) bool { return true }}}
	s, err := client.Open(t.Context(), client.SessionOptions{App: app.Options{DataDir: dir},
		Open: func(context.Context, app.Options) (client.Controller, error) {
			return &fake{Fake: service, socket: filepath.Join(dir, "s"), lock: flock.New(filepath.Join(dir, "lock"))}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.WithoutCancel(t.Context())) }()
	if err := e.task(t.Context(), &session{Session: s, env: e}, app.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}); err != nil {
		t.Fatal(err)
	}
	return said.String()
}
