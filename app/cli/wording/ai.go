package wording

import (
	"fmt"
	"strings"

	"piwork/app/cli/terminal"
	"piwork/app/task"
)

// keyPlaceWords say where a key is kept.
var keyPlaceWords = map[string]string{
	"keychain":    "in the keychain of this computer",
	"file":        "in an encrypted file",
	"environment": "from the environment",
	"memory":      "until piwork ends",
	"list":        "", // there is no secret to keep
}

// commandWords say what a command of the agent does.
var commandWords = map[string]string{
	"delete": "deletes", "move": "moves or renames", "overwrite": "replaces", "change": "changes", "network": "goes to the network",
	"install": "installs programs", "system": "changes the workroom", "unknown": "is one that piwork does not know",
}

// toolVerbs say what the agent does.
var toolVerbs = map[string]string{
	"read": "Reading", "write": "Writing", "edit": "Changing", "run": "Running", "list": "Looking at", "search": "Searching", "fetch": "Fetching",
}

// toolStates begin the line of what the agent did.
var toolStates = map[string]string{"started": "", "done": "done: ", "failed": "did not work: "}

// ToolWords says what an AI does with a tool.
func ToolWords(d task.ToolData) string {
	verb, ok := toolVerbs[d.Verb]
	if !ok {
		return "Using " + terminal.Printable(d.Name)
	}
	target, _, _ := strings.Cut(d.Target, "\n")
	if runes := []rune(target); len(runes) > 100 {
		target = string(runes[:99]) + "…"
	}
	return strings.TrimSpace(verb + " " + Shown(target))
}

// QuietNotices are of no interest to who looks on.
var QuietNotices = map[string]bool{"turn": true, "settled": true, "resumed": true, "unreadable": true, "chore-done": true}

// NoticeLine says what a notice means.
func NoticeLine(d task.NoticeData) string {
	switch d.Code {
	case "notify":
		return fmt.Sprintf("a part of the AI program says: “%s”", terminal.Printable(d.Text))
	case "model":
		model, _ := d.Params["model"].(string)
		thinking, _ := d.Params["thinking"].(string)
		if wanted, _ := d.Params["wanted"].(string); wanted != "" {
			return fmt.Sprintf("the model cannot be told to think %q: %s %s", terminal.Printable(wanted), Word(noticeWords, d.Code), ModelLine(model, thinking))
		}
		return fmt.Sprintf("%s: %s", Word(noticeWords, d.Code), ModelLine(model, thinking))
	case "network-refused", "network-failed":
		return fmt.Sprintf("%s: %s", Word(noticeWords, d.Code), Shown(d.Params["host"]))
	}
	return Word(noticeWords, d.Code)
}
