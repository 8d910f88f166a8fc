package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"piwork/app/problem"
	"piwork/app/samples"
	"piwork/app/setup/wizard"
	"piwork/app/task"
	"piwork/vmhost/share"
)

// samplesDir is where pictures to try a chore on are made, in the cache directory.
const samplesDir = "samples"

// Wizard says how the steps of the wizard stand.
func (c *Controller) Wizard(context.Context) (wizard.Wizard, error) {
	f, err := c.wizardFacts()
	if err != nil {
		return wizard.Wizard{}, problem.From(err)
	}
	m := c.config.Get().Wizard
	if noted := wizard.Note(m, f, c.now()); noted != m {
		if err := c.config.Update(func(s *choices) error { s.Wizard = wizard.Note(s.Wizard, f, c.now()); return nil }); err != nil {
			return wizard.Wizard{}, problem.From(err)
		}
		m = noted
	}
	return wizard.Look(m, f), nil
}

// WizardAct is what a person does about a step.
func (c *Controller) WizardAct(ctx context.Context, step wizard.ID, r WizardRequest) (wizard.Wizard, error) {
	f, err := c.wizardFacts()
	if err != nil {
		return wizard.Wizard{}, problem.From(err)
	}
	if !slices.Contains(wizard.IDs(), step) {
		return wizard.Wizard{}, problem.New(problem.CodeNotFound).With("step", string(step))
	}
	err = c.config.Update(func(s *choices) (refused error) {
		if s.Wizard, refused = wizard.Do(s.Wizard, f, step, r.Act, c.now()); refused != nil {
			return problem.BadRequest("act", "%q at %q: %w", r.Act, step, refused)
		}
		return nil
	})
	if err != nil {
		return wizard.Wizard{}, problem.From(err)
	}
	return c.Wizard(ctx)
}

// wizardFacts are what can be seen now, without a new look.
func (c *Controller) wizardFacts() (wizard.Facts, error) {
	f := wizard.Facts{Report: c.Last()}
	list, _, err := c.store.List()
	if err != nil {
		return f, fmt.Errorf("look for tasks that were done: %w", err)
	}
	for _, t := range list {
		if t.State == task.StateDone && t.Ended != nil && t.Ended.After(f.Worked) {
			f.Worked = *t.Ended
		}
	}
	return f, nil
}

// Samples makes a folder with pictures to try a chore on.
func (c *Controller) Samples(_ context.Context, r SamplesRequest) (SamplesFolder, error) {
	dir := c.sampleFolder(r.Language)
	out := SamplesFolder{Path: dir, Files: samples.Count()}
	c.samplesTurn.Lock()
	defer c.samplesTurn.Unlock()
	inUse, err := c.worksIn(dir)
	if err != nil {
		return out, problem.From(err)
	}
	if inUse {
		if _, err := os.Stat(dir); err == nil {
			return out, nil
		}
	}
	if err := refill(dir, r.Language); err != nil {
		return out, problem.From(err)
	}
	return out, nil
}

// refill puts a new folder in the place of one that may be there: whole, or not at
// all.
func refill(dir string, l samples.Language) error {
	root := filepath.Dir(dir)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return fmt.Errorf("make a place for sample pictures: %w", err)
	}
	fresh, err := os.MkdirTemp(root, ".new-*")
	if err != nil {
		return fmt.Errorf("make a folder for sample pictures: %w", err)
	}
	defer os.RemoveAll(fresh)
	if err := samples.Fill(fresh, l); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the sample pictures of before: %w", err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		return fmt.Errorf("put the sample pictures in their place: %w", err)
	}
	return nil
}

// worksIn reports whether a task that is not over has a folder.
func (c *Controller) worksIn(dir string) (bool, error) {
	real, err := share.RealPath(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	list, _, err := c.store.List()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list, func(t task.Task) bool {
		return !t.State.Final() && slices.ContainsFunc(t.Shared(), func(f task.Folder) bool { return f.Path == real })
	}), nil
}

func (c *Controller) sampleFolder(l samples.Language) string {
	return filepath.Join(c.o.CacheDir, samplesDir, samples.FolderName(l))
}

// protectedFrom are the directories of piwork that a task must not have when it
// asks for the folder p: all of them, but for those that a folder of sample pictures
// lies in, which is made for tasks.
func (c *Controller) protectedFrom(p string) []string {
	dirs := c.protected()
	for _, l := range []samples.Language{samples.English, samples.German} {
		own := c.sampleFolder(l)
		real := own
		// What leads to the folder may be a link, the folder itself must not be one.
		if up, err := share.RealPath(filepath.Dir(own)); err == nil {
			real = filepath.Join(up, filepath.Base(own))
		}
		if p == own || p == real {
			return slices.DeleteFunc(dirs, func(dir string) bool { return contains(dir, own) || contains(dir, real) })
		}
	}
	return dirs
}
