package app

import (
	"slices"
	"strings"

	"piwork/app/approval"
	"piwork/app/task"
	"piwork/vmhost"
)

// Codes of task.Task.Loosened.
const (
	loosenedNetwork = "network-on"
	loosenedAsking  = "no-asking"
	loosenedPreset  = "preset"
	loosenedAlways  = "allowed-always"
)

// loosened says in which ways a task may do more than one usually may, in the
// order that it is shown. accept is that nobody is asked about its commands.
func loosened(t task.Task, accept bool, rules []approval.Rule) []string {
	found := map[string]bool{
		loosenedNetwork: t.Network == task.NetworkOn,
		loosenedAsking:  accept && t.Kind == task.KindAI,
	}
	pages := hasWeb(t) && t.Kind == task.KindAI // it reads them from the host, by the rules about hosts, too
	for _, r := range rules {
		if r.Answer != vmhost.AnswerAllow || r.Task != "" && r.Task != t.ID {
			continue
		}
		if r.Folder != "" && !slices.ContainsFunc(t.Shared(), func(f task.Folder) bool { return f.Path == r.Folder }) {
			continue
		}
		network, web := strings.HasPrefix(r.Topic, topicNetwork), aboutNetwork(r.Topic) && !strings.HasPrefix(r.Topic, topicNetwork)
		command := r.Topic == topicCommand || strings.HasPrefix(r.Topic, topicCommand+"/")
		switch {
		case network && t.Network != task.NetworkRestricted && !pages: // it reaches nothing, or everything anyway
		case web && !pages:
		case strings.HasPrefix(r.Topic, topicPreset):
			found[loosenedPreset] = true
		case r.Task != "": // an answer of this task is in its timeline
		case command && t.Kind != task.KindAI:
		case !network && !web && !command && !slices.ContainsFunc(t.Shared(), func(f task.Folder) bool { return f.Mode != task.ModeReadOnly }):
		default:
			found[loosenedAlways] = true
		}
	}
	var out []string
	for _, code := range []string{loosenedNetwork, loosenedAsking, loosenedPreset, loosenedAlways} {
		if found[code] {
			out = append(out, code)
		}
	}
	return out
}

// noteLoosened has the record say how the task is loosened now.
func (l *liveTask) noteLoosened() {
	if t := l.last.Load(); slices.Equal(loosened(*t, l.req.Accept, l.c.rules.All()), t.Loosened) {
		return
	}
	l.later(func(t *task.Task) { t.Loosened = loosened(*t, l.req.Accept, l.c.rules.All()) })
	l.notes.add(func() {
		t := l.last.Load()
		l.tell(task.EventState, task.StateData{State: t.State, Error: t.Error})
	})
}
