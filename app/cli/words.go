package cli

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// The words of the command line: for every code of a problem what happened and
// what it means for the person's files. In a text, {name} is a parameter of the
// problem; of alternatives, parted by " | ", the first whose parameters are all
// there is taken.

type wording struct{ what, means string }

const unchanged = "Nothing was changed."

var problemWords = map[string]wording{
	problem.CodePackMissing: {"The runtime pack is not installed yet.",
		"The closed workroom is made from it. Nothing was installed or changed."},
	problem.CodePackCorrupt: {"The add-on {name} is not as it was signed. | The installed runtime pack is not as it was signed.",
		"So it is not started. Your own files were not touched."},
	problem.CodePackTooNew: {"The runtime pack needs a newer piwork.",
		"This version cannot use it. Your files were not touched."},
	problem.CodeAccelUnavailable: {"This computer cannot open the workroom at full speed.",
		"No task can start until this is solved or you choose to work slowly. " + unchanged},
	problem.CodeBootFailed: {"The workroom does not open on this computer, not even slowly.",
		"No task can start. " + unchanged},
	problem.CodeNotChecked: {"A check could not be made.",
		"So it is not known whether the workroom would open. " + unchanged},
	problem.CodeNotMended: {"The system did not do that.",
		"What stands in the way is as it was. The command can be typed by an administrator, too."},
	problem.CodeSlowMode: {"piwork works slowly on this computer, because you chose so.",
		"Everything works, only about {slowFactor} times slower. | Everything works, only several times slower."},
	problem.CodeNoInstant: {"What was kept of a workroom did not work on this computer.",
		"Every workroom opens the ordinary way, which takes a little longer."},
	problem.CodePackInvalid: {"{path} was refused as a runtime pack. | This file was refused as a runtime pack.",
		"Nothing of it was installed."},
	problem.CodePackBusy:  {"Another piwork is installing a runtime pack right now.", unchanged},
	problem.CodePackInUse: {"This version of the runtime pack is in use.", unchanged},

	problem.CodeUpdateOff: {"This piwork follows no update channel.",
		"None is built in, so updates cannot be looked for. Everything works on with what is installed."},
	problem.CodeUpdateOffline: {"{host} does not answer. | The place where updates come from does not answer.",
		"Everything works on with what is installed."},
	problem.CodeUpdateInvalid: {"What the update channel says was refused.",
		"It is not covered by signatures that this piwork trusts, so nothing of it was installed. Everything works on with what is installed."},
	problem.CodeDownloadFailed: {"The download did not come to its end.",
		"What arrived is kept, and the next attempt goes on from there. Everything works on with what is installed."},
	problem.CodeDownloadInvalid: {"What was downloaded is not what was signed.",
		"It was thrown away; nothing of it was installed."},
	problem.CodeUpdateSettings: {"What is set about updates cannot be used.", unchanged},
	problem.CodeUpdateNotOffered: {"The update channel has nothing for this computer.",
		"Everything works on with what is installed."},
	problem.CodeUpdateNotBooting: {"The workroom does not open with version {version} on this computer. | The workroom does not open with the new version on this computer.",
		"Version {current} stays in use. It is not tried again by itself. | The version before stays in use. The new one is not tried again by itself."},
	problem.CodeRolledBack: {"Version {failed} stopped working, so piwork went back to version {version}. | The new version stopped working, so piwork went back to the one before.",
		"Your tasks go on as before. Your files were not touched."},
	problem.CodeNoPrevious: {"There is no version to go back to.", unchanged},
	problem.CodeVersionFailed: {"Version {version} did not work on this computer before. | This version did not work on this computer before.",
		"So it is not tried again by itself. " + unchanged},
	problem.CodeKeyRevoked: {"This was signed with a key that is no longer trusted.",
		"The key was withdrawn, so nothing of it is started or installed. Your files were not touched."},
	problem.CodeAddOnUnknown: {"There is no add-on {name}. | There is no such add-on.", unchanged},
	problem.CodeAddOnMissing: {"This needs the add-on {name}, and none that fits the runtime is installed. | This needs an add-on, and none that fits the runtime is installed.",
		"Nothing was started. " + unchanged},
	problem.CodeAddOnMismatch: {"The add-on {name} is made for another version of the runtime. | This add-on is made for another version of the runtime.",
		"Runtime and add-ons are updated together. " + unchanged},
	problem.CodeBundleIncomplete: {"{missing} is not there, and belongs into the bundle. | Something that belongs into the bundle is not there.",
		"No bundle was written."},

	problem.CodeBadRequest: {"{unknown} is nothing that can be set. | {parameter} cannot be set to that. | That makes no sense to piwork.", unchanged},
	problem.CodeMachineSettings: {"This computer cannot give the workrooms that much, or so little.",
		"The settings are as they were. Between {min} and {max} is possible. | " + "The settings are as they were."},
	problem.CodeNotFound:        {"There is no task {task}. | That is not there.", unchanged},
	problem.CodeUnknownChore:    {"There is no chore {chore}. | There is no such chore.", unchanged},
	problem.CodeUnsupported:     {"piwork cannot do that here: {what}. | piwork cannot do that here.", "It does not start what it cannot keep safe. " + unchanged},
	problem.CodeFolderRefused:   {"{path} cannot be used as a folder. | This folder cannot be used.", unchanged},
	problem.CodeFolderOverlap:   {"{path} and {other} lie inside one another. | One of the folders lies inside another.", unchanged},
	problem.CodeFoldersFixed:    {"The folders of this task can't be changed.", "It is over, or works on the folders of its plan. Start a new task with the folders it should have. " + unchanged},
	problem.CodeTaskRunning:     {"The task is still at work.", "That is possible when it is over."},
	problem.CodeTaskNotWaiting:  {"The task does not wait for an answer.", "It went on or ended meanwhile."},
	problem.CodeNotResumable:    {"The task cannot go on.", unchanged},
	problem.CodeNotRepeatable:   {"The same cannot be asked for again.", unchanged},
	problem.CodeQuestionOver:    {"The question is not open any more.", "It was answered, or nobody waits for the answer now."},
	problem.CodeMessageHeard:    {"The message does not wait any more.", "The AI has it already, or it is what the task began with."},
	problem.CodeTaskDeleted:     {"The task was deleted.", "Its record is gone; your files are as they are."},
	problem.CodeRecordDamaged:   {"The record of task {task} is damaged. | The record of this task is damaged.", "Your files were not touched by that, but its changes may no longer be listed."},
	problem.CodeControllerInUse: {"Another piwork (process {pid}) works with these records and does not answer. | Another piwork works with these records already.", unchanged},
	problem.CodeShuttingDown:    {"piwork is just ending.", unchanged},
	problem.CodeMoveRefused:     {"The data of piwork cannot be moved to {path}. | The data of piwork cannot be moved.", unchanged},
	problem.CodeMoving:          {"piwork moves its data to another place.", unchanged},
	problem.CodePlaceGone:       {"The data of piwork is not at {path}. | The data of piwork is not where it was moved to.", "Connect its disk, or put the folder back where it was. piwork begins nowhere else, so that nothing seems lost. " + unchanged},
	codeUnreachable:             {"The piwork that did the work is gone.", "What it had changed until then is listed by: piwork task changes."},

	problem.CodeNoModel:      {"There is no key of an AI service, and no model on this computer.", "To ask in your own words, piwork needs one of them. Chores need neither. " + unchanged},
	problem.CodeUnknownModel: {"There is no key for the model {model}. | There is no key for this model.", unchanged},
	problem.CodeModelFailed:  {"The model did not answer.", "What was done until then is listed and can be taken back."},
	problem.CodeAIWouldAdd:   {"With an AI this chore does more.", "What needs none is done."},
	problem.CodeAINoResult:   {"The AI ended without the result {name}. | The AI ended without a result.", "What was done until then is listed and can be taken back."},
	problem.CodeAgentFailed:  {"The AI program did not start, or ended too early.", "What was done until then is listed and can be taken back."},
	problem.CodeKeyInvalid:   {"That cannot be a key.", "Nothing was kept."},
	problem.CodeKeysLocked:   {"The file with your keys is locked.", "It needs its passphrase, once after each start of piwork. " + unchanged},
	problem.CodePassphrase:   {"That is not the passphrase.", unchanged},
	problem.CodeLoginFailed:  {"You were not signed in.", "No key was kept or replaced."},
	problem.CodeKeychain:     {"The place where keys are kept cannot be used.", "The keychain of this computer is locked or missing. Nothing was saved. Keys of the\nenvironment are taken with PIWORK_AUTH_MODE=env."},

	problem.CodeInterrupted: {"piwork ended before the task did.", "What was changed until then is listed and can be taken back."},
	problem.CodeCancelled:   {"Stopped.", "What was changed until then is listed and can be taken back."},
	problem.CodeTimeout:     {"It took longer than allowed and was stopped.", "What was changed until then is listed and can be taken back."},
	problem.CodeOutOfMemory: {"It needed more memory than the workroom has.", "What was changed until then is listed and can be taken back."},
	problem.CodeIOLimit:     {"It read and wrote more than allowed and was stopped.", "What was changed until then is listed and can be taken back."},
	problem.CodeOutputLimit: {"It wrote more output than allowed and was stopped.", "What was changed until then is listed and can be taken back."},
	problem.CodeExitStatus:  {"The program ended with code {exitCode}. | The program reported a failure.", "What it changed is listed and can be taken back."},
	problem.CodeStartFailed: {"{what} could not be started. | The program could not be started.", unchanged},
	problem.CodeNoRoom: {"The workroom of this task is larger than all workrooms together may be.",
		"It was not opened. " + unchanged},
	problem.CodeVMFailed:      {"The workroom did not open, or closed too early.", "What was changed until then is listed and can be taken back."},
	problem.CodeShareFailed:   {"The folders could not be brought into the workroom.", "What was changed until then is listed and can be taken back."},
	problem.CodeChangedSince:  {"Something changed since the plan was made.", "So the plan was not carried out: it would not be what you saw."},
	problem.CodeAuditFailed:   {"What is done could not be recorded.", "Nothing runs that is not recorded, so the task was stopped."},
	problem.CodeDenied:        {"That was not allowed.", unchanged},
	problem.CodeToolFailed:    {"A tool in the workroom failed.", "What was changed until then is listed and can be taken back."},
	problem.CodeNothingLeft:   {"None of the files could be used.", unchanged},
	problem.CodeNoPictures:    {"There are no pictures in {folders}. | There are no pictures in this folder.", unchanged},
	problem.CodeNoFiles:       {"There is no file for this chore in {folders}. | There is no file for this chore in this folder.", unchanged},
	problem.CodeTooManyInputs: {"{count} files are too many for one run; at most {max}. | That are too many files for one run.", unchanged},

	problem.CodeInputBroken:      {"{path} is damaged. | A file is damaged.", "It was left out; the file is as it was."},
	problem.CodeInputUnsupported: {"{path} is of a kind that cannot be read. | A file is of a kind that cannot be read.", "It was left out; the file is as it was."},
	problem.CodeInputMissing:     {"{path} is no longer there. | A file is no longer there.", "It was left out."},
	problem.CodeInputUnreadable:  {"{path} may not be read. | A file may not be read.", "It was left out; the file is as it was."},
	problem.CodeInputLocked:      {"{path} is locked with a password. | A file is locked with a password.", "It was left out; the file is as it was."},
	problem.CodeInputTooLarge:    {"{path} is too large. | A file is too large.", "It was left out; the file is as it was."},
	problem.CodeInputLink:        {"{path} only points to another file. | A file only points to another one.", "Such links are not followed, so it was left out."},
	problem.CodeInputHasText:     {"{path} can be searched already. | A document can be searched already.", "It was left out; the file is as it was."},
	problem.CodeReceiptUnsure:    {"{path} was read with a confidence of {confidence} %: {unsure}. | A receipt was read with doubt.", "Compare its row in the table with the receipt."},
	problem.CodeEntryLeftOut: {"“{entry}” in {path} was left out. | Something in {path} was left out. | Something in an archive was left out.",
		"The rest was unpacked; the archive is as it was."},
	problem.CodeNotUnpacked: {"{path} was not unpacked: it grows so much that it needs your yes. | An archive was not unpacked: it grows so much that it needs your yes.",
		"It was left out; the file is as it was."},
	problem.CodeInputNoReceipt: {"{path} does not look like a receipt. | A file does not look like a receipt.", "It has no row in the table; the file is as it was."},
	problem.CodeInputName:      {"{path} has a name that the workroom cannot use. | A file has a name that the workroom cannot use.", "It was left out; the file is as it was."},
	problem.CodeOutputExists:   {"{out} is already there. | {path} is already there. | The result is already there.", "It was not replaced."},
	problem.CodeOutputDenied:   {"There is no permission to write {out}. | There is no permission to write into {path}. | There is no permission to write into the folder.", unchanged},
	problem.CodeDiskFull:       {"The disk is full.", "What was half written was taken away again; everything else is as it was."},
	problem.CodePermission:     {"There is no permission for {path}. | There is no permission for that.", unchanged},
	problem.CodeUnknown:        {"Something went wrong that piwork does not know.", "If a task was at work: what it changed is listed and can be taken back."},
}

// causeWords say more where the cause of a problem is known; by code and cause.
var causeWords = map[string]map[string]string{
	problem.CodeEntryLeftOut: {
		tools.EntryOutside: "“{entry}” in {path} was left out: its name leads out of the folder.",
		tools.EntryLink:    "“{entry}” in {path} was left out: it is a link, which could lead anywhere.",
		tools.EntrySpecial: "“{entry}” in {path} was left out: it is neither a file nor a folder.",
		tools.EntryName:    "“{entry}” in {path} was left out: the folder cannot hold a file of that name.",
		tools.EntryTaken:   "“{entry}” in {path} was left out: something of that name is there.",
		tools.EntryMore:    "{count} more entries of {path} were left out.",
	},
	problem.CodeTaskRunning: {
		"provider": "At work it reaches one service: choose a model of another when it is over.",
		"model":    "It does not know this model yet: choose it when the task is over, and it goes on with it.",
	},
	problem.CodeNotResumable: {
		"over":     "There is nothing left of it to do.",
		"no-plan":  "Nobody said yes to its plan.",
		"password": "It needs a password again, and piwork keeps none.",
	},
	problem.CodeNotRepeatable: {
		"password":    "It was asked for with a password, and piwork keeps none.",
		"files":       "The files that came with it are not kept.",
		"input":       "It was given text to read, which is not kept.",
		"environment": "It was given variables, and piwork keeps none.",
	},
	problem.CodeAIWouldAdd:  aidedWords,
	problem.CodeModelFailed: modelFaultWords,
	problem.CodePassphrase: {
		"wrong": "That is not the passphrase of the file.",
		"short": "The passphrase is too short: who has the file may guess as long as they like. It needs 8 characters.",
	},
	problem.CodeLoginFailed: {
		"none":        "piwork knows no way to sign in to this service; set a key.",
		"wrong":       "What was pasted is not the code of this sign-in.",
		"expired":     "The code is too old, or was used already.",
		"denied":      "The sign-in was declined.",
		"timeout":     "Nobody signed in in time.",
		"answer":      "The answer of the service could not be read.",
		"refused":     "The service refused the sign-in. Look there whether your account may use it.",
		"device":      "This service has no sign-in by a code on another device. Leave --device away.",
		"domain":      "Only Copilot of a company with a GitHub of its own takes an address, such as company.ghe.com.",
		"port":        "Another program on this computer waits for the browser at the only address that this service knows (port 1455; 1456 for radius), such as a sign-in of Codex or pi that was not finished. End that, and sign in again, or use --device.",
		"unreachable": "The service cannot be reached. Is there a connection to the internet?",
		"cancelled":   "The sign-in was given up.",
	},
	problem.CodeKeyInvalid: {
		"provider": "{provider} is not a service that piwork knows; with --base-url it can be any.",
		"key":      "That cannot be a key: look whether it was copied whole.",
		"login":    "{provider} has no keys. Sign in to it: piwork key login {provider}",
		"address":  "That cannot be the address of a service.",
	},
	problem.CodePackInvalid: {
		"not-a-pack":        "{path} is no runtime pack. | The file is no runtime pack.",
		"truncated":         "The file ends too early; its download was probably cut.",
		"corrupt-archive":   "The file is damaged; its download probably went wrong.",
		"trailing-data":     "The file goes on after its end.",
		"too-large":         "The file is larger than a pack may be.",
		"missing-manifest":  "The file has no list of its contents.",
		"missing-signature": "The runtime pack is not signed.",
		"bad-signature":     "The signature of the runtime pack does not fit its contents.",
		"foreign-key":       "The runtime pack is signed by a key that this piwork does not trust.",
		"revoked-key":       "The runtime pack is signed by a key that was withdrawn.",
		"withdrawn":         "This version of the runtime was withdrawn and is no longer installed.",
		"bad-manifest":      "The list of contents of the runtime pack cannot be read.",
		"unsafe-name":       "The runtime pack holds a file name that could reach outside of its folder.",
		"unsafe-entry":      "The runtime pack holds something that is no ordinary file.",
		"duplicate-file":    "The runtime pack holds a file twice.",
		"extra-file":        "The runtime pack holds a file that was never signed: {file}.",
		"missing-file":      "A signed file is missing in the runtime pack: {file}.",
		"wrong-size":        "A file of the runtime pack is not as long as was signed: {file}.",
		"flipped-byte":      "A file of the runtime pack is not what was signed: {file}.",
		"wrong-platform":    "The runtime pack is made for another kind of computer.",
		"wrong-app-version": "The runtime pack is for another version of piwork.",
		"unknown-schema":    "The runtime pack needs a newer piwork.",
		"wrong-version":     "The folder holds another version of the runtime pack than its name says.",
		"not-executable":    "A program of the runtime pack may no longer be run: {file}.",
	},
	problem.CodePackInUse: {
		"task": "A task still works on this version of the runtime pack.",
	},
	problem.CodeUpdateOff: {
		"no-mirror": "No address is known to look for updates.",
	},
	problem.CodeUpdateInvalid:  channelWords,
	problem.CodeUpdateOffline:  transferWords,
	problem.CodeDownloadFailed: transferWords,
	problem.CodeUpdateSettings: transferWords,
	problem.CodeDownloadInvalid: {
		"changed-on-server": "The file on {host} changed while it was downloaded. | The file on the server changed while it was downloaded.",
		"too-large":         "{host} sent more than was announced. | The server sent more than was announced.",
	},
	problem.CodeFolderRefused: {
		"home":          "{path} is your whole home folder: far more than one chore should see.",
		"disk-root":     "{path} is a whole disk: far more than one chore should see.",
		"system":        "{path} belongs to the system.",
		"own-data":      "{path} holds piwork's own records.",
		"not-a-folder":  "{path} is not a folder.",
		"missing":       "{path} is not there.",
		"no-permission": "{path} may not be opened by your account.",
	},
	problem.CodeMoveRefused: {
		"relative":     "{path} is only a part of a path.",
		"missing":      "{path} is not there.",
		"not-a-folder": "{path} is not a folder.",
		"same":         "The data is there already.",
		"inside":       "{path} is one of piwork's own folders.",
		"taken":        "In {path} there is a folder piwork already, with something in it.",
		"shared":       "{path} is in a folder that a task works on.",
		"read-only":    "Nothing can be written to {path} by your account.",
		"network":      "{path} is on another computer, or on no disk that can be relied on.",
		"memory":       "What is in {path} is gone when the computer is switched off.",
		"not-private":  "The disk of {path} knows no rights, so everybody could read the data there.",
		"unfinished":   "An undo was interrupted and is not finished yet, because one of its folders cannot be reached.",
		"fixed":        "The environment variable {name} says where the data is.",
		"busy":         "A task is at work, or what it changed is being looked at. Wait until it is over, or stop it.",
	},
	problem.CodeMoving: {
		"moved": "The data of piwork is at another place now: start piwork again.",
	},
	problem.CodeNoRoom: {
		"computer": "This computer has too little memory for the workroom: it needs {needMb} MB, and can get {haveMb} MB.",
		"settings": "The workroom needs {needMb} MB of memory, and the settings give all workrooms together {haveMb} MB.",
		"now":      "There is too little free memory right now.",
	},
	problem.CodeMachineSettings: {
		"memoryMb": "A workroom cannot have {value} MB of memory on this computer.",
		"totalMb":  "All workrooms together cannot have {value} MB of memory on this computer.",
		"cpus":     "A workroom cannot have {value} processors on this computer.",
		"machines": "There cannot be {value} workrooms at the same time.",
	},
	problem.CodeCancelled: {
		"caller-gone": "Stopped, because the program that started it is gone.",
		"closing":     "Stopped, because piwork ended.",
	},
}

// words returns what happened, and what it means.
func words(p problem.Problem) (what, means string) {
	w, known := problemWords[p.Code]
	if !known {
		w = wording{what: "Something went wrong: " + terminal.Printable(p.Code) + "."}
	}
	what, means = phrase(w.what, p.Params), phrase(w.means, p.Params)
	text := causeWords[p.Code][p.Cause]
	if p.Code == problem.CodeAccelUnavailable {
		text = accelCause(p.Cause)
	}
	if s := phrase(text, spoken(p.Params)); s != "" {
		what = s
	}
	if p.Code == problem.CodePackCorrupt {
		if text, ok := causeWords[problem.CodePackInvalid][p.Cause]; ok {
			means = phrase(text, p.Params) + " " + means
		}
	}
	return what, means
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// phrase fills in the first alternative whose parameters are there, "" when
// there is none.
func phrase(text string, params map[string]any) string {
	for alternative := range strings.SplitSeq(text, " | ") {
		whole := true
		s := placeholder.ReplaceAllStringFunc(alternative, func(m string) string {
			v, ok := params[m[1:len(m)-1]]
			s := shown(v)
			whole = whole && ok && s != ""
			return s
		})
		if whole {
			return s
		}
	}
	return ""
}

// shown writes a parameter: paths of the workroom without its directory.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return terminal.Printable(strings.TrimPrefix(v, wire.FoldersDir+"/"))
	case float64: // as JSON makes every number
		return fmt.Sprintf("%.0f", v)
	case []string:
		return strings.Join(mapped(v, shown), ", ")
	case []any:
		return strings.Join(mapped(v, shown), ", ")
	default:
		return terminal.Printable(fmt.Sprint(v))
	}
}

func mapped[T any](in []T, f func(any) string) []string {
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}

// sortedKeys is for lists that people read.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
