package tasks

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/projectcache"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/app/toolcall"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/wire"
)

// MaxFolders is how many one task may have.
const MaxFolders = 32

// NewTask makes the record that a request asks for. Nothing is written yet.
func (c *Runner) NewTask(r StartRequest) (task.Task, error) {
	id, err := c.idFor(r.ID)
	if err != nil {
		return task.Task{}, err
	}
	t := task.Task{
		V: task.RecordVersion, ID: id, Kind: r.Kind, State: task.StateQueued,
		Created: c.o.Now().UTC(), Network: r.Network, Place: task.Place{Runtime: cmp.Or(r.Runtime, vmhost.KindVM)},
	}
	if t.Network == "" {
		t.Network = task.NetworkOff
		if r.Kind == task.KindAI && r.Chore == "" {
			t.Network = task.NetworkRestricted
		}
	}
	if t.Network, err = c.o.Kinds.Services.NetworkFor(t, r.Network, r.Services); err != nil {
		return t, err
	}
	if err := c.o.Kinds.Chooser.CheckRuntime(r.Runtime); err != nil {
		return t, err
	}
	if r.Accel != "" && r.Accel != string(qemu.AccelTCG) {
		return t, problem.BadRequest("accel", "%q is not a choice", r.Accel)
	}
	if err := checkNetwork(t.Network); err != nil {
		return t, err
	}
	if err := consent.CheckPresets(r.Presets); err != nil {
		return t, err
	}
	t.PolicyRequest = r.PolicyRequest
	if r.Kind != task.KindExec && (len(r.Env) > 0 || r.streams()) {
		return t, problem.BadRequest("env", "only a program has variables, input and a terminal")
	}
	switch r.Kind {
	case task.KindChore:
		err = choreRequest(&t, r)
	case task.KindExec:
		err = execRequest(&t, r)
	case task.KindTool:
		err = toolRequest(&t, r)
	case task.KindAI:
		said := r
		if r.Chore != "" {
			if said.Prompt, err = aidedRequest(&t, r); err != nil {
				return t, err
			}
		}
		err = aiRequest(&t, said)
	default:
		err = problem.BadRequest("kind", "%q is unknown", r.Kind)
	}
	if err != nil {
		return t, err
	}
	if t.Folders, err = c.FoldersOf(r); err != nil {
		return t, err
	}
	if _, err := projectcache.OfTask(r.Cache, t); err != nil {
		return t, err
	}
	if t.AI != nil {
		t.AI.Servers = c.o.Kinds.Servers.Lends(t, r.by.Client)
		if len(t.Folders) == 0 {
			t.AI.Dir = wire.WorkDir
		}
	}
	if r.Chore != "" && len(t.Folders) == 0 {
		return t, problem.BadRequest("folders", "a chore needs a folder")
	}
	t.Loosened = consent.Loosened(t, r.Accept, append(consent.PresetRules(t), c.o.Rules.All()...))
	t.Asked = asked(t, r)
	if t.Title = task.TitleOf(r.Title); t.Title != "" {
		t.Titled = true
	} else {
		t.Title = madeTitle(t)
	}
	return t, nil
}

// idFor is the id that was chosen for a task, or a new one.
func (c *Runner) idFor(chosen string) (string, error) {
	if chosen == "" {
		return task.NewID()
	}
	made := task.IDTime(chosen)
	switch {
	case !task.ValidID(chosen) || made.IsZero():
		return "", problem.BadRequest("id", "%q is no UUIDv7 in lower case", chosen)
	case time.Since(made).Abs() > time.Hour:
		return "", problem.BadRequest("id", "it is of %s", made.UTC().Format(time.RFC3339)) // tasks are sorted by it
	}
	if _, err := c.o.Store.Get(chosen); !errors.Is(err, task.ErrNotFound) {
		return "", registry.Problem(chosen, task.ErrExists)
	}
	return chosen, nil
}

func checkNetwork(n task.Network) error {
	switch n {
	case task.NetworkOff, task.NetworkRestricted, task.NetworkOn:
		return nil // what the runtime cannot enforce it refuses itself
	default:
		return problem.BadRequest("network", "%q is not a choice", n)
	}
}

func choreRequest(t *task.Task, r StartRequest) error {
	ch, ok := FindChore(r.Chore)
	if !ok {
		return problem.New(problem.CodeUnknownChore).With("chore", r.Chore)
	}
	if ai := ch.Info().AI; r.Kind == task.KindChore && ai != nil && ai.Only {
		return problem.New(problem.CodeNoModel).With("chore", r.Chore)
	}
	params, err := chore.Complete(ch.Info(), r.Params)
	if err != nil {
		return err
	}
	if ch.Info().Network && t.Network == task.NetworkOff {
		t.Network = task.NetworkRestricted
	}
	t.Chore, t.Params = r.Chore, chore.Recorded(ch.Info(), params)
	return nil
}

func execRequest(t *task.Task, r StartRequest) error {
	if r.Open {
		if len(r.Argv) > 0 || len(r.Env) > 0 || r.streams() || len(r.Stdin) > 0 {
			return problem.BadRequest("open", "sessions have programs, variables and input; the task has none")
		}
		return nil
	}
	if r.Interactive && len(r.Stdin) > 0 {
		return problem.BadRequest("stdin", "a program has one standard input")
	}
	p := wire.ExecParams{ID: t.ID, Argv: r.Argv, Cwd: r.Cwd, Env: r.Env, Stdin: r.Stdin, Limits: r.Limits, Terminal: r.Terminal}
	if err := p.Validate(); err != nil {
		return problem.BadRequest("argv", "%w", err)
	}
	for _, a := range r.Argv {
		if !utf8.ValidString(a) {
			return problem.BadRequest("argv", "%q is not UTF-8", a)
		}
	}
	t.Argv = r.Argv
	return nil
}

func toolRequest(t *task.Task, r StartRequest) error {
	if r.Tool == nil {
		return problem.BadRequest("tool", "is missing")
	}
	if t.Network != task.NetworkOff {
		return problem.BadRequest("network", "operations use none, so it stays off")
	}
	p := r.operation(t.ID)
	if _, err := toolcall.Check(p); err != nil {
		return err
	}
	t.Params = map[string]any{"op": p.Op, "in": p.In, "out": p.Out, "params": withoutSecrets(p)}
	return nil
}

// operation is what the guest is told of a request for one, bounded by what its caller
// said of the operation, or else of the task.
func (r StartRequest) operation(id string) wire.ToolParams {
	p := *r.Tool
	p.ID, p.Limits = id, cmp.Or(p.Limits, r.Limits)
	return p
}

// withoutSecrets are the parameters of an operation as they may be written down.
func withoutSecrets(p wire.ToolParams) map[string]any {
	op, ok := tools.Find(p.Op)
	if !ok || len(op.Secrets()) == 0 {
		return p.Params
	}
	out := maps.Clone(p.Params)
	for _, name := range op.Secrets() {
		delete(out, name)
	}
	return out
}

// FoldersOf checks the folders that a request names and gives them ids and names.
func (c *folderChooser) FoldersOf(r StartRequest) ([]task.Folder, error) {
	if len(r.Folders) > MaxFolders {
		return nil, problem.BadRequest("folders", "%d folders, at most %d", len(r.Folders), MaxFolders)
	}
	if r.upload != nil { // the one folder of piwork's own that a task may have
		return []task.Folder{r.upload.Folder()}, nil
	}
	out := make([]task.Folder, 0, len(r.Folders))
	for _, f := range r.Folders {
		one, err := c.folder(r, f, out)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// folder checks a folder that a task of r is to have beside others, and gives it an id
// and a name. One that was removed from the task is the same again: its changes are in
// one journal.
func (c *folderChooser) folder(r StartRequest, f task.FolderRequest, others []task.Folder) (task.Folder, error) {
	mode, err := folderMode(r, f.Mode)
	if err != nil {
		return task.Folder{}, err
	}
	resolved, err := c.asked(f)
	if err != nil {
		return task.Folder{}, err
	}
	if mode == "" {
		mode = c.o.FolderModes.Of(resolved)
	}
	out := task.Folder{
		ID: "f" + strconv.Itoa(len(others)+1), Path: resolved, Mode: mode,
		Name: task.FolderName(filepath.Base(filepath.Clean(f.Path)), resolved, others),
	}
	for _, other := range others {
		switch {
		case other.Removed != nil && other.Path == resolved:
			out.ID, out.Name = other.ID, other.Name
		case other.Removed != nil && other.Mode == task.ModeReadOnly: // nothing of it is in the journal
		case task.Contains(other.Path, resolved) || task.Contains(resolved, other.Path):
			return out, problem.New(problem.CodeFolderOverlap).With("path", resolved).With("other", other.Path)
		}
	}
	return out, nil
}

// folderMode is how a task gets a folder that is asked for with m; "" is as the person
// chose for this folder.
func folderMode(r StartRequest, m task.Mode) (task.Mode, error) {
	switch {
	case r.PlanOnly:
		return task.ModeReadOnly, nil
	case r.Kind == task.KindAI && aidedReview(r.Chore) && m == task.ModeReadOnly:
		return "", problem.BadRequest("folders", "%s changes files, and a folder is read-only", r.Chore)
	case r.Kind == task.KindAI && aidedReview(r.Chore): // whatever else was asked for
		return task.ModeReview, nil
	case m == "" && r.Chore != "":
		return task.ModeReadWrite, nil
	case m == "" && r.Kind == task.KindAI:
		return "", nil
	case m == "":
		return task.ModeReadOnly, nil
	case m == task.ModeReadOnly || m == task.ModeReadWrite || m == task.ModeReview:
		return m, nil
	default:
		return "", problem.BadRequest("folders", "%q is not a mode", m)
	}
}

// asked returns the real path of a folder that a task is to have.
func (c *folderChooser) asked(f task.FolderRequest) (string, error) {
	resolved, err := c.ResolveFolder(f.Path)
	if err == nil && f.Exact && resolved != filepath.Clean(f.Path) {
		return "", problem.From(&share.RefusedError{Code: share.RefusedMoved, Path: f.Path})
	}
	return resolved, err
}

// ResolveFolder returns the real path of a folder that a task may have.
func (c *folderChooser) ResolveFolder(p string) (string, error) {
	switch {
	case p == "" || strings.IndexByte(p, 0) >= 0 || !utf8.ValidString(p):
		return "", problem.BadRequest("folders", "%q is not a path", p)
	case !filepath.IsAbs(p):
		return "", problem.BadRequest("folders", "%q is not absolute", p)
	}
	// The check comes first: its answer is better than that of resolving.
	if err := c.o.CheckFolder(filepath.Clean(p), c.protectedFrom(filepath.Clean(p))); err != nil {
		return "", folderProblem(p, err)
	}
	resolved, err := drive.Await(context.Background(), p, func() (string, error) { return share.RealPath(p) }, nil)
	if errors.Is(err, fs.ErrNotExist) { // it went since the check
		err = &share.RefusedError{Code: share.RefusedMissing, Path: p, Err: err}
	}
	if err != nil {
		return "", folderProblem(p, err)
	}
	if !utf8.ValidString(resolved) {
		return "", problem.BadRequest("folders", "%q is not UTF-8", resolved)
	}
	if err := c.o.CheckFolder(resolved, c.protectedFrom(resolved)); err != nil {
		return "", folderProblem(p, err)
	}
	return resolved, nil
}

// protected are the directories of piwork itself: no task sees them.
func (c *folderChooser) protected() []string {
	dirs := []string{c.o.DataDir, c.o.ConfigDir, c.o.CacheDir, c.o.RunDirs.Base}
	if c.o.PackDir != "" {
		dirs = append(dirs, c.o.PackDir)
	}
	return dirs
}

func folderProblem(p string, err error) *problem.Problem {
	return problem.From(err).Clone().With("path", p)
}

// madeTitle is what a list of tasks shows when the person gave no title.
func madeTitle(t task.Task) string {
	var s string
	switch t.Kind {
	case task.KindChore:
		s = t.Chore
	case task.KindTool:
		s, _ = t.Params["op"].(string)
	case task.KindAI:
		if t.Chore != "" {
			s = t.Chore
		} else if t.Asked != nil {
			s, _, _ = strings.Cut(strings.TrimSpace(t.Asked.Prompt), "\n")
		}
	default:
		if len(t.Argv) > 0 {
			s = strings.Join(append([]string{path.Base(t.Argv[0])}, t.Argv[1:]...), " ")
		} else {
			s = "shell"
		}
	}
	own := t.Kind == task.KindExec || t.Kind == task.KindAI && t.Chore == "" || t.Asked != nil && t.Asked.Lost == lostFiles
	if len(t.Folders) > 0 && !own {
		s += ": " + t.Folders[0].Name
	}
	return task.TitleOf(s)
}
