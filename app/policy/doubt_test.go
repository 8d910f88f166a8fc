package policy

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Rules that an older version took, and that may not do what they seem to: nobody writes one anew,
// and what is in a file already is evaluated as it is written, with all else in it.
func TestDoubts(t *testing.T) {
	good := `@id("good") forbid (principal, action == Action::"write", resource in Path::"/x");`
	for name, text := range map[string]string{
		"reading by a name": `forbid (principal, action == Action::"read", resource) when { resource.extension == "kdbx" };`,
		"reading by a path": `@effect("ask") permit (principal, action in [Action::"write", Action::"read"], resource) when { resource.path like "*/.ssh/*" };`,
		"no kind of place":  `forbid (principal, action == Action::"startRuntime", resource == Runtime::"Sandbox");`,
		"a part of a kind":  `forbid (principal, action == Action::"startRuntime", resource == Runtime::"sandbox:x");`,
		"an unknown effect": `forbid (principal, action == Action::"run", resource) when { context.effects.contains("remove") };`,
		"unknown effects":   `forbid (principal, action == Action::"run", resource) when { context.effects.containsAny(["delete", "remove"]) };`,
		"an unknown risk":   `forbid (principal, action == Action::"write", resource) unless { true && ["low", "none", ""].contains(context.risk) };`,
		"an unknown kind":   `forbid (principal, action == Action::"run", resource) when { (if principal.program then resource.kind else "tool") == "bash" };`,
	} {
		t.Run(name, func(t *testing.T) {
			if list, f := Check(good + "\n" + text); f == nil || f.Code != FaultRule || f.Line != 2 || f.Column != 1 || f.Message == "" || len(list) > 0 {
				t.Errorf("check: %+v", f)
			}
			e := engine(t, "", good)
			f, is := errors.AsType[*RuleFault](e.Write(good+"\n"+text, nil))
			if now, err := e.Text(); !is || f.Line != 2 || now != good || err != nil {
				t.Errorf("written: %+v, %q, %v", f, now, err)
			}
			if d := e.With(text).Decide(at("/y/a", Write), time.Now()); d.Fault == nil {
				t.Errorf("with: %+v", d)
			}
			for _, managed := range []bool{false, true} {
				e := engine(t, "", good+"\n"+text)
				if managed {
					e = engine(t, good+"\n"+text, "")
				}
				rules := e.Rules()
				if f := rules.Fault(); f != nil {
					t.Fatalf("the file is refused: %v", f)
				}
				if all := rules.All(); all[0].Doubt != "" || all[1].Doubt == "" || all[1].Cedar != text {
					t.Errorf("rules: %+v", all[:2])
				}
				for path, want := range map[string]Effect{"/x/a": Deny, "/y/a": Allow} {
					if d := e.Decide(at(path, Write)); d.Effect != want || d.Fault != nil {
						t.Errorf("%s: %+v, want %s", path, d, want)
					}
				}
			}
		})
	}
}

func at(path string, a Action) Request {
	return Request{Action: a, What: What{Path: path}}
}

// A file with a doubted rule can be changed in all that is none, and its exceptions go and end.
func TestADoubtedRuleStaysAsItIs(t *testing.T) {
	doubted := `@id("old") forbid (principal, action == Action::"write", resource) unless { context.risk == "Low" };`
	e := engine(t, "", doubted)
	more := doubted + "\n" + `@id("new") forbid (principal, action == Action::"delete", resource in Path::"/x");`
	if err := e.Write(more, &doubted); err != nil {
		t.Fatal(err)
	}
	if d := e.Decide(at("/x/a", Delete)); d.Rule != "new" {
		t.Errorf("%+v", d)
	}
	if f := e.Refuses(more + "\n" + `@id("old.2") forbid (principal, action == Action::"write", resource) unless { context.risk == "Low" };`); f == nil || f.Line != 3 {
		t.Errorf("a second one: %+v", f)
	}
	r := at("/x/a", Write)
	r.Agent, r.Task, r.Runtime = "pi", "t", "vm"
	p, ok := e.Propose(e.Decide(r), r, false)
	if !ok {
		t.Fatal("nothing is proposed")
	}
	if err := e.Accept(p, HoldAlways, nil); err != nil {
		t.Fatal(err)
	}
	list := e.Exceptions(nil)
	if len(list) != 1 || e.Decide(r).Effect == Deny {
		t.Fatalf("%+v %+v", list, e.Decide(r))
	}
	if err := e.TakeBack(list[0].ID, nil); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(filepath.Join(e.o.Dir, FileName)); err != nil || string(now) != more {
		t.Errorf("%q %v", now, err)
	}
}
