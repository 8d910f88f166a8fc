package cli

import (
	"strings"

	"piwork/vmhost"
)

// way is one answer to a question, and the key that stands for it.
type way struct {
	key, words    string
	answer, scope string
	rest          bool
}

// answersTo are the answers that a question has, in words that say how far each reaches.
func answersTo(q vmhost.Question) []way {
	if q.Open() {
		return nil
	}
	out := []way{{key: "y", words: "allow it this once", answer: vmhost.AnswerAllow, scope: vmhost.ScopeOnce}}
	for _, scope := range q.Scopes {
		if where := scopeWords[scope]; where != "" {
			out = append(out, way{key: scope[:1], words: "allow " + longerWords(q) + ", " + where, answer: vmhost.AnswerAllow, scope: scope})
		}
	}
	return append(out,
		way{key: "n", words: "do not allow it", answer: vmhost.AnswerDeny},
		way{key: "r", words: "do not allow it, and refuse everything else in this task", answer: vmhost.AnswerDeny, rest: true})
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
		return "pages below " + shown(p["pattern"]) + " (no addresses with a query)"
	case q.Text.Code == "web-search":
		return "searches with " + shown(p["host"])
	case q.Kind == vmhost.AskNetwork:
		return "connections to " + shown(p["pattern"])
	case q.Kind == vmhost.AskCommand:
		if all := mapped(list(p["effects"]), does); len(all) > 0 {
			return "every command that " + strings.Join(all, " and ")
		}
		return "every such command"
	}
	if topic := text(p["topic"]); topicWords[topic] != "" {
		return "it to " + topicWords[topic]
	}
	return "it"
}
