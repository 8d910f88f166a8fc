package policy

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/task"
)

// refusing are rules that refuse an AI each action.
const refusing = `
@id("files") forbid (principal, action in [Action::"write", Action::"delete"], resource in Path::"{root}/Letters") unless { principal.kind == "chore" };
@id("all-hosts") forbid (principal, action == Action::"connect", resource);
@id("commands") forbid (principal, action, resource is Program) when { resource.kind == "command" };
@id("no-tools") forbid (principal in Agent::"pi", action == Action::"run", resource) when { resource.kind == "server" };
@id("keys") forbid (principal, action == Action::"useKey", resource);
@id("places") forbid (principal, action == Action::"startRuntime", resource == Runtime::"sandbox");
@id("reads") forbid (principal, action == Action::"read", resource in Path::"{root}/a");
`

func ai(a Action, set func(*Request)) Request {
	r := Request{Action: a}
	r.Task, r.Agent, r.Kind, r.Network = "t1", "pi", task.KindAI, task.NetworkRestricted
	set(&r)
	return r
}

func refused(root string) map[string]Request {
	return map[string]Request{
		"a file":           ai(Write, func(r *Request) { r.Path = root + "/Letters/to \"Ä\".txt" }),
		"a deletion":       ai(Delete, func(r *Request) { r.Path = root + `/Letters/a\b.txt` }),
		"a folder to read": ai(Read, func(r *Request) { r.Path = root + "/a" }),
		"a host":           ai(Connect, func(r *Request) { r.Host, r.Port = "API.Example.org.", 8443 }),
		"an address":       ai(Connect, func(r *Request) { r.Host = "192.0.2.7" }),
		"a command": ai(Run, func(r *Request) {
			r.Program, r.RunKind, r.Effects, r.Risk = "bash", Command, []string{"network", "delete"}, "high"
		}),
		"one that reads": ai(Run, func(r *Request) { r.Program, r.RunKind = "bash", Command }),
		"a call":         ai(Run, func(r *Request) { r.Program, r.RunKind, r.Risk = "notes/delete", Server, "high" }),
		"a key":          ai(UseKey, func(r *Request) { r.Key = ServiceKey + "hub" }),
		"a place":        ai(StartRuntime, func(r *Request) { r.Runtime = "sandbox" }),
		"for a program":  ai(UseKey, func(r *Request) { r.Key, r.Client = "openai", "ci" }),
	}
}

// A proposal allows what was refused, and changes no other decision: not of the corpus, not of
// another AI program, not of you, not of what stands beside it.
func TestProposalsAllowOnlyTheRefused(t *testing.T) {
	dir := root(t)
	text := strings.ReplaceAll(refusing, "{root}", dir)
	var others []Request
	for _, p := range corpus(t, dir) {
		for _, c := range p.cases {
			r, _, _ := line(t, c)
			with := r
			with.Agent, with.Kind = "pi", task.KindAI
			others = append(others, r, with)
		}
	}
	for _, r := range refused(dir) {
		for _, change := range []func(*Request){
			func(r *Request) { r.Agent = "" }, func(r *Request) { r.Agent = "goose" }, func(r *Request) { r.Client = "other" }, func(r *Request) { r.Path += "x" },
			func(r *Request) { r.Host = "x." + r.Host }, func(r *Request) { r.Port = 444 }, func(r *Request) { r.Program += "x" }, func(r *Request) { r.RunKind = Session },
			func(r *Request) { r.Effects = append([]string{"install"}, r.Effects...) }, func(r *Request) { r.Key += "x" }, func(r *Request) { r.Runtime = "sandbox2" }, func(r *Request) { r.Runtime = "host" }, func(r *Request) { r.Path += "/in/it" },
			func(r *Request) { r.Action = map[Action]Action{Write: Delete, Delete: Write, Run: UseKey}[r.Action] },
		} {
			o := r
			change(&o)
			if o.Action != "" {
				others = append(others, o)
			}
		}
	}
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for name, r := range refused(dir) {
		t.Run(name, func(t *testing.T) {
			e := engine(t, "", text)
			before := e.Rules()
			d := before.Decide(r, at)
			if d.Effect != Deny {
				t.Fatalf("%+v", d)
			}
			p, ok := e.Propose(d, r, false)
			if !ok || p.Rule != d.Rule || p.Was == "" || p.Then == Deny || p.About.Subject() != r.Subject() {
				t.Fatalf("%+v %v", p, ok)
			}
			if e.Rules().Decide(r, at).Effect != Deny {
				t.Fatal("it holds before anybody said yes")
			}
			if err := e.Accept(p, HoldAlways, nil); err != nil {
				t.Fatal(err)
			}
			after := e.Rules()
			if got := after.Decide(r, at); got.Effect != p.Then {
				t.Errorf("then %+v, proposed was %s", got, p.Then)
			}
			for _, o := range others {
				same := o.Action == r.Action && o.Agent == r.Agent && o.Client == r.Client && o.runtime() == r.runtime() && o.Subject() == r.Subject() && (o.Action != Run || o.RunKind == r.RunKind && (o.RunKind != Command || fewer(o.Effects, r.Effects))) && (o.Action != Connect || o.Port == r.Port)
				below := r.Action == Read && strings.HasPrefix(o.Path, r.Path+"/") && o.Action == Read && o.Agent == r.Agent && o.Client == r.Client && o.runtime() == r.runtime()
				if a, b := before.Decide(o, at), after.Decide(o, at); (a.Effect != b.Effect || a.Rule != b.Rule) && !same && !below {
					t.Errorf("%+v: %+v, now %+v", o, a, b)
				}
			}
			if err := e.Accept(p, HoldAlways, nil); !errors.Is(err, ErrChanged) {
				t.Errorf("twice: %v", err)
			}
		})
	}
}

// fewer reports whether a command does nothing but what another one does.
func fewer(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// What cannot be proposed, whoever would like it to be.
func TestNoProposal(t *testing.T) {
	dir := root(t)
	text := strings.ReplaceAll(refusing, "{root}", dir)
	e := engine(t, `@id("m") forbid (principal, action == Action::"connect", resource == Host::"m.example");`, text)
	host := func(h string) Request { return ai(Connect, func(r *Request) { r.Host = h }) }
	for name, r := range map[string]Request{
		"an administrator's":    host("m.example"),
		"no host":               host(`x"); permit (principal, action, resource); //`),
		"a line in a path":      ai(Write, func(r *Request) { r.Path = dir + "/Letters/a\nb" }),
		"a path that turns":     ai(Write, func(r *Request) { r.Path = dir + "/Letters/\u202etxt.exe" }),
		"a program of controls": ai(Run, func(r *Request) { r.Program, r.RunKind = "a\x1b[2Jb", Command }),
		"of no AI":              ai(Write, func(r *Request) { r.Path, r.Agent = dir+"/Letters/a", "" }),
		"what is allowed":       ai(Read, func(r *Request) { r.Path = dir + "/real" }),
		"a name that is cut":    ai(Write, func(r *Request) { r.Path = dir + "/Letters/" + strings.Repeat("a", 300) }),
		"many effects":          ai(Run, func(r *Request) { r.Program, r.RunKind, r.Effects = "bash", Command, make([]string, 40) }),
	} {
		if p, ok := e.Propose(e.Decide(r), r, false); ok {
			t.Errorf("%s: %+v", name, p)
		}
	}
	// Texts that would close the string they stand in mean nothing but themselves.
	evil := ai(Run, func(r *Request) {
		r.Program, r.RunKind, r.Risk = `x" || true }; permit (principal, action, resource); //`, Server, "high"
	})
	p, ok := e.Propose(e.Decide(evil), evil, false)
	if !ok {
		t.Fatal("no proposal")
	}
	if err := e.Accept(p, HoldAlways, nil); err != nil {
		t.Fatal(err)
	}
	if rules := e.Rules(); len(rules.layers[1]) != 7 || rules.Decide(host("other.example"), time.Now()).Effect != Deny {
		t.Errorf("%d rules", len(rules.layers[1]))
	}
	// A rule gets no more exceptions than a person reads.
	for i := range 2 * maxExceptions {
		r := host(strings.Repeat("a", i+1) + ".example")
		if p, ok := e.Propose(e.Decide(r), r, false); ok {
			if err := e.Accept(p, HoldAlways, nil); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if i < maxExceptions {
			t.Errorf("no %dth exception", i)
		}
		break
	}
	// A rule that was changed meanwhile stays as it is.
	r := ai(UseKey, func(r *Request) { r.Key = "openai" })
	p, ok = e.Propose(e.Decide(r), r, false)
	if !ok {
		t.Fatal("no proposal")
	}
	if err := os.WriteFile(e.path(1), []byte(`@id("keys") forbid (principal, action == Action::"useKey", resource) when { true };`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.Accept(p, HoldAlways, nil); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
}

// What an AI makes of names, links and the rules' file does not change what a proposal is for.
func TestProposalsAreExact(t *testing.T) {
	dir := root(t)
	e := engine(t, "", `@id("l") forbid (principal, action in [Action::"write", Action::"delete"], resource in Path::"`+dir+`/Letters");`)
	write := func(p string) Request { return ai(Write, func(r *Request) { r.Path = dir + p }) }
	accept := func(p string, whole bool) Proposal {
		t.Helper()
		r := write(p)
		one, ok := e.Propose(e.Decide(r), r, whole)
		if !ok {
			t.Fatalf("no proposal for %s", p)
		}
		s, ok := one.Exception()
		if !ok || len(s.What) != 1 || s.What[0].ID != dir+p || s.What[0].Within != whole || len(s.Who) != 2 || len(s.When) != 1 {
			t.Errorf("%s is said as %+v", p, s)
		}
		if err := e.Accept(one, HoldAlways, nil); err != nil {
			t.Fatal(err)
		}
		return one
	}
	if err := os.Mkdir(dir+"/Letters/sub", 0o700); err != nil {
		t.Fatal(err)
	}
	accept("/Letters/new.txt", false)
	accept("/Letters/*", false)
	accept(`/Letters/a"b\c`, false)
	accept("/Letters/sub*", true)
	// The file becomes a link to what was never shown, and a directory with more in it.
	if err := os.WriteFile(dir+"/Letters/secret.txt", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("secret.txt", dir+"/Letters/new.txt"); err != nil {
		t.Fatal(err)
	}
	rules := e.Fresh()
	for p, want := range map[string]Effect{
		"/Letters/new.txt": Allow, "/Letters/new.txt/in/it": Deny, "/Letters/new.txt2": Deny, "/Letters/secret.txt": Deny, "/Letters/NEW.txt": Deny,
		"/Letters/*": Allow, "/Letters/anything": Deny, "/Letters/*/x": Deny, `/Letters/a"b\c`: Allow, "/Letters/a": Deny,
		"/Letters/sub*": Allow, "/Letters/sub*/x/y": Allow, "/Letters/sub": Deny, "/Letters/subx/y": Deny, "/Letters/sub/y": Deny,
	} {
		if p == "/Letters/NEW.txt" && runtime.GOOS != "linux" {
			continue
		}
		if d := rules.Decide(write(p), time.Now()); d.Effect != want {
			t.Errorf("%s: %+v", p, d)
		}
		for name, other := range map[string]func(*Request){
			"deletion": func(r *Request) { r.Action = Delete }, "goose": func(r *Request) { r.Agent = "goose" }, "you": func(r *Request) { r.Agent = "" },
			"a program": func(r *Request) { r.Client = "ci" }, "a sandbox": func(r *Request) { r.Runtime = "sandbox" },
		} {
			r := write(p)
			if other(&r); rules.Decide(r, time.Now()).Effect != Deny {
				t.Errorf("%s, %s is allowed", p, name)
			}
		}
	}
}

// A proposal is accepted only where it would still do what it says, and changes no other rule.
func TestProposalsAfterChanges(t *testing.T) {
	const base = `@id("a") forbid (principal, action == Action::"useKey", resource);`
	r := ai(UseKey, func(r *Request) { r.Key = "openai" })
	for name, now := range map[string]string{
		"gone":             "",
		"in a comment":     "/* " + base + " */",
		"copied":           base + " // " + base,
		"another text":     `@id("a") forbid (principal, action == Action::"useKey", resource) when { true };`,
		"another name":     strings.Replace(base, `"a"`, `"b"`, 1),
		"a second refuses": base + "\n" + `forbid (principal, action, resource is Key);`,
		"it is asked":      base + "\n" + `@effect("ask") permit (principal, action == Action::"useKey", resource);`,
		"a fault":          base + "\nforbid",
	} {
		e := engine(t, "", base)
		p, ok := e.Propose(e.Decide(r), r, false)
		if !ok || p.Then != Allow {
			t.Fatalf("%+v", p)
		}
		if err := os.WriteFile(e.path(1), []byte(now), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := e.Accept(p, HoldAlways, nil); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
		if text, _ := e.Text(); text != now {
			t.Errorf("%s: %q was written", name, text)
		}
	}
	// Another exception for the same rule: the proposal is made anew, and what others say stays.
	e := engine(t, "", "// mine\n"+base+"\nforbid (principal, action, resource == Key::\"last\");\n")
	other := ai(UseKey, func(r *Request) { r.Key = "other" })
	p, _ := e.Propose(e.Decide(r), r, false)
	q, _ := e.Propose(e.Decide(other), other, false)
	q.ID = "q"
	if err := e.Accept(p, HoldAlways, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Accept(q, HoldAlways, nil); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	if _, ok := e.Again(p); ok {
		t.Error("what was accepted is proposed")
	}
	again, ok := e.Again(q)
	if !ok || again.ID != "q" || again.Key() != q.Key() || e.Accept(again, HoldAlways, nil) != nil {
		t.Fatalf("%+v", again)
	}
	if d := e.Decide(ai(UseKey, func(r *Request) { r.Key = "last" })); d.Rule != "a" {
		t.Errorf("%+v", d)
	}
	if text, _ := e.Text(); !strings.HasPrefix(text, "// mine\n@id(\"a\")") || len(e.Rules().layers[1]) != 2 || e.Rules().layers[1][1].ID != "line-3" {
		t.Errorf("%q", text)
	}
}
