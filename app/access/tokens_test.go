package access

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/audit/audittest"
	"piwork/app/problem"
	"piwork/app/task"
)

// clock is a time that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }
func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func openTokens(t *testing.T, dir string, c *clock) *TokenList {
	t.Helper()
	l, err := OpenTokens(dir, audittest.Open(t), nil, c.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func create(t *testing.T, l *TokenList, r TokenRequest) NewToken {
	t.Helper()
	made, err := l.CreateToken(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// A token is known by its secret until it is revoked or its time is over, also after a
// restart; its secret is written nowhere.
func TestTokens(t *testing.T) {
	dir, c := t.TempDir(), &clock{now: time.Date(2026, 5, 1, 12, 30, 0, 0, time.UTC)}
	l, a, b := openTokens(t, dir, c), t.TempDir(), t.TempDir()
	one := create(t, l, TokenRequest{Name: "one", Scopes: []Scope{Tools, Read, Tools}, Days: 2})
	two := create(t, l, TokenRequest{Name: "two", Scopes: []Scope{Tasks}, Folders: []task.FolderRequest{{Path: a + "/../" + filepath.Base(a)}, {Path: b, Mode: task.ModeReview}}})
	if got := one.Scopes; len(got) != 2 || got[0] != Read || !two.Expires.Equal(c.now.AddDate(0, 0, usualDays)) {
		t.Errorf("%v %v", got, two.Expires)
	}
	if f := two.Folders; f[0] != (task.FolderRequest{Path: a, Mode: task.ModeReadOnly}) {
		t.Errorf("folders %v", f)
	}
	text, err := os.ReadFile(filepath.Join(dir, tokensName))
	if err != nil || strings.Contains(string(text), strings.TrimPrefix(one.Secret, secretStart)) {
		t.Errorf("the file: %v\n%s", err, text)
	}
	l = openTokens(t, dir, c)
	who, ok := l.Client(one.Secret)
	if !ok || who.Name != "one" || !who.May(Read) || who.May(Tasks) || who.May(Manage) {
		t.Errorf("%+v %v", who, ok)
	}
	for _, wrong := range []string{"", secretStart, one.Secret + "x", one.Secret[:len(one.Secret)-1], strings.ToUpper(one.Secret), one.ID, "one"} {
		if _, ok := l.Client(wrong); ok {
			t.Errorf("%q is a token", wrong)
		}
	}
	ctx, done := who.Context(t.Context())
	defer done()
	if own, err := l.OwnToken(ctx); err != nil || own.ID != one.ID {
		t.Errorf("its token is %v, %v", own, err)
	}
	if _, err := l.OwnToken(t.Context()); problem.From(err).Code != problem.CodeNotFound {
		t.Errorf("the person's: %v", err)
	}
	c.pass(48 * time.Hour)
	if _, ok := l.Client(one.Secret); ok {
		t.Error("it is valid after its time")
	}
	if _, ok := l.Client(two.Secret); !ok {
		t.Error("the other one is not valid")
	}
	if ctx.Err() != nil || ClientOf(ctx) != who {
		t.Error("a request has ended too early, or is of nobody") // the real time has not passed
	}
	if err := l.RevokeToken(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
		if p := problem.From(context.Cause(ctx)); p.Code != problem.CodeUnauthorized || p.Cause != "ended" {
			t.Errorf("who waited hears %v", p)
		}
	case <-time.After(time.Minute):
		t.Error("a request of a token that was revoked goes on")
	}
	if err := l.RevokeToken(t.Context(), two.ID); err != nil {
		t.Error(err)
	}
	if again := create(t, l, TokenRequest{Name: "one", Scopes: []Scope{Read}}); again.Client() == one.Client() {
		t.Error("a new token of the same name is the same client")
	} else if err := l.RevokeToken(t.Context(), again.ID); err != nil {
		t.Error(err)
	}
	if all, err := l.Tokens(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%v %v", all, err)
	}
	var p *problem.Problem
	if err := l.RevokeToken(t.Context(), "one"); !errors.As(err, &p) || p.Code != problem.CodeNotFound {
		t.Error(err)
	}
}

// used is a client of a token that is valid, and a request of it.
func used(t *testing.T, l *TokenList, secret string) context.Context {
	t.Helper()
	c, ok := l.Client(secret)
	if !ok {
		t.Fatal("the token is not valid")
	}
	ctx, done := c.Context(t.Context())
	t.Cleanup(done)
	return ctx
}

// ended tells whether a token is of no use any more, nor a request of it.
func ended(request context.Context, l *TokenList, secret string) bool {
	_, valid := l.Client(secret)
	<-request.Done() // else the test ends
	return !valid
}

// A token is revoked at once while the data moves. Who did that is in the audit log of the data when it
// has moved.
func TestRevokedWhileTheDataMoves(t *testing.T) {
	dir, log, moving := t.TempDir(), audittest.Open(t), false
	open := func() *TokenList {
		l, err := OpenTokens(dir, log, func(ctx context.Context) (context.Context, func(), error) {
			if moving {
				return nil, nil, problem.New(problem.CodeMoving)
			}
			return ctx, func() {}, nil
		}, time.Now, nil)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := open()
	made := create(t, l, TokenRequest{Name: "ci", Scopes: []Scope{Read}})
	request := used(t, l, made.Secret)
	moving = true
	if err := l.RevokeToken(t.Context(), "ci"); err != nil {
		t.Fatal(err)
	}
	if !ended(request, l, made.Secret) {
		t.Error("it is valid")
	}
	want := []string{"token/" + made.Client() + " created person"}
	if got := audittest.Decisions(t, log); !slices.Equal(got, want) {
		t.Errorf("recorded %q while the data moves", got)
	}
	moving = false
	want = append(want, "token/"+made.Client()+" revoked person")
	for range 2 {
		if _, valid := open().Client(made.Secret); valid {
			t.Error("it is valid when the program starts anew")
		}
		if got := audittest.Decisions(t, log); !slices.Equal(got, want) {
			t.Errorf("recorded %q", got)
		}
	}
}

// A token whose end cannot be written is revoked all the same, until the program ends; that is said.
func TestRevokedWhereNothingCanBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "settings")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l := openTokens(t, dir, &clock{now: time.Now()})
	made := create(t, l, TokenRequest{Name: "ci", Scopes: []Scope{Read}})
	request := used(t, l, made.Secret)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if p := problem.From(l.RevokeToken(t.Context(), "ci")); p.Code != problem.CodeTokenUnwritten || p.Params["name"] != "ci" {
		t.Errorf("%v", p)
	}
	if !ended(request, l, made.Secret) {
		t.Error("it is valid")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	err := l.RevokeToken(t.Context(), "ci")
	if all, lerr := l.Tokens(t.Context()); err != nil || lerr != nil || len(all) != 0 {
		t.Errorf("%+v, %v, %v", all, err, lerr)
	}
}

// When a token was used last is kept to the hour, and costs no more than one write in it.
func TestTokenUsed(t *testing.T) {
	dir, c := t.TempDir(), &clock{now: time.Date(2026, 5, 1, 12, 30, 0, 0, time.UTC)}
	l := openTokens(t, dir, c)
	secret := create(t, l, TokenRequest{Name: "one", Scopes: []Scope{Read}}).Secret
	for _, want := range []string{"12:00", "12:00", "13:00", "23:00"} {
		if want == "23:00" {
			c.pass(10 * time.Hour)
		}
		l.Client(secret)
		all, _ := l.Tokens(t.Context())
		if used := all[0].Used; used == nil || used.Format("15:04") != want {
			t.Errorf("%v, want %s", used, want)
		}
		c.pass(29 * time.Minute)
	}
}

// What is no token that can be made.
func TestNoToken(t *testing.T) {
	l, dir := openTokens(t, t.TempDir(), &clock{now: time.Now()}), t.TempDir()
	below, link := filepath.Join(dir, "below"), filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Mkdir(below, 0o700), os.Symlink(dir, link)); err != nil {
		t.Fatal(err)
	}
	create(t, l, TokenRequest{Name: "there", Scopes: []Scope{Manage}})
	for name, row := range map[string]struct {
		r    TokenRequest
		code string
	}{
		"a name that is there": {TokenRequest{Name: "there"}, problem.CodeTokenName},
		"no absolute path":     {TokenRequest{Name: "a", Folders: []task.FolderRequest{{Path: "x"}}}, problem.CodeBadRequest},
		"a path with a zero":   {TokenRequest{Name: "a", Folders: []task.FolderRequest{{Path: "/x\x00"}}}, problem.CodeBadRequest},
		"another mode":         {TokenRequest{Name: "a", Folders: []task.FolderRequest{{Path: dir, Mode: "rwx"}}}, problem.CodeBadRequest},
		"a folder that is not": {TokenRequest{Name: "a", Folders: []task.FolderRequest{{Path: dir + "/x"}}}, problem.CodeFolderRefused},
		"a whole disk":         {TokenRequest{Name: "a", Folders: []task.FolderRequest{{Path: "/"}}}, problem.CodeFolderRefused},
		"a folder in another":  {TokenRequest{Name: "a", Folders: []task.FolderRequest{{Path: below}, {Path: dir}}}, problem.CodeFolderOverlap},
		"the same by a link":   {TokenRequest{Name: "a", Folders: []task.FolderRequest{{Path: dir}, {Path: link}}}, problem.CodeFolderOverlap},
		"a folder twice":       {TokenRequest{Name: "a", Folders: []task.FolderRequest{{Path: dir}, {Path: dir + "/", Mode: "rw"}}}, problem.CodeFolderOverlap},
	} {
		var p *problem.Problem
		if _, err := l.CreateToken(t.Context(), row.r); !errors.As(err, &p) || p.Code != row.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Tokens are made, used and revoked at once, and none outlives its end.
func TestTokensAtOnce(t *testing.T) {
	l := openTokens(t, t.TempDir(), &clock{now: time.Now()})
	var all sync.WaitGroup
	for _, name := range strings.Split("abcdefgh", "") {
		all.Go(func() {
			made, err := l.CreateToken(t.Context(), TokenRequest{Name: name, Scopes: []Scope{Read}})
			if err != nil {
				t.Error(err)
				return
			}
			var ended sync.WaitGroup
			for range 4 {
				if c, ok := l.Client(made.Secret); ok {
					ctx, done := c.Context(t.Context())
					ended.Go(func() { <-ctx.Done(); done() })
				}
			}
			if err := l.RevokeToken(t.Context(), name); err != nil {
				t.Error(err)
			}
			ended.Wait()
			if _, ok := l.Client(made.Secret); ok {
				t.Error("a revoked token is valid")
			}
		})
	}
	all.Wait()
}

// What a token is used for ends with its time, also where the computer slept meanwhile: timers do
// not go on then, and the clock does.
func TestATokenEndsWithTheClock(t *testing.T) {
	log := audittest.Open(t)
	synctest.Test(t, func(t *testing.T) {
		var slept atomic.Int64
		l, err := OpenTokens(t.TempDir(), log, nil, func() time.Time { return time.Now().Add(time.Duration(slept.Load())) }, nil)
		if err != nil {
			t.Fatal(err)
		}
		made, err := l.CreateToken(t.Context(), TokenRequest{Name: "ci", Scopes: []Scope{Read}, Days: 2})
		if err != nil {
			t.Fatal(err)
		}
		c, _ := l.Client(made.Secret)
		ctx, done := c.Context(t.Context())
		defer done()
		for _, step := range []struct {
			awake, asleep time.Duration
			over          bool
		}{{24 * time.Hour, 0, false}, {time.Hour, 22 * time.Hour, false}, {2 * time.Minute, 2 * time.Hour, true}} {
			slept.Add(int64(step.asleep))
			time.Sleep(step.awake)
			synctest.Wait()
			if over := ctx.Err() != nil; over != step.over {
				t.Errorf("%+v: it is over: %v", step, over)
			}
		}
	})
}
