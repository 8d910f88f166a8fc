package cli

import (
	"piwork/app"
	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

// fixText are the next steps; parameters as in problemWords. "" is no step of
// the command line.
var fixText = map[string]string{
	problem.FixInstallPack:    "install it: piwork pack install FILE",
	problem.FixGetPack:        "get the file for this computer from where you got piwork",
	problem.FixRepairPack:     "repair it: piwork pack repair, or piwork pack repair FILE",
	problem.FixOtherFile:      "use another copy of the file",
	problem.FixUpdateApp:      "install a newer piwork",
	problem.FixCheckAgain:     "check again: piwork doctor",
	problem.FixSlowMode:       "work slowly without it: add --accel tcg, or set PIWORK_ACCEL=tcg",
	problem.FixFastMode:       "to use the acceleration again, leave out --accel tcg and unset PIWORK_ACCEL",
	problem.FixKVMGroup:       "join the group that may use it, then log out and in: sudo usermod -aG kvm \"$USER\"",
	problem.FixLoadKVM:        "switch it on in the system: sudo modprobe kvm_intel (or kvm_amd)",
	problem.FixFirmware:       "switch virtualization on in the settings of this computer's firmware (Intel VT-x, AMD SVM), then check again",
	problem.FixNestedVirt:     "this computer is itself a virtual one: switch nested virtualization on for it, then check again",
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
	problem.FixUpdateSettings: "see and change where updates come from: piwork pack channel --help",
}

// fixWords are the next steps of a problem, best first.
func fixWords(p problem.Problem) []string {
	var out []string
	for _, f := range p.Fix {
		if s := phrase(fixText[f.Code], p.Params); s != "" {
			out = append(out, s)
		}
	}
	return out
}

const opening = "Opening the workroom"

// stepWords say what a task waits for.
var stepWords = map[string]string{
	"turn":    "Waiting for its turn: other tasks have the memory",
	"memory":  "Waiting for free memory: closing other programs helps",
	"verify":  "Checking the runtime pack",
	"boot":    opening,
	"disk":    opening,
	"machine": opening,
	"kernel":  opening,
	"agent":   opening,
	"prepare": opening,
	"mount":   "Bringing in the folders",
	"plan":    "Looking at the files",
	"accept":  "Waiting for an answer",
	"run":     "Working",
	"finish":  "Finishing",
}

// phaseWords say what is done about an update.
var phaseWords = map[app.UpdatePhase]string{
	app.UpdateOff:         "This piwork follows no update channel",
	app.UpdateIdle:        "Nobody has looked for updates yet",
	app.UpdateChecking:    "Looking for updates",
	app.UpdateAvailable:   "There is something new",
	app.UpdateDownloading: "Downloading",
	app.UpdatePaused:      "The download is paused",
	app.UpdateInstalling:  "Checking and installing",
	app.UpdateTrying:      "Opening the workroom with the new version",
	app.UpdateUpToDate:    "Everything is the newest",
	app.UpdateFailed:      "The update did not work",
	app.UpdateOffline:     "The place where updates come from does not answer",
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
}

var checkWords = map[string]string{
	setup.CheckPackInstalled: "Runtime pack installed",
	setup.CheckPackVerified:  "Runtime pack as it was signed",
	setup.CheckAccelDevice:   "Acceleration offered by this computer",
	setup.CheckAccelBoot:     "Workroom opens",
	setup.CheckSlowMode:      "Slow mode, chosen",
}

// slowWords say who chose the slow mode.
var slowWords = map[string]string{
	setup.ByEnvironment: "by --accel tcg or PIWORK_ACCEL",
	setup.ByFlag:        "by --accel tcg",
	setup.BySettings:    "in the settings",
}

// checkMarks stand before a check: in words, so that every reader has them.
var checkMarks = map[setup.CheckState]string{
	setup.CheckPassed:  "yes",
	setup.CheckFailed:  "NO",
	setup.CheckUnknown: "?",
	setup.CheckSkipped: "-",
}

// choreText is what a chore is called and does, and its parameters.
type choreText struct {
	title, about string
	inputs       string            // one of what it works on
	params       map[string]string // what each is for
}

var choreWords = map[string]choreText{
	"pictures-to-pdf": {
		title: "Pictures to one PDF", about: "puts all pictures of a folder into one PDF, a page each", inputs: "picture",
		params: map[string]string{
			"name":      "name of the PDF",
			"order":     "order of the pages: by name, or by when a picture was taken",
			"recursive": "also the pictures in folders inside",
			"page":      "size of the pages: as the picture, or A4",
		},
	},
}

// choreTitle is the name of a chore for people.
func choreTitle(name string) string {
	if w, ok := choreWords[name]; ok {
		return w.title
	}
	return printable(name)
}

func inputNoun(name string) string {
	if w, ok := choreWords[name]; ok {
		return w.inputs
	}
	return "file"
}

// word looks a code up, and shows the code where there is no word.
func word[K ~string](m map[K]string, code K) string {
	if w, ok := m[code]; ok {
		return w
	}
	return printable(string(code))
}
