package wording

import (
	"fmt"
	"strings"

	"piwork/app/approval"
	"piwork/app/cli/terminal"
	"piwork/app/words"
	"piwork/vmhost"
)

// AnswerWords are decisions.
var AnswerWords = map[string]string{vmhost.AnswerAllow: "Allowed", vmhost.AnswerDeny: "Not allowed"}

// topicWords are what rules and questions are about.
var topicWords = map[string]string{
	"delete":      "delete your files",
	"change":      "change your files",
	"startup":     "change files that programs on this computer run or read by themselves",
	"git":         "change what git keeps of your project's history",
	"hidden":      "change hidden files of yours",
	"programs":    "change programs of yours",
	"undo-space":  "keep more for undo",
	"undo-memory": "use more memory for undo",
}

// QuestionWords says what a task asks.
func QuestionWords(q vmhost.Question) []string {
	p := q.Text.Params
	topic, _ := p["topic"].(string)
	folder, n := Shown(p["name"]), AsInt(p["count"], len(q.Items))
	var what string
	switch q.Text.Code {
	case "guard-delete-many":
		what = fmt.Sprintf("It has deleted %s of yours and wants to delete more in %s.", terminal.Count(AsInt(p["done"], 0), "file"), folder)
	case "guard-change-many":
		what = fmt.Sprintf("It has changed %s of yours and wants to change more in %s.", terminal.Count(AsInt(p["done"], 0), "file"), folder)
	case "guard-delete", "guard-change", "guard-rule":
		what = fmt.Sprintf("It wants to %s in %s (%s so far):", Word(topicWords, topic), folder, terminal.Count(n, "file"))
	case "undo-space":
		return []string{
			fmt.Sprintf("So that everything can be undone, %s of what was there before is kept, which is as\nmuch as you set. It wants to change more, for which up to %s more would be kept.", terminal.Size(asInt64(p["bytes"])), terminal.Size(asInt64(p["more"]))),
			"Without that room it cannot change what can’t be undone.",
		}
	case "unpack-grows":
		return []string{
			fmt.Sprintf("It wants to unpack %s of which a file becomes up to %d times as large, %s in all.\nA file that grows so much is often one that was made to fill a disk.",
				terminal.Count(AsInt(p["count"], len(q.Items)), "archive"), asInt64(p["times"]), terminal.Size(asInt64(p["bytes"]))),
			"Without your yes these are not unpacked:",
		}
	case "undo-memory":
		return []string{
			fmt.Sprintf("So that everything can be undone, piwork remembers every file that it came near: about\n%s of memory by now. It wants to go on, for which up to %s more would be used.", terminal.Size(asInt64(p["bytes"])), terminal.Size(asInt64(p["more"]))),
			"Without more memory it cannot change what can’t be undone.",
		}
	case "network-connect":
		what = fmt.Sprintf("It wants to connect to %s, port %s.", Shown(p["host"]), Shown(p["port"]))
		if p["reason"] == "new-address" {
			what = fmt.Sprintf("It wants to connect to the address %s, port %s, without saying whose it is.", Shown(p["host"]), Shown(p["port"]))
		}
		const leaves = "What it sends there leaves this computer and can’t be undone."
		if claimed := Text(p["claimedProgram"]); claimed != "" {
			return []string{what, fmt.Sprintf("By its own account this is the program “%s”.", words.Printable(claimed)), leaves}
		}
		return []string{what, leaves}
	case "agent-command":
		what = "The AI wants to run a command"
		if all := Mapped(list(p["effects"]), does); len(all) > 0 {
			what += " that " + strings.Join(all, " and ")
		}
		return []string{what + ":", Quoted(Text(p["command"])), "What it does to your folders can be undone."}
	case "agent-select", "agent-confirm":
		return asked(p["title"], p["message"])
	case "agent-input":
		return asked(p["title"], p["hint"])
	case "agent-editor":
		return asked(p["title"], p["text"])
	case "agent-folder":
		out := []string{"The AI asks for one more folder of this computer. It says:", Quoted(Text(p["reason"]))}
		if suggested := Text(p["suggested"]); suggested != "" {
			out = append(out, "It may be:", Quoted(suggested))
		}
		return append(out, "Type the path of the folder that it may have. Its changes wait for your yes, unless you chose\notherwise for that folder.")
	case "web-fetch":
		return []string{fmt.Sprintf("It wants to read a page of %s:", Shown(p["host"])), Quoted(Text(p["address"])), "The address itself leaves this computer and can’t be undone."}
	case "web-search":
		return []string{fmt.Sprintf("It wants to search the web with %s for:", Shown(p["host"])), Quoted(Text(p["query"])), "What is searched for leaves this computer and can’t be undone."}
	default:
		what = words.Printable(q.Text.Code)
	}
	return []string{what, "Whatever it does can be undone later."}
}

// Risky reports whether no is the usual answer: where it is not said that there is
// little risk, there may be much.
func Risky(q vmhost.Question) bool {
	return q.Risk != approval.RiskNone.String() && q.Risk != approval.RiskLow.String()
}

// RiskWords says how careful to be with a yes.
func RiskWords(q vmhost.Question) string {
	if Risky(q) {
		return "High risk: if you are not sure, say no; then nothing of this is done."
	}
	return "Low risk."
}

// asked says whose question it is, and what it says in its own words.
func asked(title, more any) []string {
	out := []string{"The AI program asks this, not piwork. Do not type passwords here.", Quoted(Text(title))}
	if more := Text(more); more != "" {
		out = append(out, Quoted(more))
	}
	return out
}

// Quoted are words of a machine: every line begins with a sign, so that none passes for
// one of piwork's.
func Quoted(s string) string {
	return "  │ " + strings.ReplaceAll(terminal.PrintableText(s), "\n", "\n  │ ")
}

// RuleWords says what was decided for longer than once.
func RuleWords(r approval.Rule) string {
	where := "everywhere"
	switch {
	case r.Task != "":
		where = "in task " + ShortID(r.Task) + ", while it runs"
	case r.Folder != "":
		where = "in " + words.Printable(r.Folder)
	}
	may := "may"
	if r.Answer == vmhost.AnswerDeny {
		may = "may not"
	}
	return fmt.Sprintf("tasks %s %s, %s", may, topicPhrase(r.Topic), where)
}

// RuleName is what a rule about the network names.
func RuleName(topic string) string {
	kind, name, _ := strings.Cut(topic, "/")
	if preset, ok := strings.CutPrefix(name, "preset/"); ok && kind == "network" {
		return "the group " + words.Printable(preset)
	}
	return words.Printable(name)
}

// topicPhrase says what a rule is about.
func topicPhrase(topic string) string {
	if name, ok := strings.CutPrefix(topic, "network/preset/"); ok {
		return "connect to the group " + words.Printable(name)
	}
	if host, ok := strings.CutPrefix(topic, "network/"); ok {
		return "connect to " + words.Printable(host)
	}
	if pages, ok := strings.CutPrefix(topic, "web/"); ok {
		return "read pages below " + words.Printable(pages) + " (no addresses with a query)"
	}
	if host, ok := strings.CutPrefix(topic, "search/"); ok {
		return "search the web with " + words.Printable(host)
	}
	if effects, ok := strings.CutPrefix(topic, "command/"); ok {
		return "run any command that " + strings.Join(Mapped(strings.Split(effects, "+"), does), " and ")
	}
	if topic == "command" {
		return "run commands that they ask about"
	}
	return Word(topicWords, topic)
}

// does says what a command does.
func does(effect any) string { return Word(commandWords, Text(effect)) }

// Text is a parameter that is a text.
func Text(v any) string {
	s, _ := v.(string)
	return s
}

// list reads strings that came as JSON or not.
func list(v any) []string {
	switch l := v.(type) {
	case []string:
		return l
	case []any:
		return Mapped(l, Text)
	}
	return nil
}

// asInt64 reads a number of bytes that came as JSON or not.
func asInt64(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
}

// AsInt reads a number that came as JSON or not.
func AsInt(v any, other int) int {
	switch n := v.(type) {
	case int:
		return n
	case float64:
		return int(n)
	}
	return other
}
