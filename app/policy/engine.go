package policy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// FileName is the person's file, in the directory of settings.
const FileName = "policy.cedar"

// young is how exact the time of a file is: one that changed within it is read again.
const young = 2 * time.Second

// Options of an Engine.
type Options struct {
	Dir     string // of settings
	Managed string // file of an administrator; "" is ManagedFile
	// Trusted says why a managed file could have been written by others; nil asks the system.
	Trusted func(path string, f *os.File) error
	Now     func() time.Time
}

// Engine has the rules of this computer. It is safe for concurrent use.
type Engine struct {
	o       Options
	current atomic.Pointer[snapshot]
	listed  atomic.Pointer[listed]

	changed chan struct{} // has something when the rules are others

	mu   sync.Mutex // held while files are read or written
	last *snapshot
}

// snapshot is what was read of both files.
type snapshot struct {
	rules  *Rules
	sides  [2]state
	looked atomic.Int64 // when it was last seen what no file's time tells, in nanoseconds
}

// lookEvery is how often it is looked at what the time of no file tells: where the paths of rules
// lead, and whether others could still have written a file.
const lookEvery = time.Second

// state is by what it is seen that a file changed.
type state struct {
	info os.FileInfo // nil for none
	err  string
	sure bool // it was old enough when it was read
}

// Open makes an Engine. Faults of files are none of opening.
func Open(o Options) *Engine {
	if o.Managed == "" {
		o.Managed = ManagedFile()
	}
	if o.Trusted == nil {
		o.Trusted = trusted
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Engine{o: o, changed: make(chan struct{}, 1)}
}

// BuiltIn makes an Engine without files.
func BuiltIn() *Engine {
	none := filepath.Join(os.DevNull, "none")
	return Open(Options{Dir: none, Managed: filepath.Join(none, FileName)})
}

// path is that of a written layer.
func (e *Engine) path(i int) string {
	if order[i] == Managed {
		return e.o.Managed
	}
	return filepath.Join(e.o.Dir, FileName)
}

// Rules are the rules of now.
func (e *Engine) Rules() *Rules {
	if s := e.current.Load(); s != nil && e.same(s) {
		return s.rules
	}
	return e.read()
}

// Fresh reads everything again: links that rules name may lead elsewhere now.
func (e *Engine) Fresh() *Rules {
	e.current.Store(nil)
	return e.read()
}

// Decide answers a request with the rules of now.
func (e *Engine) Decide(r Request) Decision { return e.Rules().Decide(r, e.o.Now()) }

// Known are the rules as they were read last: at most seconds ago.
func (e *Engine) Known() *Rules {
	if s := e.current.Load(); s != nil {
		return s.rules
	}
	return e.Rules()
}

// Explain answers a request with rules, and says which of them are about it. A path has its
// links followed first.
func (e *Engine) Explain(rules *Rules, r Request) (Decision, []RuleMatch, error) {
	if r.Path != "" {
		if PathID(r.Path) == "" {
			return Decision{}, nil, fmt.Errorf("%q is not absolute", r.Path)
		}
		r.Path = realPath(r.Path)
	}
	if _, ok := r.resource(rules.places); !ok {
		return Decision{}, nil, fmt.Errorf("%s needs what it is about: a path, a host, a program, a key", r.Action)
	}
	d, all := rules.explain(r, e.o.Now())
	return d, all, nil
}

// same reports whether the files are those that were read.
func (e *Engine) same(s *snapshot) bool {
	for i := range s.sides {
		was := s.sides[i]
		info, err := os.Stat(e.path(i))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if was.info != nil || was.err != "" {
				return false
			}
		case err != nil:
			if was.err != err.Error() {
				return false
			}
		case was.info == nil || !was.sure || !unchanged(was.info, info):
			return false
		}
	}
	now := time.Now().UnixNano()
	if was := s.looked.Load(); now-was < int64(lookEvery) && now >= was {
		return true
	}
	s.looked.Store(now)
	if slices.ContainsFunc(s.rules.places, place.moved) || slices.ContainsFunc(s.rules.faults, RuleFault.mayEnd) {
		s.looked.Store(0) // for who else asks, until it is read again
		return false
	}
	return true
}

// mayEnd reports whether the fault can end while the file stays as it is.
func (f RuleFault) mayEnd() bool { return f.Code == FaultOwner }

func unchanged(a, b os.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode() && os.SameFile(a, b)
}

// read reads the files.
func (e *Engine) read() *Rules {
	e.mu.Lock()
	if s := e.current.Load(); s != nil && e.same(s) { // somebody else did
		e.mu.Unlock()
		return s.rules
	}
	s := e.load()
	changed := e.last != nil && !alikeTexts(e.last, s)
	e.last = s
	e.current.Store(s)
	e.mu.Unlock()
	if changed {
		select {
		case e.changed <- struct{}{}:
		default: // somebody will hear of an earlier one
		}
	}
	return s.rules
}

// alikeTexts reports whether two snapshots say the same.
func alikeTexts(a, b *snapshot) bool {
	if len(a.rules.faults) != len(b.rules.faults) {
		return false
	}
	for i := range a.rules.layers {
		if len(a.rules.layers[i]) != len(b.rules.layers[i]) {
			return false
		}
		for n := range a.rules.layers[i] {
			if a.rules.layers[i][n].Cedar != b.rules.layers[i][n].Cedar {
				return false
			}
		}
	}
	return true
}

var builtIn = sync.OnceValues(func() ([]compiled, error) {
	list, _, err := parseNew(Default, defaultsText, nil)
	return list, err
})

// load reads both files and compiles them. mu is held.
func (e *Engine) load() *snapshot {
	s := &snapshot{rules: &Rules{}}
	for i, layer := range order[:2] {
		name := e.path(i)
		text, st, err := e.text(layer, name)
		s.sides[i] = st
		f := RuleFile{Layer: layer, Path: name, There: st.info != nil}
		if err == nil && f.There {
			var places []place
			s.rules.layers[i], places, err = parse(layer, text)
			s.rules.places = append(s.rules.places, places...)
		}
		if f.Fault = faultOf(err, layer, name); f.Fault != nil {
			s.rules.faults = append(s.rules.faults, *f.Fault)
		}
		for _, r := range s.rules.layers[i] {
			s.rules.alters = s.rules.alters || r.stricter(Write, Delete)
			s.rules.timed = s.rules.timed || r.looksAtClock()
		}
		s.rules.files[i] = f
	}
	var err error
	if s.rules.layers[2], err = builtIn(); err != nil {
		s.rules.faults = append(s.rules.faults, *faultOf(err, Default, "defaults.cedar"))
	}
	s.rules.alters = s.rules.alters || len(s.rules.faults) > 0
	s.looked.Store(time.Now().UnixNano())
	return s
}

// stricter reports whether a rule may refuse or ask about one of some actions.
func (r *WrittenRule) stricter(actions ...Action) bool {
	return r.Effect != Allow && (len(r.Sentence.Actions) == 0 || slices.ContainsFunc(actions, func(a Action) bool {
		return slices.Contains(r.Sentence.Actions, string(a))
	}))
}

// text reads a file whole, as it is at one moment; one that changes while it is read is read
// again.
func (e *Engine) text(layer Layer, name string) (text []byte, s state, err error) {
	for range 5 {
		text, s, err = e.once(layer, name)
		if err == nil && s.info != nil {
			if now, serr := os.Stat(name); serr != nil || !unchanged(s.info, now) {
				err = errors.New("it changes while it is read")
				continue
			}
		}
		break
	}
	if err != nil && s.err == "" {
		s.err = err.Error()
	}
	return text, s, err
}

func (e *Engine) once(layer Layer, name string) (text []byte, s state, err error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { // nothing is opened that could wait
		return nil, state{info: info, err: "x"}, errNoFile
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s, nil
	}
	if err != nil {
		s.err = err.Error()
		return nil, s, err
	}
	defer f.Close()
	if s.info, err = f.Stat(); err != nil {
		return nil, s, err
	}
	s.sure = time.Since(s.info.ModTime()).Abs() > young // by the clock of the disk
	if !s.info.Mode().IsRegular() {
		return nil, s, errNoFile
	}
	if layer == Managed {
		if err := e.o.Trusted(name, f); err != nil {
			return nil, s, &RuleFault{Code: FaultOwner, Message: oneLine(err.Error())}
		}
	}
	if text, err = io.ReadAll(io.LimitReader(f, MaxFile+1)); err != nil {
		return nil, s, err
	}
	return plain(string(text)), s, nil
}

// Watch looks at the files until ctx ends, after tick, and calls changed when the rules are
// others. Who finds that out by deciding goes on at once.
func (e *Engine) Watch(ctx context.Context, tick, changed func()) {
	t := time.NewTicker(young)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			tick()
			e.Rules()
		case <-e.changed:
			changed()
		case <-ctx.Done():
			return
		}
	}
}

// Check reads a text as if it were to become the person's file.
func Check(text string) ([]WrittenRule, *RuleFault) {
	list, _, err := parseNew(Yours, plain(text), nil)
	out := []WrittenRule{}
	for _, c := range list {
		out = append(out, c.WrittenRule)
	}
	return out, faultOf(err, Yours, "")
}

// With are the rules with another text in the place of the person's file, as of Write.
func (e *Engine) With(text string) *Rules {
	now := *e.Rules()
	var err error
	var places []place
	now.layers[1], places, err = parseNew(Yours, plain(text), now.layers[1])
	now.places = append(now.places[:len(now.places):len(now.places)], places...)
	now.faults = nil
	if f := now.files[0].Fault; f != nil {
		now.faults = append(now.faults, *f)
	}
	if f := faultOf(err, Yours, ""); f != nil {
		now.faults = append(now.faults, *f)
	}
	return &now
}

// Below are the paths inside a folder that written rules name: what is said of them is said
// of the folder, too, since a program in it can reach them.
func (s *Rules) Below(folder string) (out []string) {
	id := strings.TrimSuffix(PathID(folder), "/") + "/"
	self, err := os.Lstat(folder)
	for _, p := range s.places {
		if strings.HasPrefix(p.id, id) || err == nil && inside(p.id, self) {
			out = append(out, p.id)
		}
	}
	return out
}

// inside reports whether a directory above a path is that of info, however it is spelled.
func inside(p string, dir os.FileInfo) bool {
	for at := filepath.Dir(filepath.FromSlash(p)); ; at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && os.SameFile(info, dir) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}
