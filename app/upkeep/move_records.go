package upkeep

import "piwork/app/problem"

// MovePhase is how far a move of the data is.
type MovePhase string

// Phases of a move.
const (
	MoveNone      MovePhase = "none" // nothing was moved since the start
	MovePlanned   MovePhase = "planned"
	MoveCopying   MovePhase = "copying"
	MoveDone      MovePhase = "done"
	MoveFailed    MovePhase = "failed" // Problem says why; everything is as it was
	MoveCancelled MovePhase = "cancelled"
)

// MoveRequest says where to move piwork's data.
type MoveRequest struct {
	Dir    string `json:"dir" minLength:"1" maxLength:"4096" doc:"absolute; a folder piwork is made in it"`
	DryRun bool   `json:"dryRun,omitempty" doc:"only say what would be moved, and whether it can"`
}

// StorageMove is a move of piwork's data.
type StorageMove struct {
	Phase     MovePhase        `json:"phase"`
	From      string           `json:"from"`              // directory of data that is in use, or was
	To        string           `json:"to,omitempty"`      // the folder that is made
	FixedBy   string           `json:"fixedBy,omitempty"` // environment variable that says where the data is: it cannot be moved
	Bytes     int64            `json:"bytes"`             // to be copied
	Files     int              `json:"files"`
	Done      int64            `json:"done"`      // bytes copied so far
	NeedBytes int64            `json:"needBytes"` // that have to be free there
	FreeBytes int64            `json:"freeBytes"` // that are
	Problem   *problem.Problem `json:"problem,omitempty"`
}
