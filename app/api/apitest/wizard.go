package apitest

import (
	"context"
	"path"
	"piwork/app/tasks"
	"slices"
	"time"

	"piwork/app/health"
	"piwork/app/problem"
	"piwork/app/samples"
	"piwork/app/saved"
	"piwork/app/setup/wizard"
	"piwork/app/task"
)

// Wizardry is what a Fake knows of the wizard and of saved chores.
type Wizardry struct {
	Memory  wizard.Memory
	Worked  time.Time
	Samples string // the folder
	Saved   []saved.SavedChore
	Folders []saved.FolderChoice
	// Declined is what a person says to an administrator's prompt.
	Declined bool
}

func (f *Fake) wizardFacts() wizard.Facts {
	report := f.Report
	return wizard.Facts{Report: &report, Worked: f.Wizardry.Worked}
}

// Wizard implements api.Service.
func (f *Fake) Wizard(context.Context) (wizard.Wizard, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return wizard.Look(f.Wizardry.Memory, f.wizardFacts()), f.refused("Wizard")
}

// WizardAct implements api.Service.
func (f *Fake) WizardAct(ctx context.Context, step wizard.ID, r wizard.ActRequest) (wizard.Wizard, error) {
	f.mu.Lock()
	m, err := wizard.Do(f.Wizardry.Memory, f.wizardFacts(), step, r.Act, time.Unix(0, 0))
	f.Wizardry.Memory = m
	f.mu.Unlock()
	if err != nil {
		return wizard.Wizard{}, problem.New(problem.CodeBadRequest).Because(err)
	}
	return f.Wizard(ctx)
}

// Mend implements api.Service.
func (f *Fake) Mend(_ context.Context, r health.MendRequest) (health.Mended, error) {
	f.ask(r)
	return health.Mended{Declined: f.Wizardry.Declined, Report: f.Report}, f.refused("Mend")
}

// Samples implements api.Service.
func (f *Fake) Samples(_ context.Context, r samples.FolderRequest) (samples.Made, error) {
	f.ask(r)
	return samples.Made{Path: f.Wizardry.Samples, Files: samples.Count()}, f.refused("Samples")
}

// Dropped implements api.Service.
func (f *Fake) Dropped(_ context.Context, r tasks.DroppedRequest) ([]tasks.DroppedFolder, error) {
	f.ask(r)
	out := []tasks.DroppedFolder{}
	for _, p := range r.Paths {
		out = append(out, tasks.DroppedFolder{Path: p, Name: path.Base(p)})
	}
	return out, f.refused("Dropped")
}

// FolderChoices implements api.Service.
func (f *Fake) FolderChoices(context.Context) ([]saved.FolderChoice, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]saved.FolderChoice{}, f.Wizardry.Folders...), f.refused("FolderChoices")
}

// SavedChores implements api.Service.
func (f *Fake) SavedChores(context.Context) ([]saved.SavedChore, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]saved.SavedChore{}, f.Wizardry.Saved...), f.refused("SavedChores")
}

// SaveChore implements api.Service.
func (f *Fake) SaveChore(_ context.Context, r saved.SaveChoreRequest) (saved.SavedChore, error) {
	f.ask(r)
	return saved.SavedChore{ID: "1", Name: r.Name, Chore: r.Chore, Params: map[string]any{}, Folders: []task.FolderRequest{}}, f.refused("SaveChore")
}

// RemoveSavedChore implements api.Service.
func (f *Fake) RemoveSavedChore(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := slices.IndexFunc(f.Wizardry.Saved, func(s saved.SavedChore) bool { return s.ID == id })
	if at < 0 {
		return problem.New(problem.CodeNotFound)
	}
	f.Wizardry.Saved = slices.Delete(f.Wizardry.Saved, at, at+1)
	return nil
}
