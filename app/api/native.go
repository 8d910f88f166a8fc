package api

import (
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
)

// Shell is what only a window can do. Its methods may be called from several
// goroutines; each returns when the person is done.
type Shell interface {
	// PickFolder lets the person choose a folder; "" when they did not.
	PickFolder(ctx context.Context, title string) (string, error)
	// PickFile lets the person choose a file of these patterns ("*.tar.zst").
	PickFile(ctx context.Context, title string, patterns []string) (string, error)
	// PickFiles lets the person choose one file or more; none when they did not.
	PickFiles(ctx context.Context, title string, patterns []string) ([]string, error)
	// OpenFile opens a file in the program that the person uses for it.
	OpenFile(ctx context.Context, path string) error
	// RevealFile shows a file in the file manager.
	RevealFile(ctx context.Context, path string) error
}

// PickRequest asks for a folder or a file.
type PickRequest struct {
	Title    string   `json:"title,omitempty" maxLength:"200" doc:"of the dialog"`
	Patterns []string `json:"patterns,omitempty" maxItems:"16" doc:"of files, e.g. *.tar.zst"`
}

// Picked is what the person chose.
type Picked struct {
	Path string `json:"path" doc:"absolute; empty when nothing was chosen"`
}

// PickedFiles are those that the person chose.
type PickedFiles struct {
	Paths []string `json:"paths" nullable:"false" doc:"absolute; none when nothing was chosen"`
}

// OpenRequest names a result of a task.
type OpenRequest struct {
	Task   string `json:"task" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
	Index  int    `json:"index" minimum:"0"`
	Reveal bool   `json:"reveal,omitempty" doc:"show it in its folder instead"`
}

// Opened says how a result was shown.
type Opened struct {
	How string `json:"how" enum:"opened,revealed" doc:"files that could run something are only revealed"`
}

var nativeOperations = []operation{
	{"pickFolder", "POST /v1/native/pick-folder", "Let the person choose a folder", "",
		call(nil, func(a *API, ctx context.Context, in *optional[PickRequest]) (Picked, error) {
			p, err := a.opts.Shell.PickFolder(ctx, orZero(in.Body).Title)
			return Picked{Path: p}, err
		}).only(ByDialogs)},
	{"pickFile", "POST /v1/native/pick-file", "Let the person choose a file", "",
		call(nil, func(a *API, ctx context.Context, in *optional[PickRequest]) (Picked, error) {
			r := orZero(in.Body)
			p, err := a.opts.Shell.PickFile(ctx, r.Title, r.Patterns)
			return Picked{Path: p}, err
		}).only(ByDialogs)},
	{"pickFiles", "POST /v1/native/pick-files", "Let the person choose files", "",
		call(nil, func(a *API, ctx context.Context, in *optional[PickRequest]) (PickedFiles, error) {
			r := orZero(in.Body)
			paths, err := a.opts.Shell.PickFiles(ctx, r.Title, r.Patterns)
			return PickedFiles{Paths: paths}, err
		}).only(ByDialogs)},
	{"openResult", "POST /v1/native/open", "Show a result in the person's own program", "",
		call(nil, func(a *API, ctx context.Context, in *input[OpenRequest]) (Opened, error) { return a.open(ctx, in.Body) }).only(ByDialogs).failing(ofChanges...).failing(problem.CodeChangedSince, problem.CodeDownloadFailed, problem.CodeFileKind, problem.CodeUnsupported)},
}

// open shows a result. What could run something when it is opened (a script, a
// page, a launcher) is shown in its folder instead: the guest chose its name.
func (a *API) open(ctx context.Context, ref OpenRequest) (Opened, error) {
	f, res, err := a.service.OpenResult(ctx, ref.Task, ref.Index)
	if err != nil {
		return Opened{}, err
	}
	defer f.Close()
	file, err := a.fileOf(ctx, ref, f, res)
	if err != nil {
		return Opened{}, err
	}
	if ref.Reveal || shown[strings.ToLower(path.Ext(res.Path))] == "" {
		return Opened{How: "revealed"}, a.opts.Shell.RevealFile(ctx, file)
	}
	return Opened{How: "opened"}, a.opts.Shell.OpenFile(ctx, file)
}

// fileOf is where an opened result lies on this computer. What waits in front of its folder
// is not there yet, an older file of its name may be; and what is in no folder is piwork's own:
// a person gets a copy of these.
func (a *API) fileOf(ctx context.Context, ref OpenRequest, f io.Reader, res task.Result) (string, error) {
	t, err := a.service.Task(ctx, ref.Task)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(t.Folders, func(folder task.Folder) bool { return folder.ID == res.Folder })
	waits := false
	if at >= 0 && t.Folders[at].Mode == task.ModeReview {
		list, err := a.service.Changes(ctx, ref.Task)
		if err != nil {
			return "", err
		}
		_, waits = history.Waiting(list, res)
	}
	if at < 0 || waits || byLink(t.Folders[at].Path, res.Path) {
		return a.opts.Copies.add(ref, res.Path, f)
	}
	return filepath.Join(t.Folders[at].Path, filepath.FromSlash(res.Path)), nil
}

// byLink says whether a result is reached by a link in its folder: to what, no name tells, and
// the system opens that.
func byLink(folder, rel string) bool {
	name := filepath.FromSlash(rel)
	if !filepath.IsLocal(name) {
		return true
	}
	for ; name != "."; name = filepath.Dir(name) {
		if info, err := os.Lstat(filepath.Join(folder, name)); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return true
		}
	}
	return false
}
