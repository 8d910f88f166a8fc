package acp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/api/apitest"
	"piwork/app/history"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// More changes than are listed at once are asked about part by part: a yes is for those that were
// listed, and what comes after a no goes on waiting.
func TestReviewInParts(t *testing.T) {
	many := apitest.Changed{}
	for i := range 250 {
		many.List = append(many.List, journal.Change{ID: fmt.Sprintf("c%d", i), Folder: "f1", Path: fmt.Sprintf("<!--%d", i), Effect: journal.EffectDelete, Staged: true})
	}
	for yes, want := range []struct {
		applied, asked, reminded int
	}{{0, 1, 1}, {100, 2, 2}, {200, 3, 2}, {250, 3, 1}} {
		n := 0
		var e *editor
		e = open(t, wish{script: apitest.Script{Changed: many}, answer: func(ctx context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionOutcome, error) {
			if n > 0 { // what piwork says of the part before withdraws nothing
				e.fake.Publish(task.Event{Task: string(r.SessionId), Kind: task.EventApply, Data: task.ApplyData{Applied: []string{"c0"}}})
			}
			if n++; n > yes {
				return chosen(sdk.PermissionOptionKindRejectOnce)(ctx, r)
			}
			return chosen(sdk.PermissionOptionKindAllowOnce)(ctx, r)
		}})
		e.ask(e.session(), "Tidy up", sdk.StopReasonEndTurn)
		var got []string
		for _, w := range e.fake.Wishes() {
			if r, ok := w.(history.ApplyRequest); ok {
				got = append(got, r.IDs...)
			}
		}
		if len(got) != want.applied || len(e.asked) != want.asked {
			t.Errorf("%d yes: asked %d times, applied %d", yes, len(e.asked), len(got))
		}
		if said := e.heard(); strings.Count(said, "to review") != want.reminded || strings.Count(said, "Applied: ") != yes {
			t.Errorf("%d yes: %s", yes, said)
		}
		list := e.asked[0].ToolCall.Content[0].Content.Content.Text.Text
		if *e.asked[0].ToolCall.Title != "Apply 100 changes?" || strings.Count(list, ": `<!--") != 100 || !strings.Contains(list, "Not included, asked next: 150 changes.") {
			t.Errorf("%s: %s", *e.asked[0].ToolCall.Title, list)
		}
	}
}

// A yes to a question is for the files that were shown.
func TestSeen(t *testing.T) {
	q := deletion
	q.Items = slices.Repeat([]string{"a"}, 45)
	e := open(t, wish{script: apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{q}}}, answer: chosen(sdk.PermissionOptionKindAllowOnce)})
	e.ask(e.session(), "Tidy up", sdk.StopReasonEndTurn)
	text := e.asked[0].ToolCall.Content[0].Content.Content.Text.Text
	if got := e.fake.Answers(); len(got) != 1 || got[0].Seen != 20 || strings.Count(text, "- `a`") != 20 || !strings.Contains(text, "and 25 more files") {
		t.Errorf("%+v %s", got, text)
	}
}
