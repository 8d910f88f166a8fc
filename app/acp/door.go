package acp

import (
	"cmp"
	"context"
	"io"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent/program"
	"piwork/app/changes"
	"piwork/app/consent"
	"piwork/app/history"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
)

// Service is what the door asks of a controller; a client.Client is one. A task that is not
// detached ends with the context of its start, or of what had it go on.
type Service interface {
	StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error)
	Task(ctx context.Context, id string) (task.Task, error)
	FindTasks(ctx context.Context, f task.Filter) ([]task.Task, error)
	Timeline(ctx context.Context, id string, after int64) ([]task.Event, error)
	Say(ctx context.Context, id string, r tasks.SayRequest) (task.Task, error)
	Interrupt(ctx context.Context, id string) (task.Task, error)
	Preview(ctx context.Context, id string, r history.PreviewRequest) (history.Preview, error)
	CancelTask(ctx context.Context, id string) (task.Task, error)
	Subscribe(f task.EventFilter) (<-chan task.Event, func())
	Questions(ctx context.Context, id string) ([]vmhost.Question, error)
	Answer(ctx context.Context, id, question string, r consent.AnswerRequest) (vmhost.Decision, error)
	Changes(ctx context.Context, id string) ([]journal.Change, error)
	OpenChange(ctx context.Context, id, change string, side changes.Which) (io.ReadSeekCloser, history.ChangeFile, error)
	Apply(ctx context.Context, id string, r history.ApplyRequest) (history.ApplyReport, error)
	Models(ctx context.Context) (models.Catalogue, error)
	Programs(ctx context.Context) ([]program.Info, error)
	SetTaskModel(ctx context.Context, id string, r tasks.TaskModelRequest) (task.Task, error)
	Dropped(ctx context.Context, r tasks.DroppedRequest) ([]tasks.DroppedFolder, error)
}

// Options say what a door opens.
type Options struct {
	Version string
	Folders []task.FolderRequest // in which sessions have to lie; none has no bound
	Model   string               // of sessions whose editor chooses none; "" is piwork's default
	Agent   string               // AI program that works in new sessions; "" is pi
	Network task.Network         // "" is restricted
	Machine tasks.MachineChoice
	Budget  int64            // as in [tasks.AIRequest]
	Words   *words.Catalogue // of the person's language; nil is English
}

// Bounds of what an editor may open.
const (
	maxSessions = 1000
	maxListed   = 100              // sessions, changes and models that are told at once
	idFor       = 50 * time.Minute // for which an id can become that of a task
)

// Door is open to one editor.
type Door struct {
	service Service
	o       Options
	conn    *sdk.AgentSideConnection

	life context.Context // of what was begun
	end  context.CancelFunc
	work sync.WaitGroup // turns

	mu       sync.Mutex
	sessions map[sdk.SessionId]*session
}

// Open makes a door. Folders that are not there are problems.
func Open(service Service, o Options) (*Door, error) {
	if o.Words == nil {
		o.Words = words.For("en")
	}
	if _, known := program.Find(o.Agent); !known {
		return nil, problem.BadRequest("program", "%q is not a choice", o.Agent)
	}
	d := &Door{service: service, o: o, sessions: map[sdk.SessionId]*session{}}
	d.o.Folders = nil
	for _, f := range o.Folders {
		resolved, err := share.RealPath(f.Path)
		if err != nil {
			return nil, problem.New(problem.CodeFolderRefused).With("path", f.Path).By("missing").Because(err)
		}
		d.o.Folders = append(d.o.Folders, task.FolderRequest{Path: resolved, Mode: f.Mode})
	}
	d.life, d.end = context.WithCancel(context.Background())
	return d, nil
}

// Close ends what the door began, and returns when it has asked for that.
func (d *Door) Close() {
	d.mu.Lock() // no turn begins meanwhile
	d.end()
	d.mu.Unlock()
	d.work.Wait()
}

// session is one conversation.
type session struct {
	id    sdk.SessionId
	agent string        // its AI program; "" is pi
	turn  chan struct{} // held by the prompt that is at work

	mu      sync.Mutex
	task    string // "" until the first prompt
	model   string // "" is the default
	folders []folder
	cancel  context.CancelFunc // of the prompt that is at work, or nil
	closing int                // requests to close it; while there is one, no prompt begins
	told    int                // changes that the person was told of
}

// folder is one of a session.
type folder struct {
	task.Folder
	named string // by the editor; Path is where that leads
}

// here is the path in the editor of one in the task, where it is in a folder. The AI works in the
// first folder, from where it names files.
func here(folders []folder, p string) (string, bool) {
	if p == "" || len(folders) == 0 {
		return "", false
	}
	if !strings.HasPrefix(p, "/") {
		p = folders[0].there() + "/" + p
	}
	p = path.Clean(p)
	for _, f := range folders {
		if rest, ok := strings.CutPrefix(p, f.there()); ok && (rest == "" || rest[0] == '/') {
			if out := filepath.Join(f.named, filepath.FromSlash(rest)); task.Contains(f.named, out) {
				return out, true
			}
		}
	}
	return "", false
}

// there is the path in the task of one in the editor, where it is in a folder. No link is
// followed: the task finds what the path means in its own folders.
func there(folders []folder, p string) (string, bool) {
	if !filepath.IsAbs(p) || strings.ContainsRune(p, 0) {
		return "", false
	}
	for _, f := range folders {
		for _, root := range []string{f.named, f.Path} {
			rel, err := filepath.Rel(root, p) // cleans both
			if err == nil && filepath.IsLocal(rel) {
				return path.Clean(f.there() + "/" + filepath.ToSlash(rel)), true
			}
		}
	}
	return "", false
}

// foldersOf are those of a task that is there. The editor calls the one to which its directory
// leads as it did.
func foldersOf(t task.Task, cwd, leads string) (out []folder) {
	for _, f := range t.Shared() {
		one := folder{f, f.Path}
		if f.Path == leads {
			one.named = filepath.Clean(cwd)
		}
		out = append(out, one)
	}
	return out
}

// leadsTo is the folder to which a directory of an editor leads, "" where there is none.
func leadsTo(cwd string) string {
	if !filepath.IsAbs(cwd) {
		return ""
	}
	resolved, err := share.RealPath(cwd)
	if err != nil {
		return ""
	}
	return resolved
}

// chosen are the folders for a session, in the words of an editor. What piwork refuses, or the
// person did not name where they named folders, is a problem.
func (d *Door) chosen(ctx context.Context, cwd string, more []string) (out []folder, err error) {
	all := append([]string{cwd}, more...)
	if len(all) > tasks.MaxFolders {
		return nil, problem.BadRequest("additionalDirectories", "%d folders, at most %d", len(all), tasks.MaxFolders)
	}
	for _, p := range all {
		if !filepath.IsAbs(p) || strings.ContainsRune(p, 0) {
			return nil, problem.BadRequest("cwd", "%q is not absolute", p)
		}
		found, err := d.service.Dropped(ctx, tasks.DroppedRequest{Paths: []string{p}})
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if f.Problem != nil {
				return nil, f.Problem
			}
			if f.Files > 0 {
				return nil, problem.New(problem.CodeFolderRefused).With("path", p).By("not-a-folder")
			}
		}
		resolved, err := share.RealPath(p)
		if err != nil {
			return nil, problem.New(problem.CodeFolderRefused).With("path", p).By("missing").Because(err)
		}
		mode, ok := d.within(resolved)
		if !ok {
			return nil, d.refused("acp.outside", map[string]any{"path": escaped(p)})
		}
		f := folder{task.Folder{Path: resolved, Mode: mode, Name: task.FolderName(filepath.Base(resolved), resolved, plain(out))}, filepath.Clean(p)}
		covered := false
		for _, o := range out {
			if covered = covered || task.Contains(o.Path, resolved); !covered && task.Contains(resolved, o.Path) {
				return nil, problem.New(problem.CodeFolderOverlap).With("path", resolved).With("other", o.Path)
			}
		}
		if !covered {
			out = append(out, f)
		}
	}
	return out, nil
}

// within reports whether a folder may be that of a session, and how.
func (d *Door) within(resolved string) (task.Mode, bool) {
	best := -1
	for i, f := range d.o.Folders {
		if task.Contains(f.Path, resolved) && (best < 0 || task.Contains(d.o.Folders[best].Path, f.Path)) {
			best = i // the innermost
		}
	}
	if best < 0 {
		return "", len(d.o.Folders) == 0
	}
	return d.o.Folders[best].Mode, true
}

func plain(all []folder) (out []task.Folder) {
	for _, f := range all {
		out = append(out, f.Folder)
	}
	return out
}

// add makes a session known.
func (d *Door) add(s *session) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.sessions) >= maxSessions {
		return d.refused("acp.too-many", nil)
	}
	s.turn = make(chan struct{}, 1)
	d.sessions[s.id] = s
	return nil
}

// session finds one.
func (d *Door) session(id sdk.SessionId) (*session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.sessions[id]; s != nil {
		return s, nil
	}
	return nil, &sdk.RequestError{Code: codeNotFound, Message: d.o.Words.Text("acp.no-session", nil)}
}

// opened makes a session of a task that is there, or finds the one that is.
func (d *Door) opened(ctx context.Context, id sdk.SessionId, cwd string) (*session, task.Task, error) {
	name := string(id)
	s, err := d.session(id)
	if err == nil {
		s.mu.Lock()
		name = cmp.Or(s.task, name)
		s.mu.Unlock()
	}
	if !task.ValidID(name) {
		return nil, task.Task{}, err
	}
	t, terr := d.service.Task(ctx, name)
	if terr != nil {
		return nil, t, d.said(terr)
	}
	if err == nil {
		return s, t, nil
	}
	if !d.offers(t) {
		return nil, t, err
	}
	s = &session{id: id, agent: t.AI.Program, task: t.ID, model: t.AI.Model, folders: foldersOf(t, cwd, leadsTo(cwd))}
	return s, t, d.add(s)
}

// offers reports whether a task can be a session: it is an AI's, in the folders of the door, and
// may do no more, and works nowhere else, than the person said for the door.
func (d *Door) offers(t task.Task) bool {
	if t.Kind != task.KindAI || t.AI == nil || len(t.Shared()) == 0 || d.o.Network != "" && t.Network.Exceeds(d.o.Network) {
		return false
	}
	if d.o.Budget > 0 && (t.AI.Budget == 0 || t.AI.Budget > d.o.Budget) || d.o.Machine.Runtime != "" && t.Runtime != d.o.Machine.Runtime {
		return false
	}
	for _, f := range t.Shared() {
		if mode, ok := d.within(f.Path); !ok || mode != "" && f.Mode.Exceeds(mode) {
			return false
		}
	}
	return true
}
