package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"piwork/vmhost/share/journal"
)

// Runner plays histories, one after the other, in a directory of its own.
type Runner struct {
	Dir   string                                                             // where the folders lie
	JDir  string                                                             // where the journals lie
	Open  func(dir string, hook func(step string)) (*journal.Journal, error) // journal.Open, with a hook if it can
	Drive func(j *journal.Journal, top string) (Driver, error)               // nil: the recorder itself
	Limit time.Duration                                                      // after which an undo hangs
	Grave func(h History) bool                                               // of which only grave problems count; nil: of none
	n     int
}

// Failure is a history that breaks the rule.
type Failure struct {
	History  History
	After    string // which part of the end
	Problems []Problem
	Report   string
}

// Kind tells failures apart.
func (f *Failure) Kind() string { return f.Problems[0].Kind }

func (f *Failure) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n   after %s\n", f.History, f.After)
	for _, p := range f.Problems {
		fmt.Fprintf(&b, "   %s: %s: %s\n", p.Kind, p.Path, p.Detail)
	}
	return b.String() + f.Report
}

// task is one task and its journal.
type task struct {
	dir    string
	j      *journal.Journal
	driver Driver
	killer *Killer
}

// rest is longer than what the recorder needs to tell a change of the person from one that is under way
// (journal, "within 20 ms of what the task writes").
const rest = 25 * time.Millisecond

// playing is one history at work.
type playing struct {
	*Runner
	h       History
	top     string
	jdir    string
	m       *folder
	tasks   [2]*task
	before  tree
	left    tree
	said    map[string]bool
	told    []journal.Conflict // so far
	person  bool
	two     bool
	words   []string
	dead    []func() // ends what died, when the folder is gone
	dying   *Step    // the program is to end in the next step of the task
	crashed bool
	doubt   map[int]bool // nodes of which the program that died had not written down how the task left them; whether it had not even written down that the task made it
	over    bool         // a problem that does not count makes the rest of the steps senseless
	cut     bool         // and the power was
}

var (
	errHangs = errors.New("hangs")
	errDied  = errors.New("died")
)

// Play plays a history. The error is of the test itself.
func (r *Runner) Play(h History) (f *Failure, err error) {
	r.n++
	p := &playing{Runner: r, h: h, top: fmt.Sprintf("%s/f%d", r.Dir, r.n), jdir: fmt.Sprintf("%s/%d", r.JDir, r.n), said: map[string]bool{}}
	defer func() {
		if v := recover(); v != nil {
			f, err = p.failure("a panic", []Problem{{Fails, "", fmt.Sprintf("panic: %v\n%s", v, debug.Stack())}}), nil
		}
		p.shut()
	}()
	return p.run()
}

// failure returns nil where only grave problems count and none of these is grave.
func (p *playing) failure(after string, problems []Problem) *Failure {
	if p.Grave != nil && p.Grave(p.h) {
		problems = slices.DeleteFunc(problems, func(q Problem) bool { return !q.grave() })
	}
	if len(problems) == 0 {
		p.over = true
		return nil
	}
	report := strings.Join(p.words, "\n")
	if report != "" {
		report = "   said: " + report + "\n"
	}
	return &Failure{History: p.h, After: after, Problems: problems, Report: report}
}

func (p *playing) run() (*Failure, error) {
	m := p.h.World.folder()
	p.m = m
	if err := m.build(p.top); err != nil {
		return nil, err
	}
	var err error
	if p.before, err = readTree(p.top); err != nil {
		return nil, err
	}
	if err := os.Mkdir(p.jdir, 0o755); err != nil {
		return nil, err
	}
	p.two = p.h.two()
	_, prologue := begin(p.h.World)
	steps := append(prologue, p.h.Steps...)
	handles := map[string]bool{}
	for _, s := range steps {
		p.person = p.person || s.Who == 'p'
		if s.Handle {
			handles[s.A] = true
		}
	}
	if err := p.start(0); err != nil {
		return nil, err
	}
	if p.two {
		if err := p.start(1); err != nil {
			return nil, err
		}
	}
	for n := range m.nodes {
		if o := &m.nodes[n]; o.kind == file && handles[o.label] {
			if err := p.open(o.label, steps); err != nil {
				return nil, err
			}
		}
	}
	for i, s := range steps {
		if s.Who == '2' && p.ended(steps, i) { // nothing of the task is left, and the program asks for the list
			if err := p.tasks[0].driver.Close(); err != nil {
				return p.failure("the task", []Problem{{Refused, "close", err.Error()}}), nil
			}
			if _, err := p.tasks[0].j.Changes(context.Background()); err != nil {
				return nil, err
			}
		}
		if f, err := p.step(s, i+1-len(prologue), handles); f != nil || err != nil || p.over {
			return f, err
		}
	}
	if p.dying != nil {
		if f, err := p.crash(p.m.clone(), handles, -1); f != nil || err != nil {
			return f, err
		}
	}
	if p.left, err = readTree(p.top); err != nil {
		return nil, err
	}
	if d := p.asModel(p.m, p.left); d != "" && !p.crashed {
		return p.failure("the task", []Problem{{WrongNow, "", d}}), nil
	}
	for _, t := range p.tasks {
		if t == nil {
			continue
		}
		if err := t.driver.Close(); err != nil {
			return p.failure("the task", []Problem{{Refused, "close", err.Error()}}), nil
		}
		if p.two { // each is undone when both have ended
			t.leave()
		}
	}
	for i, end := range p.h.End {
		problems, err := p.end(end, i)
		if err != nil {
			return nil, err
		}
		if len(problems) > 0 {
			if f := p.failure(fmt.Sprintf("%d. %s", i+1, end), problems); f != nil {
				return f, nil
			}
		}
	}
	return nil, nil
}

// ended reports whether the first task has ended when the i-th step, of the second, is the first of that.
func (p *playing) ended(steps []Step, i int) bool {
	first := !slices.ContainsFunc(steps[:i], func(s Step) bool { return s.Who == '2' })
	return first && !slices.ContainsFunc(steps[i:], func(s Step) bool { return s.Who == 't' })
}

// open opens a handle in the first task that uses it.
func (p *playing) open(label string, steps []Step) error {
	for i, who := range []byte{'t', '2'} {
		for _, s := range steps {
			if s.Handle && s.A == label && s.Who == who {
				if err := p.tasks[i].driver.Open(label, label); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

func (p *playing) start(i int) error {
	t := &task{dir: p.jdir + "/" + strconv.Itoa(i+1)}
	p.tasks[i] = t
	return p.begin(t)
}

func (p *playing) begin(t *task) (err error) {
	t.killer = newKiller()
	if t.j, err = p.Open(t.dir, t.killer.Hook); err != nil {
		return err
	}
	drive := p.Drive
	if drive == nil {
		drive = driveStore
	}
	t.driver, err = drive(t.j, p.top)
	return err
}

// leave ends the task's use of the folder.
func (t *task) leave() {
	if t.driver != nil {
		_ = t.driver.Close()
		t.driver.End()
		t.driver = nil
	}
}

func (t *task) end() {
	if t.j == nil {
		return
	}
	t.leave()
	_ = t.j.Close()
}

func (p *playing) shut() {
	for _, t := range p.tasks {
		if t != nil {
			t.end()
		}
	}
	_ = os.RemoveAll(p.top)
	_ = os.RemoveAll(p.jdir)
	for _, end := range p.dead {
		end()
	}
	synced.Delete(p.jdir + "/1/log")
	synced.Delete(p.jdir + "/2/log")
}

// bounded does something that must end, unless the program dies in it.
func (p *playing) bounded(t *task, do func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			}
		}()
		done <- do()
	}()
	timer := time.NewTimer(p.Limit)
	defer timer.Stop()
	select {
	case err := <-done:
		t.killer.arm(0)
		return err
	case <-t.killer.died:
		p.bury(t, done)
		return errDied
	case <-timer.C:
		p.tasks = [2]*task{} // nobody can close them
		return errHangs
	}
}

// bury has a journal that died closed when the history is over.
func (p *playing) bury(t *task, done chan error) {
	old := *t
	p.dead = append(p.dead, func() {
		close(old.killer.release)
		go func() {
			defer func() { _ = recover() }()
			var err error
			if done != nil {
				err = <-done
			}
			_ = err // however it ended
			old.end()
		}()
	})
}

// again starts the program again after it died, with what a power cut left if there was one.
func (p *playing) again(t *task, powerCut bool, torn int) error {
	if err := leave(t.dir, powerCut, torn); err != nil {
		return err
	}
	*t = task{dir: t.dir}
	t.killer = newKiller()
	return p.bounded(t, func() error { return p.begin(t) })
}

// crash ends the program now, m being the folder before the step in which it died, of node n, and starts it
// again.
func (p *playing) crash(m *folder, handles map[string]bool, n int) (*Failure, error) {
	made := n >= len(m.nodes)
	t := p.tasks[0]
	powerCut, torn := p.dying.Verb == "cut", 0
	if powerCut {
		torn, _ = strconv.Atoi(p.dying.A)
	}
	if p.dying.B != "died" {
		p.bury(t, nil)
	}
	p.dying, p.crashed, p.cut = nil, true, powerCut
	now, err := readTree(p.top)
	if err != nil {
		return nil, err
	}
	if p.asModel(m, now) == "" {
		p.m = m
	}
	for i := range p.m.links {
		l := &p.m.links[i]
		if path, ok := p.m.path(l.now); ok {
			if e, ok := now[path]; ok && e.kind == file {
				p.m.nodes[l.node].now.data = e.data
				p.m.nodes[l.node].newest.mtime = e.mtime
			}
		}
	}
	p.doubt = map[int]bool{}
	for i := range p.m.nodes {
		if o := &p.m.nodes[i]; i == n || o.kind == file && handles[o.label] {
			p.doubt[i] = i == n && made
		}
	}
	switch err := p.again(t, powerCut, torn); {
	case errors.Is(err, errHangs):
		return p.failure("a crash", []Problem{{Hangs, "", "the journal does not open"}}), nil
	case err != nil:
		return p.failure("a crash", []Problem{{Fails, "", err.Error()}}), nil
	}
	return nil, nil
}

// step does a step in the model and on the disk.
func (p *playing) step(s Step, i int, handles map[string]bool) (*Failure, error) {
	if s.Who == 'c' {
		p.m.steps = i - 1
		p.m.apply(s)
		return p.control(s)
	}
	n := -1
	if s.Handle {
		n = p.m.handle(s.A)
	} else if l, ok := p.m.at(s.A); ok {
		n = l.node
	}
	node := n
	var was state
	var kind byte
	label := ""
	if n >= 0 {
		was, kind, label = p.m.nodes[n].now, p.m.nodes[n].kind, p.m.nodes[n].label
	}
	p.m.steps = i - 1
	old := p.m
	if p.dying != nil {
		old = p.m.clone()
	}
	if !p.m.apply(s) {
		return nil, fmt.Errorf("%s: step %d cannot be done", p.h, i)
	}
	if s.Who == 'p' {
		if s.Verb == "save" && handles[label] {
			<-time.After(rest)
			defer func() { <-time.After(rest) }()
		}
		data := ""
		if l, ok := p.m.at(s.A); ok {
			data = p.m.nodes[l.node].now.data
		}
		if err := editDisk(p.top, s, data); err != nil {
			return nil, fmt.Errorf("%s: step %d: %w", p.h, i, err)
		}
		return nil, p.stamp(s)
	}
	t := p.tasks[0]
	if s.Who == '2' {
		t = p.tasks[1]
	}
	label = ""
	if s.Verb == "create" && handles[strconv.Itoa(i)] {
		label = strconv.Itoa(i)
	}
	w := workOf(s, i, was, kind)
	w.Label = label
	do := func() error { return t.driver.Do(w) }
	if p.dying == nil {
		if err := do(); err != nil {
			return p.failure(s.String(), []Problem{{Refused, s.A, err.Error()}}), nil
		}
		return nil, nil
	}
	n, _ = strconv.Atoi(p.dying.A)
	t.killer.arm(1 + n%8)
	switch err := p.bounded(t, do); {
	case errors.Is(err, errDied):
		p.dying.B = "died"
	case errors.Is(err, errHangs):
		return p.failure(s.String(), []Problem{{Hangs, s.A, "a step of the task"}}), nil
	case err != nil:
		return p.failure(s.String(), []Problem{{Refused, s.A, err.Error()}}), nil
	}
	if node < 0 { // it was made
		node = len(p.m.nodes) - 1
	}
	return p.crash(old, handles, node)
}

// stamp notes the time of what the person made.
func (p *playing) stamp(s Step) error {
	if s.Verb == "delete" || s.Verb == "move" {
		return nil
	}
	info, err := os.Lstat(p.top + "/" + s.A)
	if err != nil {
		return err
	}
	l, _ := p.m.at(s.A)
	o := &p.m.nodes[l.node]
	o.newest.mtime = info.ModTime().UnixNano()
	if o.origin == ofPerson && s.Verb != "save" {
		o.before = o.newest
	}
	return nil
}

func (p *playing) control(s Step) (*Failure, error) {
	t := p.tasks[0]
	switch s.Verb {
	case "list":
		_, err := t.j.Changes(context.Background())
		return nil, err
	case "restart":
		t.end()
		return nil, p.begin(t)
	case "kill", "cut":
		p.dying = &s
		return nil, nil
	}
	return nil, fmt.Errorf("no control %q", s.Verb)
}

// asModel compares the disk with the model.
func (p *playing) asModel(m *folder, disk tree) string {
	want := tree{}
	for i := range m.links {
		l := &m.links[i]
		if path, ok := m.path(l.now); ok && l.now.dir >= 0 {
			o := &m.nodes[l.node]
			want[path] = entry{kind: o.kind, state: o.now, ino: uint64(l.node)} //nolint:gosec // small
		}
	}
	want[""] = entry{kind: dir, state: m.nodes[0].now, ino: 0}
	now := tree{}
	for path, e := range disk {
		if w, ok := want[path]; ok && w.mtime == 0 {
			e.mtime = 0
		}
		now[path] = e
	}
	return exact(want, now, true)
}

// end does a part of the end, and judges what came of it.
func (p *playing) end(text string, i int) ([]Problem, error) {
	f := strings.Fields(text)
	t, arg, die := p.tasks[0], 0, 0
	for _, x := range f[1:] {
		if rest, ok := strings.CutPrefix(x, "!"); ok {
			die, _ = strconv.Atoi(rest)
		} else {
			arg, _ = strconv.Atoi(x)
		}
	}
	if f[0] != "part" && arg == 2 {
		t = p.tasks[1]
	}
	var r journal.Report
	var list []journal.Change
	ctx := context.Background()
	t.killer.arm(die)
	err := p.bounded(t, func() (err error) {
		switch f[0] {
		case "undo":
			r, err = t.j.Undo(ctx, nil, journal.UndoOptions{})
		case "redo":
			r, err = t.j.Redo(ctx, nil)
		case "part":
			if list, err = t.j.Changes(ctx); err == nil && len(list) > 0 {
				r, err = t.j.Undo(ctx, []string{list[arg%len(list)].ID}, journal.UndoOptions{})
				if p.person && errors.Is(err, journal.ErrUnknownChange) { // undo sees more of what the person did than the list
					err = nil
				}
			}
		}
		if err == nil {
			list, err = t.j.Changes(ctx)
		}
		return err
	})
	died := errors.Is(err, errDied)
	if died {
		p.words = append(p.words, text+": died")
		r, list = journal.Report{}, nil
		err = p.again(t, false, 0)
	} else {
		p.words = append(p.words, words(text, r))
	}
	if err != nil {
		kind := Fails
		if errors.Is(err, errHangs) {
			kind = Hangs
		}
		return []Problem{{kind, "", err.Error()}}, nil
	}
	if f[0] != "part" {
		p.said = map[string]bool{}
	}
	for _, c := range r.Conflicts {
		p.said[c.Change.Path], p.said[c.Change.From] = true, true
	}
	for _, q := range r.Beside {
		p.said[q] = true
	}
	delete(p.said, "")
	p.told = append(p.told, r.Conflicts...)
	now, err := readTree(p.top)
	if err != nil {
		return nil, err
	}
	return p.judge(f[0], i, now, r, list, died), nil
}

func words(what string, r journal.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", what)
	for _, c := range r.Undone {
		fmt.Fprintf(&b, " undone %s %s%s", c.Effect, from(c), c.Path)
	}
	for _, c := range r.Redone {
		fmt.Fprintf(&b, " redone %s %s%s", c.Effect, from(c), c.Path)
	}
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, " CONFLICT %s %s %s%s", c.Reason, c.Change.Effect, from(c.Change), c.Change.Path)
	}
	return b.String()
}

func from(c journal.Change) string {
	if c.From == "" {
		return ""
	}
	return c.From + "→"
}

func (p *playing) judge(what string, i int, now tree, r journal.Report, list []journal.Change, died bool) []Problem {
	ru := &ruling{m: p.m, before: p.before, now: now, said: p.said, kept: p.kept}
	last := i == len(p.h.End)-1
	for q := range now {
		if strings.Contains(q, ".piwork") {
			ru.fail(LeftOver, q, "a name of undo's own")
		}
	}
	switch {
	case p.two && !last: // what one task has from the other may have no name until both are undone
		return ru.problems
	case p.crashed && !p.cut && !p.person && !died:
		return p.afterKill(ru, what, r, list)
	case died, p.two && (p.person || !p.inTurn()):
		return ru.losses()
	case p.cut && what == "undo":
		return p.afterCut(ru)
	case p.cut:
		return ru.losses()
	case p.two:
		if d := exact(p.before, now, true); d != "" {
			ru.fail(kindOf(d), "", "%s", d)
		}
		return ru.problems
	case what == "undo" && !p.person:
		if d := exact(p.before, now, true); d != "" {
			ru.fail(kindOf(d), "", "%s", d)
		}
		if len(r.Conflicts) > 0 {
			ru.fail(Needless, r.Conflicts[0].Change.Path, "%s", r.Conflicts[0].Detail)
		}
		for _, c := range list {
			if c.Undone == nil {
				ru.fail(Listed, c.Path, "%s", c.Effect)
			}
		}
		return ru.problems
	case what == "redo" && !p.person:
		if d := exact(p.left, now, false); d != "" || len(r.Conflicts) > 0 {
			ru.fail(NotRedo, "", "%s", d)
		}
		return ru.problems
	case what == "undo":
		ru.judge()
		p.trueWords(ru, r, list)
		return ru.problems
	}
	if len(r.Conflicts) > 0 && !p.person {
		ru.fail(Needless, r.Conflicts[0].Change.Path, "%s", r.Conflicts[0].Detail)
	}
	return ru.losses()
}

// inTurn reports whether the second task began when the first had ended, and is undone first. Otherwise what
// one task and its undo do counts for the other task as a person's work. Example: the first task made a file
// and the second removed it. The undo of the first finds no file, and the undo of the second brings it back.
func (p *playing) inTurn() bool {
	second := false
	for _, s := range p.h.Steps {
		if s.Who == 't' && second {
			return false
		}
		if _, err := strconv.Atoi(s.A); s.Who == '2' && s.Handle && err != nil {
			return false // it had the file open before the first task ended
		}
		second = second || s.Who == '2'
	}
	return p.h.End[0] == "undo 2"
}

// afterKill checks the folder when the program died while the task worked. A file of which no record says how
// the task left it counts as a person's: it may stay, as if a person had saved it at that moment, if the
// report names it. A new file without a record need not be named, because no list has it.
func (p *playing) afterKill(ru *ruling, what string, r journal.Report, list []journal.Change) []Problem {
	if what == "undo" {
		if d := exact(p.before, ru.now, true); d == "" && len(r.Conflicts) == 0 {
			return ru.problems
		}
	} else if what == "redo" && len(r.Conflicts) == 0 && len(p.told) == 0 {
		if d := exact(p.left, ru.now, false); d != "" {
			ru.fail(NotRedo, "", "%s", d)
		}
		return ru.problems
	} else {
		return ru.losses()
	}
	m := p.m.clone()
	ru.m = m
	for n, unknown := range p.doubt {
		if n >= len(m.nodes) || m.names(n) == 0 {
			continue
		}
		o := &m.nodes[n]
		stays := false
		for i := range m.links {
			l := &m.links[i]
			if l.node != n || l.now.dir < 0 {
				continue
			}
			for _, q := range slices.Concat(ru.pathsBy(l.now, nows), ru.pathsBy(l.now, ideals)) {
				if e, ok := ru.now[q]; ok && unknown && e.kind == o.kind && e.data == o.now.data {
					ru.say(q)
					stays = true
				}
			}
			l.editedAt = l.now
		}
		if o.kind == file && (stays || ru.says(ru.pathsOf(n)...) && ru.now.has(o.now.data)) {
			o.edited = true
			o.newest.data = o.now.data
			ru.known[ideals] = nil
		}
	}
	ru.judge()
	p.trueWords(ru, r, list)
	return ru.problems
}

// afterCut checks the folder after a power cut and undo: files that the task made may stay, and may block
// an original if the report names that. So may a directory that it made at the name of one that it removed.
func (p *playing) afterCut(ru *ruling) []Problem {
	if p.person || len(p.said) > 0 {
		return ru.losses()
	}
	for q, e := range ru.now {
		was, ok := p.before[q]
		if l, there := p.m.at(q); !ok {
			delete(ru.now, q)
		} else if there && e.kind == dir && p.m.nodes[l.node].origin == ofTask { // it stands for the one that was removed
			e.state = was.state
			ru.now[q] = e
		}
	}
	if d := exact(p.before, ru.now, false); d != "" {
		ru.fail(kindOf(d), "", "%s", d)
	}
	return ru.problems
}

func kindOf(diff string) string {
	switch {
	case strings.Contains(diff, ": not back:"):
		return NotBack
	case strings.Contains(diff, "left over"):
		return LeftOver
	}
	return Differs
}

// trueWords holds the report to what is there.
func (p *playing) trueWords(ru *ruling, r journal.Report, list []journal.Change) {
	for _, c := range r.Undone {
		if c.Before == nil || c.Kind != "file" || c.Effect == journal.EffectCreate {
			continue
		}
		ok := slices.ContainsFunc(ru.m.nodes, func(o node) bool { // what was before is no more by the person's doing
			return (o.edited || o.destroyed) && int64(len(o.before.data)) == c.Before.Size
		})
		for _, e := range ru.now {
			ok = ok || e.kind == file && int64(len(e.data)) == c.Before.Size && (c.Before.SHA256 == "" || c.Before.SHA256 == sum(e.data))
		}
		if !ok {
			ru.fail(Untrue, c.Path, "%s is said to be undone, and nothing in the folder is what was before: %+v", c.Effect, *c.Before)
		}
	}
	for _, c := range r.Conflicts {
		if c.Reason != journal.ReasonInTheWay {
			continue
		}
		there := slices.ContainsFunc(p.m.links, func(l link) bool { return ru.homeless(&l) && slices.Contains(ru.paths(&l), c.Change.Path) })
		for _, q := range []string{c.Change.Path, c.Change.From} {
			_, ok := ru.now[q]
			there = there || q != "" && (ok || ru.now[strings.TrimPrefix(path.Dir("/"+q), "/")].kind != dir)
		}
		if !there {
			ru.fail(Untrue, c.Change.Path, "nothing is in the way")
		}
	}
	said := map[string]bool{}
	for _, c := range r.Conflicts {
		said[c.Change.ID], said[string(c.Change.Effect)+" "+c.Change.Path] = true, true
	}
	for _, c := range list {
		if c.Undone == nil && !said[c.ID] && !said[string(c.Effect)+" "+c.Path] {
			ru.fail(Listed, c.Path, "%s: neither undone nor a conflict", c.Effect)
		}
	}
}

func sum(data string) string {
	h := sha256.Sum256([]byte(data))
	return hex.EncodeToString(h[:])
}

// kept reports whether a journal gives a content out.
func (p *playing) kept(data string) bool {
	ctx := context.Background()
	for _, t := range p.tasks {
		if t == nil {
			continue
		}
		list, _ := t.j.Changes(ctx)
		for _, c := range list {
			for _, side := range []journal.Side{journal.Before, journal.After} {
				f, err := t.j.Content(ctx, c.ID, side)
				if err != nil {
					continue
				}
				b, err := io.ReadAll(io.LimitReader(f, 4<<20))
				_ = f.Close()
				if err == nil && bytes.Equal(b, []byte(data)) {
					return true
				}
			}
		}
	}
	return false
}
