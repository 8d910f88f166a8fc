package policy

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
)

// Texts that would have a rule mean something else than it seems, or the program fail: each is
// a fault with a line, and everything is refused.
func TestFaults(t *testing.T) {
	good := `permit (principal, action, resource);`
	for name, c := range map[string]struct {
		text, code string
		line       int
	}{
		"half a rule":           {good + "\npermit (principal, action", FaultSyntax, 2},
		"no rule":               {"allow everything", FaultSyntax, 1},
		"misspelled effect":     {good + "\n" + `@effect("Ask") permit (principal, action, resource);`, FaultRule, 2},
		"misspelled annotation": {`@efect("ask") permit (principal, action, resource);`, FaultRule, 1},
		"a permit that denies":  {`@effect("deny") permit (principal, action, resource);`, FaultRule, 1},
		"a forbid that allows":  {`@effect("allow") forbid (principal, action, resource);`, FaultRule, 1},
		"a rule as hard":        {`@hard("true") permit (principal, action, resource);`, FaultRule, 1},
		"two of one name":       {`@id("a") ` + good + "\n\n" + `@id("a") ` + good, FaultRule, 3},
		"a name with a line":    {"@id(\"a\\nb\") " + good, FaultRule, 1},
		"a name as a layer":     {`@id("managed/x") ` + good, FaultRule, 1},
		"an unknown action":     {`forbid (principal, action == Action::"wirte", resource);`, FaultSchema, 1},
		"an unknown type":       {`forbid (principal, action, resource in Folder::"/x");`, FaultSchema, 1},
		"an unknown condition":  {`forbid (principal, action == Action::"write", resource) when { context.runtim == "vm" };`, FaultSchema, 1},
		"an attribute of few":   {`forbid (principal, action, resource) when { resource.kind == "tool" };`, FaultSchema, 1},
		"an optional one":       {`forbid (principal, action == Action::"connect", resource) when { resource.ip.isLoopback() };`, FaultSchema, 1},
		"a relative path":       {`forbid (principal, action, resource in Path::"Letters");`, FaultRule, 1},
		"an empty path":         {`forbid (principal, action, resource in Path::"");`, FaultRule, 1},
		"a path with a zero":    {`forbid (principal, action, resource in Path::"/a\0b");`, FaultRule, 1},
		"no host":               {`forbid (principal, action, resource in Host::"https://example.org/");`, FaultRule, 1},
		"a wildcard":            {`forbid (principal, action, resource in Host::"*.example.org");`, FaultRule, 1},
		"another person":        {`permit (principal in Person::"root", action, resource);`, FaultRule, 1},
		"an action in a rule":   {"permit (principal, action, resource) when { resource == Path::\"x\" };", FaultRule, 1},
		"a slot":                {`permit (principal == ?principal, action, resource);`, FaultSyntax, 1},
		"too large":             {strings.Repeat("// "+strings.Repeat("x", 1000)+"\n", 300), FaultSize, 0},
		"a large rule":          {good + "\nforbid (principal, action, resource) when { " + strings.Repeat(`"aaaaaaaa" == "b" || `, 2000) + "true };", FaultSize, 2},
		"many rules":            {strings.Repeat(good+"\n", 1001), FaultSize, 1001},
		"deep brackets":         {"permit (principal, action, resource) when { " + strings.Repeat("(", 100000) + "true" + strings.Repeat(")", 100000) + " };", FaultSize, 1},
		"deep brackets, lines":  {"permit (principal, action, resource)\nwhen { " + strings.Repeat("[", 5000), FaultSize, 2},
		"many signs":            {"permit (principal, action, resource) when { " + strings.Repeat("! ", 5000) + "true };", FaultSize, 1},
		"an open string":        {`@id("a permit (principal, action, resource);`, FaultSyntax, 1},
		"an open comment":       {good + "\n/* permit (principal, action, resource);", FaultSyntax, 2},
		"no UTF-8":              {"permit (principal, action, resource) when { \"\xff\" == \"a\" };", FaultSyntax, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, managed := range []bool{false, true} {
				e := engine(t, "", c.text)
				if managed {
					e = engine(t, c.text, good)
				}
				f := e.Rules().Fault()
				if f == nil || f.Code != c.code || f.Line != c.line && c.line != 0 || f.Message == "" || f.Path == "" {
					t.Fatalf("fault %+v, want %s in line %d", f, c.code, c.line)
				}
				for _, a := range []Action{Read, Write, Delete, Connect, Run, UseKey, StartRuntime} {
					r := Request{Action: a}
					r.Path, r.Host, r.Program, r.Key = "/x", "example.org", "x", "x"
					if d := e.Decide(r); d.Effect != Deny || d.Fault == nil || !d.Written() {
						t.Errorf("%s: %+v", a, d)
					}
				}
			}
			if _, f := Check(c.text); f == nil || f.Code != c.code {
				t.Errorf("check: %+v", f)
			}
			e := engine(t, "", "// mine\n")
			if err := e.Write(c.text, nil); err == nil {
				t.Error("it was written")
			}
			if text, err := e.Text(); err != nil || text != "// mine\n" {
				t.Errorf("%q %v", text, err)
			}
		})
	}
}

// What a rule says of names, extensions and paths, it says in any spelling of them: it would
// never hold else.
func TestTextsInAnySpelling(t *testing.T) {
	for _, condition := range []string{
		`resource.extension == "PDF"`, `"Pdf" == resource.extension`, `resource.extension == ".pdf"`, `["doc", "PDF"].contains(resource.extension)`, `resource.extension like "P*"`,
		`resource.name == "Report.pdf"`, `resource.name like "*Report.P*"`, `[resource.name].containsAny(["REPORT.PDF", "x"])`, `(if context.hour < 30 then resource.name else "") == "Report.PDF"`,
		`resource.path == "/x/Report.pdf/"`, `resource.path like "/x/Re*"`, `!(resource.extension != "PDF")`, `resource.path == "/x/Report.pdf" && resource.name == "Report.pdf"`,
	} {
		e := engine(t, "", `@id("r") forbid (principal, action == Action::"write", resource) when { `+condition+` };`)
		for path, want := range map[string]Effect{"/x/Report.pdf": Deny, "/x/other": Allow} {
			if d := e.Decide(Request{Action: Write, What: What{Path: path}}); d.Effect != want {
				t.Errorf("%s: %s is %s, want %s (%+v)", condition, path, d.Effect, want, d.Fault)
			}
		}
	}
	for _, c := range []struct{ attribute, text, system, whole, part string }{
		{"resource.path", "/Users/Me/É.TXT", "linux", "/Users/Me/É.TXT", "/Users/Me/É.TXT"},
		{"resource.path", "/Users/Me/E\u0301.TXT/", "darwin", "/users/me/é.txt", "/users/me/é.txt/"},
		{"resource.path", `C:\Users\Me. `, "windows", "c:/users/me", "c:/users/me. "},
		{"resource.name", "A.PDF", "linux", "a.pdf", "a.pdf"}, {"resource.name", "E\u0301", "darwin", "é", "é"},
		{"resource.extension", ".PDF", "linux", "pdf", ".pdf"}, {"context.risk", "High", "linux", "High", "High"},
	} {
		if whole, part := spelling(c.attribute, c.text, true, c.system), spelling(c.attribute, c.text, false, c.system); whole != c.whole || part != c.part {
			t.Errorf("%s %q on %s: %q, %q", c.attribute, c.text, c.system, whole, part)
		}
	}
}

// What a rule allows to be read, and what it keeps from being changed, it says of single files, too.
func TestReadingByNameIsNoMistakeElsewhere(t *testing.T) {
	for _, text := range []string{
		`permit (principal, action == Action::"read", resource) when { resource.extension == "pdf" };`,
		`forbid (principal, action in [Action::"write", Action::"delete"], resource) when { resource.name like "*.kdbx" };`,
		`forbid (principal, action == Action::"read", resource) when { resource in Path::"/x" && context.runtime == "host" };`,
		`forbid (principal, action == Action::"read", resource in Path::"/x") unless { resource.path == "/x/a" || resource.path like "/x/a/*" };`,
		`forbid (principal, action == Action::"run", resource) when { resource.kind == "command" };`,
	} {
		if _, f := Check(text); f != nil {
			t.Errorf("%s: %s", text, f.Message)
		}
	}
}

// What leads around a rule about a directory leads into it.
func TestWaysAroundAPath(t *testing.T) {
	dir := root(t)
	if err := os.Symlink(dir+"/Letters", dir+"/L"); err != nil {
		t.Fatal(err)
	}
	e := engine(t, "", `@id("l") forbid (principal, action == Action::"write", resource in Path::"`+dir+`/L");`) // by a link
	for name, c := range map[string]struct {
		path string
		want Effect
	}{
		"itself":           {"/Letters", Deny},
		"by the link":      {"/L/x", Deny},
		"dots":             {"/a/../L/./x", Deny},
		"double slash":     {"//Letters//x", Deny},
		"a new file":       {"/Letters/new/er", Deny},
		"beside":           {"/Letters.txt", Allow},
		"link's neighbour": {"/L2", Allow},
	} {
		r := Request{Action: Write}
		r.Path = dir + c.path
		if d, _, err := e.Explain(e.Rules(), r); err != nil || d.Effect != c.want {
			t.Errorf("%s: %+v %v", name, d, err)
		}
	}
	// A link that is led elsewhere later: the next task finds the rule there.
	if err := os.Remove(dir + "/L"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir+"/real", dir+"/L"); err != nil {
		t.Fatal(err)
	}
	r := Request{Action: Write}
	r.Path = dir + "/real/x"
	if d := e.Fresh().Decide(r, time.Now()); d.Effect != Deny {
		t.Errorf("the link leads to %+v", d)
	}
}

// A directory is known by what it is, where the file system has another spelling of it: here
// a bind mount is stood in for by what SameFile sees.
func TestKinByIdentity(t *testing.T) {
	dir := root(t)
	info, err := os.Lstat(dir + "/Letters")
	if err != nil {
		t.Fatal(err)
	}
	places := []place{{id: "/LETTERS", info: info}}
	if got := kin(dir+"/Letters/2026/x", places); len(got) != 1 || got[0].ID != "/LETTERS" {
		t.Errorf("%v", got)
	}
	if got := kin(dir+"/real/x", places); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// Paths are spelled as each system compares them.
func TestSpelled(t *testing.T) {
	for _, c := range []struct{ system, path, want string }{
		{"linux", "/a/B/../C/", "/a/C"}, {"linux", "/", "/"}, {"linux", "a", ""}, {"linux", "/a\x00b", ""}, {"linux", `C:\a`, ""}, {"linux", "/..", "/"},
		{"darwin", "/Users/Me/Bu\u0308cher", "/users/me/b\u00fccher"}, {"darwin", "/USERS/ME", "/users/me"},
		{"windows", `C:\Users\Me\..\You\`, "c:/users/you"}, {"windows", `c:/USERS`, "c:/users"}, {"windows", `C:\`, "c:/"}, {"windows", `\\?\C:\Users`, "c:/users"},
		{"windows", `\\Server\Share\A`, "//server/share/a"}, {"windows", `\\?\UNC\server\share\a`, "//server/share/a"}, {"windows", `\Users`, ""}, {"windows", `C:Users`, ""},
		{"windows", `C:\Letters.\x `, "c:/letters/x"}, {"windows", `C:\STRASSE`, "c:/strasse"}, {"windows", `C:\Ä`, "c:/ä"}, {"windows", "1:/x", ""},
	} {
		if got := spelled(c.path, c.system); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.system, c.path, got, c.want)
		}
	}
}

// An administrator's file that others could write refuses everything.
func TestManagedFileOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the owner is asked of the system")
	}
	e := engine(t, "permit (principal, action, resource);", "")
	e.o.Trusted = trusted // the directory for tests is everybody's
	if os.Getuid() != 0 {
		if d := e.Fresh().Decide(Request{Action: StartRuntime}, time.Now()); d.Fault == nil || d.Fault.Code != FaultOwner {
			t.Errorf("of this user: %+v", d)
		}
		return
	}
	for name, c := range map[string]struct {
		do   func(file string) error
		good bool
	}{
		"of root":           {func(string) error { return nil }, true},
		"of somebody":       {func(f string) error { return os.Chown(f, 1000, 0) }, false},
		"everybody writes":  {func(f string) error { return os.Chmod(f, 0o666) }, false},
		"the group writes":  {func(f string) error { return os.Chmod(f, 0o664) }, false},
		"its directory":     {func(f string) error { return os.Chmod(filepath.Dir(f), 0o777) }, false},
		"directory of user": {func(f string) error { return os.Chown(filepath.Dir(f), 1000, 0) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("/root", "policy-test")
			if err != nil {
				t.Fatal(err) // elsewhere a directory above could be everybody's
			}
			defer os.RemoveAll(dir)
			file := filepath.Join(dir, "managed.cedar")
			if err := os.WriteFile(file, []byte("permit (principal, action, resource);"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := c.do(file); err != nil {
				t.Fatal(err)
			}
			e := Open(Options{Dir: t.TempDir(), Managed: file})
			if f := e.Rules().Fault(); (f == nil) != c.good || f != nil && f.Code != FaultOwner {
				t.Errorf("%+v", f)
			}
		})
	}
}

// An administrator's file counts again once nobody else can write it, also where that is no change
// of the file, such as one of its directory.
func TestManagedFileIsMended(t *testing.T) {
	e := engine(t, "permit (principal, action, resource);", "")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(e.o.Managed, old, old); err != nil {
		t.Fatal(err)
	}
	asked, bad := 0, errors.New("the directory is everybody's")
	e.o.Trusted = func(string, *os.File) error { asked++; return bad }
	began := time.Now()
	for range 1000 {
		if d := e.Decide(Request{Action: StartRuntime}); d.Fault == nil || d.Fault.Code != FaultOwner {
			t.Fatalf("%+v", d)
		}
	}
	if most := 1 + int(time.Since(began)/lookEvery); asked > most {
		t.Errorf("it was read %d times, at most %d", asked, most)
	}
	bad = nil
	for end := time.Now().Add(time.Minute); e.Decide(Request{Action: StartRuntime}).Fault != nil; time.Sleep(lookEvery / 10) {
		if time.Now().After(end) {
			t.Fatal("it is refused for good")
		}
	}
}

// What is no plain file is a fault, and nothing waits for it.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	e := Open(Options{Dir: dir, Managed: filepath.Join(dir, "none")})
	if f := e.Rules().Fault(); f == nil || f.Code != FaultUnreadable {
		t.Errorf("%+v", f)
	}
}

// While the file is replaced, each decision is by one whole text, the old or the new one.
func TestReplacedWhileDeciding(t *testing.T) {
	texts := [2]string{
		`@id("a") permit (principal, action == Action::"connect", resource);` + "\n" + `@id("x") forbid (principal, action == Action::"run", resource);`,
		`@id("b") permit (principal, action == Action::"connect", resource);` + "\n" + `@id("y") forbid (principal, action == Action::"run", resource);`,
	}
	e := engine(t, "", texts[0])
	var work sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		work.Go(func() {
			r := Request{Action: Run}
			r.Program = "x"
			for {
				select {
				case <-done:
					return
				default:
				}
				if d := e.Decide(r); d.Effect != Deny || d.Rule != "x" && d.Rule != "y" {
					t.Errorf("%+v", d)
					return
				}
			}
		})
	}
	for i := range tier.Pick(200, 200, 5000) {
		text := texts[(i+1)%2]
		if err := e.Write(text, nil); err != nil {
			t.Fatal(err)
		}
		r := Request{Action: Connect}
		r.Host = "example.org"
		if d, want := e.Decide(r), []string{"a", "b"}[(i+1)%2]; d.Rule != want {
			t.Fatalf("round %d: %+v, want %s", i, d, want)
		}
	}
	close(done)
	work.Wait()
}

// A file that changes in place, without another size or time, is seen.
func TestChangedInPlace(t *testing.T) {
	e := engine(t, "", `@id("a") permit (principal, action == Action::"run", resource);`)
	r := Request{Action: Run}
	r.Program = "x"
	info, err := os.Stat(e.path(1))
	if err != nil || e.Decide(r).Rule != "a" {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.path(1), []byte(`@id("b") permit (principal, action == Action::"run", resource);`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(e.path(1), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if d := e.Decide(r); d.Rule != "b" {
		t.Errorf("%+v", d)
	}
	if err := os.Remove(e.path(1)); err != nil {
		t.Fatal(err)
	}
	if d := e.Decide(r); d.Layer != Default {
		t.Errorf("removed: %+v", d)
	}
}

// A text that was looked at before it is replaced is replaced only as it was.
func TestWriteOverAnother(t *testing.T) {
	e := engine(t, "", "// one\n")
	before := "// two\n"
	if err := e.Write("// three\n", &before); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	before = "// one\n"
	if err := e.Write("// three\n", &before); err != nil {
		t.Error(err)
	}
}

// A file that cannot be read whole is a fault of it, and is replaced only by who does not
// say what it had.
func TestWriteOverWhatIsUnreadable(t *testing.T) {
	e := engine(t, "", strings.Repeat("// long\n", MaxFile/8+1))
	code := func(err error) string {
		f, is := errors.AsType[*RuleFault](err)
		if !is || f.Path != e.path(1) || f.Layer != Yours {
			t.Errorf("%v", err)
			return ""
		}
		return f.Code
	}
	before := ""
	if _, err := e.Text(); code(err) != FaultSize {
		t.Error(err)
	}
	if err := e.Write("// new\n", &before); code(err) != FaultSize {
		t.Error(err)
	}
	if err := e.Write("// new\n", nil); err != nil || text(t, e) != "// new\n" {
		t.Error(err)
	}
	if err := errors.Join(os.Remove(e.path(1)), os.Mkdir(e.path(1), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*string{nil, &before} {
		if err := e.Write("// new\n", b); code(err) != FaultUnreadable {
			t.Error(err)
		}
	}
}

// Below are the paths in a folder that rules name, whatever way they are named.
func TestBelow(t *testing.T) {
	dir := root(t)
	e := engine(t, "", `forbid (principal, action == Action::"read", resource in Path::"`+dir+`/link"); forbid (principal, action == Action::"read", resource == Path::"/etc/shadow");`)
	if got := e.Rules().Below(dir); len(got) != 1 || got[0] != PathID(dir+"/real") {
		t.Errorf("%v", got)
	}
	if got := e.Rules().Below(dir + "/Letters"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// takenBack has all exceptions of a text taken back that are as piwork writes them: each time
// it is shorter by them alone, until there is none.
func takenBack(t *testing.T, text string) {
	t.Helper()
	for {
		now, ok := without(text, func(RuleException) bool { return true })
		if !ok {
			t.Fatalf("%q: nothing can be taken back", text)
		}
		if now == text {
			break
		}
		if rest := strings.Count(text, "unless") - strings.Count(now, "unless"); len(now) >= len(text) || rest < 1 {
			t.Fatalf("%q became %q", text, now)
		}
		text = now
	}
	list, _, err := parse(Yours, plain(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		all, _ := c.exceptions()
		for _, x := range all {
			if !x.Edited {
				t.Fatalf("%q is left in %q", x.Cedar, text)
			}
		}
	}
}

// Whatever the text: no panic, no stack that overflows, and either rules or a fault. What is
// accepted is accepted again as it is shown, and means the same.
func FuzzParse(f *testing.F) {
	f.Add(string(defaultsText))
	for _, p := range corpus(f, "/r") {
		f.Add(p.yours)
	}
	for _, s := range []string{"", "//", "/*", `"`, "@id(\"a\") forbid(principal,action,resource);", "permit(principal,action,resource)when{if true then false else true};", "permit (principal, action, resource) when { -1 < 2 };", "forbid (principal, action, resource) when { ip(\"::\").isIpv4() };"} {
		f.Add(s)
	}
	for _, r := range refused("/r") {
		for _, h := range Holds() {
			at, _ := termOf(h, "t1", time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
			one, _ := r.exception(h == HoldDay, at)
			f.Add(excepting(excepting("forbid (principal, action, resource);", one), one))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, _, err := parse(Yours, []byte(text))
		if err != nil {
			if fault, is := errors.AsType[*RuleFault](err); !is || fault.Code == "" || fault.Message == "" {
				t.Fatalf("%v", err)
			}
			return
		}
		if len(list) > maxRules || len(text) > MaxFile {
			t.Fatal("out of bounds")
		}
		var again strings.Builder
		for _, r := range list {
			again.WriteString(r.Cedar + "\n")
		}
		second, _, err := parse(Yours, []byte(again.String()))
		if err != nil || len(second) != len(list) {
			t.Fatalf("%q is not read again: %v", again.String(), err)
		}
		takenBack(t, text)
		rules := &Rules{}
		rules.layers[1] = list
		for _, a := range []Action{Read, Connect, Run, UseKey, StartRuntime} {
			r := Request{Action: a}
			r.Path, r.Host, r.Program, r.Key = "/x/y.txt", "example.org", "x", "k"
			at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
			d := rules.Decide(r, at)
			for i := range list {
				if list[i].Effect != second[i].Effect {
					t.Fatalf("%q: %s, then %s", list[i].Cedar, list[i].Effect, second[i].Effect)
				}
			}
			if d.Effect == Allow && d.Rule == "" {
				t.Fatal("allowed by nothing")
			}
		}
	})
}
