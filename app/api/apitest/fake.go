// Package apitest has a scripted api.Service, so that the API, its client and
// the command line are tested without a machine. What it answers is decided by
// its script; it keeps the contract of api.Service where that is about time:
// a record stands before StartTask returns, a task that is not detached ends
// with its context, and events are numbered.
//
// An operation without a method written here has a generated one. It notes what was asked,
// and answers with the value of its type in Script.Has: a value that is given in a request of
// the same type (settings) takes its place.
package apitest

import (
	"context"
	"slices"
	"sync"

	"piwork/app/actions"
	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/diagnostics"
	"piwork/app/mcpservers"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/upkeep"
	"piwork/app/uploads"
	"piwork/vmhost/wire"
)

// Script is what a fake does and says. A test may change it later, through the fake, while
// nothing is asked.
type Script struct {
	Has    []any            // what there is, by its type; of several of one type, one after the other is answered, and the last stays
	Refuse map[string]error // by the name of a method

	Run        Run
	Endless    bool              // tasks run until they are cancelled
	TaskErr    *problem.Problem  // how a task fails
	Problems   []problem.Problem // what a task could not do
	Results    []ResultFile
	Changed    Changed
	Consent    Consent
	Agent      Agent
	Login      Login
	Updates    Updates
	LogText    map[string]string // by name
	UploadDir  string            // where uploads are kept; "" refuses them
	InstallHas int64             // bytes that InstallPack counts
	Export     []byte            // of every task
	Audit      []byte            // the log
}

// Fake is an api.Service. Its parts are those of the service; they share the script, what
// was asked, and the stream of events.
type Fake struct {
	*core
	*questions
	*runs
	talk
	keyring
	edits
	packs
	computer
}

// New makes a fake. The zero script is ready and has three chores.
func New(s Script) *Fake {
	c := &core{Script: s}
	q := &questions{core: c}
	r := &runs{core: c, asks: q}
	return &Fake{c, q, r, talk{r}, keyring{c}, edits{r}, packs{c}, computer{c}}
}

// core is what every part of a fake has.
type core struct {
	Script
	stream

	mu     sync.Mutex
	wishes []any
}

// usual is what a fake has without being given it.
var usual = []any{
	[]chore.Info{{
		Name: "pictures-to-pdf",
		Params: []chore.ParamInfo{
			{Name: "name", Type: "string", Default: "Pictures.pdf"},
			{Name: "recursive", Type: "bool", Default: false},
			{Name: "count", Type: "int", Default: 3},
			{Name: "order", Type: "choice", Default: "name", Choices: []string{"name", "time"}},
		},
		Effects: []chore.Effect{chore.EffectCreate},
	}, {
		Name: "summarise-notes", Params: []chore.ParamInfo{}, Effects: []chore.Effect{chore.EffectCreate},
		AI: &chore.AIPart{Results: []string{"Summary.md"}},
	}, {
		Name: "unlock-pdf", Params: []chore.ParamInfo{{Name: "password", Type: chore.TypePassword, Default: ""}},
		Effects: []chore.Effect{chore.EffectCreate},
	}},
	wire.FileInfo{Path: "/folders/Trip/a.txt", Kind: wire.KindFile},
	actions.FileContent{FileInfo: wire.FileInfo{Path: "/folders/Trip/a.txt", Kind: wire.KindFile}, Data: []byte{}},
	models.KeyStore{Store: models.StoreKeychain},
	models.LoginState{State: models.LoginWaiting},
	mcpservers.Login{State: mcpservers.LoginDone},
	mcpservers.Logout{State: mcpservers.LoginNone},
	consent.WebSearch{Kind: consent.SearchNone},
	upkeep.WindowSettings{Close: upkeep.CloseAsk, Notify: true},
	upkeep.NoticeClaimed{First: true},
	sessions.RunResult{Stdout: []byte{}, Stderr: []byte{}},
	sessions.Output{Data: []byte{}},
	upkeep.StorageMove{Phase: upkeep.MoveNone, From: "/data"},
	upkeep.Diagnostics{ID: "1", Files: []diagnostics.File{{Name: "about.json", Bytes: 3, Text: "{}\n"}}},
}

// has is the value of a type, the zero one where there is none. f.mu is held.
func has[T any](f *core) T {
	for i, v := range f.Has {
		if v, is := v.(T); is {
			if slices.ContainsFunc(f.Has[i+1:], func(next any) bool { _, is := next.(T); return is }) {
				f.Has = slices.Delete(slices.Clone(f.Has), i, i+1)
			}
			return v
		}
	}
	for _, v := range usual {
		if v, is := v.(T); is {
			return v
		}
	}
	var none T
	return none
}

// value is has for who does not hold f.mu.
func value[T any](f *core) T {
	f.mu.Lock()
	defer f.mu.Unlock()
	return has[T](f)
}

// Give has v take the place of what there is of its type.
func Give[T any](f *Fake, v T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	put(f.core, v)
}

// change changes the value of a type.
func change[T any](f *core, do func(*T)) T {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := has[T](f)
	do(&v)
	return put(f, v)
}

// dropped removes from a list, and reports whether there was something to remove.
func dropped[T any](f *core, is func(T) bool) (found bool) {
	change(f, func(list *[]T) {
		found = slices.ContainsFunc(*list, is)
		*list = slices.DeleteFunc(slices.Clone(*list), is)
	})
	return found
}

// put is Give for who holds f.mu.
func put[T any](f *core, v T) T {
	f.Has = append(slices.DeleteFunc(slices.Clone(f.Has), func(old any) bool { _, is := old.(T); return is }), v)
	return v
}

// asked notes the last argument of a call, and refuses it where that is to be.
func (f *core) asked(method string, args ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(args) > 0 {
		f.wishes = append(f.wishes, args[len(args)-1])
	}
	return f.Refuse[method]
}

// answered is what a method without a script answers.
func answered[T any](f *core, method string, args ...any) (T, error) {
	if err := f.asked(method, args...); err != nil {
		var none T
		return none, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(args) > 0 {
		if v, is := args[len(args)-1].(T); is {
			return put(f, v), nil
		}
	}
	return has[T](f), nil
}

// about is answered for a method about a task, which has to be there.
func about[T any](f *runs, method, id string, args ...any) (T, error) {
	r, err := f.find(id)
	if err != nil {
		var none T
		return none, err
	}
	v, err := answered[T](f.core, method, args...)
	if rec, is := any(&v).(*task.Task); is && err == nil {
		*rec = r.record()
	}
	return v, err
}

// Wishes are the arguments of calls of methods without a script, and the requests about
// changes, so far.
func (f *core) Wishes() []any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.wishes)
}

func (f *core) refused(method string) error { return f.Refuse[method] }

func notFound(id string) error {
	return &problem.Problem{Code: problem.CodeNotFound, Severity: problem.Failed, Details: "task " + id}
}

// NewUpload implements toolroute.Uploader.
func (f *core) NewUpload(context.Context) (*uploads.Upload, error) {
	if f.UploadDir == "" {
		return nil, problem.New(problem.CodeUnsupported).With("what", "upload")
	}
	return uploads.NewStore(f.UploadDir).New("", nil)
}
