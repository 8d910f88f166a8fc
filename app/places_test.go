package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/chore/choretest"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// placeWorld is a world with a sandbox, whose files are where a machine's are.
type placeWorld struct {
	*world
	made   []tasks.PlaceConfig
	broken error // why there is no sandbox
	engine *vmhost.Engine
}

// sandbox is a place that keeps a task less apart than a machine.
type sandboxed struct{ *choretest.Runtime }

func (sandboxed) Capabilities() vmhost.Capabilities {
	return vmhost.Capabilities{
		Name: vmhost.KindSandbox, Isolation: vmhost.IsolationNamespace, Domain: vmhost.DomainContainer, Networks: []vmhost.NetworkPolicy{vmhost.NetworkDeny}, ReadOnly: true, Tools: true,
	}
}

func newPlaceWorld(t *testing.T) *placeWorld {
	w := &placeWorld{world: newWorld(t)}
	w.placeSeams = []placeSeam{{
		name: vmhost.KindSandbox,
		make: func(_ context.Context, c tasks.PlaceConfig) (vmhost.Runtime, error) {
			w.set(func() { w.made = append(w.made, c) })
			return sandboxed{machineIn(t.TempDir(), vm.Config{Env: c.Env, OnStatus: c.OnStatus})}, nil
		},
		kind: func(b placeBase) runtimes.Kind {
			return runtimes.Kind{
				Standing: runtimes.Standing{
					Capabilities: sandboxed{}.Capabilities(), Folders: true, Work: []task.Kind{task.KindChore, task.KindExec, task.KindTool},
				},
				Look: func(ctx context.Context, _ bool) error {
					if _, err := b.files(ctx); err != nil {
						return err
					}
					return w.broken
				},
				By:   func() *vmhost.Engine { return w.engine },
				Meet: func(context.Context) (string, *vmhost.Engine, error) { return "", w.engine, nil },
			}
		},
	}}
	return w
}

// noMachine has no machine of this world work.
func (w *placeWorld) noMachine() {
	w.proveErr = &qemu.ProofError{Accel: qemu.AccelKVM, Stage: qemu.StageFirstByte, Err: errors.New("silence")}
}

// run starts a program and waits for its end. answer is given to a question, "" where none
// may come.
func (w *placeWorld) run(c *Controller, r tasks.StartRequest, answer consent.AnswerRequest) task.Task {
	w.t.Helper()
	wait := w.listen(c)
	r.Kind, r.Argv = task.KindExec, []string{"true"}
	t := w.start(c, r)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		now, err := c.Task(w.t.Context(), t.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		if now.State.Final() {
			break
		}
		open, err := c.Questions(w.t.Context(), t.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(open) == 0 {
			continue
		}
		if q := open[0]; answer.Answer == "" || q.Kind != vmhost.AskRuntime || q.Text.Params["runtime"] != vmhost.KindSandbox {
			w.t.Fatalf("it asks %+v", q)
		}
		if _, err := c.Answer(w.t.Context(), t.ID, open[0].ID, answer); err != nil && codeOf(err) != problem.CodeQuestionOver {
			w.t.Fatal(err)
		}
	}
	now, err := c.Task(w.t.Context(), t.ID)
	if err != nil || !now.State.Final() {
		w.t.Fatalf("%+v %v", now, err)
	}
	return wait(t.ID, now.State)
}

func TestPlaceOfATask(t *testing.T) {
	allow := func(scope string) consent.AnswerRequest {
		return consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: scope}
	}
	for _, row := range []struct {
		name      string
		noMachine bool
		broken    error
		s         runtimes.Settings
		r         tasks.StartRequest
		answer    consent.AnswerRequest
		want      string // kind, or the code of the problem
	}{
		{"a machine, as always", false, nil, runtimes.Settings{}, tasks.StartRequest{}, consent.AnswerRequest{}, "vm"},
		{"the sandbox, named", false, nil, runtimes.Settings{}, tasks.StartRequest{MachineChoice: tasks.MachineChoice{Runtime: "sandbox"}}, consent.AnswerRequest{}, "sandbox"},
		{"the sandbox, preferred", false, nil, runtimes.Settings{Prefer: []string{"sandbox"}}, tasks.StartRequest{}, consent.AnswerRequest{}, "sandbox"},
		{"the sandbox, preferred and broken", false, errors.New("no"), runtimes.Settings{Prefer: []string{"sandbox"}}, tasks.StartRequest{}, consent.AnswerRequest{}, "vm"},
		{"the sandbox, named and broken", false, problem.New(problem.CodeUnsupported), runtimes.Settings{}, tasks.StartRequest{MachineChoice: tasks.MachineChoice{Runtime: "sandbox"}}, consent.AnswerRequest{}, problem.CodeUnsupported},
		{"no machine, and a yes", true, nil, runtimes.Settings{}, tasks.StartRequest{}, allow(vmhost.ScopeOnce), "sandbox"},
		{"no machine, and a yes for always", true, nil, runtimes.Settings{}, tasks.StartRequest{}, allow(vmhost.ScopeAlways), "sandbox"},
		{"no machine, and a no", true, nil, runtimes.Settings{}, tasks.StartRequest{}, consent.AnswerRequest{Answer: vmhost.AnswerDeny}, problem.CodeDenied},
		{"no machine, always allowed", true, nil, runtimes.Settings{Weaker: map[string]runtimes.Allowance{"sandbox": runtimes.AllowAlways}}, tasks.StartRequest{}, consent.AnswerRequest{}, "sandbox"},
		{"no machine, never allowed", true, nil, runtimes.Settings{Weaker: map[string]runtimes.Allowance{"sandbox": runtimes.AllowNever}}, tasks.StartRequest{}, consent.AnswerRequest{}, problem.CodeAccelUnavailable},
		{"neither", true, errors.New("no"), runtimes.Settings{}, tasks.StartRequest{}, consent.AnswerRequest{}, problem.CodeAccelUnavailable},
		{"a machine, named, and there is none", true, nil, runtimes.Settings{}, tasks.StartRequest{MachineChoice: tasks.MachineChoice{Runtime: "vm"}}, consent.AnswerRequest{}, problem.CodeAccelUnavailable},
		{"the sandbox, and limits", false, nil, runtimes.Settings{}, tasks.StartRequest{Limits: wire.Limits{IOBytes: 1 << 20}, MachineChoice: tasks.MachineChoice{Runtime: "sandbox"}}, consent.AnswerRequest{}, problem.CodeRuntimeUnfit},
		{"the sandbox, and a size", false, nil, runtimes.Settings{}, tasks.StartRequest{MachineChoice: tasks.MachineChoice{Runtime: "sandbox", MemoryMB: 512}}, consent.AnswerRequest{}, problem.CodeRuntimeUnfit},
		{"no machine, and limits", true, nil, runtimes.Settings{Weaker: map[string]runtimes.Allowance{"sandbox": runtimes.AllowAlways}}, tasks.StartRequest{Limits: wire.Limits{MemoryMB: 512}}, consent.AnswerRequest{}, problem.CodeAccelUnavailable},
		{"the sandbox, and the network", false, nil, runtimes.Settings{}, tasks.StartRequest{Network: task.NetworkOn, MachineChoice: tasks.MachineChoice{Runtime: "sandbox"}}, consent.AnswerRequest{}, problem.CodeRuntimeUnfit},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newPlaceWorld(t)
			w.broken = row.broken
			if row.noMachine {
				w.noMachine()
			}
			dir := w.pictures("a.png")
			c := w.open()
			if _, err := c.SetRuntimes(t.Context(), row.s); err != nil {
				t.Fatal(err)
			}
			row.r.Folders = []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}
			got := w.run(c, row.r, row.answer)
			inSandbox := row.want == vmhost.KindSandbox
			switch {
			case row.want == "vm" || inSandbox:
				if got.State != task.StateDone || got.Runtime != row.want || got.Pack != "0.9.0" || len(w.made) > 0 != inSandbox || len(w.all()) > 0 == inSandbox {
					t.Fatalf("%+v, %v; %d sandboxes, %d machines", got, got.Error, len(w.made), len(w.all()))
				}
			case got.State != task.StateFailed || got.Error == nil || got.Error.Code != row.want || len(w.made)+len(w.all()) > 0:
				t.Fatalf("%+v, %v; %d sandboxes, %d machines", got, got.Error, len(w.made), len(w.all()))
			}
			if slices.Contains(got.Loosened, "weaker-runtime") != (inSandbox || row.r.Runtime == vmhost.KindSandbox) {
				t.Errorf("loosened: %v", got.Loosened)
			}
			if !inSandbox {
				return
			}
			if m := w.made[0]; m.ServeFUSE == nil || m.Env.Sandbox != vmhost.KindSandbox || !slices.Equal(m.Env.WritableRoots, []string{dir}) || m.Folders[0].Path != "/folders/"+filepath.Base(dir) {
				t.Errorf("%+v", m)
			}
			by, why := "rule", "preferred"
			switch {
			case row.answer.Answer != "":
				by, why = audit.ByPerson, ""
			case row.r.Runtime != "":
				by, why = consent.ByBeforehand, "named"
			case row.noMachine:
				why = "allowed"
			}
			decided(t, w, c, got, by, why)
			begun := w.audit(c)
			if !slices.ContainsFunc(begun, func(r audit.Record) bool { return r.Runtime == vmhost.KindSandbox && r.Isolation == "namespace" }) {
				t.Errorf("%+v", begun)
			}
			if row.answer.Scope != vmhost.ScopeAlways {
				return
			}
			again := w.run(c, row.r, consent.AnswerRequest{}) // nobody is asked again
			if again.State != task.StateDone || again.Runtime != vmhost.KindSandbox {
				t.Errorf("%+v, %v", again, again.Error)
			}
		})
	}
}

// decided fails where the audit log and the task don't say who or what decided that it works in
// the sandbox: for why, "" where a person was asked.
func decided(t *testing.T, w *placeWorld, c *Controller, of task.Task, by, why string) {
	t.Helper()
	var decisions []string
	for _, r := range w.audit(c) {
		if r.Event == audit.EventDecision && r.Task == of.ID && r.Topic == consent.TopicRuntime+vmhost.KindSandbox {
			decisions = append(decisions, r.By+" "+r.Answer+" "+r.Mode)
		}
	}
	if !slices.Equal(decisions, []string{by + " allow " + why}) {
		t.Errorf("decided by %q, want %s for %q", decisions, by, why)
	}
	reason, _, _ := strings.Cut(why, ",")
	told, err := c.Timeline(t.Context(), of.ID, 0)
	if said, _ := json.Marshal(told); err != nil || strings.Contains(string(said), `"code":"place"`) != (why != "") || why != "" && !strings.Contains(string(said), `"reason":"`+reason+`"`) || (w.engine != nil) != strings.Contains(string(said), `"engine":"`) {
		t.Errorf("it does not say that it works there for %q: %s %v", why, said, err)
	}
}

// The task and the audit log name the engine of a place, and whether it has the rights of root.
func TestEngineOfATask(t *testing.T) {
	w := newPlaceWorld(t)
	w.engine = &vmhost.Engine{Name: "Docker", Version: "27.1"}
	c := w.open()
	got := w.run(c, tasks.StartRequest{MachineChoice: tasks.MachineChoice{Runtime: vmhost.KindSandbox}}, consent.AnswerRequest{})
	decided(t, w, c, got, consent.ByBeforehand, "named, Docker 27.1, root")
}

// What is done again asks for the kind of place that its request named, and for no other: a
// yes to a weaker one was for that task.
func TestAgainChoosesThePlaceAnew(t *testing.T) {
	for name, row := range map[string]struct {
		named, first string
		noMachine    bool // the first time
		s            runtimes.Settings
	}{
		"a yes was for that task":          {"", vmhost.KindSandbox, true, runtimes.Settings{}},
		"a machine was named":              {vmhost.KindVM, vmhost.KindVM, false, runtimes.Settings{Prefer: []string{vmhost.KindSandbox}}},
		"nothing was, and it is preferred": {"", vmhost.KindSandbox, false, runtimes.Settings{Prefer: []string{vmhost.KindSandbox}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newPlaceWorld(t)
			if row.noMachine {
				w.noMachine()
			}
			c := w.open()
			if _, err := c.SetRuntimes(t.Context(), row.s); err != nil {
				t.Fatal(err)
			}
			first := w.run(c, tasks.StartRequest{MachineChoice: tasks.MachineChoice{Runtime: row.named}}, consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce})
			if first.Runtime != row.first {
				t.Fatalf("%+v, %v", first, first.Error)
			}
			r, err := c.SameRequest(first)
			if err != nil || r.Runtime != row.named {
				t.Errorf("again it asks for %q, %v", r.Runtime, err)
			}
		})
	}
}

// A yes for always is a rule that can be listed and taken back, is what the settings and the
// explanation say, and is taken back by a later setting, too.
func TestAlwaysInASandboxIsOneDecision(t *testing.T) {
	w := newPlaceWorld(t)
	w.noMachine()
	c := w.open()
	always := consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeAlways}
	check := func(want runtimes.Allowance, rules int) {
		t.Helper()
		why, err := c.ExplainRuntime(t.Context(), runtimes.Need{Work: task.KindExec})
		all, ruleErr := c.Rules(t.Context())
		s, settingsErr := c.RuntimeSettings(t.Context())
		if err := errors.Join(err, ruleErr, settingsErr); err != nil {
			t.Fatal(err)
		}
		if cmp.Or(s.Weaker[vmhost.KindSandbox], runtimes.AllowAsk) != want || why.Ask != (want == runtimes.AllowAsk) || len(all) != rules {
			t.Errorf("%+v, %+v, %+v; want %s and %d rules", s, why, all, want, rules)
		}
	}
	set := func(s runtimes.Settings) {
		t.Helper()
		if _, err := c.SetRuntimes(task.WithClient(t.Context(), "token/abc"), s); err != nil {
			t.Fatal(err)
		}
	}
	sandbox := func(a runtimes.Allowance) map[string]runtimes.Allowance {
		return map[string]runtimes.Allowance{vmhost.KindSandbox: a}
	}
	check(runtimes.AllowAsk, 0)
	w.run(c, tasks.StartRequest{}, always)
	check(runtimes.AllowAlways, 1)
	set(runtimes.Settings{Prefer: []string{vmhost.KindVM}, Weaker: sandbox(runtimes.AllowAlways)}) // as it was read
	check(runtimes.AllowAlways, 1)
	all, err := c.Rules(t.Context())
	if err == nil {
		err = c.RemoveRule(t.Context(), all[0].ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	check(runtimes.AllowAsk, 0)

	w.run(c, tasks.StartRequest{}, always)
	set(runtimes.Settings{Weaker: sandbox(runtimes.AllowAsk)})
	check(runtimes.AllowAsk, 0)
	w.run(c, tasks.StartRequest{}, always) // said later than the setting
	check(runtimes.AllowAlways, 1)
	set(runtimes.Settings{Weaker: sandbox(runtimes.AllowNever)})
	check(runtimes.AllowNever, 0)
	var by []string // who took rules back is recorded, also of a setting that did
	for _, r := range w.audit(c) {
		if r.Answer == "revoked" {
			by = append(by, r.By+" "+r.Client)
		}
	}
	if want := []string{"person ", "program token/abc", "program token/abc"}; !slices.Equal(by, want) {
		t.Errorf("taken back by %q, want %q", by, want)
	}
	set(runtimes.Settings{Weaker: sandbox(runtimes.AllowAlways), Prefer: []string{vmhost.KindSandbox}, Files: []string{vmhost.KindVM}})
	set(runtimes.Settings{})
	var said []string
	for _, r := range w.audit(c) {
		if strings.HasPrefix(r.Topic, "runtime") && r.Task == "" && r.Client != "" && r.Question == "" {
			said = append(said, r.Topic+" "+r.Answer+" "+r.Mode)
		}
	}
	want := []string{
		"runtimes/prefer written vm", "runtime/sandbox ask ", "runtimes/prefer written ", "runtime/sandbox revoked ", "runtime/sandbox deny ", "runtime/sandbox revoked ",
		"runtime/sandbox allow ", "runtimes/prefer written sandbox", "runtimes/files written vm", "runtime/sandbox revoked ", "runtimes/prefer written ", "runtimes/files written ",
	}
	if !slices.Equal(said, want) {
		t.Errorf("the log says of settings: %q", said)
	}
}

// A yes for always to what has no administrator rights is none to what has them: then a person is
// asked, and may say that as well. A setting can say either.
func TestAlwaysIsToTheEngineThatWasShown(t *testing.T) {
	w := newPlaceWorld(t)
	w.noMachine()
	c := w.open()
	always := consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeAlways}
	work := func(root bool, answer consent.AnswerRequest, topics ...string) {
		t.Helper()
		w.engine = &vmhost.Engine{Name: "Podman", Version: "5", Rootless: !root}
		if got := w.run(c, tasks.StartRequest{}, answer); got.State != task.StateDone || got.Runtime != vmhost.KindSandbox {
			t.Errorf("root %t: %+v, %v", root, got, got.Error)
		}
		all, err := c.Rules(t.Context())
		var about []string
		for _, r := range all {
			about = append(about, r.Topic)
		}
		slices.Sort(about)
		if why, werr := c.ExplainRuntime(t.Context(), runtimes.Need{Work: task.KindExec}); err != nil || werr != nil || why.Ask || !slices.Equal(about, topics) {
			t.Errorf("root %t: %+v, rules about %q, %v, %v", root, why, about, err, werr)
		}
	}
	work(false, always, "runtime/sandbox:rootless")
	work(false, consent.AnswerRequest{}, "runtime/sandbox:rootless")
	w.engine = &vmhost.Engine{Name: "Podman", Version: "5"}
	if why, err := c.ExplainRuntime(t.Context(), runtimes.Need{Work: task.KindExec}); err != nil || !why.Ask {
		t.Errorf("%+v, %v", why, err)
	}
	work(true, always, "runtime/sandbox", "runtime/sandbox:rootless")
	work(false, consent.AnswerRequest{}, "runtime/sandbox", "runtime/sandbox:rootless")
	if _, err := c.SetRuntimes(t.Context(), runtimes.Settings{Weaker: map[string]runtimes.Allowance{vmhost.KindSandbox: runtimes.AllowAsk}}); err != nil {
		t.Fatal(err)
	}
	work(false, always, "runtime/sandbox:rootless") // the setting took both back
	w.engine = &vmhost.Engine{Name: "Podman", Version: "5"}
	if _, err := c.SetRuntimes(t.Context(), runtimes.Settings{Weaker: map[string]runtimes.Allowance{vmhost.KindSandbox: runtimes.AllowAlways}}); err != nil {
		t.Fatal(err)
	}
	work(true, consent.AnswerRequest{}, "runtime/sandbox:rootless")
	var said []string
	for _, r := range w.audit(c) {
		if r.Event == audit.EventDecision && r.Task == "" && r.Question == "" && strings.HasPrefix(r.Topic, consent.TopicRuntime) {
			said = append(said, r.Topic+" "+r.Answer)
		}
	}
	if want := []string{"runtime/sandbox ask", "runtime/sandbox allow"}; !slices.Equal(slices.DeleteFunc(said, func(s string) bool { return strings.HasSuffix(s, "revoked") }), want) {
		t.Errorf("the log says %q", said)
	}
}

// A no that names no engine is one to each: nobody is asked again as one without administrator
// rights runs the place.
func TestANoIsToEveryEngine(t *testing.T) {
	w := newPlaceWorld(t)
	w.noMachine()
	c := w.open()
	for _, answer := range []consent.AnswerRequest{{Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeAlways}, {}} {
		if got := w.run(c, tasks.StartRequest{}, answer); got.Error == nil || got.Error.Code != problem.CodeDenied {
			t.Errorf("%+v", got)
		}
		w.engine = &vmhost.Engine{Name: "Podman", Version: "5", Rootless: true}
	}
}

// The audit log says to what a preference is said, also where only that changes.
func TestThePreferredEngineIsInTheLog(t *testing.T) {
	w := newPlaceWorld(t)
	c := w.open()
	var said []string
	for _, root := range []bool{false, false, true} { // each is said anew
		w.engine = &vmhost.Engine{Name: "Podman", Version: "5", Rootless: !root}
		if _, err := c.SetRuntimes(t.Context(), runtimes.Settings{Prefer: []string{vmhost.KindSandbox}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range w.audit(c) {
		if r.Topic == "runtimes/prefer" {
			said = append(said, r.Mode)
		}
	}
	if want := []string{"sandbox:rootless", "sandbox"}; !slices.Equal(said, want) {
		t.Errorf("the log says %q", said)
	}
}

// A task in a sandbox takes no place of a machine, so that it waits for none, and the same
// place is asked for when it is done again.
func TestSandboxWaitsForNoMachine(t *testing.T) {
	w := newPlaceWorld(t)
	w.host.MemoryMB, w.host.FreeMB = 4<<10, 3<<10
	end := w.endless()
	defer close(end)
	c := w.open()
	for range 4 { // more than there is room for
		w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
	}
	r := tasks.StartRequest{MachineChoice: tasks.MachineChoice{Runtime: vmhost.KindSandbox}}
	first := w.run(c, r, consent.AnswerRequest{})
	if first.State != task.StateDone {
		t.Fatalf("%+v %v", first, first.Error)
	}
	told, err := c.Timeline(t.Context(), first.ID, 0)
	if said, _ := json.Marshal(told); err != nil || !strings.Contains(string(said), `"place"`) || strings.Contains(string(said), `"kernel"`) {
		t.Errorf("it does not open like a machine, but says %s, %v", said, err)
	}
	wait := w.listen(c)
	again, err := c.StartAgain(t.Context(), first.ID, tasks.AgainRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if now := wait(again.ID, task.StateDone); now.Runtime != vmhost.KindSandbox {
		t.Errorf("%+v", now)
	}
	if again, err = c.StartAgain(t.Context(), first.ID, tasks.AgainRequest{Runtime: vmhost.KindVM}); err != nil {
		t.Fatal(err)
	}
	if again.State != task.StateQueued || again.Asked == nil || again.Asked.Runtime != vmhost.KindVM { // there is no room for a machine
		t.Errorf("elsewhere: %+v", again)
	}
	if _, err := c.StartAgain(t.Context(), first.ID, tasks.AgainRequest{Runtime: "cloud"}); codeOf(err) != problem.CodeBadRequest {
		t.Errorf("%v", err)
	}
	if _, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, MachineChoice: tasks.MachineChoice{Runtime: "cloud"}}); codeOf(err) != problem.CodeBadRequest || problem.From(err).Params["place"] != "cloud" {
		t.Errorf("%v", err)
	}
}

// On a system that can have no sandbox, no container and no host, the list and a task that names
// one say why.
func TestAbsentPlace(t *testing.T) {
	w := newWorld(t)
	w.placeSeams = absentPlaces()
	c := w.open()
	all, err := c.Runtimes(t.Context())
	if err != nil || len(all) != 4 || all[2].Kind != vmhost.KindContainer {
		t.Fatalf("%+v %v", all, err)
	}
	if _, err := c.TestRuntime(t.Context(), vmhost.KindHost); codeOf(err) != problem.CodeRuntimeUnfit || all[3].Problem != nil { // off, and not looked at
		t.Errorf("%+v %v", all[3], err)
	}
	if _, err := c.SetRuntimes(t.Context(), runtimes.Settings{Weaker: map[string]runtimes.Allowance{vmhost.KindHost: runtimes.AllowAsk}}); err != nil {
		t.Fatal(err)
	}
	if all, err = c.Runtimes(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range all[1:] {
		if s.Works || s.Problem == nil || s.Problem.Code != problem.CodeUnsupported || s.Problem.Cause != string(vmhost.ReasonSystem) {
			t.Errorf("%+v", s)
		}
	}
	chosen, err := c.ExplainRuntime(t.Context(), runtimes.Need{Work: task.KindExec, Named: vmhost.KindSandbox})
	if err != nil || chosen.Kind != "" || chosen.Verdicts[1].Problem == nil || chosen.Verdicts[1].Problem.Cause != string(vmhost.ReasonSystem) {
		t.Errorf("%+v %v", chosen, err)
	}
}
