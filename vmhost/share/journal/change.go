package journal

import "piwork/vmhost/share/journal/internal/ledger"

type (
	// Change is one entry of the list of what a task changed in a folder.
	Change = ledger.Change
	// FileState is what a path was at one moment.
	FileState = ledger.FileState
	// DiskRoom is what applying changes takes of a disk.
	DiskRoom = ledger.DiskRoom
	// Effect is what happened to a path.
	Effect = ledger.Effect
	// Resolution is a person's answer to a conflict.
	Resolution = ledger.Resolution
	// UndoOptions say how to undo. The zero value leaves conflicts alone.
	UndoOptions = ledger.UndoOptions
	// May says why changes are not taken back, made again or applied.
	May = ledger.May
)

// Effects of a change.
const (
	EffectCreate = ledger.EffectCreate
	EffectChange = ledger.EffectChange
	EffectMove   = ledger.EffectMove
	EffectDelete = ledger.EffectDelete
)

// Answers to a conflict.
const (
	Keep    = ledger.Keep
	Restore = ledger.Restore
	Both    = ledger.Both
)

// ErrUnknownChange is returned for an id that is in no list.
var ErrUnknownChange = ledger.ErrUnknownChange
