package api

import (
	"context"
	"net/http"
	"piwork/app/tasks"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/health"
	"piwork/app/samples"
	"piwork/app/saved"
	"piwork/app/setup/wizard"
)

// StepRef is the path parameter of a step of the wizard.
type StepRef struct {
	Step string `path:"step" doc:"step of the wizard" minLength:"1" maxLength:"32" pattern:"^[a-z-]+$"`
}

// SavedRef is the path parameter of a saved chore.
type SavedRef struct {
	ID string `path:"id" doc:"id of the saved chore" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
}

type wizardInput struct {
	StepRef
	Body wizard.ActRequest
}

// samplesInput may come without a body.
type samplesInput struct {
	Body *samples.FolderRequest
}

// registerWizard puts the way to the first chore on HTTP, and what makes the next
// ones shorter.
func (a *API) registerWizard() {
	svc := a.opts.Service
	op := func(id, method, path, tag, summary, description string) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Description: description, Tags: []string{tag}}
	}
	handle(a, op("getWizard", http.MethodGet, "/api/wizard", "wizard", "How far is the way to the first chore?",
		"By what was seen last; answers at once and looks at nothing itself."),
		func(ctx context.Context, _ *none) (*body[wizard.Wizard], error) {
			return ok(svc.Wizard(ctx))
		})
	handle(a, op("actWizard", http.MethodPost, "/api/wizard/{step}", "wizard", "Finish, leave out, or do again a step",
		"Which acts are possible now is in the step."),
		func(ctx context.Context, in *wizardInput) (*body[wizard.Wizard], error) {
			return ok(svc.WizardAct(ctx, wizard.ID(in.Step), in.Body))
		})
	handle(a, op("mend", http.MethodPost, "/api/status/mend", "status", "Have the system ask for an administrator, and run what the last report says of a fix",
		"Only what stands in a report as `runs` can be run, and the person sees it before. Answers when the person did. Afterwards everything is looked at again."),
		func(ctx context.Context, in *input[health.MendRequest]) (*body[health.Mended], error) {
			return ok(svc.Mend(ctx, in.Body))
		})
	handle(a, op("makeSamples", http.MethodPost, "/api/samples", "wizard", "Make a folder with pictures to try a chore on",
		"Fresh each time; while a task works in it, it is left as it is."),
		func(ctx context.Context, in *samplesInput) (*body[samples.Made], error) {
			var r samples.FolderRequest
			if in.Body != nil {
				r = *in.Body
			}
			return ok(svc.Samples(ctx, r))
		})
	handle(a, op("lookAtDropped", http.MethodPost, "/api/dropped", "tasks", "Which folders would a task get for what was dropped on the window?",
		"A folder itself, a file the folder that it lies in. Nothing is opened."),
		func(ctx context.Context, in *input[tasks.DroppedRequest]) (*body[[]tasks.DroppedFolder], error) {
			return ok(svc.Dropped(ctx, in.Body))
		})
	handle(a, op("listFolderChoices", http.MethodGet, "/api/folders", "tasks", "What may an AI do with which folders?",
		"As the person chose when an AI task was last started with them. It gets a folder without a choice for review: its changes wait."),
		func(ctx context.Context, _ *none) (*body[[]saved.FolderChoice], error) {
			return ok(svc.FolderChoices(ctx))
		})
	handle(a, op("listSavedChores", http.MethodGet, "/api/saved", "chores", "Chores with parameters and folders, to be done again", ""),
		func(ctx context.Context, _ *none) (*body[[]saved.SavedChore], error) {
			return ok(svc.SavedChores(ctx))
		})
	handle(a, op("saveChore", http.MethodPost, "/api/saved", "chores", "Save a chore to do it again",
		"One of the same name is replaced. Passwords are not kept."),
		func(ctx context.Context, in *input[saved.SaveChoreRequest]) (*body[saved.SavedChore], error) {
			return ok(svc.SaveChore(ctx, in.Body))
		})
	handle(a, op("removeSavedChore", http.MethodDelete, "/api/saved/{id}", "chores", "Forget a saved chore", ""),
		func(ctx context.Context, in *SavedRef) (*none, error) {
			return &none{}, svc.RemoveSavedChore(ctx, in.ID)
		})
}
