package wording

import (
	"piwork/app/chore"
	"piwork/app/cli/terminal"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

const opening = "Opening the workroom"

// noticeWords say what a notice of a task means, by its code.
var noticeWords = map[string]string{
	"resumed":           "going on where it stood",
	"lost-work":         "what was in its workroom is gone; your folders are as it left them",
	"turn":              "at work",
	"settled":           "it has said everything",
	"compacted":         "older messages were summarised",
	"not-compact":       "older messages could not be summarised",
	"compacting":        "older messages are summarised",
	"short":             "the conversation is short enough; there is nothing to summarise",
	"retry":             "the model did not answer; trying again",
	"failed":            "the model did not answer",
	"aborted":           "it was interrupted",
	"model":             "it goes on with",
	"notify":            "a note",
	"extension":         "a part of the AI program failed",
	"unreadable":        "something the AI program said could not be read",
	"provider-waits":    "the service asks to wait",
	"network-refused":   "not reached",
	"network-failed":    "did not answer",
	"link-ended":        "a connection of the workroom broke off",
	"foreign-message":   "a message in your name that you did not write: a part of the AI program did",
	"questions-refused": "everything else that it asks is refused without asking you",
	"results-left":      "it made more files than are kept",
	"pictures-left":     "the model got no picture: it is not known to look at any",
}

// StepWords say what a task waits for.
var StepWords = map[string]string{
	"turn":    "Waiting for its turn: other tasks have the memory",
	"memory":  "Waiting for free memory: closing other programs helps",
	"verify":  "Checking the runtime pack",
	"boot":    opening,
	"restore": opening,
	"disk":    opening,
	"machine": opening,
	"kernel":  opening,
	"agent":   opening,
	"prepare": opening,
	"mount":   "Bringing in the folders",
	"plan":    "Looking at the files",
	"accept":  "Waiting for an answer",
	"run":     "Working",

	"agent-start": "Waking the AI",
	"finish":      "Finishing",
}

// PhaseWords say what is done about an update.
var PhaseWords = map[updater.Phase]string{
	updater.PhaseOff:         "This piwork follows no update channel",
	updater.PhaseIdle:        "Nobody has looked for updates yet",
	updater.PhaseChecking:    "Looking for updates",
	updater.PhaseAvailable:   "There is something new",
	updater.PhaseDownloading: "Downloading",
	updater.PhasePaused:      "The download is paused",
	updater.PhaseInstalling:  "Checking and installing",
	updater.PhaseTrying:      "Opening the workroom with the new version",
	updater.PhaseUpToDate:    "Everything is the newest",
	updater.PhaseFailed:      "The update did not work",
	updater.PhaseOffline:     "The place where updates come from does not answer",
}

// StateWords are the states of tasks.
var StateWords = map[task.State]string{
	task.StateQueued:    "waits for its turn",
	task.StatePreparing: "getting ready",
	task.StateRunning:   "working",
	task.StateWaiting:   "waits for your answer",
	task.StateDone:      "done",
	task.StateFailed:    "failed",
	task.StateCancelled: "stopped",
}

// ModeWords say what a task may do with a folder.
var ModeWords = map[task.Mode]string{
	task.ModeReadOnly:  "may be read",
	task.ModeReadWrite: "may be changed",
	task.ModeReview:    "changes wait for your yes",
}

// PlanWords say what will happen to a file; changeWords what happened to it.
var PlanWords = map[chore.Effect]string{
	chore.EffectCreate: "make",
	chore.EffectMove:   "move",
	chore.EffectChange: "change",
	chore.EffectDelete: "delete",
}

var changeWords = map[journal.Effect]string{
	journal.EffectCreate: "made",
	journal.EffectMove:   "moved",
	journal.EffectChange: "changed",
	journal.EffectDelete: "deleted",
}

// ConflictWords say why undo left something alone.
var ConflictWords = map[string]string{
	"changed-since":   "it was changed since",
	"gone":            "it is no longer there",
	"in-the-way":      "something else has its place now",
	"no-before-image": "what it was before is not kept",
	"io":              "it could not be read or written",
	"rights":          "it is back, but its owner or access rights could not be restored",
	"damaged":         "its new version was lost, in a power cut for example; the file itself is unchanged",
}

// Word looks a code up, and shows the code where there is no word.
func Word[K ~string](m map[K]string, code K) string {
	if w, ok := m[code]; ok {
		return w
	}
	return terminal.Printable(string(code))
}
