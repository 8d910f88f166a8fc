package cli

import (
	"piwork/app/chore"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

// fixText are the next steps, and setupFixText those of a computer that is not
// ready; parameters as in problemWords. "" is no step of the command line.
var fixText = map[string]string{
	problem.FixInstallPack:    "install it: piwork pack install FILE",
	problem.FixGetPack:        "get the file for this computer from where you got piwork",
	problem.FixRepairPack:     "repair it: piwork pack repair, or piwork pack repair FILE",
	problem.FixOtherFile:      "use another copy of the file",
	problem.FixUpdateApp:      "install a newer piwork",
	problem.FixPickFolder:     "choose another folder",
	problem.FixPickSubfolder:  "choose a folder inside of it",
	problem.FixFreeSpace:      "make room on the disk",
	problem.FixFolderRights:   "give your account the right to it",
	problem.FixStartAgain:     "start it again",
	problem.FixPlanAgain:      "look at a new plan: run the chore again",
	problem.FixReview:         "see what was changed, and take it back: piwork task list, piwork task undo ID",
	problem.FixCancelTask:     "stop the task first, or wait for its end",
	problem.FixDeleteTask:     "delete the record: piwork task delete ID",
	problem.FixShowDetails:    "",
	problem.FixReplaceInput:   "put a whole copy of the file there, or leave it out",
	problem.FixRemoveInput:    "",
	problem.FixAddPictures:    "put pictures into the folder",
	problem.FixRecursive:      "look in the folders inside, too: add --set recursive=true",
	problem.FixUseOtherWindow: "use or end the other piwork",
	problem.FixDownloadPack:   "download it: piwork pack update",
	problem.FixUpdateNow:      "try again: piwork pack update",
	problem.FixRollBack:       "go back to the version before: piwork pack rollback",
	problem.FixCheckNetwork:   "look whether this computer reaches the internet",
	problem.FixCheckClock:     "set the date and the time of this computer",
	problem.FixNetworkSignIn:  "open any page in a browser and sign in to the network",
	problem.FixInstallAddOn:   "install it: piwork pack addon install {name} | see which there are: piwork pack addon list",
	problem.FixMachines:       "see and change how much memory the workrooms get: piwork settings",
	problem.FixMoreMemory:     "close other programs, or use a computer with more memory",
	problem.FixUnlockKeys:     "give the passphrase: piwork key unlock",
	problem.FixKeyFile:        "keep keys in a file with a passphrase: piwork key store file",
	problem.FixLogin:          "sign in again: piwork key login PROVIDER",
	problem.FixKeys:           "keep a key: piwork key set PROVIDER | see what there is: piwork key list",
	problem.FixResume:         "go on: piwork task resume {task} | go on: piwork task resume ID",
	problem.FixUpdateSettings: "see and change where updates come from: piwork pack channel --help",
}

// fixWords are the next steps of a problem, best first; what is to be typed
// follows in lines of its own.
func fixWords(p problem.Problem) []string {
	var out []string
	params := spoken(p.Params)
	for _, f := range p.Fix {
		text, ok := setupFixText[f.Code]
		if !ok {
			text = fixText[f.Code]
		}
		s := phrase(text, params)
		if s == "" {
			continue
		}
		if f.Command != "" {
			s += ":\n" + f.Command
		}
		out = append(out, s)
	}
	return out
}

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

// stepWords say what a task waits for.
var stepWords = map[string]string{
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

// phaseWords say what is done about an update.
var phaseWords = map[updater.Phase]string{
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

var stateWords = map[task.State]string{
	task.StateQueued:    "waits for its turn",
	task.StatePreparing: "getting ready",
	task.StateRunning:   "working",
	task.StateWaiting:   "waits for your answer",
	task.StateDone:      "done",
	task.StateFailed:    "failed",
	task.StateCancelled: "stopped",
}

var modeWords = map[task.Mode]string{
	task.ModeReadOnly:  "may be read",
	task.ModeReadWrite: "may be changed",
	task.ModeReview:    "changes wait for your yes",
}

// effectWords say what happened to a file, planned and done.
var planWords = map[chore.Effect]string{
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

// conflictWords say why undo left something alone.
var conflictWords = map[string]string{
	"changed-since":   "it was changed since",
	"gone":            "it is no longer there",
	"in-the-way":      "something else has its place now",
	"no-before-image": "what it was before is not kept",
	"io":              "it could not be read or written",
	"rights":          "it is back, but its owner or access rights could not be restored",
	"damaged":         "its new version was lost, in a power cut for example; the file itself is unchanged",
}

// word looks a code up, and shows the code where there is no word.
func word[K ~string](m map[K]string, code K) string {
	if w, ok := m[code]; ok {
		return w
	}
	return terminal.Printable(string(code))
}
