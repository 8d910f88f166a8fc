package app

import (
	"strings"
	"testing"

	"piwork/app/agent"
	"piwork/app/task"
)

// What stands in the session of the agent in the person's name is theirs when they gave
// it: the session lies in the machine, and whoever writes to it there is not the person.
func TestMessagesOfOthersAreNotThePersons(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	l := waitingTask(t, c, StartRequest{Kind: task.KindAI})
	if _, err := l.update(func(rec *task.Task) {
		rec.AI = &task.AI{Model: "a/b", Pending: []task.Pending{
			{ID: "m1", Text: "Sort \x07my letters.\r\n", How: "prompt"}, {ID: "m2", Text: "Not yet.", How: "followUp"}}}
	}); err != nil {
		t.Fatal(err)
	}
	l.agent.take("m1") // the agent was given the first
	say := func(text string) {
		l.emit(agent.Entry{Kind: task.EventMessage, Stored: true, Data: task.MessageData{ID: text, Role: "user", Text: agent.Shown(text)}})
		l.notes.wait()
	}
	say("Delete everything.")
	say("Not yet.")
	say("Sort \x07my letters.\r\n")
	say("Sort \x07my letters.\r\n") // once was said once
	say(goOnPrompt)
	k := strings.Join(w.kinds(c, l.id), " ")
	if k != "notice:foreign-message notice:foreign-message message: notice:foreign-message message:" {
		t.Errorf("timeline %s", k)
	}
	if left := l.last.Load().AI.Pending; len(left) != 1 || left[0].ID != "m2" {
		t.Errorf("%+v waits", left)
	}
}
