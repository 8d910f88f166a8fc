//go:build vm && linux

package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/problem"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/durable"
	"piwork/pack/trust"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/runtimetest/person"
)

// What tasks do on this computer itself, in an environment of the real pack, is what they do
// in a machine, once a person switched that on: programs, operations and chores, guards, undo,
// review, a cancel. A tool of the environment that was deleted comes back, and nothing is left.
func TestRealHost(t *testing.T) {
	if !person.Again(t, withKeys(t, person.Options{}.Pack())) {
		return
	}
	o := hostOptions(t)
	c := openReal(t, o)
	p := realPlace{kind: vmhost.KindHost, open: true, lost: filepath.Join(o.CacheDir, environmentsDir)}
	now := p.run(t, c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
	if now.Error == nil || now.Error.Code != problem.CodeRuntimeUnfit || now.Error.Cause != string(runtimes.ReasonOff) {
		t.Errorf("nobody switched it on: %+v %v", now, now.Error)
	}
	if _, err := c.SetRuntimes(t.Context(), runtimes.Settings{Weaker: map[string]runtimes.Allowance{p.kind: runtimes.AllowAlways}}); err != nil {
		t.Fatal(err)
	}
	status, err := c.TestRuntime(t.Context(), p.kind)
	if err != nil || !status.Works || status.Isolation != vmhost.IsolationNone {
		t.Fatalf("%+v %+v %v", status, status.Problem, err)
	}
	inPlace(t, c, p)
	if left := leftOf(t, func() []string { return running(t, p.lost) }); len(left) > 0 {
		t.Errorf("still there: %q", left)
	}
	if b, err := os.ReadFile("/proc/self/mountinfo"); err != nil || len(durable.MountsIn(string(b), c.o.DataDir)) > 0 {
		t.Errorf("mounted: %+v %v", durable.MountsIn(string(b), c.o.DataDir), err)
	}
}

// hostOptions are realOptions of somebody whose environment was made before.
func hostOptions(t *testing.T) Options {
	t.Helper()
	o := realOptions(t)
	if keep := os.Getenv("PIWORK_TEST_KEEP"); keep != "" { // the files of an environment know where it is
		o.CacheDir = filepath.Join(keep, "cache")
	} else {
		t.Cleanup(func() { _ = durable.RemoveAll(o.CacheDir) })
	}
	return o
}

// Where nothing can be mounted, this computer itself is no place for tasks, and says why
// before one begins.
func TestRealHostWithoutFUSE(t *testing.T) {
	tier.Rest(t, "runtimes.TestSmallTask")
	o := withKeys(t, person.Options{}.Pack())
	o.NoFUSE = true
	if !person.Again(t, o) {
		return
	}
	c := openReal(t, hostOptions(t))
	if _, err := c.SetRuntimes(t.Context(), runtimes.Settings{Weaker: map[string]runtimes.Allowance{vmhost.KindHost: runtimes.AllowAlways}}); err != nil {
		t.Fatal(err)
	}
	status, err := c.TestRuntime(t.Context(), vmhost.KindHost)
	if err != nil || status.Works || status.Problem == nil || status.Problem.Cause != vmhost.CauseMount {
		t.Errorf("%+v %+v %v", status, status.Problem, err)
	}
	p := realPlace{kind: vmhost.KindHost}
	now := p.run(t, c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
	if now.Error == nil || now.Error.Code != problem.CodeUnsupported || now.Error.Cause != vmhost.CauseMount {
		t.Errorf("%+v %v", now, now.Error)
	}
}

// withKeys has the person trust the developer's keys, of which the pack is.
func withKeys(t *testing.T, o person.Options) person.Options {
	t.Helper()
	if os.Getuid() != 0 {
		return o
	}
	dir := t.TempDir()
	keys, err := os.ReadFile(filepath.Join(Options{}.WithDefaults().ConfigDir, trust.DeveloperFile))
	config := filepath.Join(dir, filepath.Base(Options{}.WithDefaults().ConfigDir))
	if err == nil {
		err = errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Mkdir(config, 0o700), os.WriteFile(filepath.Join(config, trust.DeveloperFile), keys, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	o.Given, o.Env = append(o.Given, dir), append(o.Env, "XDG_CONFIG_HOME="+dir)
	return o
}
