package problem

// standard is what a problem of a code looks like when nothing more is known.
type standard struct {
	severity Severity // "" is Failed
	fix      []string // best first
}

var defaults = map[string]standard{
	CodePackMissing:      {Blocking, []string{FixInstallPack, FixGetPack}},
	CodePackCorrupt:      {Blocking, []string{FixRepairPack, FixShowDetails}},
	CodePackTooNew:       {Blocking, []string{FixUpdateApp, FixInstallPack}},
	CodeAccelUnavailable: {Blocking, []string{FixSlowMode, FixCheckAgain}},
	CodeBootFailed:       {Blocking, []string{FixCheckAgain, FixRepairPack, FixShowDetails}},
	CodeNotChecked:       {Blocking, []string{FixCheckAgain, FixShowDetails}},
	CodeNotMended:        {Failed, []string{FixCheckAgain, FixShowDetails}},
	CodeSlowMode:         {Warning, []string{FixFastMode}},
	CodeNoInstant:        {Warning, []string{FixCheckAgain, FixShowDetails}},
	CodePackInvalid:      {Failed, []string{FixOtherFile, FixShowDetails}},

	CodeUpdateOff:        {Failed, []string{FixUpdateSettings, FixInstallPack}},
	CodeUpdateSettings:   {Failed, []string{FixUpdateSettings, FixShowDetails}},
	CodeUpdateNotOffered: {Failed, []string{FixUpdateApp, FixUpdateSettings}},
	CodeUpdateOffline:    {Failed, []string{FixCheckNetwork, FixUpdateNow, FixUpdateSettings}},
	CodeUpdateInvalid:    {Failed, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	CodeDownloadFailed:   {Failed, []string{FixUpdateNow, FixCheckNetwork, FixUpdateSettings}},
	CodeDownloadInvalid:  {Failed, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	CodeUpdateNotBooting: {Warning, []string{FixUpdateNow, FixShowDetails}},
	CodeRolledBack:       {Warning, []string{FixUpdateNow, FixShowDetails}},
	CodeVersionFailed:    {Failed, []string{FixUpdateNow, FixShowDetails}},
	CodeKeyRevoked:       {Failed, []string{FixUpdateNow, FixUpdateApp, FixShowDetails}},
	CodeAddOnMismatch:    {Failed, []string{FixUpdateNow, FixOtherFile}},
	CodeAddOnMissing:     {Failed, []string{FixInstallAddOn, FixStartAgain}},
	CodeBundleIncomplete: {Failed, []string{FixCheckNetwork, FixShowDetails}},

	CodeMachineSettings:   {Failed, []string{FixMachines}},
	CodeFolderRefused:     {Failed, []string{FixPickFolder}},
	CodeFolderGone:        {Failed, nil}, // the task knows how it goes on
	CodeFolderSilent:      {Failed, nil},
	CodeUndoWaits:         {Failed, []string{FixAbandonUndo}},
	CodeMoveRefused:       {Failed, []string{FixPickFolder}},
	CodePlaceGone:         {Failed, []string{FixShowDetails}},
	CodeFolderOverlap:     {Failed, []string{FixPickFolder}},
	CodeFoldersFixed:      {Failed, []string{FixStartAgain}},
	CodeTaskRunning:       {Failed, []string{FixCancelTask}},
	CodeNotResumable:      {Failed, []string{FixStartAgain}},
	CodeRecordDamaged:     {Failed, []string{FixDeleteTask, FixShowDetails}},
	CodeControllerInUse:   {Failed, []string{FixUseOtherWindow}},
	CodeControllerWorking: {Failed, []string{FixCancelTask}},
	CodeRemotePiwork:      {Failed, []string{FixShowDetails}},
	CodeRemoteLost:        {Failed, []string{FixShowDetails}},

	CodeInterrupted:  {Failed, []string{FixReview, FixStartAgain}},
	CodeCancelled:    {Failed, []string{FixReview, FixStartAgain}},
	CodeTimeout:      {Failed, []string{FixStartAgain, FixShowDetails}},
	CodeOutOfMemory:  {Failed, []string{FixShowDetails}},
	CodeIOLimit:      {Failed, []string{FixShowDetails}},
	CodeNoRoom:       {Failed, []string{FixMachines, FixMoreMemory}},
	CodeVMFailed:     {Failed, []string{FixStartAgain, FixCheckAgain, FixShowDetails}},
	CodeShareFailed:  {Failed, []string{FixStartAgain, FixShowDetails}},
	CodeChangedSince: {Failed, []string{FixPlanAgain}},
	CodeToolFailed:   {Failed, []string{FixShowDetails}},
	CodeNothingLeft:  {Failed, []string{FixReplaceInput, FixPickFolder}},
	CodeNoPictures:   {Failed, []string{FixAddPictures, FixPickFolder}},
	CodeNoFiles:      {Failed, []string{FixPickFolder}},

	CodeNoModel:        {Failed, []string{FixKeys}},
	CodeUnknownModel:   {Failed, []string{FixKeys}},
	CodeModelFailed:    {Failed, []string{FixResume, FixKeys, FixShowDetails}},
	CodeAIWouldAdd:     {Warning, []string{FixKeys}},
	CodeAINoResult:     {Failed, []string{FixResume, FixStartAgain}},
	CodeNotRepeatable:  {Failed, nil},
	CodeAgentModel:     {Failed, nil},
	CodeAgentFailed:    {Failed, []string{FixResume, FixShowDetails}},
	CodeKeyInvalid:     {Failed, []string{FixKeys}},
	CodeKeychain:       {Failed, []string{FixShowDetails}},
	CodeKeysLocked:     {Failed, []string{FixUnlockKeys}},
	CodePassphrase:     {Failed, []string{FixUnlockKeys}},
	CodeUnknownService: {Failed, nil},
	CodeServiceSecret:  {Failed, nil},
	CodeLoginFailed:    {Failed, []string{FixLogin, FixKeys}},

	CodeMCPServer: {Failed, []string{FixShowDetails}},

	CodeInputBroken:      {Warning, []string{FixReplaceInput, FixRemoveInput}},
	CodeInputUnsupported: {Warning, []string{FixReplaceInput, FixRemoveInput}},
	CodeNothingToFill:    {Warning, []string{FixReplaceInput, FixRemoveInput}},
	CodePagesLeft:        {Warning, nil},
	CodeInputMissing:     {Warning, []string{FixPlanAgain}},
	CodeInputUnreadable:  {Warning, []string{FixFolderRights, FixRemoveInput}},
	CodeInputTooLarge:    {Warning, []string{FixReplaceInput, FixRemoveInput}},
	CodeInputLocked:      {Warning, []string{FixReplaceInput, FixRemoveInput}},
	CodeInputLink:        {Warning, []string{FixReplaceInput}},
	CodeInputName:        {Warning, []string{FixReplaceInput}},
	CodeInputOnline:      {Warning, []string{FixCheckNetwork, FixPlanAgain}},
	CodeInputHasText:     {Warning, []string{FixRemoveInput}},
	CodeInputPages:       {Warning, nil},
	CodeNotCompared:      {Warning, []string{FixPickSubfolder}},
	CodeNotSmaller:       {Warning, nil},
	CodeNoText:           {Warning, nil},
	CodeNotListed:        {Warning, nil},
	CodeInputNoReceipt:   {Warning, []string{FixRemoveInput}},
	CodeReceiptUnsure:    {Warning, nil},
	CodeEntryLeftOut:     {Warning, []string{FixReplaceInput}},
	CodeNotUnpacked:      {Warning, []string{FixPlanAgain}},
	CodeTooManyInputs:    {Failed, []string{FixPickSubfolder}},
	CodeOutputExists:     {Failed, []string{FixPlanAgain}},
	CodeOutputName:       {Warning, []string{FixPlanAgain}},
	CodeOutputDenied:     {Failed, []string{FixFolderRights, FixPickFolder}},
	CodeDiskFull:         {Failed, []string{FixFreeSpace, FixStartAgain}},
	CodePermission:       {Failed, []string{FixFolderRights}},
	CodeTokenUnwritten:   {Failed, []string{FixFreeSpace, FixFolderRights, FixShowDetails}},
	CodeUnknown:          {Failed, []string{FixShowDetails}},
}

// kinds of fixes that are not a button of piwork.
var fixKinds = map[string]FixKind{
	FixGetPack:       FixLink,
	FixFirmware:      FixLink,
	FixNestedVirt:    FixLink,
	FixUpdateApp:     FixLink,
	FixFreeSpace:     FixLink,
	FixFolderRights:  FixLink,
	FixReplaceInput:  FixLink,
	FixRemoveInput:   FixLink,
	FixAddPictures:   FixLink,
	FixCheckNetwork:  FixLink,
	FixCheckClock:    FixLink,
	FixNetworkSignIn: FixLink,
	FixMoreMemory:    FixLink,
	FixKVMGroup:      FixCommand,
	FixBubblewrap:    FixCommand,
	FixFUSE:          FixCommand,
	FixAllowSandbox:  FixCommand,
	FixLoadKVM:       FixCommand,

	FixKVMRule:         FixCommand,
	FixRelogin:         FixLink,
	FixRestart:         FixLink,
	FixOtherKernel:     FixLink,
	FixAllowDevice:     FixCommand,
	FixCloseOther:      FixLink,
	FixWSLUpgrade:      FixLink,
	FixWSLNested:       FixCommand,
	FixWindowsFeature:  FixCommand,
	FixHypervisorStart: FixCommand,
	FixUpdateOS:        FixLink,
	FixNativeApp:       FixLink,
}

// Fixes returns the fixes of codes, in order.
func Fixes(codes ...string) []Fix {
	out := make([]Fix, 0, len(codes))
	for _, c := range codes {
		out = append(out, fix(c))
	}
	return out
}

func fix(code string) Fix {
	if kind, ok := fixKinds[code]; ok {
		return Fix{Kind: kind, Code: code}
	}
	return Fix{Kind: FixAction, Code: code}
}
