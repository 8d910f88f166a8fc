// Package actions does single actions in the place where a task is at work, for whoever
// reaches the API: what they may is what a program of the task may, and everything that
// holds for one holds for them (the share with its journal and its guards, the network, the
// audit log). Only a program, and an AI without a chore, take actions from outside: a chore
// does what its plan says, an operation what it was asked for.
//
// A path is one that the task sees, in one of its folders or in /work. Actions that write
// the same file, by its path, are done one after the other, so that of two that expect the same
// content one is told that it changed: a fetch and a visit too, which may take long, and let
// others write other files meanwhile. What a program of the task writes between the comparison
// and the new file taking its place is lost (package act of the guest).
//
// An operation on files (vmhost.Action.Tool) is no action here: it is a task of its own, whose
// inputs, results and undo are its own too.
//
// A request can say what it needs of the place (requiresRuntime), and a person can say where
// files of theirs may be changed ([Rules]). In a task that works elsewhere the action is
// refused, and nothing of it is done.
package actions

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Places are where tasks are at work.
type Places interface {
	// Act does an action in the place of a task, or returns a problem where there is none.
	// Without an error, the observation is of what was asked.
	Act(ctx context.Context, id string, a vmhost.Action) (vmhost.Observation, error)
}

// Rules are what a person requires of places.
type Rules interface {
	// FileRule is for places in which files of the person are changed.
	FileRule() vmhost.Requirement
}

// Actions is safe for concurrent use.
type Actions struct {
	places Places
	rules  Rules

	mu      sync.Mutex
	writing map[file]*turn
}

// file is one of a task.
type file struct{ task, path string }

// turn is whose turn it is to write a file.
type turn struct {
	free  chan struct{} // of capacity 1
	users int
}

// New makes Actions in places.
func New(p Places, r Rules) *Actions {
	return &Actions{places: p, rules: r, writing: map[file]*turn{}}
}

// Usual bounds, where a request has none.
const (
	usualEntries = 1000
	usualChanges = 1000
	usualWait    = 10 * time.Minute
	usualLength  = 1 << 20
	usualFetch   = 64 << 20
	usualStall   = 2 * time.Minute
	usualLoad    = 90 * time.Second // more than a person has to answer about a host
)

// Needs says what an action needs of the place where the task works.
type Needs struct {
	RequiresRuntime *vmhost.Requirement `json:"requiresRuntime,omitempty" doc:"what the place where the task works has to be: elsewhere nothing is done"`
}

// required is an action with what it needs of its place, which changes files at paths.
func (a *Actions) required(n Needs, action vmhost.Action, changes ...string) vmhost.Action {
	if n.RequiresRuntime != nil {
		action.Requires = *n.RequiresRuntime
	}
	if slices.ContainsFunc(changes, func(p string) bool { return strings.HasPrefix(path.Clean(p)+"/", wire.FoldersDir+"/") }) {
		action.Rule = a.rules.FileRule()
	}
	return action
}

// StatRequest names a file or a directory.
type StatRequest struct {
	Needs
	Path string `json:"path" minLength:"1" maxLength:"4095" doc:"as the task sees it, such as /folders/Letters/a.txt or /work/out"`
}

// ListRequest asks what is in a directory.
type ListRequest struct {
	StatRequest
	Depth int `json:"depth,omitempty" minimum:"0" maximum:"64" doc:"how many directories below it are listed too"`
	Limit int `json:"limit,omitempty" minimum:"0" maximum:"10000" doc:"no more entries than so many; without it 1000"`
}

// FileList is what is in a directory, by path.
type FileList struct {
	Entries []wire.FileInfo `json:"entries"`
	More    bool            `json:"more" doc:"there are more than were asked for"`
	Unnamed int             `json:"unnamed" doc:"files that are left out, since their names are no text"`
}

// ReadRequest asks for the content of a file.
type ReadRequest struct {
	StatRequest
	Offset int64 `json:"offset,omitempty" minimum:"0" doc:"of the first byte"`
	Length int64 `json:"length,omitempty" minimum:"0" maximum:"16777216" doc:"no more bytes than so many; without it 1 MiB"`
}

// FileContent is a file, or a piece of it.
type FileContent struct {
	wire.FileInfo
	Data []byte `json:"data" doc:"from the offset on; fewer bytes than were asked for where the file ends"`
}

// WriteRequest replaces a file, or makes one.
type WriteRequest struct {
	StatRequest
	Data    []byte `json:"data" maxLength:"22369624" doc:"the whole content, at most 16 MiB"`
	Expect  string `json:"expect,omitempty" pattern:"^(absent|[0-9a-f]{64})?$" doc:"SHA-256 in hex that the file has to have, or absent where there must be none; without it whatever is there is replaced"`
	Parents bool   `json:"parents,omitempty" doc:"directories on the way are made"`
}

// WatchRequest asks to hear of changes.
type WatchRequest struct {
	Path    string `query:"path" required:"true" minLength:"1" maxLength:"4095" doc:"of a file or a directory, as the task sees it"`
	Depth   int    `query:"depth" minimum:"0" maximum:"64" doc:"how many directories below it are watched too; a thousand directories at most"`
	Seconds int    `query:"seconds" minimum:"0" maximum:"3600" doc:"for how long; without it 600"`
	Limit   int    `query:"limit" minimum:"0" maximum:"10000" doc:"ends after so many changes; without it 1000"`

	// Requires is what Needs says, in words, since a request without a body has no objects.
	Requires []string `query:"requires" maxItems:"32" doc:"what the place where the task works has to be, in words, such as vm,hardware,no-network: elsewhere nothing is heard"`
}

// StatFile says what there is at a path, and has a file's digest.
func (a *Actions) StatFile(ctx context.Context, id string, r StatRequest) (wire.FileInfo, error) {
	res, err := a.file(ctx, id, wire.FileParams{Op: wire.FileStat, Path: r.Path}, a.required(r.Needs, vmhost.Action{}))
	if err != nil {
		return wire.FileInfo{}, err
	}
	return *res.Info, nil
}

// ListFiles lists a directory.
func (a *Actions) ListFiles(ctx context.Context, id string, r ListRequest) (FileList, error) {
	res, err := a.file(ctx, id, wire.FileParams{Op: wire.FileList, Path: r.Path, Depth: r.Depth, Limit: or(r.Limit, usualEntries)}, a.required(r.Needs, vmhost.Action{}))
	if err != nil {
		return FileList{}, err
	}
	return FileList{append([]wire.FileInfo{}, res.Entries...), res.More, res.Unnamed}, nil
}

// ReadFile reads a file.
func (a *Actions) ReadFile(ctx context.Context, id string, r ReadRequest) (FileContent, error) {
	res, err := a.file(ctx, id, wire.FileParams{Op: wire.FileRead, Path: r.Path, Offset: r.Offset, Length: or(r.Length, usualLength)}, a.required(r.Needs, vmhost.Action{}))
	if err != nil {
		return FileContent{}, err
	}
	return FileContent{*res.Info, append([]byte{}, res.Data...)}, nil
}

// WriteFile replaces a file as a whole, or makes one. A file that is not as it is expected
// stays: problem.CodeFileChanged.
func (a *Actions) WriteFile(ctx context.Context, id string, r WriteRequest) (wire.FileInfo, error) {
	if len(r.Data) > wire.MaxFileData {
		return wire.FileInfo{}, problem.New(problem.CodeFileTooLarge).With("path", r.Path)
	}
	done, err := a.turns(ctx, id, r.Path)
	if err != nil {
		return wire.FileInfo{}, err
	}
	defer done()
	res, err := a.file(ctx, id, wire.FileParams{Op: wire.FileWrite, Path: r.Path, Expect: r.Expect, Parents: r.Parents}, a.required(r.Needs, vmhost.Action{Data: r.Data}, r.Path))
	if err != nil {
		return wire.FileInfo{}, err
	}
	return *res.Info, nil
}

// WatchFiles calls fn with what changes, until the time is over, so much was heard, or fn
// returns an error, which is returned. The first thing that it hears is that nothing is
// missed from now on.
func (a *Actions) WatchFiles(ctx context.Context, id string, r WatchRequest, fn func(wire.FileChange) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var stopped error
	p := wire.FileParams{
		Op: wire.FileWatch, Path: r.Path, Depth: r.Depth, Limit: or(r.Limit, usualChanges),
		WaitMS: or(int64(r.Seconds)*1000, usualWait.Milliseconds()),
	}
	var needs vmhost.Requirement
	for _, w := range r.Requires {
		if !needs.Add(w) {
			return problem.New(problem.CodeBadRequest).With("field", "requires")
		}
	}
	_, err := a.file(ctx, id, p, vmhost.Action{Requires: needs, OnChange: func(c wire.FileChange) {
		if stopped == nil {
			if stopped = fn(c); stopped != nil {
				cancel(stopped)
			}
		}
	}})
	if stopped != nil {
		return stopped
	}
	return err
}

// file does one operation on files; with has the rest of the action.
func (a *Actions) file(ctx context.Context, id string, p wire.FileParams, with vmhost.Action) (*wire.FileResult, error) {
	p.Roots = roots()
	with.File = &p
	obs, err := a.places.Act(ctx, id, with)
	if err != nil {
		return nil, refused(id, err)
	}
	return obs.File, nil
}

// refused is the problem of an action in a task, which may be done again elsewhere.
func refused(id string, err error) *problem.Problem {
	p := problem.From(err)
	if p.Code == problem.CodeRuntimeUnfit {
		p = p.With("task", id)
	}
	return p
}

// turns waits until nobody else writes files of a task. done lets the next ones.
func (a *Actions) turns(ctx context.Context, id string, paths ...string) (done func(), err error) {
	var has []func()
	done = func() {
		for _, one := range has {
			one()
		}
	}
	for i, p := range paths {
		paths[i] = path.Clean(p)
	}
	slices.Sort(paths) // two that want the same do not wait for each other
	for _, p := range slices.Compact(paths) {
		one, err := a.turn(ctx, file{id, p})
		if err != nil {
			done()
			return nil, err
		}
		has = append(has, one)
	}
	return done, nil
}

// turn waits until nobody else writes a file. done lets the next one.
func (a *Actions) turn(ctx context.Context, f file) (done func(), err error) {
	a.mu.Lock()
	t := a.writing[f]
	if t == nil {
		t = &turn{free: make(chan struct{}, 1)}
		a.writing[f] = t
	}
	t.users++
	a.mu.Unlock()
	leave := func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(a.writing, f)
		}
	}
	select {
	case t.free <- struct{}{}:
		return func() { <-t.free; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, problem.From(context.Cause(ctx))
	}
}

// or is n, or what is usual where n is not said.
func or[T int | int64 | time.Duration](n, usual T) T {
	if n == 0 {
		return usual
	}
	return n
}
