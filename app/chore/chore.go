package chore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Chore is one ready-made piece of work. Implementations are stateless.
type Chore interface {
	// Info is constant.
	Info() Info

	// Plan computes what Run will do. A problem that stops the whole chore is
	// an error (*problem.Problem); what was left out until then is in the
	// plan's Skipped all the same.
	Plan(ctx context.Context, env Env) (Plan, error)

	// Run carries out a plan that Plan made. What it could not do to single
	// inputs is in the Outcome, also when it returns an error.
	Run(ctx context.Context, env Env, plan Plan) (Outcome, error)
}

// Env is what a chore works with. Its functions are called by one goroutine.
type Env struct {
	Folders []Folder
	Params  map[string]any // as Complete returned them, passwords included

	// Execute does one action in the runtime, which is brought up by the first
	// one.
	Execute func(ctx context.Context, a vmhost.Action) (vmhost.Observation, error)

	// Ask asks a person whether something may be done that a yes to the plan does not
	// cover. Nil where nobody can be asked, which is a no.
	Ask func(ctx context.Context, q vmhost.Question) (bool, error)

	// Made returns what an earlier run of the same plan made: SHA-256 in hex by
	// path in the runtime. Nil where there was none.
	Made func(ctx context.Context) (map[string]string, error)

	// Progress hears what is done of what is to be done; may be nil.
	Progress func(task.ProgressData)
}

// Folder is a folder that a chore may use.
type Folder struct {
	ID    string // in the task's record
	Name  string // as on the host, for messages
	Guest string // where it is in the runtime, e.g. /folders/Photos

	// List returns what is in the folder, and with recursive in the folders in
	// it, in no order.
	List func(ctx context.Context, recursive bool) ([]Entry, error)

	// CanWrite returns why nothing can be put into the folder, as far as this
	// can be known without trying; nil where only a plan is wanted.
	CanWrite func() error
}

// writable returns the problem of a folder that results cannot go to.
func (f Folder) writable() error {
	if f.CanWrite == nil {
		return nil
	}
	err := f.CanWrite()
	if err == nil {
		return nil
	}
	p := problem.New(problem.CodeOutputDenied).With("folder", f.Name).Because(err)
	cause := ""
	switch { // its rights would be no help
	case errors.Is(err, ErrReadOnly):
		cause = "read-only"
	case errors.Is(err, ErrLocked):
		cause = "locked"
	}
	if cause != "" {
		p.Cause, p.Fix = cause, problem.Fixes(problem.FixPickFolder)
	}
	return p
}

// Why nothing can be put into a folder, whatever its rights are.
var (
	ErrReadOnly = errors.New("the folder was given read-only") // the person lets the task read it alone
	ErrLocked   = errors.New("the disk is read-only")          // such as a card with its lock on, or a DVD
)

// Outcome is what a chore made and what it could not do.
type Outcome struct {
	Results  []task.Result
	Problems []problem.Problem
}

// add adds a file of the guest to the results.
func (o *Outcome) add(env Env, f wire.ToolFile) error {
	result, err := placed(env.Folders, f)
	if err == nil {
		o.Results = append(o.Results, result)
	}
	return err
}

// chores in the order in which they are offered.
var chores = append([]Chore{
	picturesToPDF{}, convertPictures, stripMetadata,
	cleanupDownloads, sortPhotos, findDuplicates, renameFiles, unpackArchives,
	mergePDF, splitPDF, compressPDF, unlockPDF, searchableScans, extractText,
	receiptsToTable, cleanTable, joinTables, folderReport{}, savePage{}, fillTable{}, voiceMemo,
}, aidedChores...)

// Find returns the chore of a name.
func Find(name string) (Chore, bool) {
	i := slices.IndexFunc(chores, func(c Chore) bool { return c.Info().Name == name })
	if i < 0 {
		return nil, false
	}
	return chores[i], true
}

// All describes every chore.
func All() []Info {
	var out []Info
	for _, c := range chores {
		out = append(out, c.Info())
	}
	return out
}

// Complete checks the parameters of a request and adds the defaults. Errors are
// problems that name the parameter.
func Complete(info Info, given map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for _, p := range info.Params {
		v, ok := given[p.Name]
		if (!ok || v == nil) && p.Type != TypePassword {
			out[p.Name] = p.Default
			continue
		}
		checked, err := p.check(v)
		if err != nil {
			return nil, badParam(p.Name, err)
		}
		out[p.Name] = checked
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := out[name]; !ok {
			return nil, badParam(name, errors.New("no such parameter")).With("unknown", name)
		}
	}
	return out, nil
}

func badParam(name string, err error) *problem.Problem {
	return problem.New(problem.CodeBadRequest).With("field", "params."+name).With("parameter", name).Because(fmt.Errorf("parameter %s: %w", name, err))
}

// check returns a value as the parameter's type. Numbers may come as JSON makes
// them, and all but strings as the text that a command line has.
func (p ParamInfo) check(v any) (any, error) {
	switch p.Type {
	case "string":
		if s, ok := v.(string); ok {
			return s, nil
		}
	case "bool":
		switch b := v.(type) {
		case bool:
			return b, nil
		case string:
			switch b {
			case "true", "yes", "1":
				return true, nil
			case "false", "no", "0":
				return false, nil
			}
		}
	case TypePassword:
		switch s, ok := v.(string); {
		case !ok || s == "":
			return nil, errors.New("it is empty")
		case len(s) > maxPassword || strings.ContainsFunc(s, unicode.IsControl) || !utf8.ValidString(s):
			return nil, fmt.Errorf("it has more than %d bytes, or a character that is none", maxPassword)
		default:
			return s, nil
		}
	case "int":
		if n, ok := number(v); ok {
			if p.Min != nil && n < *p.Min || p.Max != nil && n > *p.Max {
				return nil, fmt.Errorf("%d is not within %d and %d", n, *p.Min, *p.Max)
			}
			return n, nil
		}
	case "choice":
		if s, ok := v.(string); ok {
			if slices.Contains(p.Choices, s) {
				return s, nil
			}
			return nil, fmt.Errorf("%q is none of %q", s, p.Choices)
		}
	}
	return nil, fmt.Errorf("%v is not a %s", v, p.Type)
}

// maxPassword is that of the operations that take one, in bytes.
const maxPassword = 120

// number returns a whole number as JSON or a command line has it.
func number(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case float64:
		return int(n), n == math.Trunc(n) && math.Abs(n) < 1<<53
	case string:
		i, err := strconv.Atoi(n)
		return i, err == nil && strconv.Itoa(i) == n
	}
	return 0, false
}
