package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"

	"golang.org/x/text/feature/plural"

	"piwork/app/capacity"
	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/tools"
	"piwork/pack/trust/channel"
	"piwork/pack/update"
	"piwork/vmhost"
)

// constants returns the string constants of a package's file whose names begin with a
// prefix.
func constants(t *testing.T, file, prefix string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) || len(spec.Values) == 0 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, s)
			}
		}
		return true
	})
	if len(out) == 0 {
		t.Fatalf("no %s constants in %s", prefix, file)
	}
	return out
}

// each runs a test in every language.
func each(t *testing.T, test func(*testing.T, *Catalogue)) {
	for _, lang := range Languages {
		t.Run(lang, func(t *testing.T) { test(t, For(lang)) })
	}
}

// all are the texts of every file. Each is found by its id, and there once.
func all(t *testing.T, c *Catalogue) map[string]text {
	t.Helper()
	out, seen := map[string]text{}, map[*file]bool{}
	for _, files := range c.files() {
		for _, f := range files {
			texts, err := f.texts()
			if err != nil {
				t.Fatalf("%s/%s: %v", c.Language, f.name, err)
			}
			for id := range texts {
				if !seen[f] && out[id] != nil {
					t.Errorf("%s/%s: %s is there twice", c.Language, f.name, id)
				}
				if out[id] = c.find(id); out[id] == nil {
					t.Errorf("%s/%s: %s is not found", c.Language, f.name, id)
				}
			}
			seen[f] = true
		}
	}
	return out
}

// Only the files are parsed that have a text that is said: each call of the command line
// would wait for all of them.
func TestFilesAreParsedWhenAsked(t *testing.T) {
	c := open("en")
	var parsed []string
	for _, files := range c.files() {
		for _, f := range files {
			texts := f.texts
			f.texts = func() (map[string]text, error) { parsed = append(parsed, f.name); return texts() }
		}
	}
	if c.Name("state", "done") == "" || !slices.Equal(slices.Compact(parsed), []string{"tasks.toml"}) {
		t.Errorf("parsed for the name of a state: %v", parsed)
	}
}

// full has every parameter that a text may be about.
func full(t *testing.T, c *Catalogue) params {
	out := params{}
	for id := range all(t, c) {
		for p := range fields(c, id) {
			out[p] = "7"
		}
	}
	maps.Copy(out, params{"path": "Trip/a.jpg", "out": "Trip/b.pdf", "folders": "Trip", "outer": "vmware", "holder": "virtualbox", "confined": "snap", "unsure": "date, tax"})
	return out
}

// fields are the parameters that a text names.
func fields(c *Catalogue, id string) map[string]bool {
	out := map[string]bool{}
	for _, form := range c.find(id) {
		t, err := form.template(c)
		if err != nil {
			continue // TestTexts says it
		}
		walk(t.Root, func(n parse.Node) {
			switch n := n.(type) {
			case *parse.FieldNode:
				out[n.Ident[0]] = true
			case *parse.VariableNode:
				if len(n.Ident) > 1 {
					out[n.Ident[1]] = true
				}
			}
		})
	}
	return out
}

func walk(n parse.Node, visit func(parse.Node)) {
	branch := func(b *parse.BranchNode) {
		walk(b.Pipe, visit)
		walk(b.List, visit)
		if b.ElseList != nil {
			walk(b.ElseList, visit)
		}
	}
	visit(n)
	switch n := n.(type) {
	case *parse.ListNode:
		for _, one := range n.Nodes {
			walk(one, visit)
		}
	case *parse.ActionNode:
		walk(n.Pipe, visit)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			walk(c, visit)
		}
	case *parse.CommandNode:
		for _, a := range n.Args {
			walk(a, visit)
		}
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	}
}

// Every language has the same texts, about the same parameters, and a sentence in one
// is no sentence of another.
func TestLanguagesAgree(t *testing.T) {
	first := For(Languages[0])
	sentence := regexp.MustCompile(`\p{L}{3,}\W.*\p{L}{3,}`)
	for _, lang := range Languages[1:] {
		c := For(lang)
		for id := range all(t, first) {
			if !c.Has(id) {
				t.Errorf("%s has no %s", lang, id)
				continue
			}
			if a, b := fields(first, id), fields(c, id); !maps.Equal(a, b) {
				t.Errorf("%s: %s is about %v in %s and about %v", id, lang, keys(b), Languages[0], keys(a))
			}
			if s := c.text(id, nil); s == first.text(id, nil) && sentence.MatchString(s) && !strings.HasSuffix(id, ".command") && !strings.HasSuffix(id, ".example") && !strings.Contains(id, ".choices.") {
				t.Errorf("%s: %s is not translated: %s", lang, id, s)
			}
		}
		for id := range all(t, c) {
			if !first.Has(id) {
				t.Errorf("only %s has %s", lang, id)
			}
		}
	}
}

func keys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }

// Every text is whole with parameters and without, and a text of a number has every
// form that the language has.
func TestTexts(t *testing.T) {
	jargon := regexp.MustCompile(`\b(VM|VMs|virtual machine|virtuelle Maschine|mount(ed)?|RPC|QEMU|guest agent|exit status|Nothing was changed|Nichts wurde geändert)\b`)
	technical := regexp.MustCompile(`^help\.(exec\.long|pack\.build\.)`) // of programs and their makers
	whole := regexp.MustCompile(`^(acp|event|question|answer|rule|topic|cli|usage)\.|^more-files$|^chore\..*\.(plan|task)$`)
	each(t, func(t *testing.T, c *Catalogue) {
		everything := full(t, c)
		for id, forms := range all(t, c) {
			given := []params{nil, everything}
			if whole.MatchString(id) {
				given = given[1:] // they are never said without
			}
			for _, p := range given {
				for _, form := range forms {
					var b strings.Builder
					if parsed, err := form.template(c); err != nil || parsed.Execute(&b, p) != nil {
						t.Errorf("%s with %v: %v", id, p, err)
					}
				}
				s := c.text(id, p)
				if strings.Contains(s, "<no value>") || strings.Contains(s, "  ") || strings.Contains(s, "“”") || strings.Contains(s, "„“") || strings.Contains(s, "()") || jargon.MatchString(s) && !technical.MatchString(id) {
					t.Errorf("%s: %q", id, s)
				}
			}
			if len(forms) == 1 {
				continue
			}
			for n := range 200 {
				if form := plural.Cardinal.MatchPlural(c.tag, n, 0, 0, 0, 0); forms[form] == nil {
					t.Errorf("%s has no form for %d", id, n)
				}
			}
		}
	})
}

// Every code of Go has words: what happened, what it means and what to do.
func TestEveryCodeHasWords(t *testing.T) {
	each(t, func(t *testing.T, c *Catalogue) {
		for _, code := range append(constants(t, "../problem/codes.go", "Code"), constants(t, "../api/answer/errors.go", "Code")...) {
			p := problem.Problem{Code: code}
			c.Problem(&p)
			if code != problem.CodeUnknown && p.Title == c.Text("problem.unknown.title", nil) || p.Title == "" || strings.HasSuffix(p.Title, ".") || !strings.HasSuffix(p.Detail, ".") {
				t.Errorf("%s: %q %q", code, p.Title, p.Detail)
			}
		}
		for _, code := range constants(t, "../problem/codes.go", "Fix") {
			if kind := code; kind == "action" || kind == "link" || kind == "command" {
				continue
			}
			if !c.Has("fix." + code + ".title") {
				t.Errorf("no words for the fix %s", code)
			}
		}
		for _, r := range constants(t, "../problem/problem.go", "Restart") {
			if !c.Has("restart." + r) {
				t.Errorf("no words for the restart of the %s", r)
			}
		}
		for _, product := range constants(t, "../setup/outer.go", "Outer") {
			if !c.Has("names.product." + product) {
				t.Errorf("no name for %s", product)
			}
		}
	})
}

// Every code that a task has in its life has a name.
func TestEveryCodeHasAName(t *testing.T) {
	named := map[string][]string{
		"state":        constants(t, "../task/record.go", "State"),
		"mode":         constants(t, "../task/record.go", "Mode"),
		"update-phase": constants(t, "../runtimepack/updater/types.go", "Phase"),
		"step":         {"queued", "turn", "memory", "verify", "boot", "place", "send", "mount", "plan", "accept", "run", "agent-start", "finish"},
		"notice":       append(constants(t, "../agent/entry.go", "Notice"), slices.Concat(constants(t, "../aitask/timeline.go", "Notice"), constants(t, "../aitask/results.go", "notice"))...),
		"conflict":     constants(t, "../../vmhost/share/journal/undo.go", "Reason"),
		"effect-done":  {"create", "change", "move", "delete"},
		"check":        constants(t, "../setup/setup.go", "Check"),
		"check-slow":   constants(t, "../setup/setup.go", "By"),
		"pack-missing": constants(t, "../../pack/spec/flavour.go", "Ability"),
		"storage":      constants(t, "../upkeep/records.go", "Storage"),

		"runtime-reason": constants(t, "../runtimes/choose.go", "Reason"),
		"difference":     constants(t, "../changes/comparison.go", "Fact"),
		"decision":       {vmhost.AnswerAllow, vmhost.AnswerDeny},

		"sign-in-page": constants(t, "../gateway/keys/page.go", "Page"),

		"decision-plan": {vmhost.AnswerAllow, vmhost.AnswerDeny},
	}
	for _, of := range []struct{ prefix, table string }{{"Warm", "instant"}, {"Share", "share"}} {
		for _, code := range constants(t, "../machines/records.go", of.prefix) {
			switch {
			case code == "template" || code == "spare" || code == "auto": // modes, and a choice
			case For("en").Has(of.table + "-reason." + code):
				named[of.table+"-reason"] = append(named[of.table+"-reason"], code)
			default:
				named[of.table] = append(named[of.table], code)
			}
		}
	}
	for _, step := range constants(t, "../capacity/admit.go", "") {
		if step != string(capacity.Fits) && step != string(capacity.Never) {
			named["step"] = append(named["step"], step)
		}
	}
	each(t, func(t *testing.T, c *Catalogue) {
		for table, codes := range named {
			for _, code := range codes {
				if !c.Has(table + "." + code) {
					t.Errorf("no name for the %s %q", table, code)
				}
			}
		}
	})
}

// Each event of a task is one line, in words of its own.
func TestEvents(t *testing.T) {
	for _, tt := range []struct {
		data any
		want string
	}{
		{task.StateData{State: task.StateFailed, Error: problem.New(problem.CodeDiskFull)}, "Failed: " + For("en").title(problem.Problem{Code: problem.CodeDiskFull})},
		{task.StateData{State: task.StateWaiting}, "Waiting for you"},
		{task.StepData{Step: "boot"}, "Opening the workroom"},
		{task.StepData{Step: "of another \x1bversion"}, `of another \x1bversion`},
		{chore.Plan{Chore: "x", Skipped: make([]problem.Problem, 2)}, "Plan: Nothing to do; 2 files skipped"},
		{chore.Plan{Chore: "find-duplicates"}, "Plan: There are no duplicates"},
		{task.Result{Path: "Trip/Pictures.pdf"}, "Created “Pictures.pdf”"},
		{task.UndoData{Undone: []string{"1"}}, "Undone: 1 change"},
		{task.RedoData{Redone: []string{"1", "2"}, Conflicts: []string{"3"}}, "Redone: 2 changes; 1 left alone"},
		{task.ApplyData{Discarded: []string{"1"}}, "Applied: 0 changes; 1 discarded"},
		{task.FolderData{Folder: task.Folder{Path: "/home/a/Trip", Mode: task.ModeReview}}, "Folder “/home/a/Trip” added (review changes first)"},
		{vmhost.Decision{Answer: vmhost.AnswerAllow, By: "rule"}, "Allowed by an earlier decision"},
		{vmhost.Decision{ID: "plan", Answer: vmhost.AnswerAllow, By: "person"}, "Plan accepted by you"},
		{task.NoticeData{Code: "network-refused", Params: map[string]any{"host": "example.org"}}, "Blocked: example.org"},
		{task.NoticeData{Code: "mcp-tools-left", Params: map[string]any{"tool": "a__x", "more": 2}}, "The tools of your MCP servers are too large together. The AI does without “a__x” and 2 more. Turn off tools that you don’t need"},
		{task.NoticeData{Code: "place", Params: map[string]any{"runtime": "sandbox", "reason": "preferred"}}, "Sandbox is used: you prefer it"},
		{task.NoticeData{Code: "place", Params: map[string]any{"runtime": "container", "reason": "named", "engine": "Docker", "version": "27.1", "rootless": false}},
			"Container is used: you asked for it. Docker 27.1, with administrator rights. One without them keeps a task apart better."},
		{task.NoticeData{Code: "place", Params: map[string]any{"runtime": "remote:lab", "reason": "permitted", "rule": "yours/lab", "problem": problem.CodeDiskFull}},
			"Computer lab is used: nothing stronger can be, and a written rule allows it: yours/lab (" + For("en").title(problem.Problem{Code: problem.CodeDiskFull}) + ")"},
		{task.MessageData{Role: "user", Text: "Sort them\nby date"}, "You: Sort them …"},
		{task.ToolData{Verb: "read", Target: "/folders/Trip/a.txt", State: "started"}, "Reading Trip/a.txt"},
		{task.ToolData{Verb: "x", Name: "browse", State: "done"}, "Used browse"},
		{task.ToolData{Verb: "run", Target: "make\nrm", State: "failed"}, "Failed: Running make"},
		{task.ProgressData{}, ""},
	} {
		e := task.Event{Data: tt.data}
		if For("en").Event(&e); e.Said != tt.want {
			t.Errorf("%+v: %q, want %q", tt.data, e.Said, tt.want)
		}
	}
}

// causes are those that a problem of a code can have.
func causes(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{
		problem.CodePackInvalid:      constants(t, "../../pack/spec/errors.go", "Kind"),
		problem.CodeVMFailed:         {"monitor", "template", "busy", "guest", "not-ready", "not-found", "exists", "too-long"},
		problem.CodeShareFailed:      {"share", "mount", "closed", "too-many-open", "gone", "duplicate", "raced", "special"},
		problem.CodeFolderRefused:    constants(t, "../../vmhost/share/check.go", "Refused"),
		problem.CodeUndoWaits:        {"missing", "moved", "no-permission", "silent"},
		problem.CodeMoveRefused:      {"unfinished", "fixed", "busy"},
		problem.CodeFolderGone:       {"resume", "again"},
		problem.CodeFolderSilent:     {"resume", "again", "left"},
		problem.CodeFoldersFixed:     {"over", "planned"},
		problem.CodeNotAtWork:        {"over", "early", "planned"},
		problem.CodeNotResumable:     {"over", "no-plan", "password"},
		problem.CodeNotRepeatable:    {"password", "files", "input", "environment"},
		problem.CodeNoRoom:           {"computer", "settings", "now", "turn"},
		problem.CodeCancelled:        {"person", "closing", "caller-gone", "stopped"},
		problem.CodeKeychain:         {"missing", "too-long", "read-only", "damaged"},
		problem.CodePassphrase:       {"short"},
		problem.CodeNothingToFill:    {"pages"},
		problem.CodeLoginFailed:      {"refused", "unreachable", "cancelled", "none", "wrong", "expired", "denied", "timeout", "answer", "device", "domain", "port"},
		problem.CodeKeyInvalid:       {"provider", "address", "login"},
		problem.CodeTaskRunning:      {"provider", "model"},
		problem.CodeMoving:           {"moved"},
		problem.CodePackInUse:        {"task"},
		problem.CodeDiskFull:         {"host-disk-full", "folder-disk-full"},
		problem.CodeBootFailed:       {"start", "first-byte", "agent"},
		problem.CodeNoInstant:        {"start", "first-byte", "agent", "exited", "stalled", "agent-hung", "port-closed", "protocol", "guest-panic", "template"},
		problem.CodeEntryLeftOut:     {"outside", "link", "special", "name", "taken", "more"},
		problem.CodeAccelUnavailable: {"start", "first-byte", "agent"},
		problem.CodeModelFailed:      constants(t, "../gateway/errors.go", "Code"),
	}
	out[problem.CodeMoveRefused] = append(out[problem.CodeMoveRefused], constants(t, "../relocate/look.go", "Refused")...)
	for _, r := range constants(t, "../../vmhost/failure.go", "Reason") {
		if problem.From(&vmhost.FailedError{Reason: vmhost.Reason(r)}).Code == problem.CodeVMFailed {
			out[problem.CodeVMFailed] = append(out[problem.CodeVMFailed], r)
		}
	}
	for _, cause := range constants(t, "../setup/causes.go", "Cause") {
		if cause != "unexplained" { // says no more than the code
			out[problem.CodeAccelUnavailable] = append(out[problem.CodeAccelUnavailable], "kvm-"+cause)
		}
	}
	add := func(err error) {
		if p := problem.From(err); p.Cause != "" {
			out[p.Code] = append(out[p.Code], p.Cause)
		}
	}
	for _, kind := range constants(t, "../../pack/trust/channel/error.go", "Kind") {
		add(&channel.Error{Kind: channel.Kind(kind)})
	}
	for _, code := range constants(t, "../../pack/update/errors.go", "Code") {
		add(&update.Error{Code: update.Code(code)})
	}
	return out
}

// saysItAll are causes that say no more than their code.
var saysItAll = map[string]bool{"disk-full/disk-full": true, "update-not-offered/not-offered": true, "pack-too-new/needs-newer-form": true}

// The cause that a problem carries reaches the person: two causes of a code are never
// told in the same words, nor as if no cause were known.
func TestCauseReaches(t *testing.T) {
	all := causes(t)
	each(t, func(t *testing.T, c *Catalogue) {
		for code, causes := range all {
			told := map[string]string{}
			for _, cause := range append([]string{""}, causes...) {
				if saysItAll[code+"/"+cause] {
					continue
				}
				p := problem.Problem{Code: code, Cause: cause}
				if code == problem.CodeBootFailed { // as app/setup reports it
					p.Cause, p.Params = "tcg-broken", map[string]any{"stage": cause}
				}
				c.Problem(&p)
				said := p.Title + "\n" + p.Detail
				if before, twice := told[said]; twice && before != cause {
					t.Errorf("%s says the same for %q and %q: %q", code, before, cause, said)
				}
				told[said] = cause
			}
		}
	})
}

func TestCauseOfWhatIsInstalled(t *testing.T) {
	p := problem.Problem{Code: problem.CodePackCorrupt, Cause: "missing-file", Params: map[string]any{"file": "guest/vmlinux"}}
	if For("en").Problem(&p); !strings.Contains(p.Title, "installed") || !strings.Contains(p.Detail, "guest/vmlinux") {
		t.Errorf("%q %q", p.Title, p.Detail)
	}
	p = problem.Problem{Code: problem.CodeAccelUnavailable, Cause: "hvf-translated"}
	if For("en").Problem(&p); !strings.Contains(p.Title, "Intel") {
		t.Errorf("%q", p.Title)
	}
}

func TestFixes(t *testing.T) {
	fixes := []problem.Fix{{Code: problem.FixSlowMode}, {Code: problem.FixLoadKVM, Command: "sudo modprobe kvm_amd"}}
	p := problem.Problem{Code: problem.CodeAccelUnavailable, Cause: "kvm-held", Fix: fixes, Restart: problem.RestartSession,
		Params: map[string]any{"holder": "virtualbox", "slowMs": 1234.0, "blocked": "/etc/modprobe.d/x.conf"}}
	For("en").Problem(&p)
	if !strings.Contains(p.Title, "VirtualBox") || p.Then == "" || !strings.Contains(p.Fix[0].Title, "1.2 s") {
		t.Errorf("%+v", p)
	}
	if f := p.Fix[1]; len(f.Steps) != 2 || !strings.Contains(f.Steps[0], "x.conf") || f.Lead != "In a terminal:" {
		t.Errorf("%+v", f)
	}
	if fixes[0].Title != "" {
		t.Error("the words were written into what is stored")
	}
	p.Fix[0].Code = problem.FixFirmware
	if For("en").Problem(&p); p.Then != "" {
		t.Errorf("said twice: %q", p.Then)
	}
}

// What an administrator can do about AppArmor names the program that a profile is for; what
// other settings deny has no profile.
func TestSandboxFix(t *testing.T) {
	for reason, want := range map[vmhost.Reason]int{vmhost.ReasonSandboxAppArmor: 3, vmhost.ReasonSandboxClone: 1} {
		p := problem.From(&vmhost.FailedError{Runtime: vmhost.KindSandbox, Reason: reason})
		for _, language := range []string{"en", "de"} {
			For(language).Problem(p)
			f := p.Fix[0]
			if len(f.Steps) != want || !strings.Contains(f.Command, "sysctl") || p.Title == "" {
				t.Errorf("%s %s: %+v", language, reason, f)
			}
			program, _ := p.Params["program"].(string)
			if want > 1 && (program == "" || f.Steps[2] != `profile piwork "`+program+`" flags=(unconfined) { userns, }`) {
				t.Errorf("%s: %q", language, f.Steps)
			}
		}
	}
	p := problem.From(&vmhost.FailedError{Runtime: vmhost.KindSandbox, Reason: vmhost.ReasonSystem})
	if For("en").Problem(p); !strings.Contains(p.Detail, "Linux") {
		t.Errorf("%+v", p)
	}
}

func TestParameters(t *testing.T) {
	c := For("en")
	for _, tt := range []struct {
		value any
		want  string
	}{
		{"x", "x"}, {3.0, "3"}, {2.5, "2.5"}, {7, "7"}, {nil, ""}, {false, ""}, {true, "true"},
		{[]any{"p", "q"}, "p, q"}, {[]string{"p"}, "p"},
		{"/folders/Trip/b.jpg", "Trip/b.jpg"},
		{"{{.other}}", "{{.other}}"},
		{"x\x1b]0;evil\a", `x\x1b]0;evil\a`},
		{"a\u202egpj.exe", `a\u202egpj.exe`},
		{strings.Repeat("ä", 1000), strings.Repeat("ä", maxParam-1) + "…"},
		{map[string]any{"a": 1}, ""},
	} {
		if got := c.clean(map[string]any{"a": tt.value})["a"]; got != tt.want {
			t.Errorf("%v: %q, want %q", tt.value, got, tt.want)
		}
	}
	p := problem.Problem{Code: problem.CodeInputBroken, Params: map[string]any{"path": "/folders/Trip/b.jpg"}}
	if c.Problem(&p); p.Title != "“b.jpg” is damaged" {
		t.Errorf("%q", p.Title)
	}
	if c.WithPaths().Problem(&p); p.Title != "“Trip/b.jpg” is damaged" {
		t.Errorf("%q", p.Title)
	}
	for n, want := range map[string]string{"999": "999 B", "1234": "1.2 kB", "31000000": "31 MB", "x": "x"} {
		if got := c.bytes(n); got != want {
			t.Errorf("%s bytes: %q, want %q", n, got, want)
		}
	}
	if got := For("de").number("12431"); got != "12.431" {
		t.Errorf("%q", got)
	}
}

func TestLanguage(t *testing.T) {
	for header, want := range map[string]string{
		"": "en", "de": "de", "de-AT,en;q=0.5": "de", "fr": "en", "fr,de;q=0.4": "de", "en;q=0.3,de;q=0.2": "en",
		"*": "en", "rubbish;;q": "en", strings.Repeat("x", 5000): "en", "de;q=0": "en",
	} {
		if got := For(header).Language; got != want {
			t.Errorf("%.40q: %s, want %s", header, got, want)
		}
	}
	for _, tt := range []struct{ all, messages, lang, want string }{
		{"", "", "", "en"}, {"", "", "de_DE.UTF-8", "de"}, {"C", "", "de_DE.UTF-8", "en"}, {"", "de_AT@euro", "en_US.UTF-8", "de"},
		{"", "", "POSIX", "en"}, {"de", "en", "en", "de"}, {"", "", "C.UTF-8", "en"},
	} {
		env := map[string]string{"LC_ALL": tt.all, "LC_MESSAGES": tt.messages, "LANG": tt.lang}
		if got := ForTerminal(func(n string) string { return env[n] }, nil).Language; got != tt.want {
			t.Errorf("%v: %s", env, got)
		}
	}
	german := []string{"de-AT", "en-US"}
	if got := ForTerminal(func(string) string { return "" }, german).Language; got != "de" {
		t.Errorf("a German Windows: %s", got)
	}
	if got := ForTerminal(func(string) string { return "C" }, german).Language; got != "en" {
		t.Errorf("LC_ALL=C on a German Windows: %s", got)
	}
}

func FuzzAcceptLanguage(f *testing.F) {
	f.Add("de-AT,en;q=0.5")
	f.Add("*;q=\x00-----")
	f.Fuzz(func(t *testing.T, header string) {
		if c := For(header); !slices.Contains(Languages, c.Language) {
			t.Errorf("%q: %s", header, c.Language)
		}
	})
}

// Whatever parameters come from outside, words stay short and steer no terminal.
func FuzzProblem(f *testing.F) {
	f.Add("input-broken", "", "path", "/folders/a\x1b[2J\u202e")
	f.Add("pack-invalid", "extra-file", "file", "{{.}}")
	f.Fuzz(func(t *testing.T, code, cause, name, value string) {
		p := problem.Problem{Code: code, Cause: cause, Params: map[string]any{name: value, "list": []any{value, value}}}
		For("de").Problem(&p)
		if said := p.Title + p.Detail; p.Title == "" || len(said) > 20000 || said != Printable(said) {
			t.Errorf("%q", said)
		}
	})
}

// Every chore and every tool has words, and so has each of their parameters and choices.
func TestEveryChoreAndToolHasWords(t *testing.T) {
	whole := func(t *testing.T, of string, w tools.ParamWords, choices []string) {
		t.Helper()
		if w.Label == "" || len(w.Choices) != len(choices) {
			t.Errorf("%s: %+v for %v", of, w, choices)
		}
	}
	each(t, func(t *testing.T, c *Catalogue) {
		for _, i := range chore.All() {
			c.Chore(&i)
			if i.Title == "" || i.About == "" || i.Run == "" || len(i.Unit) != 2 || i.Unit["one"] == "" || i.Unit["other"] == "" {
				t.Errorf("%+v", i)
			}
			for _, p := range i.Params {
				whole(t, i.Name+" "+p.Name, p.Words, p.Choices)
			}
			for _, n := range []int{0, 1, 3} {
				p := chore.Plan{Chore: i.Name, Operations: make([]chore.Operation, n)}
				if c.Plan(&p); p.Summary == "" || p.Run == "" || p.Title != i.Title {
					t.Errorf("%s, %d: %+v", i.Name, n, p)
				}
			}
			named := task.Task{Kind: task.KindChore, Chore: i.Name, Title: i.Name + ": Trip", Folders: []task.Folder{{Name: "Trip"}}}
			if c.Task(&named); !strings.Contains(named.Called, "Trip") || strings.Contains(named.Called, i.Name) {
				t.Errorf("%q", named.Called)
			}
		}
		titles := map[string]bool{}
		sentence := regexp.MustCompile(`^\p{Lu}.*\.$`)
		for _, d := range tools.Catalogue() {
			c.Tool(&d)
			if d.Title == "" || d.Title == d.Name || titles[d.Title] || !sentence.MatchString(d.About) {
				t.Errorf("%+v", d)
			}
			titles[d.Title] = true
			properties, _ := d.Params["properties"].(map[string]any)
			for name, schema := range properties {
				whole(t, d.Name+" "+name, d.Words[name], choices(schema))
			}
		}
	})
}

// Folders that a plan removes are no files that it sorts.
func TestPlanCountsRemovals(t *testing.T) {
	moved, removed := chore.Operation{Effect: chore.EffectMove}, chore.Operation{Effect: chore.EffectDelete}
	want := map[string][]string{
		"en": {"2 files to sort, 1 empty folder to delete", "2 empty folders to delete", "Everything is tidy already"},
		"de": {"2 Dateien zu sortieren, 1 leerer Ordner zu löschen", "2 leere Ordner zu löschen", "Es ist schon alles aufgeräumt"},
	}
	each(t, func(t *testing.T, c *Catalogue) {
		for i, ops := range [][]chore.Operation{{moved, moved, removed}, {removed, removed}, nil} {
			p := chore.Plan{Chore: "cleanup-downloads", Operations: ops}
			if c.Plan(&p); p.Summary != want[c.Language][i] {
				t.Errorf("%q, want %q", p.Summary, want[c.Language][i])
			}
		}
	})
}

// A plan says what is downloaded for it.
func TestPlanSaysWhatIsOnline(t *testing.T) {
	want := map[string][]string{
		"en": {"1 of these files (2 kB) is only online. piwork downloads it when it is read.", "1,200 of these files (5 GB) are only online. piwork downloads those that are read."},
		"de": {"1 dieser Dateien (2 kB) ist nur online. piwork lädt sie herunter, wenn sie gelesen wird.", "1.200 dieser Dateien (5 GB) sind nur online. piwork lädt die herunter, die gelesen werden."},
	}
	each(t, func(t *testing.T, c *Catalogue) {
		for i, o := range []chore.Online{{Files: 1, Bytes: 2000}, {Files: 1200, Bytes: 5e9}} {
			p := chore.Plan{Chore: "cleanup-downloads", Online: &o}
			if c.Plan(&p); strings.ReplaceAll(p.Online.Note, "\u00a0", " ") != want[c.Language][i] || o.Note != "" {
				t.Errorf("%q, want %q", p.Online.Note, want[c.Language][i])
			}
		}
	})
}

// Words of a chore or a tool that there is no more, or of a parameter that it has not, go with it.
func TestNoWordsAreLeftOver(t *testing.T) {
	known := map[string]bool{}
	for _, i := range chore.All() {
		known["chore."+i.Name] = true
		for _, p := range i.Params {
			known["chore."+i.Name+".param."+p.Name], known["chore-param."+p.Name] = true, true
		}
	}
	for _, d := range tools.Catalogue() {
		known["tool."+d.Name] = true
		properties, _ := d.Params["properties"].(map[string]any)
		for name := range properties {
			known["tool."+d.Name+".param."+name], known["tool-param."+name] = true, true
		}
	}
	of := regexp.MustCompile(`^(?:(chore\.[^.]+|tool\.\w+\.\w+)(?:\.param\.\w+)?|(?:chore|tool)-param\.\w+)`)
	for id := range all(t, For("en")) {
		if of := of.FindString(id); of != "" && !known[of] {
			t.Errorf("words for nothing: %s", id)
		}
	}
}

// Who is refused for what was required learns what to do: the command is one that explains it.
func TestRequired(t *testing.T) {
	for want, params := range map[string]map[string]any{
		"piwork runtime explain --requires tools":            {"lacks": "tools"},
		"piwork runtime explain --requires hardware":         {"lacks": "isolation", "atLeast": "hardware"},
		`piwork runtime explain --requires "vm, remote:lab"`: {"lacks": "kind", "kinds": "vm, remote:lab"},
		"piwork task again 0190 --runtime KIND":              {"lacks": "tools", "task": "0190"},
		"it then computes on the processor":                  {"lacks": "gpu", "task": "0190"},
	} {
		p := problem.Problem{Code: problem.CodeRuntimeUnfit, Cause: problem.CauseRequired, Params: params}
		For("en").Problem(&p)
		if !strings.HasSuffix(strings.TrimSuffix(p.Detail, "."), want) {
			t.Errorf("%s, not %s", p.Detail, want)
		}
	}
}
