package consent

import (
	"fmt"
	"testing"

	"piwork/app/policy"
)

// A program with a token starts tasks as it likes, each of which is refused something: what the
// person's own AIs were refused is not pushed out by that.
func TestProposalsOfOneProgram(t *testing.T) {
	c := New(Options{})
	if err := c.KeepProposals(t.TempDir(), func() {}); err != nil {
		t.Fatal(err)
	}
	add := func(client, task, host string) {
		t.Helper()
		p := policy.Proposal{Task: task, Rule: "no"}
		p.About.Action, p.About.Agent, p.About.Client, p.About.Host = policy.Connect, "pi", client, host
		if err := c.Written.proposals.add(p); err != nil {
			t.Fatal(err)
		}
	}
	add("", "mine", "mine.example")
	for i := range 3 * maxProposals {
		add("ci", fmt.Sprint(i), fmt.Sprintf("h%d.example", i))
	}
	add("other", "theirs", "theirs.example")
	list := c.Written.proposals.now().List
	if len(list) != 1+maxProposalsBy+1 || list[0].Task != "mine" || list[len(list)-1].Task != "theirs" {
		t.Errorf("%d proposals, the first of %s", len(list), list[0].Task)
	}
}
