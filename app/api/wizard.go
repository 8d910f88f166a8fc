package api

import (
	"context"

	"piwork/app/problem"
	"piwork/app/samples"
	"piwork/app/setup/wizard"
)

// wizardService has the way to the first chore.
type wizardService interface {
	Wizard(context.Context) (wizard.Wizard, error)
	WizardAct(ctx context.Context, step wizard.ID, r wizard.ActRequest) (wizard.Wizard, error)
	Samples(context.Context, samples.FolderRequest) (samples.Made, error)
}

var wizardOperations = []operation{
	{"getWizard", "GET /v1/wizard", "How far is the way to the first chore?", "By what was seen last; answers at once and looks at nothing itself.", get(Service.Wizard)},
	{"actWizard", "POST /v1/wizard/{step}", "Finish, leave out, or do again a step", "Which acts are possible now is in the step.",
		call(Service.WizardAct, func(a *API, ctx context.Context, in *struct {
			Step string `path:"step" doc:"step of the wizard" minLength:"1" maxLength:"32" pattern:"^[a-z-]+$"`
			Body wizard.ActRequest
		}) (wizard.Wizard, error) {
			return a.service.WizardAct(ctx, wizard.ID(in.Step), in.Body)
		}).failing(problem.CodeNotFound)},
	{"makeSamples", "POST /v1/samples", "Make a folder with pictures to try a chore on", "Fresh each time; while a task works in it, it is left as it is.", maySend(Service.Samples)},
}
