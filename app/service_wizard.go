package app

import (
	"context"
	"piwork/app/tasks"

	"piwork/app/health"
	"piwork/app/samples"
	"piwork/app/saved"
	"piwork/app/setup/wizard"
)

// WizardService is about the way to the first finished chore, and about what makes
// the next ones shorter.
type WizardService interface {
	// Wizard says how its steps stand, by what was seen last. It looks at nothing
	// itself and answers at once: Status is what looks.
	Wizard(ctx context.Context) (wizard.Wizard, error)
	// WizardAct is what a person does about a step; what is not possible at the step
	// now is a bad request.
	WizardAct(ctx context.Context, step wizard.ID, r wizard.ActRequest) (wizard.Wizard, error)
	// Mend has the system ask for an administrator and run what the last report says
	// of a fix (problem.Fix.Runs); nothing else can be run. It waits for the person.
	Mend(ctx context.Context, r health.MendRequest) (health.Mended, error)

	// Samples makes a folder with pictures to try a chore on, fresh each time. While
	// a task works there it is left as it is.
	Samples(ctx context.Context, r samples.FolderRequest) (samples.Made, error)

	// Dropped says which folders a task would get for what a person dropped on the
	// window: a folder itself, a file the folder that it lies in. Nothing is opened.
	Dropped(ctx context.Context, r tasks.DroppedRequest) ([]tasks.DroppedFolder, error)

	// FolderChoices lists what a person chose that an AI may do with folders, newest
	// first: the mode that an AI task was last asked for with. Folders without a choice
	// are reviewed first.
	FolderChoices(ctx context.Context) ([]saved.FolderChoice, error)

	// SavedChores are chores with their parameters and folders that a person wants to
	// do again, newest first.
	SavedChores(ctx context.Context) ([]saved.SavedChore, error)
	SaveChore(ctx context.Context, r saved.SaveChoreRequest) (saved.SavedChore, error)
	RemoveSavedChore(ctx context.Context, id string) error
}
