//go:build unix

package cli

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/runtimes"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/vmhost"
)

// sessionCommand runs a command line about sessions, of which there are two.
func sessionCommand(t *testing.T, f *fake, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"session"}, args...), Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Open: f.held})
	return code, out.String(), errs.String()
}

func TestSessions(t *testing.T) {
	f, _ := inBackground(t)
	one := sessions.Session{ID: "aaa111bbb222", Task: "0190a1b2", Shell: true, State: sessions.StateIdle}
	two := sessions.Session{
		ID: "ccc333", Argv: []string{"sleep", "\x1b[2J"}, State: sessions.StateTerminated, Reason: sessions.ReasonIdle, Ending: &sessions.Ending{Ended: time.Now(), ExitCode: 143, WallMS: 1500, CPUMS: 1200, PeakKB: 3 << 10},
	}
	f.Has = append(f.Has, []sessions.Session{one, two}, two, sessions.RunResult{ExitCode: 3, Stdout: []byte("out\n"), Stderr: []byte("err\n"), StdoutFile: "all.txt"})
	for name, tt := range map[string]struct {
		args        []string
		code        int
		out, errors string
	}{
		"list":                {[]string{"list"}, 0, "aaa111bbb222   idle       shell\nccc333         ended      sleep", ""},
		"show":                {[]string{"show", "ccc"}, 0, "Nobody is attached.\nEnded after 1.5 s with status 143: nothing happened in it\n  1.2 s of processor time, at most 3.1 MB of memory", ""},
		"run":                 {[]string{"run", "aaa", "--", "echo", "it's"}, 3, "out\n", "err\nThe whole output is a result of the task: all.txt\nThe command ended its shell, and the session with it. Start another: piwork session create"},
		"run as JSON":         {[]string{"run", "aaa", "--json", "--", "true"}, 3, `"exitCode": 3`, ""},
		"which one":           {[]string{"run", "x", "--", "true"}, 2, "", "There is no session x"},
		"no such signal":      {[]string{"signal", "aaa", "FOO"}, 2, "", "“FOO” is not one of CONT, HUP"},
		"no whole path":       {[]string{"create", "--cwd", "sub"}, 2, "", "such as /folders/NAME"},
		"of the task":         {[]string{"create", "--task", "0190a1b2", "--network", "on"}, 2, "", "--network and --task exclude one another"},
		"a cache of a task":   {[]string{"create", "--task", "0190a1b2", "--cache"}, 2, "", "--cache and --task exclude one another"},
		"only watch and type": {[]string{"attach", "aaa", "--read-only", "--take"}, 2, "", "--read-only and --take exclude one another"},
		"its services":        {[]string{"create", "--task", "0190a1b2", "--service", "github"}, 2, "", "--service and --task exclude one another"},
		"close":               {[]string{"close", "aaa", "ccc"}, 0, "Session aaa111bbb222 is closed.\nSession ccc333 is closed.", ""},
		"signal":              {[]string{"signal", "aaa", "sigint"}, 0, "", ""},
		"a secret in words":   {[]string{"create", "--env-secret", "TOKEN=hunter2"}, 2, "", "needs a reference"},
		"a secret of no one":  {[]string{"create", "--env-secret", "TOKEN=env:PIWORK_NO_SUCH"}, 2, "", "there is no secret"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := sessionCommand(t, f, tt.args...)
			if code != tt.code || !strings.Contains(out, tt.out) || !strings.Contains(errs, tt.errors) {
				t.Errorf("exit %d, %q, %q", code, out, errs)
			}
			if strings.Contains(out+errs, "\x1b") || strings.Contains(errs, "hunter2") {
				t.Errorf("%q %q", out, errs)
			}
		})
	}
	asked := func() (got []sessions.RunRequest) {
		for _, w := range f.Wishes() {
			if r, is := w.(sessions.RunRequest); is {
				got = append(got, r)
			}
		}
		return got
	}
	if got := asked(); len(got) < 1 || got[0].Command != "echo it's" && got[0].Command != "true" {
		t.Errorf("%+v", got)
	}
}

// Without a task, one is opened; the secret is asked for here and not an argument.
func TestCreateSession(t *testing.T) {
	f, _ := inBackground(t)
	t.Setenv("PIWORK_TEST_SECRET", "canary-1")
	f.Has = append(f.Has, sessions.Session{ID: "aaa111", Shell: true, State: sessions.StateIdle})
	code, out, errs := sessionCommand(t, f, "create", "--env", "A=1", "--env-secret", "TOKEN=env:PIWORK_TEST_SECRET", "--idle", "30m", "--clean")
	if code != 0 || out != "aaa111\n" || !strings.Contains(errs, "piwork session run aaa111 -- COMMAND") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	if got := f.Started(); len(got) != 1 || !got[0].Open || !got[0].Detached || len(got[0].Argv) != 0 || got[0].Title == "" {
		t.Errorf("%+v", got)
	}
	var r sessions.Request
	for _, w := range f.Wishes() {
		if got, is := w.(sessions.Request); is {
			r = got
		}
	}
	if r.Secrets["TOKEN"] != "canary-1" || r.Env["A"] != "1" || !r.Clean || r.IdleMS != 30*60*1000 || r.Terminal != nil {
		t.Errorf("%+v", r)
	}
}

// Ctrl-C is for the command that a session does: its status is that of the command, and one
// that goes on all the same is left to itself.
func TestInterruptSessionRun(t *testing.T) {
	for name, tt := range map[string]struct {
		follows bool
		code    int
		errs    string
	}{
		"it follows": {true, 130, ""},
		"it goes on": {false, 130, "piwork session"},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := inBackground(t)
			f.Has = append(f.Has, []sessions.Session{{ID: "aaa111", Shell: true, State: sessions.StateIdle}})
			f.signal = make(chan string, 1)
			ctx, interrupt := context.WithCancel(t.Context())
			told := make(chan string, 1)
			f.said = func(ctx context.Context) (sessions.RunResult, error) {
				interrupt()
				told <- <-f.signal
				if !tt.follows {
					<-ctx.Done()
					return sessions.RunResult{}, ctx.Err()
				}
				return sessions.RunResult{ExitCode: 130, Signal: 2, Stdout: []byte("so far\n")}, nil
			}
			var out, errs bytes.Buffer
			code := run(ctx, []string{"session", "run", "aaa", "--", "sleep 300"}, Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Open: f.held})
			if signal := <-told; code != tt.code || signal != "INT" || tt.follows && out.String() != "so far\n" || !strings.Contains(errs.String(), tt.errs) {
				t.Errorf("exit %d, signal %q, %q, %q", code, signal, out.String(), errs.String())
			}
		})
	}
}

// What a task needs is asked for as a task would: one that may change files in folders works
// only where the person allows that, and one that reads them anywhere.
func TestExplainNeeds(t *testing.T) {
	f, _ := inBackground(t)
	f.Has = append(f.Has, runtimes.Settings{Files: []string{"vm"}})
	for line, code := range map[string]int{"--folders": 3, "--folders=review": 3, "--folders=ro": 0, "": 0} {
		var out, errs bytes.Buffer
		args := append([]string{"runtime", "explain", "--runtime", "sandbox"}, strings.Fields(line)...)
		if got := run(t.Context(), args, Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Open: f.held}); got != code || strings.Contains(out.String(), "changes to files there") != (code == 3) {
			t.Errorf("%q: exit %d, %s%s", line, got, &out, &errs)
		}
	}
	var out, errs bytes.Buffer
	run(t.Context(), strings.Fields("runtime explain --accel tcg --for ai --network on --memory 2G --cache=app --add-ons --io 1G --requires vm,gpu --folders"), Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Open: f.held})
	want := runtimes.Need{
		Work: task.KindAI, Network: task.NetworkOn, AddOns: true, Limits: true, Size: true, Cache: true, Folders: true, Changes: true, Slow: true,
		Requires: &vmhost.Requirement{Kinds: []string{"vm"}, Can: []vmhost.Ability{vmhost.AbilityGPU}},
	}
	if all := f.Wishes(); !reflect.DeepEqual(all[len(all)-1], want) {
		t.Errorf("%+v", all[len(all)-1])
	}
}

// A session has what a task of its own can have: a cache and services.
func TestSessionCacheAndServices(t *testing.T) {
	f, _ := inBackground(t)
	sessionCommand(t, f, "create", "--cache=app", "--service", "github", "--service", "jira")
	if got := f.Started(); len(got) != 1 || got[0].Cache != "app" || !slices.Equal(got[0].Services, []string{"github", "jira"}) {
		t.Errorf("%+v", got)
	}
}
