package choretest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"piwork/pack/guest/operate"
	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// operate does operations as the guest does: with the guest's own code, on the
// directories of this computer.
func (r *Runtime) operate(ctx context.Context, p wire.ToolParams, progress func(wire.ToolProgress)) (wire.ToolResult, error) {
	here, err := translate(p, r.toHost)
	if err != nil {
		return wire.ToolResult{}, err
	}
	scratch, err := os.MkdirTemp(r.Work, "scratch-")
	if err != nil {
		return wire.ToolResult{}, err
	}
	defer os.RemoveAll(scratch)
	order := job.Order{Tool: here, Scratch: scratch, Keep: r.keep()}
	programs := func(context.Context, job.Command) (tools.Ending, error) {
		return tools.Ending{}, errors.New("there are no programs in this runtime")
	}
	if r.Programs != nil {
		programs = r.Programs(scratch)
	}
	res, err := operate.Run(ctx, order, programs, func(e job.Event) {
		if e.Progress != nil {
			progress(*e.Progress)
		}
	})
	if err != nil {
		return res, err
	}
	return translate(res, r.toGuest)
}

// keep is where operations keep what is left of an answer, on the disk of the machine.
func (r *Runtime) keep() string {
	if r.Work == "" {
		return ""
	}
	return filepath.Join(r.Work, ".kept")
}

// translate returns a copy of v with every string in another form.
func translate[T any](v T, f func(string) string) (out T, err error) {
	data, err := json.Marshal(v)
	if err != nil {
		return out, err
	}
	var plain any
	if err := json.Unmarshal(data, &plain); err != nil {
		return out, err
	}
	if data, err = json.Marshal(translated(plain, f)); err != nil {
		return out, err
	}
	err = json.Unmarshal(data, &out)
	return out, err
}

func translated(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		for i := range v {
			v[i] = translated(v[i], f)
		}
	case map[string]any:
		for k := range v {
			v[k] = translated(v[k], f)
		}
	}
	return v
}

func (r *Runtime) toHost(s string) string {
	for _, f := range r.Folders {
		guest := wire.FoldersDir + "/" + f.Name
		if s == guest || strings.HasPrefix(s, guest+"/") {
			return filepath.ToSlash(f.Path) + strings.TrimPrefix(s, guest)
		}
	}
	return s
}

func (r *Runtime) toGuest(s string) string {
	for _, f := range r.Folders {
		host := filepath.ToSlash(f.Path)
		if s == host || strings.HasPrefix(s, host+"/") {
			return wire.FoldersDir + "/" + f.Name + strings.TrimPrefix(s, host)
		}
	}
	return s
}
