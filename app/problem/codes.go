package problem

import "slices"

// Codes of problems. A code never changes its meaning; new ones are added.
const (
	// The computer and the pack. All of them stop every task.
	CodePackMissing      = "pack-missing"
	CodePackCorrupt      = "pack-corrupt" // installed, and not as it was signed
	CodePackTooNew       = "pack-too-new" // wants a newer piwork
	CodeAccelUnavailable = "accel-unavailable"
	CodeBootFailed       = "boot-failed" // not even in slow mode
	CodeNotChecked       = "not-checked" // a check itself could not be made

	// What an administrator agreed to did not work.
	CodeNotMended = "not-mended"

	// Nothing stops, but it is slow by choice.
	CodeSlowMode = "slow-mode"

	// Machines are not there at once, and start the ordinary way.
	CodeNoInstant = "no-instant"

	// A pack file that is refused (its cause is the kind of pack.VerifyError), or
	// cannot be dealt with now.
	CodePackInvalid = "pack-invalid"
	CodePackBusy    = "pack-busy"   // another installation is running
	CodePackInUse   = "pack-in-use" // the version is the current one

	// The runtime's updates, add-ons and bundles.
	CodeUpdateOff        = "update-off"         // no channel is known to look at
	CodeUpdateSettings   = "update-settings"    // an address, a proxy or authorities that cannot be used
	CodeUpdateNotOffered = "update-not-offered" // the channel has nothing for this computer
	CodeUpdateOffline    = "update-offline"     // the channel cannot be reached; the cause is a code of pack/update
	CodeUpdateInvalid    = "update-invalid"     // what the channel says does not verify; the cause is a code of pack/trust/channel
	CodeDownloadFailed   = "download-failed"    // a download ended too early; the cause is a code of pack/update
	CodeDownloadInvalid  = "download-invalid"   // what arrived is not what was signed
	CodeUpdateNotBooting = "update-not-booting" // the new version did not boot here; the one before stays
	CodeRolledBack       = "rolled-back"        // the version in use stopped working; the one before is back
	CodeNoPrevious       = "no-previous"        // there is no version to go back to
	CodeVersionFailed    = "version-failed"     // did not work here before, and is not tried again by itself
	CodeKeyRevoked       = "key-revoked"        // signed by a key that is no longer trusted
	CodeAddOnUnknown     = "addon-unknown"      // no add-on of this name, here or on the channel
	CodeAddOnMismatch    = "addon-mismatch"     // made for another version of the runtime
	CodeAddOnMissing     = "addon-missing"      // a chore needs it, and none here fits the runtime in use
	CodeBundleIncomplete = "bundle-incomplete"  // something that belongs into a bundle is not there

	// What was asked for.
	CodeBadRequest        = "bad-request"
	CodeMachineSettings   = "machine-settings" // a choice about machines that this computer cannot follow
	CodeNotFound          = "not-found"
	CodeUnknownChore      = "unknown-chore"
	CodeUnsupported       = "unsupported"   // no runtime here can do or enforce it
	CodeRuntimeUnfit      = "runtime-unfit" // a kind of place cannot do what a task needs; the cause is a reason of app/runtimes
	CodeFolderRefused     = "folder-refused"
	CodeFolderOverlap     = "folder-overlap" // two folders of a task contain one another
	CodeFolderGone        = "folder-gone"    // its disk or network drive went while a task worked in it
	CodeFolderSilent      = "folder-silent"  // its drive does not answer; the cause is "left" (calls of a task still wait for it) or how the task goes on
	CodeFoldersFixed      = "folders-fixed"  // a task's folders cannot change; the cause is "over" or "planned"
	CodeTaskRunning       = "task-running"
	CodeTaskNotWaiting    = "task-not-waiting"
	CodeNotAtWork         = "not-at-work"    // a task takes no actions from outside; the cause is "over", "early" or "planned"
	CodeNotAttachable     = "not-attachable" // nothing of a task runs that somebody could be attached to
	CodeNoSessions        = "no-sessions"    // nobody can have a session in the task now
	CodeSessionOver       = "session-over"   // the cause is a reason of app/sessions
	CodeSessionBusy       = "session-busy"   // the cause is "command", "writer", "clients" or "many"
	CodeSessionUnfit      = "session-unfit"  // it cannot do that; the cause is "program", "terminal" or "no-terminal"
	CodeNotResumable      = "not-resumable"  // the task cannot go on; the cause is "over", "program", "no-plan" or "password"
	CodeNotRepeatable     = "not-repeatable" // the same cannot be asked for again; the cause is "password", "files", "input" or "environment"
	CodeQuestionOver      = "question-over"  // it was answered, or nobody waits for the answer any more
	CodeMessageHeard      = "message-heard"  // it does not wait any more, or the task began with it
	CodeRecordDamaged     = "record-damaged"
	CodeControllerInUse   = "controller-in-use"  // another piwork holds the data directory
	CodeControllerWorking = "controller-working" // it is to end, and tasks are at work, or, by the cause "changing", an undo, redo or apply
	CodeControllerStart   = "controller-start"   // the process that has the controller did not come up
	CodeRemotePiwork      = "remote-piwork"      // the piwork on another computer cannot be used; the cause is one of vmhost/remote, or "cluster"
	CodeRemoteLost        = "remote-lost"        // the connection to it ended; what it does goes on
	CodeAtLogin           = "at-login"           // the system does not start the controller at login
	CodeAtLoginElsewhere  = "at-login-elsewhere" // what the system starts would have other data
	CodeWindowBlank       = "window-blank"       // the page of the window is not drawn, in no way there is
	CodeShuttingDown      = "shutting-down"
	CodeUndoWaits         = "undo-waits"        // an undo or redo was cut off, and its folder is away; the cause is "missing", "moved", "no-permission", "silent", or "hangs": it does not end
	CodeListChanged       = "list-changed"      // changes are not those that were shown; the cause "along": others would go along
	CodeMoveRefused       = "move-refused"      // of the data to another place; the cause is a code of app/relocate, "fixed" or "busy"
	CodeCacheInUse        = "cache-in-use"      // a task is at work with the cache of a project
	CodeCacheNoWayBack    = "cache-no-way-back" // nothing in the cache is known to be of the last task alone
	CodeMoving            = "moving"            // the data is being moved, or was: the cause is "moving" or "moved"
	CodePlaceGone         = "place-gone"        // the disk with the data is not there
	CodeSettingsChanged   = "settings-changed"  // by two, at the same time

	// How a task ends.
	CodeInterrupted      = "interrupted" // the program ended before the task did
	CodeCancelled        = "cancelled"
	CodeTimeout          = "timeout"
	CodeOutOfMemory      = "out-of-memory"
	CodeOutputLimit      = "output-limit"
	CodeIOLimit          = "io-limit"     // read and wrote more than was allowed in all
	CodeExitStatus       = "exit-status"  // a program ended with another status than 0
	CodeStartFailed      = "start-failed" // a program could not be started
	CodeNoRoom           = "no-room"      // the cause is "computer" or "settings": larger than all machines together may be; "now": memory; "turn": others have it
	CodeVMFailed         = "vm-failed"
	CodeShareFailed      = "share-failed"
	CodeChangedSince     = "changed-since" // an input is not as the plan saw it
	CodeAuditFailed      = "audit-failed"  // nothing runs that cannot be recorded
	CodeDenied           = "denied"
	CodeRuleDenied       = "rule-denied"       // a written rule refuses it; the cause is the layer, "fault" or "none"
	CodePolicyFault      = "policy-fault"      // a text of rules has one
	CodePolicyChanged    = "policy-changed"    // the rules are others than those that were looked at
	CodeChanged          = "changed"           // a record is not what the request says that it is
	CodeExceptionChanged = "exception-changed" // an exception of a rule is not there as it was written
	CodeUnauthorized     = "unauthorized"      // no token, or a wrong one; the cause "ended" is that it was revoked or expired meanwhile
	CodeTokenScope       = "token-scope"       // the token of a program is not for this; the cause "person" is that none is
	CodeTokenFolder      = "token-folder"      // it has not this folder, or not in this mode
	CodeTokenName        = "token-name"        // another token is called like that
	CodeTokenUnwritten   = "token-unwritten"   // it is revoked until the program ends: that could not be written
	CodeToolFailed       = "tool-failed"
	CodeNothingLeft      = "nothing-left" // every input was left out
	CodeNoPictures       = "no-pictures"
	CodeNoFiles          = "no-files" // of the kinds that a chore works on
	CodeTooManyInputs    = "too-many-inputs"

	// Models and keys.
	CodeNoModel        = "no-model"        // there is no key of any provider, and no model on this computer
	CodeUnknownModel   = "unknown-model"   // none of those there is a key for
	CodeModelFailed    = "model-failed"    // it did not answer; the cause is a code of app/gateway
	CodeAIWouldAdd     = "ai-would-add"    // a chore was done as far as it can be without an AI; the cause is its name
	CodeAINoResult     = "ai-no-result"    // the AI ended without what it was to make
	CodeAgentFailed    = "agent-failed"    // the AI program did not start, or ended too early
	CodeAgentModel     = "agent-model"     // the AI program cannot use the model; params agent, model
	CodeKeyInvalid     = "key-invalid"     // a key, or an address, that cannot be one; the cause is "provider", "key", "address" or "login"
	CodeKeychain       = "keychain"        // where keys are kept cannot be used
	CodeKeysLocked     = "keys-locked"     // the file of keys needs its passphrase
	CodePassphrase     = "passphrase"      // it is "wrong" or too "short", by the cause
	CodeUnknownService = "unknown-service" // nobody added it, or it was removed
	CodeServiceSecret  = "service-secret"  // a service has no secret, or one that was given for other hosts
	CodeLoginFailed    = "login-failed"    // the cause is a reason of app/gateway/keys, or "refused", "unreachable", "cancelled"

	// MCP servers of the person.
	CodeMCPServer = "mcp-server" // it does not start, or does not do what it should

	// A file that an action is about.
	CodeFileMissing  = "file-missing"
	CodeFileChanged  = "file-changed" // it is not as it was expected
	CodeFileOutside  = "file-outside" // a path that leads out of where the task works
	CodeFileKind     = "file-kind"    // a directory where a file is needed, or the other way round
	CodeFileTooLarge = "file-too-large"

	// The web, as a task reaches it.
	CodeWebUnreachable = "web-unreachable" // a server does not answer, or the task may not reach it
	CodeNetworkOff     = "network-off"     // the task has no network

	// A file.
	CodeInputBroken      = "input-broken"
	CodeInputUnsupported = "input-unsupported"
	CodeNothingToFill    = "nothing-to-fill" // no column of a table has web addresses, or no other one an empty cell; or, by "pages", these say nothing for it
	CodePagesLeft        = "pages-left"      // a table names more pages than a task visits
	CodeInputMissing     = "input-missing"
	CodeInputUnreadable  = "input-unreadable"
	CodeInputTooLarge    = "input-too-large"
	CodeInputLocked      = "input-locked" // needs a password
	CodeInputLink        = "input-link"   // links are not followed
	CodeInputName        = "input-name"   // a name that cannot be passed on
	CodeInputOnline      = "input-online" // only with a cloud service, and was not downloaded
	CodeInputHasText     = "input-has-text"
	CodeNotCompared      = "not-compared"
	CodeNotSmaller       = "not-smaller" // a copy that was to be
	CodeNoText           = "no-text"
	CodeNotListed        = "not-listed"  // results
	CodeInputPages       = "input-pages" // more than one, where only the first would be used
	CodeInputNoReceipt   = "input-no-receipt"
	CodeReceiptUnsure    = "receipt-unsure" // read, and some of it is guessed or missing
	CodeEntryLeftOut     = "entry-left-out" // of an archive; the cause is one of pack/tools, or none
	CodeNotUnpacked      = "not-unpacked"   // an archive that grows so much that a person is asked, who did not agree
	CodeOutputExists     = "output-exists"
	CodeOutputName       = "output-name" // what a file was to be called
	CodeOutputDenied     = "output-denied"
	CodeDiskFull         = "disk-full"
	CodePermission       = "permission"

	// A failure that no table knows: its text is in Details.
	CodeUnknown = "unknown"
)

// Codes of fixes.
const (
	FixKeys           = "keys"             // piwork key set PROVIDER
	FixUnlockKeys     = "unlock-keys"      // piwork key unlock
	FixKeyFile        = "key-file"         // piwork key store file
	FixLogin          = "login"            // piwork key login PROVIDER
	FixResume         = "resume"           // piwork task resume ID
	FixInstallPack    = "install-pack"     // piwork pack install FILE
	FixGetPack        = "get-pack"         // where packs come from
	FixRepairPack     = "repair-pack"      // install the same pack again
	FixOtherFile      = "other-file"       // use another copy of the file
	FixUpdateApp      = "update-app"       // install a newer piwork
	FixCheckAgain     = "check-again"      // piwork doctor
	FixBubblewrap     = "install-bwrap"    // install bubblewrap
	FixFUSE           = "install-fuse"     // install fuse3
	FixAllowSandbox   = "allow-sandbox"    // change the setting by which the system allows no sandboxes
	FixSlowMode       = "slow-mode"        // work without acceleration
	FixFastMode       = "fast-mode"        // use acceleration again
	FixKVMGroup       = "kvm-group"        // join the group that may open /dev/kvm
	FixLoadKVM        = "load-kvm"         // load the kernel's module
	FixFirmware       = "firmware-virt"    // switch virtualization on in the firmware
	FixNestedVirt     = "nested-virt"      // let the machine around this one offer virtualization
	FixPickFolder     = "pick-folder"      // choose another folder
	FixPickSubfolder  = "pick-subfolder"   // choose a folder inside of this one
	FixFreeSpace      = "free-space"       // delete something
	FixFolderRights   = "folder-rights"    // allow writing to the folder
	FixStartAgain     = "start-again"      // start the same task again
	FixElsewhere      = "start-elsewhere"  // start the same task again, in a virtual machine
	FixPlanAgain      = "plan-again"       // make a new plan
	FixReview         = "review-changes"   // look at what was changed, and undo it
	FixCancelTask     = "cancel-task"      // end the task first
	FixDeleteTask     = "delete-task"      // remove the record
	FixDeleteAnyway   = "delete-anyway"    // remove the record, and give up an undo that was cut off
	FixAbandonUndo    = "abandon-undo"     // give up an undo that was cut off, and keep the record
	FixShowDetails    = "show-details"     // read the evidence
	FixReplaceInput   = "replace-input"    // bring a whole copy of the file
	FixRemoveInput    = "remove-input"     // take the file out of the folder
	FixAddPictures    = "add-pictures"     // put pictures into the folder
	FixRecursive      = "include-subdirs"  // look in folders inside, too
	FixUseOtherWindow = "use-other-piwork" // the one that runs already
	FixDownloadPack   = "download-pack"    // get the runtime from its channel
	FixUpdateNow      = "update-now"       // start the update, again
	FixCheckNetwork   = "check-network"    // this computer's way to the internet
	FixCheckClock     = "check-clock"      // this computer's date and time
	FixNetworkSignIn  = "network-sign-in"  // a network that wants a person to sign in on a page
	FixUpdateSettings = "update-settings"  // address, proxy, authorities
	FixInstallAddOn   = "install-addon"    // piwork pack addon install NAME
	FixMachines       = "machine-settings" // piwork settings
	FixMoreMemory     = "more-memory"      // another computer, or more memory for this one

	FixKVMRule         = "kvm-rule"         // give the device a group, and join it
	FixRelogin         = "log-in-again"     // the session is older than the account's groups
	FixRestart         = "restart-computer" // nothing else is needed
	FixOtherKernel     = "other-kernel"     // one that has KVM
	FixAllowDevice     = "allow-device"     // what the program is shut in has to let it out to the device
	FixCloseOther      = "close-other"      // the program that holds the processor's virtualization
	FixWSLUpgrade      = "wsl-upgrade"      // to the second Windows Subsystem for Linux
	FixWSLNested       = "wsl-nested"       // switch virtualization on in it
	FixWindowsFeature  = "windows-feature"  // switch the Windows Hypervisor Platform on
	FixHypervisorStart = "hypervisor-start" // let Windows start its hypervisor
	FixUpdateOS        = "update-system"    // install a newer version of the operating system
	FixNativeApp       = "native-app"       // install the piwork that is made for this processor
)

// Class groups codes by what a caller does about them.
type Class string

// Classes of problems.
const (
	ClassFailed   Class = "failed"
	ClassUsage    Class = "usage"     // what was asked for makes no sense
	ClassNotFound Class = "not-found" // no such task, chore, result
	ClassSetup    Class = "setup"     // this computer is not ready
	ClassDenied   Class = "denied"    // by policy or by a person
	ClassVerify   Class = "verify"    // a signature or checksum does not hold
	ClassConflict Class = "conflict"  // something changed since, or is in another state
	ClassCancel   Class = "cancelled"
)

// classes of codes; the others are ClassFailed.
var classes = map[Class][]string{
	ClassUsage:    {CodeBadRequest, CodeMachineSettings, CodeUnknownChore, CodeUnsupported, CodeRuntimeUnfit, CodeFolderOverlap, CodeUpdateOff, CodeUpdateSettings, CodeAtLoginElsewhere, CodeFileOutside, CodeFileKind},
	ClassNotFound: {CodeNotFound, CodeAddOnUnknown, CodeFileMissing, CodeUnknownService},
	ClassSetup:    {CodePackMissing, CodePackCorrupt, CodePackTooNew, CodeAccelUnavailable, CodeBootFailed, CodeNotChecked},
	ClassDenied:   {CodeDenied, CodeRuleDenied, CodeTokenScope, CodeTokenFolder, CodeFolderRefused, CodeMoveRefused},
	ClassVerify:   {CodePackInvalid, CodeUpdateInvalid, CodeDownloadInvalid, CodeKeyRevoked},
	ClassConflict: {CodeChanged, CodeChangedSince, CodePolicyChanged, CodeExceptionChanged, CodeTokenName, CodeSettingsChanged, CodeFoldersFixed, CodeTaskRunning, CodeTaskNotWaiting, CodeNotAttachable, CodeNotAtWork, CodeNetworkOff, CodeFileChanged, CodeNotResumable, CodeNotRepeatable, CodeQuestionOver, CodeMessageHeard, CodeControllerInUse, CodeControllerWorking, CodeOutputExists, CodePackBusy, CodePackInUse, CodeCacheInUse, CodeCacheNoWayBack, CodeUndoWaits, CodeListChanged,
		CodeNoSessions, CodeSessionOver, CodeSessionBusy, CodeSessionUnfit,
		CodeNoPrevious, CodeVersionFailed, CodeAddOnMismatch, CodeAddOnMissing},
	ClassCancel: {CodeCancelled},
}

// byCause are the classes of problems whose cause is of another kind than their code.
var byCause = map[[2]string]Class{
	{CodeMoveRefused, "busy"}:        ClassConflict, // it can be moved when the task is done
	{CodeBadRequest, "decided"}:      ClassConflict, // there is another decision about the same
	{CodeBadRequest, "saved-exists"}: ClassConflict, // a program does not replace a saved chore
	{CodeUnsupported, "open"}:        ClassFailed,   // by no program of the person; nothing is wrong with the request
}

// Class returns the class of a problem.
func (p *Problem) Class() Class {
	if class, ok := byCause[[2]string{p.Code, p.Cause}]; ok {
		return class
	}
	return ClassOf(p.Code)
}

// ClassOf returns the class of a code; ClassFailed for one that is not known.
func ClassOf(code string) Class {
	for class, codes := range classes {
		if slices.Contains(codes, code) {
			return class
		}
	}
	return ClassFailed
}

// ExitCode returns how a command line ends for a class.
func (c Class) ExitCode() int {
	switch c {
	case ClassUsage, ClassNotFound:
		return 2
	case ClassSetup:
		return 3
	case ClassDenied:
		return 4
	case ClassVerify:
		return 5
	case ClassConflict:
		return 6
	case ClassCancel:
		return 130
	default:
		return 1
	}
}
