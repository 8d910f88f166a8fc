package guard_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
)

// person answers questions by a script and keeps them.
type person struct {
	mu     sync.Mutex
	asked  []vmhost.Question
	answer func(q vmhost.Question) (answer, scope string)
}

func (p *person) ask(_ context.Context, q vmhost.Question, _ <-chan vmhost.Question) (guard.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, q)
	a, s := p.answer(q)
	return guard.Answer{Decision: vmhost.Decision{Answer: a, Scope: s}}, nil
}

func always(answer, scope string) func(vmhost.Question) (string, string) {
	return func(vmhost.Question) (string, string) { return answer, scope }
}

func newGuard(t *testing.T, p guard.Policy, who *person) *guard.Guard {
	t.Helper()
	g := guard.New(p, guard.Options{Task: "t", Ask: who.ask, Window: time.Millisecond})
	t.Cleanup(g.Close)
	g.Folder("f", "Pictures", 1000)
	return g
}

// settle is what a front end does.
func settle(ctx context.Context, g *guard.Guard, list ...guard.Intent) error {
	for {
		_, err := g.Take(list...)
		var w *guard.Wait
		if !errors.As(err, &w) {
			return err
		}
		if err := w.Wait(ctx); err != nil {
			return err
		}
	}
}

var last uint64

// file is an original that a change is of.
func file(e guard.Effect, path string) guard.Intent {
	last++
	return guard.Intent{Folder: "f", Path: path, Effect: e, Kind: at.File, ID: at.ID{Ino: last}, Original: true}
}

func with(i guard.Intent, change func(*guard.Intent)) guard.Intent {
	change(&i)
	return i
}

func made(i *guard.Intent)    { i.Original = false }
func dir(i *guard.Intent)     { i.Kind = at.Directory }
func program(i *guard.Intent) { i.Program = true }
func link(i *guard.Intent)    { i.Kind = at.Symlink }
func below(n int) func(*guard.Intent) {
	return func(i *guard.Intent) { i.Made = n }
}
func to(p string) func(*guard.Intent) {
	return func(i *guard.Intent) { i.To = p }
}

// Each case is one change in a new task: which question it is, "" for none.
func TestWhatIsAsked(t *testing.T) {
	d, c, o, m, n := guard.Delete, guard.Change, guard.Overwrite, guard.Move, guard.Create
	for _, x := range []struct {
		what           string
		i              guard.Intent
		agent, command string
	}{
		{"delete an original", file(d, "a.jpg"), "delete", ""},
		{"delete what it made", with(file(d, "a.jpg"), made), "", ""},
		{"change an original", file(c, "a.txt"), "", ""},
		{"overwrite an original", file(o, "a.txt"), "", ""},
		{"rename an original", with(file(m, "a.txt"), to("b.txt")), "", ""},
		{"delete a hidden file", file(d, ".a"), "hidden", ""},
		{"change a hidden file", file(c, "x/.a"), "hidden", ""},
		{"change below a hidden directory", file(c, ".a/b/c"), "hidden", ""},
		{"make a hidden file", file(n, ".a"), "", ""},
		{"change a program", with(file(c, "run"), program), "programs", ""},
		{"change its own program", with(with(file(c, "run"), program), made), "", ""},
		{"add to git's objects", file(n, ".git/objects/ab/cd"), "", ""},
		{"change git's index", file(o, "x/.git/index"), "git", ""},
		{"delete from git", file(d, ".git/objects/ab/cd"), "git", ""},
		{"a new git hook", file(n, ".git/hooks/post-commit"), "startup", "startup"},
		{"a new git hook in its own clone", with(file(n, "clone/.git/hooks/post-commit"), below(3)), "", ""},
		{"a new git hook, all of git its own", with(file(n, "clone/.git/hooks/post-commit"), below(2)), "startup", "startup"},
		{"a new git hook, git its own at the top", with(file(n, ".git/hooks/post-commit"), below(2)), "startup", "startup"},
		{"a task of an editor, its directory its own", with(file(n, "a/b/.vscode/tasks.json"), below(1)), "startup", "startup"},
		{"a task of an editor in a project of its own", with(file(n, "a/b/.vscode/tasks.json"), below(2)), "", ""},
		{"what starts with the session, both directories its own", with(file(n, ".config/autostart/x"), below(2)), "startup", "startup"},
		{"a link in the place of git", with(file(n, ".git"), link), "startup", "startup"},
		{"a link in the place of hooks", with(with(file(n, "clone/.git/hooks"), link), below(1)), "startup", "startup"},
		{"a link in a clone of its own", with(with(file(n, "clone/.git/hooks"), link), below(2)), "", ""},
		{"a link elsewhere", with(file(n, "latest"), link), "", ""},
		{"a link in the place of a directory that was there", with(file(n, "latest"), func(i *guard.Intent) { i.Kind, i.Instead = at.Symlink, true }), "startup", "startup"},
		{"a person's link becomes git", with(with(file(m, "x"), link), to(".git")), "startup", "startup"},
		{"a git hook, with a character that nobody sees", file(n, ".g\u200cit/hooks/post-commit"), "startup", "startup"},
		{"keys, with a letter that folds", file(n, ".\u017fsh/authorized_keys"), "startup", "startup"},
		{"a git hook, upper case", file(n, ".GIT/Hooks/post-commit"), "startup", "startup"},
		{"a git hook, Windows' spelling", file(n, ".git./hooks /post-commit"), "startup", "startup"},
		{"git's configuration", file(c, "deep/in/a/.git/config"), "startup", "startup"},
		{"a file called config", file(c, "config"), "", ""},
		{"git's hooks away", with(with(file(m, ".git/hooks"), dir), to("h")), "startup", "startup"},
		{"all of git away", with(with(file(m, ".git"), dir), to("g")), "startup", "startup"},
		{"a directory that holds git", with(with(file(m, "project"), dir), to("p")), "", ""},
		{"something becomes a hook", with(file(m, "a.txt"), to(".git/hooks/pre-push")), "startup", "startup"},
		{"its own directory arrives as hooks", with(with(file(n, ".git/hooks"), dir), func(*guard.Intent) {}), "startup", "startup"},
		{"its own directory arrives as .git", with(file(n, ".git"), dir), "startup", "startup"},
		{"a directory .git is made", guard.Intent{Folder: "f", Path: ".git", Effect: n, Original: true}, "", ""},
		{"a start file", file(n, ".bashrc"), "startup", "startup"},
		{"a start file of its own", with(file(n, "sub/.bashrc"), below(1)), "", ""},
		{"a shortcut", file(n, "Photos.LNK"), "startup", "startup"},
		{"keys", file(c, ".ssh/authorized_keys"), "startup", "startup"},
		{"a link that goes around a rule", with(file(c, ".git/config"), to("x")), "startup", "startup"},
	} {
		for name, p := range map[string]guard.Policy{"agent": guard.ForAgents, "command": guard.ForCommands} {
			want := map[string]string{"agent": x.agent, "command": x.command}[name]
			who := &person{answer: always("deny", "task")}
			g := newGuard(t, p, who)
			err := settle(t.Context(), g, x.i)
			got := ""
			if len(who.asked) > 0 {
				got = who.asked[0].Text.Params["topic"].(string)
			}
			if got != want || errors.Is(err, guard.ErrDenied) != (want != "") {
				t.Errorf("%s, %s: %q %v, want %q", name, x.what, got, err, want)
			}
			e := x.i.Effect
			if x.i.Kind == at.Directory {
				e = guard.Move | guard.Overwrite // nothing else brings a directory
			}
			if g.Idle("f", e, x.i.Kind, x.i.Path, x.i.To) && want != "" {
				t.Errorf("%s, %s: of no interest", name, x.what)
			}
		}
	}
}

// A script deletes 50 originals, one after the other.
func TestMany(t *testing.T) {
	for _, x := range []struct {
		what          string
		files         int // in the folder
		answer, scope string
		done, asked   int
	}{
		{"allowed for the task", 1000, "allow", "task", 50, 1},
		{"allowed for this time", 1000, "allow", "once", 50, 1},
		{"allowed in the folder", 1000, "allow", "folder", 50, 1},
		{"refused", 1000, "deny", "task", 5, 1},
		{"refused each time", 1000, "deny", "once", 5, 3},
		{"a folder of six", 6, "deny", "task", 3, 1},
		{"a folder of two", 2, "deny", "task", 2, 1},
	} {
		who := &person{answer: always(x.answer, x.scope)}
		g := newGuard(t, guard.ForCommands, who)
		g.Folder("f", "F", x.files)
		done := 0
		for i := range 50 {
			if settle(t.Context(), g, file(guard.Delete, fmt.Sprintf("%d.jpg", i))) == nil {
				done++
			}
		}
		if done != x.done || len(who.asked) != x.asked {
			t.Errorf("%s: %d done, asked %d times", x.what, done, len(who.asked))
		}
		q := who.asked[0]
		if q.Kind != vmhost.AskMassChange || q.Text.Code != "guard-delete-many" || q.Text.Params["next"] != 100 || q.Text.Params["done"] != min(x.files/2, 5)+max(0, 2-x.files/2) {
			t.Errorf("%s: %+v", x.what, q)
		}
	}
}

// What failed is not counted, and the same file is counted once.
func TestCount(t *testing.T) {
	who := &person{answer: always("deny", "task")}
	g := newGuard(t, guard.Policy{Deletes: guard.Limit{Free: 2}, Changes: guard.Limit{Free: 2}}, who)
	for range 10 {
		back, err := g.Take(file(guard.Delete, "x"))
		if err != nil {
			t.Fatal(err)
		}
		back()
	}
	same := file(guard.Change, "same")
	for range 10 {
		if err := settle(t.Context(), g, same); err != nil {
			t.Fatal(err)
		}
	}
	// A second name of the same file is the same file.
	if err := settle(t.Context(), g, with(same, func(i *guard.Intent) { i.Path = "link" }), file(guard.Change, "b")); err != nil {
		t.Fatal(err)
	}
	if err := settle(t.Context(), g, file(guard.Change, "c")); !errors.Is(err, guard.ErrDenied) {
		t.Error(err)
	}
	// Of changes made together all are counted or none.
	other := file(guard.Delete, "d")
	if err := settle(t.Context(), g, other, file(guard.Change, "e")); !errors.Is(err, guard.ErrDenied) {
		t.Error(err)
	}
	for _, i := range []guard.Intent{file(guard.Delete, "1"), file(guard.Delete, "2")} {
		if err := settle(t.Context(), g, i); err != nil {
			t.Error(err)
		}
	}
}

func TestPrecedence(t *testing.T) {
	rules := []guard.Rule{
		{Name: "never", Globs: []string{"never/**"}, Effects: guard.Any, Verdict: guard.Deny},
		{Name: "fine", Globs: []string{"fine/**"}, Effects: guard.Any, Verdict: guard.Allow},
		{Name: "ask", Globs: []string{"ask/**", "never/**"}, Effects: guard.Any, Verdict: guard.Ask},
	}
	plan := []guard.Grant{
		{Folder: "f", Path: "planned", Effect: guard.Delete}, {Folder: "f", Path: "never/planned", Effect: guard.Delete},
		{Folder: "f", Path: "ask/planned", Effect: guard.Delete}, {Folder: "f", Path: "old", To: "new", Effect: guard.Move},
		{Folder: "f", Path: "changed", Effect: guard.Change},
	}
	for _, x := range []struct {
		what     string
		i        guard.Intent
		standing []guard.Standing
		answer   string // of the person, "" when nobody is asked
		ok       bool
	}{
		{"a rule refuses, whatever was decided", file(guard.Delete, "never/x"), []guard.Standing{{"never", "", true}, {"ask", "", true}, {"delete", "", true}}, "", false},
		{"a rule refuses, whatever was planned", file(guard.Delete, "never/planned"), nil, "", false},
		{"planned", file(guard.Delete, "planned"), []guard.Standing{{"delete", "", false}}, "", true},
		{"planned, in another folder", with(file(guard.Delete, "planned"), func(i *guard.Intent) { i.Folder = "g" }), nil, "deny", false},
		{"planned, with another effect", file(guard.Overwrite, "planned"), nil, "deny", false},
		{"planned to be changed", file(guard.Overwrite, "changed"), nil, "", true},
		{"planned where a rule asks", file(guard.Delete, "ask/planned"), nil, "", true},
		{"a planned move", with(file(guard.Move, "old"), to("new")), nil, "", true},
		{"a move to somewhere else", with(file(guard.Move, "old"), to("newer")), nil, "deny", false},
		{"a rule allows", file(guard.Delete, "fine/x"), []guard.Standing{{"fine", "", false}}, "", true},
		{"for all", file(guard.Delete, "x"), []guard.Standing{{"delete", "", true}}, "", true},
		{"for the folder before for all", file(guard.Delete, "x"), []guard.Standing{{"delete", "", true}, {"delete", "f", false}}, "", false},
		{"another folder", file(guard.Delete, "x"), []guard.Standing{{"delete", "g", true}}, "deny", false},
		{"another topic", file(guard.Delete, "ask/x"), []guard.Standing{{"delete", "", true}}, "allow", true},
		{"nothing said", file(guard.Delete, "x"), nil, "allow", true},
	} {
		who := &person{answer: always(x.answer, "once")}
		g := newGuard(t, guard.Policy{Rules: rules, Plan: plan}, who)
		g.SetStanding(x.standing)
		err := settle(t.Context(), g, x.i)
		if (err == nil) != x.ok || (len(who.asked) > 0) != (x.answer != "") {
			t.Errorf("%s: %v, asked %d times", x.what, err, len(who.asked))
		}
	}
}

// asking are written rules that ask: about what is below a folder that is called as they are.
type asking []string

func (asking) Concerned() bool { return true }

func (a asking) Decide(i guard.Intent) (v guard.Verdict, ask []string) {
	v = guard.Allow
	for _, name := range a {
		if strings.HasPrefix(i.Path, name+"/") || strings.HasPrefix(i.To, name+"/") {
			v, ask = guard.Ask, append(ask, name)
		}
	}
	return v, ask
}

// Each rule that asks is answered, and a yes for once to a file is to no move of it that was not
// shown.
func TestEachWrittenRuleIsAnswered(t *testing.T) {
	who := &person{answer: always("allow", "once")}
	g := guard.New(guard.Policy{}, guard.Options{Task: "t", Ask: who.ask, Window: time.Millisecond, Over: asking{"In", "Out"}})
	t.Cleanup(g.Close)
	a := file(guard.Change, "In/a")
	move := func(path string) guard.Intent {
		return with(with(a, to(path)), func(i *guard.Intent) { i.Effect = guard.Move })
	}
	for n, x := range []struct {
		i     guard.Intent
		asked string
	}{
		{a, "In"}, {a, ""}, {move("In/b"), "In"}, {move("In/b"), ""}, {move("In/c"), "In"}, {move("Out/a"), "In Out"}, {move("Out/a"), ""}, {with(file(guard.Change, "Other/a"), made), ""},
	} {
		who.asked = nil
		if err := settle(t.Context(), g, x.i); err != nil {
			t.Fatal(n, err)
		}
		var asked []string
		for _, q := range who.asked {
			asked = append(asked, fmt.Sprint(q.Text.Params["topic"]))
		}
		if got := strings.Join(asked, " "); got != x.asked {
			t.Errorf("%d: %s → %s asks %q, want %q", n, x.i.Path, x.i.To, got, x.asked)
		}
	}
	who.answer = func(q vmhost.Question) (string, string) {
		if q.Text.Params["topic"] == "Out" {
			return "deny", "once"
		}
		return "allow", "once"
	}
	if err := settle(t.Context(), g, move("Out/b")); !errors.Is(err, guard.ErrDenied) {
		t.Errorf("one rule was refused: %v", err)
	}
}

// A decision of the task comes before those from before, and can be taken back.
func TestDecisions(t *testing.T) {
	who := &person{answer: always("deny", "task")}
	g := newGuard(t, guard.Policy{}, who)
	e := g.Epoch()
	if err := settle(t.Context(), g, file(guard.Delete, "a")); !errors.Is(err, guard.ErrDenied) {
		t.Fatal(err)
	}
	if g.Epoch() == e {
		t.Error("the epoch is the same after a decision")
	}
	g.SetStanding([]guard.Standing{{"delete", "", true}})
	if err := settle(t.Context(), g, file(guard.Delete, "b")); !errors.Is(err, guard.ErrDenied) {
		t.Error(err)
	}
	g.Forget("delete", "")
	if err := settle(t.Context(), g, file(guard.Delete, "c")); err != nil {
		t.Error(err)
	}
	g.SetStanding(nil)
	if err := settle(t.Context(), g, file(guard.Delete, "d")); !errors.Is(err, guard.ErrDenied) {
		t.Error(err)
	}
	if len(who.asked) != 2 {
		t.Errorf("asked %d times", len(who.asked))
	}
}

// A decision for once is of the file that was shown, not of its name.
func TestOnceIsOfTheFile(t *testing.T) {
	who := &person{answer: always("allow", "once")}
	g := newGuard(t, guard.Policy{}, who)
	shown, other := file(guard.Delete, "a"), file(guard.Delete, "a")
	_, err := g.Take(shown)
	if w, is := errors.AsType[*guard.Wait](err); !is || w.Wait(t.Context()) != nil {
		t.Fatal(err)
	}
	who.answer = always("deny", "once")
	if err := settle(t.Context(), g, other); !errors.Is(err, guard.ErrDenied) {
		t.Errorf("another file of that name: %v", err)
	}
	if err := settle(t.Context(), g, shown); err != nil {
		t.Error(err)
	}
}

// What comes while a question is open joins it, is shown, and is covered as far as
// the person saw it.
func TestBatch(t *testing.T) {
	const n = 300
	asked := make(chan (<-chan vmhost.Question), 8)
	answer := make(chan guard.Answer)
	open, most := 0, 0
	var mu sync.Mutex
	ask := func(ctx context.Context, _ vmhost.Question, more <-chan vmhost.Question) (guard.Answer, error) {
		mu.Lock()
		open++
		most = max(most, open)
		mu.Unlock()
		defer func() {
			mu.Lock()
			open--
			mu.Unlock()
		}()
		asked <- more
		select {
		case a := <-answer:
			return a, nil
		case <-ctx.Done():
			return guard.Answer{}, ctx.Err()
		}
	}
	g := guard.New(guard.Policy{}, guard.Options{Task: "t", Ask: ask, Window: time.Millisecond})
	defer g.Close()
	g.Folder("f", "F", 1)
	var waits []*guard.Wait
	add := func() {
		_, err := g.Take(file(guard.Delete, fmt.Sprintf("file %d", len(waits))))
		var w *guard.Wait
		if !errors.As(err, &w) {
			t.Fatal(err)
		}
		waits = append(waits, w)
	}
	add()
	more := <-asked
	for len(waits) < n {
		add()
	}
	// The person sees the last of what came, and answers for 200 of them.
	q := <-more
	for q.Text.Params["count"] != n {
		q = <-more
	}
	if len(q.Items) != guard.MaxItems || q.Items[1] != "file 1" {
		t.Errorf("%d items", len(q.Items))
	}
	answer <- guard.Answer{Decision: vmhost.Decision{Answer: "deny", Scope: "once"}, Seen: 200}
	for i, w := range waits {
		if err := w.Wait(t.Context()); errors.Is(err, guard.ErrDenied) != (i < 200) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if most != 1 {
		t.Errorf("%d questions at a time", most)
	}
}

// Nobody waits any more: the question is taken back.
func TestWithdrawn(t *testing.T) {
	gone := make(chan struct{})
	began := make(chan struct{})
	g := guard.New(guard.Policy{}, guard.Options{Task: "t", Window: time.Millisecond, Ask: func(ctx context.Context, _ vmhost.Question, _ <-chan vmhost.Question) (guard.Answer, error) {
		close(began)
		<-ctx.Done()
		close(gone)
		return guard.Answer{}, ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := g.Take(file(guard.Delete, "x"))
	var w *guard.Wait
	if !errors.As(err, &w) {
		t.Fatal(err)
	}
	<-began
	cancel()
	if err := w.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-gone
	g.Close()
	if _, err := g.Take(file(guard.Delete, "x")); !errors.Is(err, guard.ErrDenied) {
		t.Errorf("after Close: %v", err)
	}
}

// One who waits gives up; another change of the same sort comes in that moment,
// when the question cannot be answered any more. Nobody said no to it: it is asked
// about anew.
func TestJoinWhatIsTakenBack(t *testing.T) {
	asked, gone, release := make(chan struct{}, 2), make(chan struct{}), make(chan struct{})
	first := true
	g := guard.New(guard.Policy{}, guard.Options{Task: "t", Window: time.Millisecond, Ask: func(ctx context.Context, q vmhost.Question, _ <-chan vmhost.Question) (guard.Answer, error) {
		asked <- struct{}{}
		if !first {
			if len(q.Items) != 1 || q.Items[0] != "second" {
				t.Errorf("asked about %q", q.Items)
			}
			return guard.Answer{Decision: vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}}, nil
		}
		first = false
		<-ctx.Done()
		close(gone)
		<-release // taking a question back from a window takes a moment
		return guard.Answer{}, ctx.Err()
	}})
	defer g.Close()
	wait := func(path string) *guard.Wait {
		t.Helper()
		_, err := g.Take(file(guard.Delete, path))
		var w *guard.Wait
		if !errors.As(err, &w) {
			t.Fatal(err)
		}
		return w
	}
	ctx, cancel := context.WithCancel(t.Context())
	one := wait("first")
	<-asked
	cancel()
	if err := one.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-gone
	two := wait("second")
	close(release)
	if err := two.Wait(t.Context()); err != nil {
		t.Fatalf("nobody was asked about the second: %v", err)
	}
	<-asked
}

// Close ends what waits, and nobody to ask is a refusal.
func TestClose(t *testing.T) {
	block := func(ctx context.Context, _ vmhost.Question, _ <-chan vmhost.Question) (guard.Answer, error) {
		<-ctx.Done()
		return guard.Answer{}, ctx.Err()
	}
	for _, window := range []time.Duration{time.Millisecond, time.Hour} {
		g := guard.New(guard.Policy{}, guard.Options{Ask: block, Window: window})
		_, err := g.Take(file(guard.Delete, "x"))
		var w *guard.Wait
		if !errors.As(err, &w) {
			t.Fatal(err)
		}
		go g.Close()
		if err := w.Wait(t.Context()); !errors.Is(err, guard.ErrDenied) {
			t.Error(err)
		}
		g.Close()
	}
	g := guard.New(guard.Policy{}, guard.Options{})
	defer g.Close()
	if err := settle(t.Context(), g, file(guard.Delete, "x")); !errors.Is(err, guard.ErrDenied) {
		t.Error(err)
	}
}

// A guest floods from many hands: questions stay few and short.
func TestFlood(t *testing.T) {
	who := &person{answer: always("deny", "once")}
	g := newGuard(t, guard.ForAgents, who)
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := func(e guard.Effect) guard.Intent {
		mu.Lock()
		defer mu.Unlock()
		return file(e, "."+strings.Repeat("n", 200)+"\xff")
	}
	for range 50 {
		wg.Go(func() {
			for range 40 {
				if err := settle(t.Context(), g, next(guard.Delete)); !errors.Is(err, guard.ErrDenied) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(who.asked) > 3 {
		t.Errorf("asked %d times", len(who.asked))
	}
	for _, q := range who.asked {
		if len(q.Items) > guard.MaxItems {
			t.Errorf("%d items", len(q.Items))
		}
	}
}

func BenchmarkTake(b *testing.B) {
	g := guard.New(guard.ForCommands, guard.Options{})
	defer g.Close()
	g.Folder("f", "F", 1000)
	own := with(file(guard.Delete, "a/b/c.txt"), made)
	b.Run("idle", func(b *testing.B) {
		for b.Loop() {
			g.Idle("f", guard.Create, at.Unknown, "a/b/c.txt")
		}
	})
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			_, _ = g.Take(own)
		}
	})
}
