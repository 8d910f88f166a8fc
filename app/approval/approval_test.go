package approval_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/approval"
	"piwork/vmhost"
)

func question(task, id string, items ...string) vmhost.Question {
	return vmhost.Question{Task: task, ID: id, Kind: vmhost.AskDelete, Items: items,
		Text: vmhost.Text{Code: "guard-delete", Params: map[string]any{"count": len(items)}}}
}

// recorder is an Asker that writes down what it hears.
type recorder struct {
	mu      sync.Mutex
	shown   []vmhost.Question
	decided []approval.Answer
	fail    error
}

func (r *recorder) asker() approval.Asker {
	return approval.Asker{
		Show: func(q vmhost.Question) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.shown = append(r.shown, q)
		},
		Decide: func(_ vmhost.Question, a approval.Answer) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.fail == nil {
				r.decided = append(r.decided, a)
			}
			return r.fail
		},
	}
}

func (r *recorder) set(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = err
}

// opened waits until the inbox has n open questions.
func opened(t *testing.T, d *approval.Inbox, n int) []vmhost.Question {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if q := d.Open(""); len(q) == n {
			return q
		}
	}
	t.Fatalf("not %d open questions: %+v", n, d.Open(""))
	return nil
}

type outcome struct {
	a   approval.Answer
	err error
}

func TestInbox(t *testing.T) {
	var d approval.Inbox
	var r recorder
	more := make(chan vmhost.Question)
	done := make(chan outcome, 1)
	go func() {
		a, err := d.Ask(t.Context(), question("t", "q1", "a"), more, r.asker())
		done <- outcome{a, err}
	}()
	opened(t, &d, 1)
	more <- question("t", "", "a", "b", "c")
	more <- question("t", "", "a", "b", "c", "d")
	for len(d.Open("t")[0].Items) < 4 {
		time.Sleep(time.Millisecond)
	}
	if got := d.Open("t"); got[0].ID != "q1" || got[0].Risk != "high" || len(d.Open("other")) != 0 {
		t.Errorf("%+v", got)
	}
	allow := approval.Answer{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce, Who: approval.Who{By: "person"}, Seen: 3}
	for _, x := range [][2]string{{"t", "q2"}, {"other", "q1"}, {"", ""}} {
		if _, err := d.Answer(x[0], x[1], allow); !errors.Is(err, approval.ErrNotOpen) {
			t.Errorf("%q: %v", x, err)
		}
	}
	r.set(errors.New("the disk is full"))
	if _, err := d.Answer("t", "q1", allow); err == nil || len(d.Open("t")) != 1 {
		t.Errorf("decided although it could not be recorded: %v", err)
	}
	r.set(nil)
	refused, strict := errors.New("not by this program"), allow
	strict.May = func(q vmhost.Question) error {
		if q.Kind == vmhost.AskDelete && len(q.Items) == 4 {
			return refused
		}
		return nil
	}
	if _, err := d.Answer("t", "q1", strict); !errors.Is(err, refused) || len(d.Open("t")) != 1 {
		t.Errorf("an answer that may not be given: %v", err)
	}
	if q, err := d.Answer("t", "q1", allow); err != nil || len(q.Items) != 4 {
		t.Errorf("%+v %v", q, err)
	}
	if _, err := d.Answer("t", "q1", allow); !errors.Is(err, approval.ErrNotOpen) {
		t.Errorf("answered twice: %v", err)
	}
	if got := <-done; got.err != nil || !reflect.DeepEqual(got.a, allow) {
		t.Errorf("%+v", got)
	}
	opened(t, &d, 0)
	if len(r.shown) != 3 || len(r.decided) != 1 || slices.ContainsFunc(r.shown, func(q vmhost.Question) bool { return q.Risk != "high" }) {
		t.Errorf("%+v shown, %+v", r.shown, r.decided)
	}
}

func TestWithdrawn(t *testing.T) {
	var d approval.Inbox
	var r recorder
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan outcome, 1)
	go func() {
		a, err := d.Ask(ctx, question("t", "q1", "a"), nil, r.asker())
		done <- outcome{a, err}
	}()
	opened(t, &d, 1)
	cancel()
	if got := <-done; !errors.Is(got.err, context.Canceled) {
		t.Errorf("%+v", got)
	}
	if _, err := d.Answer("t", "q1", approval.Answer{Answer: "allow"}); !errors.Is(err, approval.ErrNotOpen) {
		t.Error(err)
	}
}

// A question is answered once, however many do, and a withdrawal loses no answer
// that was recorded.
func TestAnswersRace(t *testing.T) {
	for range 200 {
		var d approval.Inbox
		var r recorder
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan outcome, 1)
		go func() {
			a, err := d.Ask(ctx, question("t", "q1", "a"), nil, r.asker())
			done <- outcome{a, err}
		}()
		opened(t, &d, 1)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { _, _ = d.Answer("t", "q1", approval.Answer{Answer: "allow"}) })
		}
		wg.Go(cancel)
		wg.Wait()
		got := <-done
		if len(r.decided) > 1 || (got.err == nil) != (len(r.decided) == 1) {
			t.Fatalf("%+v, recorded %+v", got, r.decided)
		}
	}
}

func TestRules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.json")
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	open := func() *approval.Rules {
		t.Helper()
		r, err := approval.OpenRules(file, func() time.Time { return now }, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := open()
	add := func(rule approval.Rule) approval.Rule {
		t.Helper()
		out, err := r.Add(rule)
		if err != nil || out.ID == "" || !out.Created.Equal(now) {
			t.Fatalf("%+v %v", out, err)
		}
		return out
	}
	task := add(approval.Rule{Task: "t", Topic: "delete", Answer: "allow"})
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a rule of a task is on the disk: %v", err)
	}
	folder := add(approval.Rule{Folder: "/home/oma/Pictures", Topic: "delete", Answer: "allow"})
	always := add(approval.Rule{Topic: "startup", Answer: "deny"})
	for rule, want := range map[approval.Rule]string{task: "task", folder: "folder", always: "always"} {
		if rule.Scope() != want {
			t.Errorf("%+v: %s", rule, rule.Scope())
		}
	}
	other := add(approval.Rule{Folder: folder.Folder, Topic: "delete", Answer: "deny"}) // in place of the first
	if got := r.All(); !slices.Equal(got, []approval.Rule{task, always, other}) {
		t.Errorf("%+v", got)
	}
	r.End("t")
	r = open()
	if got := r.All(); !slices.Equal(got, []approval.Rule{always, other}) {
		t.Errorf("read again: %+v", got)
	}
	if got, err := r.Remove(always.ID); err != nil || got != always {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := r.Remove(always.ID); !errors.Is(err, approval.ErrNoRule) {
		t.Error(err)
	}
	if got := open().All(); !slices.Equal(got, []approval.Rule{other}) {
		t.Errorf("read again: %+v", got)
	}

	// What a newer program wrote is kept.
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(data), `"v"`, `"later":1,"v"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	r = open()
	add(approval.Rule{Topic: "git", Answer: "allow"})
	if data, err = os.ReadFile(file); err != nil || !strings.Contains(string(data), "later") {
		t.Errorf("%s %v", data, err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := approval.OpenRules(file, time.Now, nil); err == nil {
		t.Error("a damaged file was thrown away")
	}
}

// Who sees a question may answer in the same moment.
func TestAnsweredWhenShown(t *testing.T) {
	var d approval.Inbox
	q := question("t1", "q1", "a")
	by := approval.Asker{
		Show: func(vmhost.Question) {
			if _, err := d.Answer("t1", "q1", approval.Answer{Answer: vmhost.AnswerDeny}); err != nil {
				t.Errorf("answered at once: %v", err)
			}
		},
		Decide: func(vmhost.Question, approval.Answer) error { return nil },
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if a, err := d.Ask(ctx, q, nil, by); err != nil || a.Answer != vmhost.AnswerDeny {
		t.Errorf("%+v, %v", a, err)
	}
}
