package policy

import (
	"bufio"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	cedar "github.com/cedar-policy/cedar-go"

	"piwork/app/task"
	"piwork/pack/lazyregexp"
	"piwork/vmhost"
)

// root is a directory with what the corpus names: {root} in it.
func root(t testing.TB) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"Letters", "real", "Dots", "a"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err) // on Windows, links need its developer mode
	}
	return filepath.ToSlash(dir)
}

// engine has files with these texts; "" is none.
func engine(t testing.TB, managed, yours string) *Engine {
	dir := t.TempDir()
	o := Options{Dir: dir, Managed: filepath.Join(dir, "managed.cedar"), Trusted: func(string, *os.File) error { return nil }}
	for name, text := range map[string]string{o.Managed: managed, filepath.Join(dir, FileName): yours} {
		if text != "" {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return Open(o)
}

// line reads a case of the corpus: effect, rule, action, what, conditions.
func line(t testing.TB, s string) (r Request, want Effect, rule string) {
	f := strings.Fields(s)
	want, rule = Effect(f[0]), f[1]
	r.Action = Action(f[2])
	switch r.Action {
	case Connect:
		r.Host = f[3]
	case Run:
		r.Program = f[3]
	case UseKey:
		r.Key = f[3]
	case StartRuntime:
		r.Runtime = f[3]
	default:
		if r.Path = f[3]; strings.Contains(r.Path, "/link") {
			r.Path = realPath(r.Path) // as whoever asks has it
		}
	}
	for _, c := range f[4:] {
		name, v, _ := strings.Cut(c, "=")
		n, _ := strconv.ParseInt(v, 10, 64)
		switch name {
		case "runKind":
			r.RunKind = v
		case "risk":
			r.Risk = v
		case "kind":
			r.Kind = task.Kind(v)
		case "about":
			r.About = v
		case "network":
			r.Network = task.Network(v)
		case "in":
			r.Runtime = v
		case "isolation":
			r.Isolation = vmhost.Isolation(v)
		case "domain":
			r.Domain = vmhost.Domain(v)
		case "port":
			r.Port = int(n)
		case "client":
			r.Client = v
		case "door":
			r.Door = v
		case "agent":
			r.Agent = v
		case "task":
			r.Task = v
		case "size":
			r.Size = n
		case "files":
			r.Files = n
		case "effects":
			r.Effects = strings.Split(v, "+")
		case "time":
			at, err := time.Parse(time.RFC3339, v)
			if err != nil {
				t.Fatal(err)
			}
			r.Time = &at
		default:
			t.Fatalf("no such condition: %q", c)
		}
	}
	return r, want, rule
}

// world is a part of the corpus.
type corpusPart struct {
	name, managed, yours string
	cases                []string
}

func corpus(t testing.TB, root string) (out []corpusPart) {
	data, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	in := ""
	s := bufio.NewScanner(strings.NewReader(strings.ReplaceAll(string(data), "{root}", root)))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		l := s.Text()
		if name, ok := strings.CutPrefix(l, "== "); ok {
			out = append(out, corpusPart{name: name})
			continue
		}
		if part, ok := strings.CutPrefix(l, "-- "); ok {
			in = part
			continue
		}
		p := &out[len(out)-1]
		switch in {
		case "managed":
			p.managed += l + "\n"
		case "yours":
			p.yours += l + "\n"
		case "cases":
			p.cases = append(p.cases, l)
		}
	}
	return out
}

// The rules say what the corpus says, and which of them it is.
func TestCorpus(t *testing.T) {
	n := 0
	for _, p := range corpus(t, root(t)) {
		t.Run(p.name, func(t *testing.T) {
			e := engine(t, p.managed, p.yours)
			if f := e.Rules().Fault(); f != nil {
				t.Fatalf("%+v", f)
			}
			for _, c := range p.cases {
				n++
				r, want, rule := line(t, c)
				got := e.Decide(r)
				if got.Effect != want || got.Name() != rule {
					t.Errorf("%s\n\tgot %s %s", c, got.Effect, got.Name())
				}
				if r.Path != "" && PathID(r.Path) == "" || strings.Contains(c, "deny none") {
					continue // which explain refuses
				}
				why, all, err := e.Explain(e.Rules(), r)
				if err != nil || why != got || len(all) == 0 || !matched(all, why) {
					t.Errorf("%s: explained %+v %+v %v", c, why, all, err)
				}
			}
		})
	}
	if n < 200 {
		t.Errorf("%d decisions, at least 200", n)
	}
}

func matched(all []RuleMatch, d Decision) bool {
	for _, m := range all {
		if m.Rule == d.Rule && m.Layer == d.Layer && m.Effect == d.Effect {
			return true
		}
	}
	return false
}

// What piwork does anyway is decided by the rules of the file: without one, its decision
// is another.
func TestDefaultsAreRules(t *testing.T) {
	p := corpus(t, root(t))[0]
	whole := engine(t, "", "").Rules()
	for gone := range whole.layers[2] {
		rules := *whole
		rules.layers[2] = append(append([]compiled{}, whole.layers[2][:gone]...), whole.layers[2][gone+1:]...)
		for i := range rules.layers[2] {
			rules.layers[2][i].number = cedar.PolicyID(strconv.Itoa(i))
		}
		changed := false
		for _, c := range p.cases {
			r, want, _ := line(t, c)
			changed = changed || rules.Decide(r, time.Now()).Effect != want
		}
		if id := whole.layers[2][gone].ID; !changed && id != "ask-about-startup-files" { // which is there for permits of others
			t.Errorf("nothing is decided by %s", id)
		}
	}
}

// Rules that are left out for their scope would hold for nothing: each decision is that of
// all rules, and so are those that explain it. All rules of the corpus are there at once, in each
// layer, and rules about what the requests name.
func TestLeavingOutChangesNothing(t *testing.T) {
	dir := root(t)
	var rules strings.Builder
	var requests []Request
	for _, p := range corpus(t, dir) {
		for _, text := range []string{p.managed, p.yours} {
			rules.WriteString(lazyregexp.New(`@id\("[^"]*"\)`)().ReplaceAllString(text, ""))
		}
		for _, c := range p.cases {
			r, _, _ := line(t, c)
			requests = append(requests, r)
		}
	}
	list, _, err := parse(Yours, []byte(rules.String()))
	if err != nil || len(list) < 40 {
		t.Fatalf("%d rules: %v", len(list), err)
	}
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	pick := func(all ...string) string { return all[random.IntN(len(all))] }
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	left := 0
	for round := range 60 {
		var mine strings.Builder
		for range random.IntN(12) {
			mine.WriteString(list[random.IntN(len(list))].Cedar + "\n")
		}
		for range random.IntN(12) {
			r := requests[random.IntN(len(requests))]
			what := pick("resource", "resource is Path", "resource is Host")
			if resource, ok := r.resource(nil); ok && random.IntN(2) == 0 {
				uid := resource.UID
				for up, ok := parent(uid); ok && random.IntN(3) > 0 && (uid.Type == typePath || uid.Type == typeHost); up, ok = parent(uid) {
					uid = up
				}
				what = pick("resource == ", "resource in ", "resource is "+string(uid.Type)+" in ") + string(uid.MarshalCedar())
			}
			who := pick("principal", `principal in Person::"you"`, `principal in Client::"ci"`, `principal in Agent::"pi"`, `principal == Task::"new"`, "principal is Task", `principal is Task in Agent::"pi"`)
			mine.WriteString(pick("", `@effect("ask") `) + pick("permit", "forbid") + " (" + who + ", action, " + what + ")" + pick("", ` when { context.size + 9223372036854775807 > 0 }`) + ";\n")
		}
		layer := [3]Layer{Managed, Yours, Default}[round%3]
		some, places, err := parse(map[bool]Layer{true: layer, false: Yours}[layer != Default], []byte(mine.String()))
		if err != nil {
			continue // an attribute that this kind of resource has not
		}
		set := &Rules{places: places}
		set.layers[2], _ = builtIn()
		set.layers[round%2] = some
		all := *set
		for i := range all.layers {
			all.layers[i] = slices.Clone(set.layers[i])
			for n := range all.layers[i] {
				if all.layers[i][n].within != (scope{}) {
					left++
				}
				all.layers[i][n].within = scope{}
			}
		}
		for _, r := range requests {
			for _, agent := range []string{r.Agent, "pi"} {
				r.Agent = agent
				d, why := set.explain(r, at)
				e, reasons := all.explain(r, at)
				if d != e || !slices.Equal(why, reasons) || set.Decide(r, at) != all.Decide(r, at) {
					t.Fatalf("%+v\n%s\n%+v %+v, with all rules %+v %+v", r, mine.String(), d, why, e, reasons)
				}
			}
		}
	}
	if left < 100 {
		t.Errorf("only %d rules with a scope", left)
	}
}

func BenchmarkDecide(b *testing.B) {
	var text strings.Builder
	for i := range 100 {
		text.WriteString(`@id("r` + strconv.Itoa(i) + `") forbid (principal in Client::"c` + strconv.Itoa(i) + `", action == Action::"write", resource in Path::"/srv/d` + strconv.Itoa(i) + `") unless { ["vm", "container"].contains(context.runtime) };` + "\n")
	}
	second := strings.ReplaceAll(strings.ReplaceAll(text.String(), `@id("r`, `@id("s`), `/srv/`, `/mnt/`)
	anybody := lazyregexp.New(`principal in Client::"c\d+"`)().ReplaceAllString(text.String()+second, "principal")
	anything := lazyregexp.New(`, resource in Path::"[^"]*"`)().ReplaceAllString(anybody, ", resource")
	anything = strings.ReplaceAll(anything, `unless { [`, `when { context.files > 1000 } unless { [`)
	for name, yours := range map[string]string{"defaults": "", "100-rules": text.String(), "200-rules": text.String() + second, "200-rules-for-anybody": anybody, "200-rules-about-anything": anything} {
		b.Run(name, func(b *testing.B) {
			e := engine(b, "", yours)
			old := time.Now().Add(-time.Hour)
			if yours != "" {
				if err := os.Chtimes(e.path(1), old, old); err != nil {
					b.Fatal(err)
				}
			}
			r := Request{Action: Write}
			r.Path, r.Client = "/home/me/Letters/2026/a/b/c.txt", "ci"
			e.Decide(r) // reads the files
			for b.Loop() {
				if d := e.Decide(r); d.Effect != Allow {
					b.Fatal(d)
				}
			}
		})
	}
}
