package mcp

import (
	"context"
	"io"
	"mime"
	"path"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/history"
	"piwork/app/problem"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// Change is what a task did to one file.
type Change struct {
	ID     string `json:"id"`
	Path   string `json:"path" jsonschema:"in the workroom"`
	From   string `json:"from,omitempty" jsonschema:"where it was, of what was moved"`
	Effect string `json:"effect" jsonschema:"such as create, change, move or delete"`
	Kind   string `json:"kind,omitempty" jsonschema:"file, dir or symlink"`
	Undone bool   `json:"undone,omitempty"`
	Waits  bool   `json:"waits,omitempty" jsonschema:"the person has not taken it over yet"`
}

// ChangeList are the changes of a task.
type ChangeList struct {
	Changes []Change `json:"changes"`
	More    int      `json:"more,omitempty" jsonschema:"so many more are not listed"`
}

// UndoInput says what is to be taken back, or brought back.
type UndoInput struct {
	TaskInput
	Changes []string `json:"changes,omitempty" jsonschema:"ids of changes; all where none is named"`
}

// UndoOutput says what was.
type UndoOutput struct {
	Done []Change `json:"done"`
	Left []string `json:"left" jsonschema:"paths that were left alone, since somebody changed them later"`
	More int      `json:"more,omitempty" jsonschema:"so many more are not listed"`
}

// change is a change with the paths of the workroom.
func (d *Door) change(folder string, c journal.Change) Change {
	out := Change{ID: c.ID, Path: folder + "/" + c.Path, Effect: string(c.Effect), Kind: c.Kind, Undone: c.Undone != nil, Waits: c.Staged}
	if c.From != "" {
		out.From = folder + "/" + c.From
	}
	return out
}

// folderNames are the paths in the workroom of a task's folders, by their ids.
func (d *Door) folderNames(ctx context.Context, id string) (map[string]string, error) {
	if err := d.mine(id); err != nil {
		return nil, err
	}
	t, err := d.service.Task(ctx, id)
	out := map[string]string{}
	for _, f := range t.Folders {
		out[f.ID] = folderPath(f)
	}
	return out, err
}

// addChanges adds what tasks did to folders, and the way back.
func (d *Door) addChanges(s *sdk.Server) {
	yes, no := true, false
	addTool(d, s, &sdk.Tool{
		Name: "list_changes", Title: "List changes", Description: "Lists what a task changed in the person's folders.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}, func(ctx context.Context, _ *call, in TaskInput) (*sdk.CallToolResult, ChangeList, error) {
		out := ChangeList{Changes: []Change{}}
		names, err := d.folderNames(ctx, in.Task)
		if err != nil {
			return nil, out, err
		}
		all, err := d.service.Changes(ctx, in.Task)
		for i, c := range all {
			if i == maxListed {
				out.More = len(all) - i
				break
			}
			out.Changes = append(out.Changes, d.change(names[c.Folder], c))
		}
		return nil, out, err
	})
	addTool(d, s, &sdk.Tool{
		Name: "undo_changes", Title: "Undo changes", Description: "Takes back what a task changed in the person's folders. What somebody changed since is left alone.",
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no},
	}, d.moves(func(ctx context.Context, in UndoInput) ([]journal.Change, []journal.Conflict, error) {
		r, err := d.service.Undo(ctx, in.Task, history.UndoRequest{IDs: in.Changes})
		d.undid.note(in.Task, r.Undone)
		return r.Undone, r.Conflicts, err
	}))
	addTool(d, s, &sdk.Tool{
		Name: "redo_changes", Title: "Redo changes", Description: "Brings back changes that were undone by undo_changes.",
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no},
	}, d.moves(func(ctx context.Context, in UndoInput) ([]journal.Change, []journal.Conflict, error) {
		ids, err := d.undid.these(in)
		if err != nil || len(ids) == 0 {
			return nil, nil, err
		}
		r, err := d.service.Redo(ctx, in.Task, history.RedoRequest{IDs: ids})
		d.undid.forget(in.Task, r.Redone)
		return r.Redone, r.Conflicts, err
	}))
}

// moves is a tool that takes changes back or brings them back, and says which, and which were
// left alone.
func (d *Door) moves(do func(ctx context.Context, in UndoInput) ([]journal.Change, []journal.Conflict, error)) work[UndoInput, UndoOutput] {
	return func(ctx context.Context, _ *call, in UndoInput) (*sdk.CallToolResult, UndoOutput, error) {
		out := UndoOutput{Done: []Change{}, Left: []string{}}
		names, err := d.folderNames(ctx, in.Task)
		if err != nil {
			return nil, out, err
		}
		done, conflicts, err := do(ctx, in)
		for _, c := range done[:min(len(done), maxListed)] {
			out.Done = append(out.Done, d.change(names[c.Folder], c))
		}
		for _, c := range conflicts[:min(len(conflicts), maxListed)] {
			out.Left = append(out.Left, names[c.Change.Folder]+"/"+c.Change.Path)
		}
		out.More = len(done) - len(out.Done) + len(conflicts) - len(out.Left)
		return nil, out, err
	}
}

// undone are the changes that were taken back by way of the door. They alone may be brought
// back: what the person took back stays so.
type undone struct {
	mu  sync.Mutex
	all map[string]bool // by task and id
}

func (u *undone) note(id string, all []journal.Change) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all == nil {
		u.all = map[string]bool{}
	}
	for _, c := range all {
		u.all[id+"/"+c.ID] = true
	}
}

// forget has changes that were brought back be the person's to take back.
func (u *undone) forget(id string, all []journal.Change) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range all {
		delete(u.all, id+"/"+c.ID)
	}
}

// these are the ids of those that are asked for.
func (u *undone) these(in UndoInput) (out []string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range in.Changes {
		if !u.all[in.Task+"/"+c] {
			return nil, problem.New(problem.CodeNotFound).With("change", c)
		}
	}
	for key := range u.all {
		if id, ok := strings.CutPrefix(key, in.Task+"/"); ok && len(in.Changes) == 0 {
			out = append(out, id)
		}
	}
	return append(out, in.Changes...), nil
}

// missingFolder is that a folder is named that the door has not, or a part of one.
func missingFolder(names []string) error {
	return problem.BadRequest("folders", "%q are not all folders of the workroom: they are %s/NAME", names, wire.FoldersDir)
}

// resultScheme is before the id of a task in the URI of a file that is kept with it.
const resultScheme = "piwork://tasks/"

// maxResult is how large a file is that is given as a resource.
const maxResult = 16 << 20

func resultURI(id string, index int) string {
	return resultScheme + id + "/results/" + strconv.Itoa(index)
}

// addResults gives the files that tasks made.
func (d *Door) addResults(s *sdk.Server) {
	s.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "result", Title: "File that a task made", URITemplate: resultScheme + "{task}/results/{index}",
		Description: "A file that a task made, up to 16 MB.",
	}, func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		uri := req.Params.URI
		id, number, ok := strings.Cut(strings.TrimPrefix(uri, resultScheme), "/results/")
		index, err := strconv.Atoi(number)
		if !ok || err != nil || d.mine(id) != nil {
			return nil, sdk.ResourceNotFoundError(uri)
		}
		f, r, err := d.service.OpenResult(ctx, id, index)
		if missing(err) {
			return nil, sdk.ResourceNotFoundError(uri)
		}
		if err != nil {
			return nil, d.said(err)
		}
		defer f.Close()
		if r.Size > maxResult {
			return nil, d.said(problem.New(problem.CodeFileTooLarge).With("path", path.Base(r.Path)))
		}
		data, err := io.ReadAll(io.LimitReader(f, maxResult))
		if err != nil {
			return nil, d.said(err)
		}
		c := &sdk.ResourceContents{URI: uri, MIMEType: mime.TypeByExtension(path.Ext(r.Path))}
		if strings.HasPrefix(c.MIMEType, "text/") && utf8.Valid(data) {
			c.Text = string(data)
		} else {
			c.Blob = data
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
	})
}
