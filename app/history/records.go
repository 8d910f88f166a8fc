package history

import (
	"time"

	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
)

// UndoRequest says what to take back.
type UndoRequest struct {
	IDs        []string                      `json:"ids,omitempty"`        // ids of changes; empty is all
	Digest     string                        `json:"digest,omitempty"`     // of the preview: nothing is done if it would be anything else; without one, nothing that goes along with ids is
	OnConflict journal.Resolution            `json:"onConflict,omitempty"` // answers conflicts that Resolve does not name; "" leaves them alone and lists them
	Resolve    map[string]journal.Resolution `json:"resolve,omitempty"`    // by the id of the change

	may journal.May
}

// RedoRequest says what to bring back.
type RedoRequest struct {
	IDs    []string `json:"ids,omitempty"`    // ids of changes that were taken back; empty is all of them
	Digest string   `json:"digest,omitempty"` // as of UndoRequest

	may journal.May
}

// RedoReport says what was brought back.
type RedoReport struct {
	Redone    []journal.Change   `json:"redone"`
	Conflicts []journal.Conflict `json:"conflicts"`
}

// ApplyRequest decides about changes that wait.
type ApplyRequest struct {
	IDs        []string                      `json:"ids,omitempty"`        // ids of changes that wait; empty is all of them
	Digest     string                        `json:"digest,omitempty"`     // as of UndoRequest
	Discard    bool                          `json:"discard,omitempty"`    // throw them away instead
	OnConflict journal.Resolution            `json:"onConflict,omitempty"` // where the folder is not as the task saw it: "keep" it, "restore" what the task made, or "both"
	Resolve    map[string]journal.Resolution `json:"resolve,omitempty"`    // by the id of the change

	may journal.May
}

// ApplyReport says what is in the folder now, and what is gone.
type ApplyReport struct {
	Applied   []journal.Change   `json:"applied"`
	Discarded []journal.Change   `json:"discarded"`
	Conflicts []journal.Conflict `json:"conflicts"`        // they go on waiting
	Beside    map[string]string  `json:"beside,omitempty"` // id of a change → where in its folder what the task made was put beside, or what had been moved out of its way
}

// ChangeFile is a file on one side of a change.
type ChangeFile struct {
	Name string // the last part of its path
	Size int64
	Type string // media type of a picture that a browser can show; "" is anything else
	Sum  string // SHA-256 of it in hex, "" where nobody knows
}

// UndoSpace is what is kept for taking a task's changes back.
type UndoSpace struct {
	Bytes      int64      `json:"bytes"`
	Forgotten  bool       `json:"forgotten,omitempty"` // it was given up: changes stay listed
	Expires    *time.Time `json:"expires,omitempty"`   // when it will be given up by itself; absent: never
	Unfinished bool       `json:"unfinished,omitempty" doc:"an undo or redo is at work, or was cut off and waits for its folder: nothing is given up by itself"`
}

// UndoSettings say for how long changes can be taken back, and how much a task may write, and
// have kept for that.
type UndoSettings struct {
	Days int `json:"days"` // after the end of a task; 0 is for ever
	// SpaceMB is how many MB (millions of bytes) a task may have kept before a
	// person is asked; 0 leaves it as it is.
	SpaceMB int `json:"spaceMb,omitempty"`
	// WriteMB is how many MB a task may write beyond what its plan says before a person is
	// asked, from the next task on; 0 leaves it as it is.
	WriteMB int `json:"writeMb,omitempty"`
}

// Writes is how many bytes a task may write beyond what its plan says, whatever stands in a file.
func (s UndoSettings) Writes() int64 {
	if s.WriteMB == 0 || s.WriteMB == DefaultWriteMB {
		return guard.DefaultWrites
	}
	return int64(min(max(s.WriteMB, MinUndoMB), MaxUndoMB)) * 1_000_000
}

// UndoKeeping is how undo is kept.
type UndoKeeping struct {
	Settings UndoSettings `json:"settings"`
	Bytes    int64        `json:"bytes"` // of all tasks
	Tasks    int          `json:"tasks"` // whose changes can be taken back
}
