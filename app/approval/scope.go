package approval

import (
	"slices"
	"strings"

	"piwork/vmhost"
)

// Scopes are how far a yes to a question may reach, the nearest first. What a yes
// covers has to be said in words, so that no question offers more than it can name: a
// search or a command is about this task, a text that is typed about this question.
func Scopes(q vmhost.Question) []string {
	all := scopes(q)
	if Written(q) { // what was said for longer would be said over the rule
		all = slices.DeleteFunc(all, func(s string) bool { return s != vmhost.ScopeOnce && s != vmhost.ScopeTask })
	}
	return all
}

// Written reports whether a rule that somebody wrote has a question asked.
func Written(q vmhost.Question) bool {
	return strings.HasPrefix(q.Rule, "managed/") || strings.HasPrefix(q.Rule, "yours/")
}

func scopes(q vmhost.Question) []string {
	const once, task, folder, always = vmhost.ScopeOnce, vmhost.ScopeTask, vmhost.ScopeFolder, vmhost.ScopeAlways
	_, about := q.Text.Params["effects"] // else a program asks for a yes to its own words
	switch {
	case q.Open() || q.Kind == vmhost.AskUnpack || q.Kind == vmhost.AskCommand && !about:
		return []string{once}
	case q.Kind == vmhost.AskCommand, q.Text.Params["query"] != nil:
		return []string{once, task}
	case q.Kind == vmhost.AskRuntime:
		return []string{once, always}
	case q.Kind == vmhost.AskRule:
		return []string{once, task}
	case q.Kind == vmhost.AskNetwork, q.Kind == vmhost.AskServer:
		return []string{once, task, always}
	}
	if id, _ := q.Text.Params["folder"].(string); id == "" {
		return []string{once, task, always}
	}
	return []string{once, task, folder, always}
}

// Usual is how far an answer reaches that does not say so: a yes covers what was
// asked and nothing else. A no to changes of files covers the task: there the next file
// would be the next question.
func Usual(q vmhost.Question, answer string) string {
	if answer == vmhost.AnswerDeny && !q.Open() && q.Kind != vmhost.AskUnpack && q.Kind != vmhost.AskNetwork && q.Kind != vmhost.AskServer && q.Kind != vmhost.AskCommand && q.Kind != vmhost.AskRuntime && q.Kind != vmhost.AskRule {
		return vmhost.ScopeTask
	}
	return vmhost.ScopeOnce
}
