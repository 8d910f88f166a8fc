package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/wire"
)

// Runtime implements vmhost.Runtime.
type Runtime struct {
	*hosted.Runtime
	paths paths
}

var _ vmhost.Runtime = (*Runtime)(nil)

// Execute implements vmhost.Runtime.
func (r *Runtime) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if a.Exec != nil {
		a.Exec = r.paths.program(*a.Exec)
	}
	if a.Tool != nil {
		tool := *a.Tool
		if err := convert(&tool, r.paths.here); err != nil {
			return vmhost.Observation{}, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: "paths", Err: err}
		}
		a.Tool = &tool
		if told := a.OnProgress; told != nil {
			a.OnProgress = func(p wire.ToolProgress) {
				p.Item = r.paths.everywhere(p.Item)
				told(p)
			}
		}
	}
	if a.File != nil {
		a.File = r.paths.file(*a.File)
		if told := a.OnChange; told != nil {
			a.OnChange = func(c wire.FileChange) {
				c.Path = r.paths.everywhere(c.Path)
				told(c)
			}
		}
	}
	obs, err := r.Runtime.Execute(ctx, a)
	if failed, is := errors.AsType[*vmhost.FailedActionError](err); is {
		failed.Path, failed.Detail = r.paths.everywhere(failed.Path), r.paths.everywhere(failed.Detail)
	}
	if obs.File != nil {
		if obs.File.Info != nil {
			obs.File.Info.Path = r.paths.everywhere(obs.File.Info.Path)
		}
		for i := range obs.File.Entries {
			obs.File.Entries[i].Path = r.paths.everywhere(obs.File.Entries[i].Path)
		}
	}
	if err == nil && obs.Tool != nil {
		tool := *obs.Tool
		err = convert(&tool, r.paths.everywhere)
		obs.Tool = &tool
	}
	return obs, err
}

// paths puts the paths of this computer in the place of those that are the same in every
// place, and back.
type paths struct{ dir string }

// dirs are those of a task that are elsewhere here.
var dirs = []string{wire.WorkDir, wire.FoldersDir, wire.StateDir}

// here is the path on this computer.
func (p paths) here(name string) string {
	for _, dir := range dirs {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return p.dir + name
		}
	}
	return name
}

// everywhere is text in which the paths of this computer are those of every place.
func (p paths) everywhere(text string) string {
	for _, dir := range dirs {
		text = strings.ReplaceAll(text, p.dir+dir, dir)
	}
	return text
}

// program is a program with the paths of this computer.
func (p paths) program(e wire.ExecParams) *wire.ExecParams {
	e.Cwd = p.here(e.Cwd)
	e.Argv, e.Env = slices.Clone(e.Argv), maps.Clone(e.Env)
	for i, arg := range e.Argv {
		e.Argv[i] = p.here(arg)
	}
	for name, value := range e.Env {
		e.Env[name] = p.here(value)
	}
	return &e
}

// file is an operation on files with the paths of this computer.
func (p paths) file(f wire.FileParams) *wire.FileParams {
	f.Path, f.Roots = p.here(f.Path), slices.Clone(f.Roots)
	for i, root := range f.Roots {
		f.Roots[i] = p.here(root)
	}
	return &f
}

// convert replaces every text in a value that is a message.
func convert[T any](v *T, change func(string) string) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	var all any
	if err := d.Decode(&all); err != nil {
		return err
	}
	if b, err = json.Marshal(texts(all, change)); err != nil {
		return err
	}
	var changed T
	if err := json.Unmarshal(b, &changed); err != nil {
		return fmt.Errorf("paths of this computer: %w", err)
	}
	*v = changed
	return nil
}

func texts(v any, change func(string) string) any {
	switch v := v.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = texts(v[i], change)
		}
	case map[string]any:
		for name, inner := range v {
			v[name] = texts(inner, change)
		}
	}
	return v
}
