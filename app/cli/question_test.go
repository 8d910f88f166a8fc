package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"piwork/app"
	"piwork/app/api/apitest"
	"piwork/app/background"
	"piwork/app/consent"
	"piwork/app/task"
	"piwork/app/tasks"
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
			fake := apitest.New(apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{q}}})
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

// A yes is for once; longer ones are offered in words, and everything else can be
// refused. What was not offered is no answer.
func TestHowFarAnAnswerReaches(t *testing.T) {
	page := vmhost.Question{ID: "q1", Kind: vmhost.AskNetwork, Items: []string{}, Scopes: []string{"once", "task", "always"}, Text: vmhost.Text{
		Code: "web-fetch", Params: map[string]any{"host": "example.org", "address": "https://example.org/docs/a?b=c", "pattern": "https://example.org/docs/"}}}
	command := vmhost.Question{ID: "q1", Kind: vmhost.AskCommand, Items: []string{}, Scopes: []string{"once", "task"}, Text: vmhost.Text{
		Code: "agent-command", Params: map[string]any{"command": "python3 x.py", "effects": []any{"unknown"}}}}
	allow, deny := vmhost.AnswerAllow, vmhost.AnswerDeny
	for name, tt := range map[string]struct {
		q     vmhost.Question
		typed string
		want  consent.AnswerRequest
		says  string
	}{
		"yes to a page":           {page, "y", consent.AnswerRequest{Answer: allow, Scope: "once"}, "  y  Allow this time\n"},
		"to pages in this task":   {page, "t", consent.AnswerRequest{Answer: allow, Scope: "task"}, "A longer answer covers pages below https://example.org/docs/ whose address has no question mark.\n"},
		"to pages in every task":  {page, "a", consent.AnswerRequest{Answer: allow, Scope: "always"}, "  t  Allow in this task\n  a  Always allow\n"},
		"never to a page":         {page, "v", consent.AnswerRequest{Answer: deny, Scope: "always"}, "  v  Never allow\n"},
		"yes to a command":        {command, "YES", consent.AnswerRequest{Answer: allow, Scope: "once"}, "  t  Allow similar commands in this task\n"},
		"to commands":             {command, "t", consent.AnswerRequest{Answer: allow, Scope: "task"}, "The command can have unknown effects.\nA longer answer covers every command that can do the same.\n"},
		"for longer than offered": {command, "a", consent.AnswerRequest{Answer: deny}, ""},
		"no":                      {command, "n", consent.AnswerRequest{Answer: deny}, "  n  Don’t allow\n"},
		"no to everything":        {command, "r", consent.AnswerRequest{Answer: deny, Rest: true}, "  r  Refuse everything else in this task\n"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := apitest.New(apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{tt.q}}})
			said := answered(t, fake, tt.typed+"\n")
			if got := fake.Answers(); len(got) != 1 || !reflect.DeepEqual(got[0], tt.want) {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
			if !strings.Contains(said, tt.says) {
				t.Errorf("it says %q", said)
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
	e := newEnv(Options{Stdin: strings.NewReader(typed), Stdout: &bytes.Buffer{}, Stderr: &said,
		IsTerminal: func(any) bool { return true }})
	e.Quiet = true
	here := &background.Here{Server: background.ServerOptions{Open: func(context.Context, app.Options) (background.Controller, error) {
		return &fake{Fake: service, socket: filepath.Join(dir, "s"), lock: flock.New(filepath.Join(dir, "lock"))}, nil
	}}}
	s, err := background.Open(t.Context(), background.SessionOptions{App: app.Options{DataDir: dir}, Launch: here.Launch})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { s.Close(); _ = here.Close() }()
	if err := startTask(t.Context(), &session{Session: s, Env: e}, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}); err != nil {
		t.Fatal(err)
	}
	return said.String()
}
