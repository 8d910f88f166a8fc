package app

import (
	"context"

	"piwork/app/upkeep"
)

// DeskService is about the program itself: what it takes of this computer, what it
// wrote down, what it is made of, and how its window behaves.
type DeskService interface {
	// upkeep.Storage says what takes how much.
	Storage(ctx context.Context) (upkeep.Storage, error)
	// CleanStorage removes what can be made again or is of no use any more. What a
	// task at work needs stays.
	CleanStorage(ctx context.Context, r upkeep.CleanRequest) (upkeep.Cleaned, error)
	// MoveStorage moves piwork's data (tasks, what undo needs, the runtime) to
	// another folder or disk; with DryRun it only says what that would be. The move
	// goes on after the call, and no task starts meanwhile. When it is done the
	// data is there, and the controller is of no more use: it is to be opened again.
	MoveStorage(ctx context.Context, r upkeep.MoveRequest) (upkeep.StorageMove, error)
	// upkeep.StorageMove says how a move stands.
	StorageMove(ctx context.Context) (upkeep.StorageMove, error)
	// CancelMove ends a move: everything is as it was.
	CancelMove(ctx context.Context) (upkeep.StorageMove, error)

	// upkeep.Logs lists the logs, the newest first.
	Logs(ctx context.Context) (upkeep.Logs, error)
	// Log returns the end of a log, at most tail bytes; 0 is upkeep.DefaultTail.
	Log(ctx context.Context, name string, tail int64) ([]byte, error)

	// upkeep.Diagnostics gathers what helps to find a fault, without secrets and without
	// names and contents of the person's files. It is kept until the next call.
	Diagnostics(ctx context.Context) (upkeep.Diagnostics, error)
	// WriteDiagnostics writes what upkeep.Diagnostics showed, byte for byte, as a zip file.
	WriteDiagnostics(ctx context.Context, r upkeep.DiagnosticsRequest) (upkeep.DiagnosticsFile, error)

	// upkeep.Licences lists what the program and the runtime in use are made of.
	Licences(ctx context.Context) (upkeep.Licences, error)

	WindowSettings(ctx context.Context) (upkeep.WindowSettings, error)
	SetWindowSettings(ctx context.Context, s upkeep.WindowSettings) (upkeep.WindowSettings, error)
	// ClaimNotice reports whether the caller is the first window that would tell of an
	// event. One that is in front claims at once and tells nothing; of the others, the
	// first one does.
	ClaimNotice(ctx context.Context, r upkeep.NoticeClaim) (upkeep.NoticeClaimed, error)
}
