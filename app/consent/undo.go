package consent

import (
	"context"
	"math"

	"piwork/app/history"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// Topics of questions and rules about what is taken so that changes can be taken back:
// room on the disk, and memory for what is known of files and names.
const (
	topicUndoSpace  = "undo-space"
	topicUndoMemory = "undo-memory"
)

// memoryStep is how much more memory for undo a person is asked for, in bytes.
const memoryStep = 512 << 20

// UndoRoom bounds what the task may have kept: when that is reached a person
// decides whether there may be more, and the change waits. Without more it is
// refused, so that nothing happens that could not be taken back.
func (g *Gate) UndoRoom(spaceMB int) history.Room {
	step := int64(spaceMB) * 1_000_000
	return history.Room{Bytes: step, More: g.askMore(topicUndoSpace, step, math.MaxInt64), Memory: g.askMore(topicUndoMemory, memoryStep, memoryStep)}
}

// askMore asks for step bytes more, or for what is needed. Who allows more than once
// gives so much each time: always.
func (g *Gate) askMore(topic string, step, always int64) journal.OnFull {
	return func(ctx context.Context, need, limit int64) (int64, error) {
		next := max(step, need)
		if rule, ok := g.RuleAbout(topic); ok {
			if rule.Answer != vmhost.AnswerAllow {
				return 0, journal.ErrFull
			}
			return max(always, need), nil
		}
		answer, err := g.Ask(ctx, vmhost.Question{
			Task: g.id, Kind: vmhost.AskUndoSpace, Items: []string{},
			Text: vmhost.Text{Code: topic, Params: map[string]any{"topic": topic, "bytes": limit, "more": next}},
		}, nil)
		switch {
		case err != nil:
			return 0, err
		case answer.Answer != vmhost.AnswerAllow:
			return 0, journal.ErrFull
		case answer.Scope != vmhost.ScopeOnce:
			return max(always, need), nil
		}
		return next, nil
	}
}
