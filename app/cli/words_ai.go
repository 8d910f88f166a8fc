package cli

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

// modelFaultWords say why a model did not answer, by the codes of the gateway.
var modelFaultWords = map[string]string{
	"refused":      "The request is none that piwork passes on.",
	"provider":     "The service is not one of this task.",
	"model":        "The model is not the one of this task.",
	"hosted":       "The request would have the service open addresses in the task's place, which needs --network on.",
	"bad-request":  "The service could not read the request.",
	"too-large":    "The request was too large.",
	"busy":         "There were too many requests at once.",
	"budget":       "The budget of the task is used up.",
	"unpriced":     "The task has a budget, and what the model costs is not known.",
	"no-key":       "There is no key for the service.",
	"key-store":    "The place where keys are kept cannot be used.",
	"login-ended":  "You are not signed in to the service any more.",
	"key-refused":  "The service does not take the key.",
	"no-credit":    "The account at the service has no credit left.",
	"denied":       "The key is not good for this.",
	"limited":      "The service takes no more requests for now.",
	"overloaded":   "The service has too much to do at the moment.",
	"unreachable":  "The service cannot be reached. Is there a connection to the internet?",
	"proxy":        "The proxy of this computer did not let the request through.",
	"tls":          "The certificate of the service is not trusted on this computer.",
	"stalled":      "The service stopped in the middle of its answer.",
	"redirect":     "The service sent the request elsewhere, where the key is not taken.",
	"bad-answer":   "The answer of the service could not be read.",
	"not-provider": "Something else answers at this address.",
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

func toolWords(d task.ToolData) string {
	verb, ok := toolVerbs[d.Verb]
	if !ok {
		return "Using " + terminal.Printable(d.Name)
	}
	target, _, _ := strings.Cut(d.Target, "\n")
	if runes := []rune(target); len(runes) > 100 {
		target = string(runes[:99]) + "…"
	}
	return strings.TrimSpace(verb + " " + shown(target))
}

// quietNotices are of no interest to who looks on.
var quietNotices = map[string]bool{"turn": true, "settled": true, "resumed": true, "unreadable": true, "chore-done": true}

// noticeLine says what a notice means.
func noticeLine(d task.NoticeData) string {
	switch d.Code {
	case "notify":
		return fmt.Sprintf("a part of the AI program says: “%s”", terminal.Printable(d.Text))
	case "model":
		model, _ := d.Params["model"].(string)
		thinking, _ := d.Params["thinking"].(string)
		if wanted, _ := d.Params["wanted"].(string); wanted != "" {
			return fmt.Sprintf("the model cannot be told to think %q: %s %s", terminal.Printable(wanted), word(noticeWords, d.Code), modelLine(model, thinking))
		}
		return fmt.Sprintf("%s: %s", word(noticeWords, d.Code), modelLine(model, thinking))
	case "network-refused", "network-failed":
		return fmt.Sprintf("%s: %s", word(noticeWords, d.Code), shown(d.Params["host"]))
	}
	return word(noticeWords, d.Code)
}
