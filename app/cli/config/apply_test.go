package config

import (
	"context"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piwork/app"
	"piwork/app/api/apitest"
	"piwork/app/background"
	"piwork/app/cli/command"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
)

type inMemory struct {
	*apitest.Fake
	socket string
}

func (m *inMemory) Socket() string              { return m.socket }
func (m *inMemory) Close(context.Context) error { return nil }

// open starts a fake service, and has a session with it.
func open(t *testing.T, f *apitest.Fake) *command.Session {
	t.Helper()
	dir := t.TempDir()
	here := &background.Here{Server: background.ServerOptions{Open: func(context.Context, app.Options) (background.Controller, error) {
		return &inMemory{f, dir + "/s"}, nil
	}}}
	bs, err := background.Open(t.Context(), background.SessionOptions{App: app.Options{DataDir: dir}, Launch: here.Launch})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bs.Close(); _ = here.Close() })
	return &command.Session{Session: bs, Env: &command.Env{Terminal: &terminal.Terminal{
		Stdin: strings.NewReader("a passphrase\n"), Stderr: io.Discard, IsTerminal: func(any) bool { return false },
	}}}
}

// What the controller refuses leaves nothing of the change behind.
func TestApplyAllOrNothing(t *testing.T) {
	f := apitest.New(apitest.Script{})
	f.Refuse = map[string]error{"SetWindowSettings": problem.New(problem.CodeBadRequest)}
	s := open(t, f)
	before, err := load(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	after := before
	after.Machines.MemoryMB, after.Window.Notify = 2048, !before.Window.Notify
	if err := apply(t.Context(), s, before, after); err == nil {
		t.Error("nothing is refused")
	}
	if now, err := load(t.Context(), s); err != nil || now.Machines != before.Machines {
		t.Errorf("%v %+v", err, now.Machines)
	}
	f.Refuse = nil
	if err := apply(t.Context(), s, before, after); err != nil {
		t.Error(err)
	}
	if now, err := load(t.Context(), s); err != nil || now.Machines.MemoryMB != 2048 {
		t.Errorf("%v %+v", err, now.Machines)
	}
}

// Every setting reaches the service, and comes back from it.
func TestApplyEverySetting(t *testing.T) {
	f := apitest.New(apitest.Script{Login: apitest.Login{Pass: "a passphrase"}})
	s := open(t, f)
	before, err := load(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	after := before
	for _, one := range settings {
		if one.key != "background.at-login" { // it is the system's
			vary(t, one, &after)
		}
	}
	if err := apply(t.Context(), s, before, after); err != nil {
		t.Fatal(err)
	}
	if now, err := load(t.Context(), s); err != nil || !reflect.DeepEqual(Tree(now), Tree(after)) {
		t.Errorf("%v\n%v, want\n%v", err, Tree(now), Tree(after))
	}
	again := after
	again.AtLogin.On = true // what the system starts would not find this data
	if err := apply(t.Context(), s, after, again); err == nil {
		t.Error("a controller of other data starts at login")
	}
}

// A bound to engines without administrator rights is lifted by nobody who does not say so, a kind
// that is named is said yes to anew, and what the controller makes of it is what is shown.
func TestBoundOfAYes(t *testing.T) {
	v := Defaults()
	v.Runtimes.Rootless = []string{"sandbox", "container"}
	if got, err := Parse([]byte("runtimes:\n  files: [vm]\n"), v); err != nil || !slices.Equal(got.Runtimes.Rootless, v.Runtimes.Rootless) {
		t.Errorf("%+v %v", got.Runtimes, err)
	}
	for change, want := range map[string]string{
		"runtimes.files=vm": "sandbox container", "runtimes.prefer=sandbox": "container", "runtimes.weaker=container=always": "sandbox",
		"runtimes.rootless=[]": "", "runtimes.rootless=sandbox runtimes.prefer=sandbox": "sandbox",
	} {
		now := v
		if err := now.typed(strings.Fields(change)...); err != nil || strings.Join(now.Runtimes.Rootless, " ") != want {
			t.Errorf("%s: %+v %v", change, now.Runtimes, err)
		}
	}
	s := open(t, apitest.New(apitest.Script{}))
	var out strings.Builder
	s.Stdout = &out
	for _, args := range [][]string{{"runtimes.prefer=sandbox"}, {"runtimes.rootless=[]"}} {
		if err := set(t.Context(), s, args); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); got != "runtimes.prefer: [sandbox]\nruntimes.rootless: [sandbox]\n" {
		t.Errorf("%q", got)
	}
}
