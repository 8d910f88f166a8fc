package app

import (
	"context"
	"math"

	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// topicUndoSpace is the topic of questions and rules about the room that is
// taken so that changes can be taken back.
const topicUndoSpace = "undo-space"

// undoRoom bounds what the task may have kept: when that is reached a person
// decides whether there may be more, and the change waits. Without more it is
// refused, so that nothing happens that could not be taken back.
func (l *liveTask) undoRoom() undoRoom {
	step := int64(l.c.config.get().Undo.undoMB()) * 1_000_000
	return undoRoom{bytes: step, more: func(ctx context.Context, need, limit int64) (int64, error) {
		next := max(step, need)
		if rule, ok := l.ruleAbout(topicUndoSpace); ok {
			if rule.Answer != vmhost.AnswerAllow {
				return 0, journal.ErrFull
			}
			return math.MaxInt64, nil
		}
		answer, err := l.ask(ctx, vmhost.Question{
			Task: l.id, Kind: vmhost.AskUndoSpace, Items: []string{},
			Text: vmhost.Text{Code: "undo-space", Params: map[string]any{"topic": topicUndoSpace, "bytes": limit, "more": next}},
		}, nil)
		switch {
		case err != nil:
			return 0, err
		case answer.Answer != vmhost.AnswerAllow:
			return 0, journal.ErrFull
		case answer.Scope != vmhost.ScopeOnce:
			return math.MaxInt64, nil
		}
		return next, nil
	}}
}
