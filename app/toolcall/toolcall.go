// Package toolcall makes the request of one operation on files of this computer: which
// folders a task needs for it, and what the files are called in its machine. A [View] is
// the way back: what is called here what a report of the machine names.
//
// Everything here is decided before a task exists; the only look at the disk is at what the
// inputs are.
package toolcall

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"piwork/app/filename"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/tools"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/wire"
)

// Call is one operation of the catalogue on files of this computer: what a
// person or a program says, before anything is known of a machine.
type Call struct {
	Op     string
	In     []string       // absolute paths on this computer
	Out    string         // likewise; "" keeps what is made with the task
	Name   string         // of what is kept with the task; "" is made from the first input
	Params map[string]any // see pack/tools; the format of the result may be left to its name
}

// keptResults is where operations make what is in no folder of the person.
const keptResults = wire.WorkDir + "/out"

// Request says what a task has to be asked for, and for which folders: those of the
// inputs are read-only, unless the operation changes its inputs, or Out lies below one; that
// of Out may be changed. Nothing is started. Errors are problems: the operation, a parameter or an
// input is named that does not fit.
func (call Call) Request() (wire.ToolParams, []task.FolderRequest, error) {
	none := wire.ToolParams{}
	op, ok := tools.Find(call.Op)
	if !ok {
		return none, nil, problem.New(problem.CodeUnsupported).With("what", wire.Short(call.Op))
	}
	folders, err := call.folders(op)
	if err != nil {
		return none, nil, err
	}
	p, err := call.on(op, folders)
	if err != nil {
		return none, nil, err
	}
	wanted := make([]task.FolderRequest, len(folders))
	for i, f := range folders {
		wanted[i] = task.FolderRequest{Path: f.Path, Mode: f.Mode}
	}
	return p, wanted, nil
}

// On is Request for a task that has these folders already, with their names: what the call
// names has to be in them. Nothing is looked at on the disk.
func (call Call) On(folders []task.Folder) (wire.ToolParams, error) {
	op, ok := tools.Find(call.Op)
	if !ok {
		return wire.ToolParams{}, problem.New(problem.CodeUnsupported).With("what", wire.Short(call.Op))
	}
	return call.on(op, folders)
}

// on is On with the operation found.
func (call Call) on(op tools.Operation, folders []task.Folder) (p wire.ToolParams, err error) {
	none := p
	call.Params = call.named(op)
	view := View{folders: folders}
	p = wire.ToolParams{ID: uuid.NewString(), Op: call.Op, Params: call.guestParams(view)}
	for _, in := range call.In {
		guest, ok := view.Guest(in)
		if !ok {
			return none, problem.BadRequest("in", "%q is in no folder", in)
		}
		p.In = append(p.In, guest)
	}
	switch {
	case call.Out != "":
		guest, ok := view.Guest(call.Out)
		if !ok {
			return none, problem.BadRequest("out", "%q is in no folder", call.Out)
		}
		p.Out = guest
	case op.Out != tools.OutNone:
		if p.Out, err = call.kept(op, p); err != nil {
			return none, err
		}
	}
	if _, err := Check(p); err != nil {
		return none, err
	}
	return p, nil
}

// named are the parameters with the format that the name of the result says, where
// they say none.
func (call Call) named(op tools.Operation) map[string]any {
	param, value, ok := op.FormatOf(filepath.Base(cmp.Or(call.Out, call.Name)))
	if !ok || call.Params[param] != nil {
		return call.Params
	}
	return cloneWith(call.Params, param, value)
}

// Check refuses a call that the guest would refuse, in the same words, before
// a machine is started for it.
func Check(p wire.ToolParams) (tools.Operation, error) {
	op, ok := tools.Find(p.Op)
	if !ok {
		return op, problem.New(problem.CodeUnsupported).With("what", wire.Short(p.Op))
	}
	_, err := op.Check(p)
	if bad, is := errors.AsType[*wire.InvalidError](err); is {
		return op, problem.BadRequest(bad.Field, "%s", bad.Reason)
	}
	return op, err
}

// folders are those that the call needs, named as the task will name them.
func (call Call) folders(op tools.Operation) ([]task.Folder, error) {
	var out []task.Folder
	add := func(dir string, mode task.Mode) {
		for i, f := range out { // of two, one in the other, the outer one is enough where it may do as much
			outer := f.Path
			switch {
			case task.Contains(dir, f.Path):
				outer = dir
			case !task.Contains(f.Path, dir):
				continue
			}
			out[i].Path = outer
			if mode == task.ModeReadWrite {
				out[i].Mode = mode
			}
			return
		}
		out = append(out, task.Folder{Path: dir, Mode: mode})
	}
	mode := task.ModeReadOnly
	if op.Changes {
		mode = task.ModeReadWrite
	}
	for _, in := range call.In {
		dir, err := folderOf(op, in)
		if err != nil {
			return nil, err
		}
		add(dir, mode)
	}
	if call.Out != "" {
		if err := problem.CheckPath("out", call.Out); err != nil {
			return nil, err
		}
		add(filepath.Dir(filepath.Clean(call.Out)), task.ModeReadWrite)
	}
	if op.Name == moveOperation {
		for _, to := range texts(call.Params["to"]) {
			if problem.CheckPath("params.to", to) == nil {
				add(filepath.Dir(filepath.Clean(to)), task.ModeReadWrite)
			}
		}
	}
	// A folder that became larger may hold others by now.
	out = slices.DeleteFunc(out, func(f task.Folder) bool {
		return slices.ContainsFunc(out, func(o task.Folder) bool {
			return o.Path != f.Path && task.Contains(o.Path, f.Path) && (o.Mode == f.Mode || o.Mode == task.ModeReadWrite)
		})
	})
	for i := range out {
		out[i].Name = task.FolderName(filepath.Base(out[i].Path), out[i].Path, out[:i])
	}
	return out, nil
}

// folderOf is what has to be shared for an input: the folder that it is in, or
// itself where it is one and the operation takes folders.
func folderOf(op tools.Operation, in string) (string, error) {
	if err := problem.CheckPath("in", in); err != nil {
		return "", err
	}
	in = filepath.Clean(in)
	st, err := drive.Stat(context.Background(), in)
	var silent *drive.SilentError
	switch {
	case errors.As(err, &silent):
		return "", problem.From(err)
	case errors.Is(err, fs.ErrNotExist):
		return "", problem.New(problem.CodeInputMissing).With("path", in).With("name", filepath.Base(in)).Because(err)
	case err != nil:
		return "", problem.New(problem.CodeInputUnreadable).With("path", in).With("name", filepath.Base(in)).Because(err)
	case st.IsDir() && op.Folders:
		return in, nil
	}
	return filepath.Dir(in), nil
}

// moveOperation is the one whose parameters name where files go.
const moveOperation = "file.move"

// guestParams are the parameters with paths as the guest sees them.
func (call Call) guestParams(view View) map[string]any {
	names := []string{}
	switch {
	case call.Op == moveOperation:
		names = append(names, "to")
	case strings.HasPrefix(call.Op, "file."):
		names = append(names, "after")
	}
	out := call.Params
	for _, name := range names {
		list := texts(call.Params[name])
		if len(list) == 0 {
			continue
		}
		var there []string
		for _, p := range list {
			if guest, ok := view.Guest(p); ok {
				p = guest
			}
			there = append(there, p)
		}
		out = cloneWith(out, name, there)
		if _, one := call.Params[name].(string); one {
			out[name] = there[0]
		}
	}
	return out
}

func cloneWith(m map[string]any, name string, v any) map[string]any {
	out := make(map[string]any, len(m))
	for k, old := range m {
		out[k] = old
	}
	out[name] = v
	return out
}

// texts are the strings of a parameter.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case []any:
		var out []string
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil
			}
			out = append(out, s)
		}
		return out
	}
	return nil
}

// kept is the place in the guest for what is kept with the task.
func (call Call) kept(op tools.Operation, p wire.ToolParams) (string, error) {
	params, err := op.Decode(p.Params)
	if err != nil {
		if bad, is := errors.AsType[*wire.InvalidError](err); is {
			return "", problem.BadRequest(bad.Field, "%s", bad.Reason)
		}
		return "", err
	}
	set := struct {
		Format, To string
		Names      []string
	}{}
	data, err := json.Marshal(params)
	if err == nil {
		err = json.Unmarshal(data, &set)
	}
	if err != nil {
		return "", fmt.Errorf("parameters of %s: %w", call.Op, err)
	}
	name := call.Name
	if name != "" && !tools.FileName(name) {
		return "", problem.BadRequest("out", "%q is not a name of a file", wire.Short(name))
	}
	if name == "" {
		first := "result"
		if len(call.In) > 0 {
			first = filepath.Base(call.In[0])
		}
		stem := strings.TrimSuffix(first, filepath.Ext(first))
		if name = stem; makesFile(op, len(call.In), set.Format, set.Names) {
			name = stem + suffixOf(op, set.Format, set.To, filepath.Ext(first))
		}
	}
	return path.Join(keptResults, filename.Plain(name, "result")), nil
}

// makesFile reports whether an operation makes one file, not files in a folder.
func makesFile(op tools.Operation, inputs int, format string, names []string) bool {
	switch op.Out {
	case tools.OutFile:
		return true
	case tools.OutEach:
		return inputs == 1 && len(names) == 0 || op.Name == "image.convert" && format == tools.FormatPDF
	default:
		return false
	}
}

// suffixOf is the suffix of what an operation makes, with its dot. The operation
// does not look at it: it is for the person.
func suffixOf(op tools.Operation, format, to, input string) string {
	what := cmp.Or(format, to)
	switch {
	case what == tools.FormatSame:
		if _, _, written := op.FormatOf(input); written {
			return input
		}
		return "." + tools.Suffix(tools.FormatJPEG) // what nobody here writes becomes that
	case what == "text", what == "" && (op.Name == "pdf.text" || op.Name == "text.extract"):
		return ".txt"
	case op.Name == "plist.convert" && what != "json":
		return ".plist"
	case what != "":
		return "." + tools.Suffix(what)
	case strings.HasPrefix(op.Name, "pdf."):
		return ".pdf"
	}
	return input
}

// View tells how the paths of a task are called on this computer and in its
// machine.
type View struct {
	folders []task.Folder
	bare    bool // files that were brought have names only
}

// ViewOf is the view of a task; with bare its files were brought, and paths on
// this computer mean nothing to who asks.
func ViewOf(t task.Task, bare bool) View { return View{folders: t.Folders, bare: bare} }

// Guest is what a file of this computer is called in the machine.
func (v View) Guest(p string) (string, bool) {
	p = filepath.Clean(p)
	for _, f := range v.folders {
		if task.Contains(f.Path, p) {
			rel, err := filepath.Rel(f.Path, p)
			return path.Join(wire.FoldersDir, f.Name, filepath.ToSlash(rel)), err == nil
		}
	}
	return "", false
}

// Host is what a file of the machine is called here: its path on this computer,
// the name of what was brought or is kept with the task, or p as it is.
func (v View) Host(p string) string {
	if rel, ok := strings.CutPrefix(p, keptResults+"/"); ok {
		return rel
	}
	for _, f := range v.folders {
		guest := wire.FoldersDir + "/" + f.Name
		rel, ok := strings.CutPrefix(p, guest+"/")
		switch {
		case p == guest:
			rel = ""
		case !ok:
			continue
		}
		if v.bare {
			return rel
		}
		return filepath.Join(f.Path, filepath.FromSlash(rel))
	}
	return p
}

// pathMembers are what operations call the members of their reports that are
// paths.
var pathMembers = map[string]bool{"path": true, "out": true, "to": true, "archive": true}

// HostValue is a value that a machine reported, with the paths in it as here.
func (v View) HostValue(x any) any { return v.hostValue("", x) }

func (v View) hostValue(member string, x any) any {
	switch x := x.(type) {
	case string:
		if pathMembers[member] {
			return v.Host(x)
		}
		return x
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = v.hostValue(member, x[i])
		}
		return out
	case map[string]any:
		_, entry := x["archive"] // its path is one in there
		out := make(map[string]any, len(x))
		for k := range x {
			out[k] = x[k]
			if k != "tags" && (!entry || k == "archive") { // of a file, as it has them
				out[k] = v.hostValue(k, x[k])
			}
		}
		return out
	default:
		return x
	}
}
