package tasks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/saved"
	"piwork/app/task"
	"piwork/vmhost/share"
	"piwork/vmhost/wire"
)

// maxFoldersEver bounds the folders that a task's record keeps: those it has and those
// that were removed from it.
const maxFoldersEver = 256

// Why the folders of a task cannot change: causes of problem.CodeFoldersFixed.
const (
	fixedOver    = "over"    // the task has ended or is ending
	fixedPlanned = "planned" // its plan or its named files tie it to the folders it was started with
)

func foldersFixed(id, cause string) *problem.Problem {
	return problem.New(problem.CodeFoldersFixed).With("task", id).By(cause)
}

// takesFolders returns nil when folders can be added to and removed from the task, else
// the reason. A chore is tied to the folders of its plan, an operation to the files that
// the person named.
func (l *Live) takesFolders() error {
	if l.req.Kind == task.KindExec || l.req.Kind == task.KindAI && l.req.Chore == "" {
		return nil
	}
	return foldersFixed(l.id, fixedPlanned)
}

// AddFolder lets a task that is not over have another folder: it appears in
// /folders at once. The checks and the usual mode are those of StartTask. One that
// the task had, and that was removed from it, keeps its id and its name. Only
// programs and AI tasks without a chore take folders; for the others, and when the
// task is over, it is a conflict (problem.CodeFoldersFixed).
func (c *Runner) AddFolder(ctx context.Context, id string, r task.FolderRequest) (task.Task, error) {
	l, err := c.withFolders(ctx, id)
	if err != nil {
		return task.Task{}, err
	}
	t, f, err := l.addFolder(r, consent.WhoOf(ctx))
	if err != nil {
		return task.Task{}, problem.From(err)
	}
	if r.Mode != "" && l.req.Kind == task.KindAI && task.ClientOf(ctx) == "" {
		c.o.FolderModes.Remember([]saved.FolderChoice{{Path: f.Path, Mode: f.Mode}})
	}
	return t, nil
}

// RemoveFolder takes a folder, by its id, from a task that is not over: when it
// returns, the task reaches nothing of it. The record names it on, and what the task
// changed there can be undone. The same conflicts as with AddFolder.
func (c *Runner) RemoveFolder(ctx context.Context, id, folder string) (task.Task, error) {
	l, err := c.withFolders(ctx, id)
	if err != nil {
		return task.Task{}, err
	}
	t, err := l.removeFolder(folder, consent.WhoOf(ctx))
	if err != nil {
		return task.Task{}, problem.From(err)
	}
	return t, nil
}

// withFolders returns the running task id, or a problem when its folders cannot change.
func (c *Runner) withFolders(ctx context.Context, id string) (*Live, error) {
	l := c.Live(id)
	if l == nil {
		if _, err := c.o.Store.Get(id); err != nil {
			return nil, registry.Problem(id, err)
		}
		return nil, foldersFixed(id, fixedOver)
	}
	if err := maySteer(ctx, l); err != nil {
		return l, err
	}
	return l, l.takesFolders()
}

// addFolder adds a folder to the task. It writes the audit log and the task's record
// before the guest sees the folder: if piwork ends in between, undo still finds it.
func (l *Live) addFolder(r task.FolderRequest, by approval.Who) (task.Task, task.Folder, error) {
	if f, err := l.c.folder(l.req, r, l.last.Load().Folders); err == nil { // a person may think for long: the lock is not held
		if err := agreed(l, f); err != nil {
			return task.Task{}, f, err
		}
	}
	l.foldersMu.Lock()
	defer l.foldersMu.Unlock()
	if l.Ending() || l.ctx.Err() != nil {
		return task.Task{}, task.Folder{}, foldersFixed(l.id, fixedOver)
	}
	now := l.last.Load()
	before := now.Folders
	if n := len(now.Shared()); n >= MaxFolders || len(before) >= maxFoldersEver {
		return task.Task{}, task.Folder{}, problem.BadRequest("folders", "the task has %d folders, at most %d", n, MaxFolders)
	}
	f, err := l.c.folder(l.req, r, before)
	if err == nil && now.State != task.StateQueued { // else its place is chosen with the folder
		err = l.c.o.Kinds.Chooser.MayChange(now.Runtime, f)
	}
	if err == nil {
		err = agreed(l, f)
	}
	if err != nil {
		return task.Task{}, f, err
	}
	if err := l.auditFolder(f, audit.FolderAdded, by); err != nil {
		return task.Task{}, f, err
	}
	t, err := l.withFolder(f)
	if err != nil {
		return t, f, err
	}
	if l.environment != nil {
		if err := l.environment.addFolder(f); err != nil {
			_, again := l.Update(func(t *task.Task) { t.Folders = before })
			return t, f, errors.Join(err, again, l.auditFolder(f, audit.FolderRemoved, by))
		}
	}
	l.Record(task.EventFolder, task.FolderData{Folder: f, By: by.By})
	l.gate.NoteLoosened()
	return t, f, nil
}

// agreed says why a task may not have a folder. A person may be asked, and the task end meanwhile.
func agreed(l *Live, f task.Folder) error {
	err := l.gate.MayHave(l.ctx, f)
	switch {
	case err == nil || l.ctx.Err() == nil:
		return err
	case errors.Is(context.Cause(l.ctx), errClosing):
		return problem.New(problem.CodeShuttingDown)
	}
	return foldersFixed(l.id, fixedOver)
}

// removeFolder removes the folder id from the task. The record keeps it, marked as removed,
// so that its changes can still be undone.
func (l *Live) removeFolder(id string, by approval.Who) (task.Task, error) {
	l.foldersMu.Lock()
	defer l.foldersMu.Unlock()
	if l.Ending() || l.ctx.Err() != nil {
		return task.Task{}, foldersFixed(l.id, fixedOver)
	}
	shared := l.last.Load().Shared()
	i := slices.IndexFunc(shared, func(f task.Folder) bool { return f.ID == id })
	if i < 0 {
		return task.Task{}, problem.New(problem.CodeNotFound).With("folder", id)
	}
	f := shared[i]
	if err := l.auditFolder(f, audit.FolderRemoved, by); err != nil {
		return task.Task{}, err
	}
	now := l.c.o.Now().UTC()
	f.Removed = &now
	t, err := l.withFolder(f)
	if err != nil {
		return t, err
	}
	if l.environment != nil {
		l.environment.removeFolder(f.ID)
	}
	l.Record(task.EventFolder, task.FolderData{Folder: f, By: by.By})
	l.gate.NoteLoosened()
	return t, nil
}

// aiDir returns the directory in the guest in which the task's AI works; "" is the
// directory of other programs. It stays the same while folders come and go: the AI program
// finds its conversation only from the directory in which the conversation began.
func aiDir(t task.Task) string {
	switch {
	case t.AI == nil:
		return ""
	case t.AI.Dir == "" && len(t.Folders) > 0:
		return wire.FoldersDir + "/" + t.Folders[0].Name
	}
	return t.AI.Dir
}

// emptyFolder is the id of the empty folder that inPlace shares.
const emptyFolder = "empty"

// folderLost ends the task: the disk of a folder, by its id, went while it worked, or is silent.
func (env *environment) folderLost(id string, silent bool) {
	code := problem.CodeFolderGone
	if silent {
		code = problem.CodeFolderSilent
	}
	for _, f := range env.l.last.Load().Folders {
		if f.ID == id {
			env.l.cancel(problem.New(code).With("path", f.Path).With("name", f.Name))
		}
	}
}

// inPlace returns an empty read-only folder with the name of the folder in which the AI
// worked, once that folder was removed: the directory of aiDir must still exist. ok is
// false when the folder is still shared, or the AI works elsewhere.
func (l *Live) inPlace() (f task.Folder, ok bool, err error) {
	t := *l.last.Load()
	if t.AI == nil || t.AI.Dir != "" || len(t.Folders) == 0 || t.Folders[0].Removed == nil {
		return f, false, nil
	}
	f = task.Folder{ID: emptyFolder, Path: filepath.Join(l.c.o.Store.Dir(l.id), emptyFolder), Name: t.Folders[0].Name, Mode: task.ModeReadOnly}
	if err = os.MkdirAll(f.Path, 0o700); err == nil {
		f.Path, err = share.RealPath(f.Path)
	}
	return f, true, err
}

// withFolder writes f into the task's record, in place of the folder with the same id if
// there is one.
func (l *Live) withFolder(f task.Folder) (task.Task, error) {
	return l.Update(func(t *task.Task) {
		if t.AI != nil && t.AI.Dir == "" && len(t.Folders) == 0 { // of an older record
			ai := *t.AI
			ai.Dir, t.AI = wire.WorkDir, &ai
		}
		t.Folders = slices.Clone(t.Folders)
		if i := slices.IndexFunc(t.Folders, func(o task.Folder) bool { return o.ID == f.ID }); i >= 0 {
			t.Folders[i] = f
		} else {
			t.Folders = append(t.Folders, f)
		}
	})
}

func (l *Live) auditFolder(f task.Folder, what string, by approval.Who) error {
	log := l.c.o.Audit
	r := consent.Record(by, l.id, audit.Decision{Topic: what, Folder: log.Digest(f.Path), Mode: string(f.Mode)})
	r.Event = audit.EventFolder
	if err := log.Append(r); err != nil {
		return problem.NotRecorded(err)
	}
	return nil
}
