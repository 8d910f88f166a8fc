package words

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// Name says what a code of a table is called; one of another version by itself. What follows
// a colon is a name that a person gave, as of another computer.
func (c *Catalogue) Name(table, code string) string {
	kind, given, _ := strings.Cut(code, ":")
	if s := c.text(table+"."+kind, c.clean(map[string]any{"name": given})); s != "" {
		return s
	}
	return oneLine(code)
}

// Because says what a code is called, and why: its reason is of the table with "-reason".
func (c *Catalogue) Because(table, code, reason string) string {
	s := c.Name(table, code)
	if reason != "" {
		s += ": " + c.Name(table+"-reason", reason)
	}
	return s
}

const planQuestion = "plan" // id of what a chore asks before it works

// Event says an event of a task in one line; "" where there is nothing to say.
func (c *Catalogue) Event(e *task.Event) {
	if p, id := c.event(e.Data); id != "" {
		e.Said = c.text(id, c.clean(p))
		return
	}
	switch d := e.Data.(type) {
	case task.StepData:
		e.Said = c.Name("step", d.Step)
	case task.NoticeData:
		e.Said = c.Notice(d)
	case task.ToolData:
		e.Said = c.Tooling(d)
	case vmhost.Question:
		c.Question(&d)
		e.Said = d.Title
	case vmhost.Decision:
		table := "decision"
		if d.ID == planQuestion {
			table = "decision-plan"
		}
		e.Said = c.Name(table, d.Answer) + " " + c.Name("decision-by", d.By)
	}
}

// event returns the text that says an event, and what it is about.
func (c *Catalogue) event(data any) (params map[string]any, id string) {
	switch d := data.(type) {
	case task.StateData:
		p := map[string]any{"state": capital(c.Name("state", string(d.State)))}
		if d.Error != nil {
			p["title"] = c.title(*d.Error)
		}
		return p, "event.state"
	case chore.Plan:
		c.Plan(&d)
		return map[string]any{"summary": d.Summary, "skipped": some(len(d.Skipped))}, "event.plan"
	case problem.Problem:
		return map[string]any{"title": c.title(d)}, "event.problem"
	case task.Result:
		return map[string]any{"path": d.Path}, "event.result"
	case task.UndoData:
		return map[string]any{"changes": len(d.Undone), "left": some(len(d.Conflicts))}, "event.undo"
	case task.RedoData:
		return map[string]any{"changes": len(d.Redone), "left": some(len(d.Conflicts))}, "event.redo"
	case task.ApplyData:
		return map[string]any{"changes": len(d.Applied), "discarded": some(len(d.Discarded)), "left": some(len(d.Conflicts))}, "event.apply"
	case task.FolderData:
		p := map[string]any{"path": d.Folder.Path, "mode": c.Name("mode", string(d.Folder.Mode))}
		if d.Folder.Removed != nil {
			return p, "event.folder-removed"
		}
		return p, "event.folder-added"
	case task.MessageData:
		first, _, more := strings.Cut(strings.TrimSpace(d.Text), "\n")
		if more {
			first += " …"
		}
		if d.Role == "user" {
			return map[string]any{"text": first}, "event.said-user"
		}
		return map[string]any{"text": first}, "event.said-assistant"
	}
	return nil, ""
}

// title says what happened, of a copy.
func (c *Catalogue) title(p problem.Problem) string {
	c.Problem(&p)
	return p.Title
}

// Notice says what a notice means.
func (c *Catalogue) Notice(d task.NoticeData) string {
	p := c.clean(d.Params)
	p["text"] = oneLine(d.Text)
	if d.Code == "place" {
		sayPlace(c, p)
	}
	if s := c.text("notice."+d.Code, p); s != "" {
		return s
	}
	return oneLine(d.Code)
}

// sayPlace has the parameters of the notice where a task works say it in words.
func sayPlace(c *Catalogue, p params) {
	p["runtime"], p["reason"] = c.Name("runtime", p["runtime"]), PlaceReason(c, p["reason"], "", p["rule"])
	if p["engine"] != "" {
		e := vmhost.Engine{Name: p["engine"], Version: p["version"], Rootless: p["rootless"] == "true", Sizes: true}
		c.Engine(&e)
		p["engine"] = e.Text
	}
	if code := p["problem"]; code != "" {
		p["problem"] = c.title(problem.Problem{Code: code, Cause: p["cause"]})
	}
}

// maxTarget is how much is shown of what a tool works on, in characters.
const maxTarget = 100

// Tooling says what an AI does with a tool, or did.
func (c *Catalogue) Tooling(d task.ToolData) string {
	target, _, _ := strings.Cut(d.Target, "\n")
	if runes := []rune(target); len(runes) > maxTarget {
		target = string(runes[:maxTarget-1]) + "…"
	}
	p := c.clean(map[string]any{"what": target, "name": d.Name})
	say := func(table string) string { return c.first(p, table+"."+d.Verb, table+".any") }
	switch d.State {
	case "done":
		return say("did")
	case "failed":
		return c.text("event.tool-failed", params{"doing": say("doing")})
	default:
		return say("doing")
	}
}

// some is a number as a parameter that a text mentions only if there are any.
func some(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// capital is a word as it begins a line.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
