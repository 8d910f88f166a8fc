package consent

import (
	"testing"

	"piwork/app/approval"
	"piwork/vmhost"
)

// What waits is listed with the riskiest first.
func TestRiskiestFirst(t *testing.T) {
	c := New(Options{})
	shown := make(chan struct{})
	for _, q := range []vmhost.Question{
		{ID: "change", Task: "t", Kind: vmhost.AskOverwrite}, {ID: "delete", Task: "t", Kind: vmhost.AskDelete}, {ID: "leave", Task: "t", Kind: vmhost.AskNetwork},
	} {
		go func() {
			_, _ = c.inbox.Ask(t.Context(), q, nil, approval.Asker{Show: func(vmhost.Question) { shown <- struct{}{} }})
		}()
		<-shown
	}
	open, err := c.Questions(t.Context(), "")
	if err != nil || len(open) != 3 || open[0].ID != "delete" || open[1].ID != "leave" || open[2].ID != "change" {
		t.Errorf("%+v %v", open, err)
	}
}
