package words

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"piwork/app/approval"
	"piwork/vmhost"
)

// quotes are the parameters of a question that are somebody else's words, in the order
// in which they are shown. They are whole: a person sees all of a command.
var quotes = map[string]string{
	"agent-command": "command", "agent-confirm": "title message", "agent-select": "title message", "agent-input": "title hint",
	"agent-editor": "title text", "agent-folder": "reason suggested", "web-fetch": "address", "web-search": "query", "server-call": "arguments",
}

// answersOf is which labels the answers of a question have: answer.GROUP.
var answersOf = map[string]string{
	"guard-delete-many": "delete", "guard-delete": "delete", "guard-change-many": "change", "guard-write-much": "write", "guard-fetch-much": "fetch", "guard-change": "change",
	"undo-space": "undo", "undo-memory": "undo", "unpack-grows": "unpack", "agent-command": "command", "agent-confirm": "confirm",
	"agent-select": "open", "agent-input": "open", "agent-editor": "open", "agent-folder": "folder", "runtime-weaker": "runtime", "server-call": "server",
}

// Question gives a question its words, and lists the answers that it has.
func (c *Catalogue) Question(q *vmhost.Question) {
	p := c.clean(q.Text.Params)
	total := len(q.Items)
	if n, err := strconv.Atoi(p["count"]); err == nil && n > total {
		total = n
	}
	p["count"], p["code"] = strconv.Itoa(total), oneLine(q.Text.Code)
	id := "question." + q.Text.Code + "."
	say := func(part string) string {
		return c.first(p, id+p["topic"]+"."+part, id+part, "question.any."+part)
	}
	q.Title, q.Detail, q.Notes = say("title"), say("detail"), lines(say("notes"))
	q.Quotes = nil
	for _, name := range strings.Fields(quotes[q.Text.Code]) {
		if s, _ := q.Text.Params[name].(string); s != "" {
			q.Quotes = append(q.Quotes, s)
		}
	}
	q.Caution = c.first(nil, "risk."+q.Risk, "risk.high")
	if q.More = ""; total > len(q.Items) && len(q.Items) > 0 {
		q.More = c.MoreFiles(total - len(q.Items))
	}
	q.Answers = c.answers(*q, p)
}

// ShownItems is how many files a question names where only texts are shown.
const ShownItems = 20

// Items are the files that a question names where only texts are shown, and a text that says how
// many more there are. A yes is for those that were shown: so many are Seen in its answer.
func Items(c *Catalogue, q vmhost.Question) (shown []string, more string) {
	if len(q.Items) <= ShownItems {
		return q.Items, q.More
	}
	total := len(q.Items)
	if n, err := strconv.Atoi(c.clean(q.Text.Params)["count"]); err == nil && n > total {
		total = n
	}
	return q.Items[:ShownItems], c.MoreFiles(total - ShownItems)
}

// QuestionLines are what a question says below its title, for a program that shows texts only. No
// quote passes for a line of piwork's own.
func QuestionLines(c *Catalogue, q vmhost.Question) []string {
	out := []string{q.Detail}
	for _, quote := range q.Quotes {
		for line := range strings.Lines(quote) {
			out = append(out, "> "+Printable(strings.TrimRight(line, "\r\n")))
		}
	}
	items, more := Items(c, q)
	for _, item := range items {
		out = append(out, "- "+Printable(item))
	}
	out = append(append(append(out, more), q.Notes...), q.Caution)
	return slices.DeleteFunc(out, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// MoreFiles says how many files a list goes on with.
func (c *Catalogue) MoreFiles(n int) string {
	return c.text("more-files", params{"count": strconv.Itoa(n)})
}

// answers are those of a question: no, a yes for as long as its scopes say, and a no to
// everything.
func (c *Catalogue) answers(q vmhost.Question, p params) []vmhost.AnswerOption {
	group := cmp.Or(answersOf[q.Text.Code], "any")
	var out []vmhost.AnswerOption
	add := func(a vmhost.AnswerOption, label string) {
		a.Label = c.first(p, "answer."+group+"."+label, "answer.any."+label)
		out = append(out, a)
	}
	add(vmhost.AnswerOption{Answer: vmhost.AnswerDeny}, "deny")
	add(vmhost.AnswerOption{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}, vmhost.ScopeOnce)
	for _, scope := range q.Scopes {
		if scope != vmhost.ScopeOnce && !q.Open() && c.Has("answer.any."+scope) {
			add(vmhost.AnswerOption{Answer: vmhost.AnswerAllow, Scope: scope}, scope)
		}
	}
	if q.Kind == vmhost.AskNetwork {
		add(vmhost.AnswerOption{Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeAlways}, "never")
	}
	add(vmhost.AnswerOption{Answer: vmhost.AnswerDeny, Rest: true}, "rest")
	return out
}

// Rule says what was decided for longer than once.
func (c *Catalogue) Rule(r *approval.Rule) {
	kind, about, _ := strings.Cut(r.Topic, "/")
	if preset, ok := strings.CutPrefix(about, "preset/"); ok && kind == "network" {
		kind, r.Name = "preset", c.Name("preset", preset)
		if c.paths {
			r.Name = "preset:" + oneLine(preset) // as it is typed
		}
	} else if r.Name = ""; kind == "server" { // the last part is what the tool was when it was allowed
		r.Name = oneLine(path.Dir(about))
	} else if kind != "command" {
		r.Name = oneLine(about)
	}
	p := params{"name": r.Name, "effects": strings.ReplaceAll(oneLine(about), "+", ", "), "folder": oneLine(r.Folder)}
	where := "everywhere"
	switch {
	case r.Task != "":
		where = "task"
		if c.paths {
			p["task"] = oneLine(ShortID(r.Task))
		}
	case r.Folder != "":
		where = "folder"
	}
	p["what"], p["where"] = c.first(p, "topic."+kind, "topic.any"), c.text("rule-where."+where, p)
	r.Said = c.first(p, "rule."+r.Answer, "rule.deny")
}

// shortID is the part of a UUIDv7 that is its millisecond.
const shortID = 13

// ShortID is the beginning of a task's id, as commands take it.
func ShortID(id string) string { return id[:min(len(id), shortID)] }

// lines are those of a text that has something in them.
func lines(s string) (out []string) {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
