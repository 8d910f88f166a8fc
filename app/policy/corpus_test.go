package policy

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	cedar "github.com/cedar-policy/cedar-go"

	"piwork/app/task"
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
		if runtime.GOOS != "windows" {
			t.Fatal(err)
		}
		t.Skip("this user may make no symbolic links (Windows without developer mode): ", err)
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
				if r.Path != "" && pathID(r.Path) == "" || strings.Contains(c, "deny none") {
					continue // which explain refuses
				}
				why, all, err := e.Explain(e.Rules(), r)
				if err != nil || why != got || len(all) == 0 || !named(all, why) {
					t.Errorf("%s: explained %+v %+v %v", c, why, all, err)
				}
			}
		})
	}
	if n < 200 {
		t.Errorf("%d decisions, at least 200", n)
	}
}

func named(all []RuleMatch, d Decision) bool {
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

func BenchmarkDecide(b *testing.B) {
	var text strings.Builder
	for i := range 100 {
		text.WriteString(`@id("r` + strconv.Itoa(i) + `") forbid (principal in Client::"c` + strconv.Itoa(i) + `", action == Action::"write", resource in Path::"/srv/d` + strconv.Itoa(i) + `") unless { ["vm", "container"].contains(context.runtime) };` + "\n")
	}
	for name, yours := range map[string]string{"defaults": "", "100-rules": text.String()} {
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
			for b.Loop() {
				if d := e.Decide(r); d.Effect != Allow {
					b.Fatal(d)
				}
			}
		})
	}
}
