package app

import (
	"context"
	"time"

	"piwork/app/health"
	"piwork/app/problem"
	"piwork/app/samples"
	"piwork/app/setup/wizard"
	"piwork/app/task"
)

// WizardService is about the way to the first finished chore, and about what makes
// the next ones shorter.
type WizardService interface {
	// Wizard says how its steps stand, by what was seen last. It looks at nothing
	// itself and answers at once: Status is what looks.
	Wizard(ctx context.Context) (wizard.Wizard, error)
	// WizardAct is what a person does about a step; what is not possible at the step
	// now is a bad request.
	WizardAct(ctx context.Context, step wizard.ID, r WizardRequest) (wizard.Wizard, error)
	// Mend has the system ask for an administrator and run what the last report says
	// of a fix (problem.Fix.Runs); nothing else can be run. It waits for the person.
	Mend(ctx context.Context, r health.MendRequest) (health.Mended, error)

	// Samples makes a folder with pictures to try a chore on, fresh each time. While
	// a task works there it is left as it is.
	Samples(ctx context.Context, r SamplesRequest) (SamplesFolder, error)

	// Dropped says which folders a task would get for what a person dropped on the
	// window: a folder itself, a file the folder that it lies in. Nothing is opened.
	Dropped(ctx context.Context, r DroppedRequest) ([]DroppedFolder, error)

	// FolderChoices lists what a person chose that an AI may do with folders, newest
	// first: the mode that an AI task was last asked for with. Folders without a choice
	// are reviewed first.
	FolderChoices(ctx context.Context) ([]FolderChoice, error)

	// SavedChores are chores with their parameters and folders that a person wants to
	// do again, newest first.
	SavedChores(ctx context.Context) ([]SavedChore, error)
	SaveChore(ctx context.Context, r SaveChoreRequest) (SavedChore, error)
	RemoveSavedChore(ctx context.Context, id string) error
}

// WizardRequest is an act at a step of the wizard.
type WizardRequest struct {
	Act wizard.Act `json:"act"`
}

// SamplesRequest asks for pictures to try a chore on.
type SamplesRequest struct {
	Language samples.Language `json:"language,omitempty" maxLength:"8" doc:"of the names: en or de; any other is English"`
}

// SamplesFolder is a folder with pictures to try a chore on.
type SamplesFolder struct {
	Path  string `json:"path"`
	Files int    `json:"files"`
}

// DroppedRequest is what a person dropped on the window.
type DroppedRequest struct {
	Paths []string `json:"paths" minItems:"1" maxItems:"10000" doc:"absolute"`
}

// DroppedFolder is a folder that something was dropped from.
type DroppedFolder struct {
	Path    string           `json:"path"`
	Name    string           `json:"name"`
	Files   int              `json:"files"`             // that were dropped from it; 0 when it was dropped itself
	File    string           `json:"file,omitempty"`    // the name of the first one
	Problem *problem.Problem `json:"problem,omitempty"` // why no task may have it
}

// FolderChoice is what an AI may do with a folder.
type FolderChoice struct {
	Path string    `json:"path"` // absolute, without links
	Mode task.Mode `json:"mode"`
}

// SavedChore is a chore with its parameters and folders, to be done again. Nothing
// of it starts by itself.
type SavedChore struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Chore   string          `json:"chore"`
	Params  map[string]any  `json:"params"` // passwords are not kept
	Folders []FolderRequest `json:"folders"`
	Created time.Time       `json:"created"`
}

// SaveChoreRequest saves a chore: that of a task, or one that is described. One of
// the same name is replaced.
type SaveChoreRequest struct {
	Name    string          `json:"name" minLength:"1" maxLength:"200"`
	Task    string          `json:"task,omitempty" maxLength:"64" doc:"id of a task whose chore, parameters and folders are saved"`
	Chore   string          `json:"chore,omitempty" maxLength:"64"`
	Params  map[string]any  `json:"params,omitempty"`
	Folders []FolderRequest `json:"folders,omitempty" maxItems:"64"`
}
