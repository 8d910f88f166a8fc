package consent

import (
	"fmt"
	"slices"
	"testing"

	"piwork/app/approval"
	"piwork/app/policy"
	"piwork/app/task"
)

// notedTask counts what is recorded of it.
type notedTask struct {
	Task
	records int
	what    []any
}

func (t *notedTask) Last() *task.Task { return &task.Task{ID: "1", Kind: task.KindExec} }
func (t *notedTask) Do(func())        {}

func (t *notedTask) Record(_ task.EventKind, data any) {
	t.records++
	if n, ok := data.(task.NoticeData); ok {
		t.what = append(t.what, n.Params["what"])
	}
}

// What is refused is noted with its port or its path, and one host's ports leave room for others.
func TestRefusalsNameAll(t *testing.T) {
	noted := &notedTask{}
	g := New(Options{}).Gate(noted, task.KindExec, false, approval.Who{})
	note := func(host string, port int, path string) {
		r := policy.Request{Action: policy.Connect}
		if r.Host, r.Port = host, port; path != "" {
			r.Action, r.Path = policy.Write, path
		}
		g.noteDenied(policy.Decision{Effect: policy.Deny, Rule: "no"}, r)
	}
	for range 2 {
		note("a.example", 443, "")
		note("a.example", 80, "")
		note("", 0, "/one")
		note("", 0, "/two")
	}
	if want := []any{"a.example:443", "a.example:80", "/one", "/two"}; !slices.Equal(noted.what, want) {
		t.Errorf("noted %v, want %v", noted.what, want)
	}
	for port := range 2 * maxNoted {
		note("a.example", 1000+port, "")
	}
	if note("b.example", 443, ""); noted.what[len(noted.what)-1] != "b.example:443" || noted.records != 3+maxNotedAlike {
		t.Errorf("%d noted, the last %v", noted.records, noted.what[len(noted.what)-1])
	}
}

// A machine that tries one refused name after the other fills neither the timeline nor the memory
// of this computer.
func TestRefusalsAreBounded(t *testing.T) {
	noted := &notedTask{}
	g := New(Options{}).Gate(noted, task.KindExec, false, approval.Who{})
	for i := range 5 * maxNoted {
		r := policy.Request{Action: policy.Connect}
		r.Host = fmt.Sprintf("h%d.example", i)
		g.noteDenied(policy.Decision{Effect: policy.Deny, Rule: "no"}, r)
	}
	if noted.records != maxNoted || len(g.noted) != maxNoted || len(g.tried) > maxNoted {
		t.Errorf("%d records, %d refusals and %d tries in memory", noted.records, len(g.noted), len(g.tried))
	}
}
