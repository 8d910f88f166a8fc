package wording

import (
	"strings"

	"piwork/vmhost"
)

// Way is one answer to a question, and the key that stands for it.
type Way struct {
	Key, Words    string
	Answer, Scope string
	Rest          bool
}

// AnswersTo are the answers that a question has, in words that say how far each reaches.
func AnswersTo(q vmhost.Question) []Way {
	if q.Open() {
		return nil
	}
	out := []Way{{Key: "y", Words: "allow it this once", Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}}
	for _, scope := range q.Scopes {
		if where := scopeWords[scope]; where != "" {
			out = append(out, Way{Key: scope[:1], Words: "allow " + longerWords(q) + ", " + where, Answer: vmhost.AnswerAllow, Scope: scope})
		}
	}
	return append(out,
		Way{Key: "n", Words: "do not allow it", Answer: vmhost.AnswerDeny},
		Way{Key: "r", Words: "do not allow it, and refuse everything else in this task", Answer: vmhost.AnswerDeny, Rest: true})
}

// scopeWords say how far a yes reaches that is not for once.
var scopeWords = map[string]string{
	vmhost.ScopeTask:   "in this task",
	vmhost.ScopeFolder: "in this folder, in every task",
	vmhost.ScopeAlways: "in every task",
}

// longerWords say what a yes for longer than once is about.
func longerWords(q vmhost.Question) string {
	p := q.Text.Params
	switch {
	case q.Text.Code == "web-fetch":
		return "pages below " + Shown(p["pattern"]) + " (no addresses with a query)"
	case q.Text.Code == "web-search":
		return "searches with " + Shown(p["host"])
	case q.Kind == vmhost.AskNetwork:
		return "connections to " + Shown(p["pattern"])
	case q.Kind == vmhost.AskCommand:
		if all := Mapped(list(p["effects"]), does); len(all) > 0 {
			return "every command that " + strings.Join(all, " and ")
		}
		return "every such command"
	}
	if topic := Text(p["topic"]); topicWords[topic] != "" {
		return "it to " + topicWords[topic]
	}
	return "it"
}
