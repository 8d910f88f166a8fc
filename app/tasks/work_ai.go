package tasks

import (
	"piwork/app/aitask"
	"piwork/app/task"
)

// talkOptions is what the conversation of a task has of it. Only an AI task has anything to do with
// one; that of a chore asks for no folders.
func talkOptions(l *Live) aitask.Options {
	o := aitask.Options{
		Task: l, ID: l.id, Context: l.ctx, Cancel: l.cancel, Done: l.done, Gate: l.gate, Accept: l.req.Accept,
		Store: l.c.o.Store, Models: l.c.o.Models, Servers: l.c.o.Kinds.Servers, FileRule: l.c.o.Kinds.Chooser.FileRule, Grace: l.c.graceful, Log: l.log,
	}
	if l.takesFolders() == nil {
		o.AddFolder = l.addFolder
	}
	return o
}

// workAI has the agent do what the person asked for, until it has nothing to do.
func (l *Live) workAI() error {
	t := *l.last.Load()
	if l.ai.SetupErr != nil {
		return l.ai.SetupErr
	}
	if err := l.c.o.Models.Reachable(l.ctx, t.AI.Model); err != nil {
		return err
	}
	if t.Chore != "" {
		if over, err := prepareAided(l, t); over || err != nil {
			return err
		}
		t = *l.last.Load()
	}
	return l.inEnvironment(t.Chore != "" && !aidedReview(t.Chore), func(b *environment) error {
		run, err := l.ai.Run(b, t)
		if err != nil {
			return err
		}
		defer run.Close()
		b.state, b.models = run.State, run.Models
		if err := b.open(l.ctx); err != nil {
			return err
		}
		if t.Chore == "" { // a chore's plan was made meanwhile
			l.begin(task.StateRunning)
		}
		l.step("agent-start")
		defer l.room.lend(b)()
		whole, err := run.Do()
		if err == nil && whole {
			err = declared(l)
		}
		return err
	})
}
