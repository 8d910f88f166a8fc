package runtimes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/vmhost"
)

// kept is a choice on the disk.
type kept struct{ settings.Value[Settings] }

func (k kept) Set(_ context.Context, s Settings) error { return k.Value.Set(s) }

// proofs are what was proven, in memory.
type proofs map[string]bool

func (p proofs) Knows(what string) bool { return p[what] }

func (p proofs) Learn(what string, holds bool) error {
	delete(p, what)
	if holds {
		p[what] = true
	}
	return nil
}

// computer has a virtual machine that works, and a sandbox that is proven.
type computer struct {
	known  proofs
	key    string
	absent error // why there is no sandbox
	broken error // why it does not work
	root   bool  // what runs it has administrator rights
	proved int
	vm     error
	looked [4]atomic.Int32 // how often at those that are not proven
	choice settings.Value[Settings]
	m      *Chooser
}

func newComputer(t *testing.T) *computer {
	t.Helper()
	f, err := settings.Open(filepath.Join(t.TempDir(), "config.json"), Settings{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &computer{known: proofs{}, key: "1", choice: settings.Of(f, func(s *Settings) *Settings { return s })}
	c.restart()
	return c
}

// restart is the program that begins again.
func (c *computer) restart() {
	all := kinds()
	engine := func() *vmhost.Engine { return &vmhost.Engine{Name: "Podman", Version: c.key, Rootless: !c.root} }
	sandbox := &Proven{
		Standing: all[2], Proofs: c.known, Log: slog.New(slog.DiscardHandler),
		Key:   func(context.Context) (string, *vmhost.Engine, error) { return c.key, engine(), c.absent },
		Meet:  func(context.Context) (string, *vmhost.Engine, error) { return c.key, engine(), c.absent },
		Prove: func(context.Context) error { c.proved++; return c.broken },
	}
	looked := func(i int, why *error) Kind {
		return Kind{Standing: all[i], Look: func(context.Context, bool) error { c.looked[i].Add(1); return *why }}
	}
	var fine error
	c.m = New(kept{c.choice}, looked(0, &c.vm), sandbox.Kind(), looked(3, &fine))
}

// A kind is proven once for what it is made of, also by another run of the program; one
// that failed is tried again, and so is one that is asked for.
func TestProven(t *testing.T) {
	c := newComputer(t)
	look := func(works bool, proved int) {
		t.Helper()
		all, err := c.m.Runtimes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s := all[1]; s.Kind != "sandbox" || s.Works != works || (s.Problem == nil) != works || c.proved != proved {
			t.Errorf("%+v, proven %d times", s, c.proved)
		}
	}
	look(true, 1)
	look(true, 1)
	c.restart()
	look(true, 1)
	c.key = "2"
	look(true, 2)
	c.broken = errors.New("no")
	look(true, 2)
	if s, err := c.m.TestRuntime(t.Context(), "sandbox"); err != nil || s.Works || s.Problem == nil || c.proved != 3 {
		t.Errorf("%+v %v", s, err)
	}
	look(false, 4)
	c.broken = nil
	look(true, 5)
	c.absent = problem.New(problem.CodeUnsupported)
	look(false, 5)
	var p *problem.Problem
	if _, err := c.m.TestRuntime(t.Context(), "cloud"); !errors.As(err, &p) || p.Code != problem.CodeBadRequest {
		t.Errorf("%v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.m.Runtimes(gone); err == nil {
		t.Error("a list for nobody")
	}
}

// A kind that could give a task no place is proven anew by the next one, which works elsewhere where
// the kind is broken now.
func TestAProofFalls(t *testing.T) {
	c := newComputer(t)
	place := func(want string, proved int) {
		t.Helper()
		got, err := c.m.Place(t.Context(), Need{Work: task.KindExec}, func(context.Context) error { return c.vm })
		if err != nil || got.Kind != want || c.proved != proved {
			t.Errorf("%+v %v, proven %d times", got, err, c.proved)
		}
	}
	if err := c.choice.Set(Settings{Prefer: []string{"sandbox"}}); err != nil {
		t.Fatal(err)
	}
	place("sandbox", 1)
	c.broken = errors.New("since then")
	place("sandbox", 1)
	c.m.Doubt(t.Context(), "sandbox")
	place("vm", 2)
	c.m.Doubt(t.Context(), "vm") // has no proof of that sort
	c.m.Doubt(t.Context(), "cloud")
}

// Who gives up does not wait until somebody else has proven a kind; who does not, proves
// nothing again.
func TestProvenByAnother(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	p := &Proven{
		Standing: kinds()[2], Proofs: proofs{}, Log: slog.New(slog.DiscardHandler),
		Key: func(context.Context) (string, *vmhost.Engine, error) { return "1", nil, nil },
		Prove: func(context.Context) error {
			close(begun) // once
			<-end
			return nil
		},
	}
	kind := p.Kind()
	look := func(ctx context.Context) <-chan error {
		looked := make(chan error, 1)
		go func() { looked <- kind.Look(ctx, false) }()
		return looked
	}
	first := look(t.Context())
	<-begun
	changed := errors.New("changed my mind")
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(changed)
	select {
	case err := <-look(gone):
		if !errors.Is(err, changed) {
			t.Errorf("%v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it waits for somebody else's proof")
	}
	third := look(t.Context())
	close(end)
	for _, looked := range []<-chan error{first, third} {
		if err := <-looked; err != nil {
			t.Error(err)
		}
	}
}

// Who waited while a kind failed hears so, and proves nothing again; who looks later does. Kinds that
// come and go are the same for all who look while they stay what they are.
func TestLooksShareATurn(t *testing.T) { synctest.Test(t, looksShareATurn) }

func looksShareATurn(t *testing.T) {
	all, prefer := kinds(), Settings{Prefer: []string{"sandbox"}}
	all[2].ByName = true
	proved, id, end := 0, "1", make(chan struct{})
	shared := &Shared{}
	more := func() []Kind {
		return shared.Kinds([]string{id}, func(int) Kind {
			p := &Proven{
				Standing: all[2], Proofs: proofs{}, Log: slog.New(slog.DiscardHandler),
				Key: func(context.Context) (string, *vmhost.Engine, error) { return "1", nil, nil },
				Prove: func(context.Context) error {
					proved++
					<-end
					return errors.New("it is off")
				},
			}
			return p.Kind()
		})
	}
	choice := &chosen{prefer}
	c := New(choice, Kind{Standing: all[0], Look: func(context.Context, bool) error { return nil }}).With(more)
	both := func(looks ...func() error) {
		t.Helper()
		errs := make(chan error, len(looks))
		for _, look := range looks {
			go func() { errs <- look() }()
		}
		synctest.Wait() // one proves, the other one waits
		time.Sleep(time.Second)
		end <- struct{}{}
		for range looks {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	}
	list := func() error {
		all, err := c.Runtimes(t.Context())
		if err == nil && all[1].Works {
			err = fmt.Errorf("%+v", all)
		}
		return err
	}
	explain := func() error {
		x, err := c.ExplainRuntime(t.Context(), Need{})
		if err == nil && (x.Kind != "vm" || x.Verdicts[1].Reason != ReasonProblem) {
			err = fmt.Errorf("%+v", x)
		}
		return err
	}
	both(list, explain)
	if proved != 1 {
		t.Errorf("a form proves %d times", proved)
	}
	id = "2"
	both(explain)
	if proved != 2 {
		t.Errorf("later and changed it is proven %d times", proved)
	}
	choice.Settings = Settings{}
	if x, err := c.ExplainRuntime(t.Context(), Need{}); err != nil || x.Verdicts[1].Reason != ReasonUnnamed || proved != 2 {
		t.Errorf("what nobody chose is looked at: %+v %v", x, err)
	}
}

// What runs a kind is shown as it was found last, also where the kind does not work.
func TestEngineIsShown(t *testing.T) {
	c := newComputer(t)
	see := func(want *vmhost.Engine) {
		t.Helper()
		all, err := c.m.Runtimes(t.Context())
		if err != nil || all[0].Engine != nil || !reflect.DeepEqual(all[1].Engine, want) {
			t.Errorf("%+v %v", all[1].Engine, err)
		}
	}
	see(&vmhost.Engine{Name: "Podman", Version: "1", Rootless: true})
	c.key, c.broken = "2", errors.New("no")
	see(&vmhost.Engine{Name: "Podman", Version: "2", Rootless: true})
	see(&vmhost.Engine{Name: "Podman", Version: "2", Rootless: true})
	c.absent = problem.New(problem.CodeVMFailed)
	see(nil)
}

// What is switched off is not looked at, and nobody says that it works: not even a small task
// runs in it, also for who asks for that by its name. A client has none run in what keeps it not apart.
func TestOffIsNotLookedAt(t *testing.T) {
	c := newComputer(t)
	see := func(looked int32, works bool) {
		t.Helper()
		all, err := c.m.Runtimes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s := all[2]; s.Kind != "host" || s.Works != works || s.Problem != nil || c.looked[3].Load() != looked {
			t.Errorf("%+v, looked at %d times", s, c.looked[3].Load())
		}
	}
	see(0, false)
	if _, err := c.m.ExplainRuntime(t.Context(), Need{}); err != nil || c.looked[3].Load() != 0 {
		t.Errorf("%d %v", c.looked[3].Load(), err)
	}
	test := func(ctx context.Context, kind, code, cause string) {
		t.Helper()
		_, err := c.m.TestRuntime(ctx, kind)
		if p := problem.From(err); (err != nil) != (code != "") || err != nil && (p.Code != code || p.Cause != cause) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	client := task.WithClient(t.Context(), "ci@12345678")
	test(t.Context(), "host", problem.CodeRuntimeUnfit, string(ReasonOff))
	see(0, false)
	if _, err := c.m.SetRuntimes(t.Context(), Settings{Weaker: map[string]Allowance{"host": AllowAsk, "sandbox": AllowNever}}); err != nil {
		t.Fatal(err)
	}
	see(1, true)
	test(client, "host", problem.CodeTokenScope, "person")
	see(2, true)
	test(t.Context(), "host", "", "")
	see(4, true)
	test(t.Context(), "sandbox", problem.CodeRuntimeUnfit, string(ReasonOff))
	test(client, "vm", "", "")
	if c.proved != 1 {
		t.Errorf("the sandbox was proven %d times", c.proved)
	}
}

// What a person chose decides, is kept, and is refused where it makes no sense.
func TestSettings(t *testing.T) {
	c := newComputer(t)
	for _, bad := range []string{
		`{"prefer":["cloud"]}`, `{"prefer":["vm","vm"]}`, `{"weaker":{"cloud":"ask"}}`, `{"weaker":{"vm":"never"}}`, `{"weaker":{"sandbox":"perhaps"}}`,
	} {
		var s Settings
		if err := json.Unmarshal([]byte(bad), &s); err != nil {
			t.Fatal(err)
		}
		var p *problem.Problem
		if _, err := c.m.SetRuntimes(t.Context(), s); !errors.As(err, &p) || p.Code != problem.CodeBadRequest {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if p := problem.From(c.m.CheckRuntime("remote:lab")); p.Cause != "unknown-remote" || p.Params["place"] != "lab" {
		t.Errorf("%+v", p)
	}
	if p := problem.From(c.m.CheckRuntime("remote:")); p.Cause != "" || p.Params["place"] != "remote:" {
		t.Errorf("%+v", p)
	}
	if s, err := c.m.RuntimeSettings(t.Context()); err != nil || len(s.Prefer)+len(s.Weaker) > 0 {
		t.Errorf("%+v %v", s, err)
	}
	// Files may be changed only there, also once it is gone: nothing else may quietly become allowed.
	if err := c.choice.Set(Settings{Files: []string{"remote:gone"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.m.SetRuntimes(t.Context(), Settings{Files: []string{"remote:gone"}, Weaker: map[string]Allowance{"sandbox": AllowAsk}}); err != nil {
		t.Error(err)
	}
	for _, s := range []Settings{{Files: []string{"remote:gone", "cloud"}}, {Files: []string{"remote:gone", "remote:gone"}}, {Prefer: []string{"remote:gone"}}} {
		if _, err := c.m.SetRuntimes(t.Context(), s); err == nil {
			t.Errorf("%+v", s)
		}
	}
	if _, err := c.m.SetRuntimes(t.Context(), Settings{}); err != nil {
		t.Fatal(err)
	}
	why := func(n Need) string {
		t.Helper()
		ch, err := c.m.ExplainRuntime(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		said := []string{ch.Kind}
		for _, v := range ch.Verdicts {
			said = append(said, string(v.Reason))
		}
		return strings.Join(said, " ")
	}
	exec := Need{Work: task.KindExec}
	if got := why(exec); got != "vm strongest weaker network" {
		t.Error(got)
	}
	c.vm = problem.New(problem.CodeAccelUnavailable)
	if got := why(exec); got != "sandbox problem ask network" {
		t.Error(got)
	}
	if _, err := c.m.SetRuntimes(t.Context(), Settings{Prefer: []string{"sandbox"}, Weaker: map[string]Allowance{"sandbox": AllowAlways, "host": AllowAsk}}); err != nil {
		t.Fatal(err)
	}
	c.restart()
	if got := why(exec); got != "sandbox problem preferred network" {
		t.Error(got)
	}
	if got := why(Need{Named: "host", Network: task.NetworkOn}); got != "host another another named" {
		t.Error(got)
	}
	all, err := c.m.Runtimes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range all {
		got = append(got, string(s.Allowance))
	}
	if !slices.Equal(got, []string{"always", "always", "ask"}) || all[1].Preferred != 1 || all[0].Preferred != 0 || all[1].Isolation != vmhost.IsolationNamespace {
		t.Errorf("%v %+v", got, all)
	}
	if _, err := c.m.ExplainRuntime(t.Context(), Need{Named: "cloud"}); err == nil {
		t.Error("nobody knows it")
	}
}

// A yes to what runs a kind without administrator rights is none to what has them, until it is
// said anew.
func TestAYesIsToWhatWasShown(t *testing.T) {
	c := newComputer(t)
	broken := problem.New(problem.CodeAccelUnavailable)
	c.vm = broken
	set := func(s Settings, want ...string) Settings {
		t.Helper()
		if _, err := c.m.Runtimes(t.Context()); err != nil { // it is shown
			t.Fatal(err)
		}
		got, err := c.m.SetRuntimes(t.Context(), s)
		if err != nil || !slices.Equal(got.Rootless, want) {
			t.Errorf("%+v %v, want %q", got, err, want)
		}
		return got
	}
	place := func(root bool, want string, ask bool) {
		t.Helper()
		c.root = root
		for _, get := range []func() (Choice, error){
			func() (Choice, error) {
				return c.m.Place(t.Context(), Need{Work: task.KindExec}, func(context.Context) error { return c.vm })
			},
			func() (Choice, error) { return c.m.ExplainRuntime(t.Context(), Need{Work: task.KindExec}) },
		} {
			if got, err := get(); err != nil || got.Kind != want || got.Ask != ask || want == "sandbox" && got.Taken().Engine.Rootless == root {
				t.Errorf("root %t: %+v %v", root, got, err)
			}
		}
	}
	s := set(Settings{Weaker: map[string]Allowance{"sandbox": AllowAlways}}, "sandbox")
	place(false, "sandbox", false)
	place(true, "sandbox", true)
	if all, err := c.m.Runtimes(t.Context()); err != nil || all[1].Allowance != AllowAsk || c.m.Instead() != "" {
		t.Errorf("%+v %v, instead %q", all, err, c.m.Instead())
	}
	s.Files = []string{"sandbox"}
	s = set(s, "sandbox") // something else was said
	place(true, "sandbox", true)
	s.Rootless = nil
	s = set(s)
	place(true, "sandbox", false)
	place(false, "sandbox", false)
	set(s)
	place(true, "sandbox", false)

	set(Settings{})
	c.root, c.vm = false, nil
	set(Settings{Prefer: []string{"sandbox"}}, "sandbox")
	place(false, "sandbox", false)
	if all, err := c.m.Runtimes(t.Context()); err != nil || all[1].Preferred != 1 {
		t.Errorf("%+v %v", all, err)
	}
	place(true, "vm", false)
	if all, err := c.m.Runtimes(t.Context()); err != nil || all[1].Preferred != 0 {
		t.Errorf("%+v %v", all, err)
	}
	c.vm = broken
	place(true, "sandbox", true)
}

// What runs a kind is seen as a yes is said to it: nobody need have looked before, or since another
// one runs it. One that is not seen is taken for one without administrator rights.
func TestAYesSeesWhatRunsTheKind(t *testing.T) {
	c := newComputer(t)
	yes := func(s Settings, want ...string) {
		t.Helper()
		for _, to := range []Settings{{}, s} {
			got, err := c.m.SetRuntimes(t.Context(), to)
			if err != nil || to.Prefer != nil && !slices.Equal(got.Rootless, want) || c.proved > 0 {
				t.Errorf("%+v %v, proven %d times, want %q", got, err, c.proved, want)
			}
		}
	}
	prefer := Settings{Prefer: []string{"sandbox", "host"}, Weaker: map[string]Allowance{"host": AllowAlways}}
	yes(prefer, "sandbox")
	c.root = true
	yes(prefer)
	c.absent = problem.New(problem.CodeUnsupported)
	yes(prefer, "sandbox")
}

// Only what the place of a task depends on is looked at.
func TestPlace(t *testing.T) {
	c := newComputer(t)
	strongest := func(context.Context) error { return c.vm }
	place := func(n Need, want string, proved, host int) {
		t.Helper()
		c.looked[3].Store(0)
		c.proved = 0
		if first := c.m.FirstPlace(n); c.looked[3].Load() > 0 || n.Named != "" && first.Kind != n.Named {
			t.Errorf("%+v", first)
		}
		ch, err := c.m.Place(t.Context(), n, strongest)
		if err != nil || ch.Kind != want || c.proved != proved || int(c.looked[3].Load()) != host {
			t.Errorf("%+v %v, proven %d, the host %d", ch, err, c.proved, c.looked[3].Load())
		}
	}
	place(Need{}, "vm", 0, 0)
	place(Need{Named: "sandbox"}, "sandbox", 1, 0)
	c.vm = problem.New(problem.CodeAccelUnavailable)
	place(Need{}, "sandbox", 0, 0)
	c.known, c.broken = proofs{}, errors.New("no")
	c.restart()
	place(Need{}, "", 1, 0)
	place(Need{Named: "vm"}, "", 0, 0)
	if _, err := c.m.Place(t.Context(), Need{Named: "cloud"}, strongest); err == nil {
		t.Error("nobody knows it")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.m.Place(gone, Need{}, strongest); err == nil {
		t.Error("a place for nobody")
	}
}

// What a kind keeps of its limits may be known only after a look: a task that has some then
// works elsewhere, and a proof is one of what there is.
func TestLimitsAreFoundOut(t *testing.T) {
	f, err := settings.Open(filepath.Join(t.TempDir(), "config.json"), Settings{Weaker: map[string]Allowance{"sandbox": AllowAlways}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, known, bounded, proved := kinds(), proofs{}, true, 0
	all[2].Capabilities.Limits = vmhost.LimitSupport{CPU: true, Memory: true}
	sandbox := &Proven{
		Standing: all[2], Proofs: known, Log: slog.New(slog.DiscardHandler),
		Limits: func() vmhost.LimitSupport { return vmhost.LimitSupport{CPU: bounded, Memory: bounded} },
		Key: func(context.Context) (string, *vmhost.Engine, error) {
			if bounded {
				return "in cgroups", nil, nil
			}
			return "", nil, nil
		},
		Prove: func(context.Context) error {
			proved++
			if bounded {
				bounded = false
				return errors.New("there are none after all")
			}
			return nil
		},
	}
	broken := errors.New("no machine")
	machine := Kind{Standing: all[0], Look: func(context.Context, bool) error { return broken }}
	c := New(kept{settings.Of(f, func(s *Settings) *Settings { return s })}, machine, sandbox.Kind())
	need := Need{Work: task.KindExec, Limits: true}
	if first := c.FirstPlace(Need{Named: "sandbox", Work: task.KindExec, Limits: true}); first.Kind != "sandbox" {
		t.Errorf("as if all worked: %+v", first)
	}
	chosen, err := c.Place(t.Context(), need, func(context.Context) error { return broken })
	if err != nil || chosen.Kind != "" || chosen.Verdicts[1].Reason != ReasonLimits || proved != 2 {
		t.Errorf("%+v %v, proven %d times", chosen, err, proved)
	}
	need.Limits = false
	if chosen, err = c.Place(t.Context(), need, func(context.Context) error { return broken }); err != nil || chosen.Kind != "sandbox" || proved != 2 {
		t.Errorf("%+v %v, proven %d times", chosen, err, proved)
	}
	if len(known) != 1 || !known["runtime sandbox "] {
		t.Errorf("%v", known)
	}
	need.Size = true
	if chosen, err = c.Place(t.Context(), need, func(context.Context) error { return nil }); err != nil || chosen.Kind != "vm" || chosen.Verdicts[1].Reason != ReasonLimits {
		t.Errorf("%+v %v", chosen, err)
	}
}

// Which engine runs a kind, and whether that one holds sizes, is known after a look.
func TestSizesAreFoundOut(t *testing.T) {
	f, err := settings.Open(filepath.Join(t.TempDir(), "config.json"), Settings{Weaker: map[string]Allowance{"container": AllowAlways}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, engine := kinds(), vmhost.Engine{Name: "Podman", Sizes: true}
	all[1].Capabilities.Limits.Size = true
	broken := errors.New("no machine")
	machine := Kind{Standing: all[0], Look: func(context.Context, bool) error { return broken }}
	container := &Proven{
		Standing: all[1], Proofs: proofs{}, Log: slog.New(slog.DiscardHandler), Limits: func() vmhost.LimitSupport { return all[1].Capabilities.Limits },
		Key:   func(context.Context) (string, *vmhost.Engine, error) { e := engine; return "", &e, nil },
		Prove: func(context.Context) error { return nil },
	}
	c := New(kept{settings.Of(f, func(s *Settings) *Settings { return s })}, machine, container.Kind())
	for _, holds := range []bool{true, false} {
		engine.Sizes = holds
		got, err := c.Place(t.Context(), Need{Named: "container", Work: task.KindExec, Size: true}, nil)
		if err != nil || (got.Kind == "container") != holds || !holds && got.Verdicts[1].Reason != ReasonLimits {
			t.Errorf("%t: %+v %v", holds, got, err)
		}
	}
}

// A list of kinds offers to start no task again: there is none.
func TestStatusIsOfNoTask(t *testing.T) {
	broken := Kind{Standing: kinds()[0], Look: func(context.Context, bool) error {
		return &vmhost.FailedError{Runtime: vmhost.KindContainer, Reason: vmhost.ReasonEngineMissing}
	}}
	c := New(&chosen{}, broken)
	all, err := c.Runtimes(t.Context())
	if err != nil || len(all) != 1 || all[0].Problem == nil {
		t.Fatalf("%+v %v", all, err)
	}
	for _, f := range all[0].Problem.Fix {
		if f.Code == problem.FixStartAgain || f.Code == problem.FixElsewhere {
			t.Errorf("%+v", f)
		}
	}
	choice, err := c.ExplainRuntime(t.Context(), Need{})
	if err != nil || choice.Nowhere(Need{}).Fix[0].Code != problem.FixStartAgain {
		t.Errorf("a task: %+v %v", choice, err)
	}
}
