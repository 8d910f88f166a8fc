package consent

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
	loosenedPlace   = "weaker-runtime"
	loosenedHost    = "no-isolation" // in place of that, where nothing keeps the task apart
)

// Loosened says in which ways a task may do more than one usually may, in the
// order that it is shown. accept is that nobody is asked about its commands.
func Loosened(t task.Task, accept bool, rules []approval.Rule) []string {
	found := map[string]bool{
		loosenedNetwork: t.Network == task.NetworkOn,
		loosenedAsking:  accept && t.Kind == task.KindAI,
		loosenedPlace:   t.Runtime != "" && t.Runtime != vmhost.KindVM && t.Runtime != vmhost.KindHost,
		loosenedHost:    t.Runtime == vmhost.KindHost,
	}
	pages := HasWeb(t) && t.Kind == task.KindAI // it reads them from the host, by the rules about hosts, too
	for _, r := range rules {
		if r.Answer != vmhost.AnswerAllow || r.Task != "" && r.Task != t.ID {
			continue
		}
		if r.Folder != "" && !slices.ContainsFunc(t.Shared(), func(f task.Folder) bool { return f.Path == r.Folder }) {
			continue
		}
		network, web := strings.HasPrefix(r.Topic, topicNetwork), aboutNetwork(r.Topic) && !strings.HasPrefix(r.Topic, topicNetwork)
		command := r.Topic == TopicCommand || strings.HasPrefix(r.Topic, TopicCommand+"/")
		switch {
		case network && t.Network != task.NetworkRestricted && !pages: // it reaches nothing, or everything anyway
		case web && !pages:
		case strings.HasPrefix(r.Topic, TopicPreset):
			found[loosenedPreset] = true
		case r.Task != "": // an answer of this task is in its timeline
		case command && t.Kind != task.KindAI:
		case !network && !web && !command && !slices.ContainsFunc(t.Shared(), func(f task.Folder) bool { return f.Mode != task.ModeReadOnly }):
		default:
			found[loosenedAlways] = true
		}
	}
	var out []string
	for _, code := range []string{loosenedHost, loosenedPlace, loosenedNetwork, loosenedAsking, loosenedPreset, loosenedAlways} {
		if found[code] {
			out = append(out, code)
		}
	}
	return out
}

// NoteLoosened has the record say how the task is loosened now.
func (g *Gate) NoteLoosened() {
	if t := g.last(); slices.Equal(Loosened(*t, g.accept, g.c.rules.All()), t.Loosened) {
		return
	}
	g.task.Later(func(t *task.Task) { t.Loosened = Loosened(*t, g.accept, g.c.rules.All()) })
	g.task.Do(func() {
		t := g.last()
		g.task.Tell(task.EventState, task.StateData{State: t.State, Error: t.Error})
	})
}
