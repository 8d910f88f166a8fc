package model

import (
	"fmt"
	"slices"
	"strings"
)

// History is what is played.
type History struct {
	World World
	Steps []Step
	End   []string // "undo", "redo", "part N", "undo 2" …
}

func (h History) String() string {
	var all []string
	for _, s := range h.Steps {
		all = append(all, s.String())
	}
	return h.World.Name + ": " + strings.Join(append(all, h.End...), "; ")
}

// ends are the verbs of what is done with a journal when the task has ended.
var ends = map[string]bool{"undo": true, "redo": true, "part": true}

// Parse reads a history.
func Parse(text string) (History, error) {
	var h History
	name, rest, ok := strings.Cut(text, ":")
	if h.World, _ = worldNamed(strings.TrimSpace(name)); !ok || h.World.Name == "" {
		return h, fmt.Errorf("no world is called %q", name)
	}
	for part := range strings.SplitSeq(rest, ";") {
		f := strings.Fields(part)
		if len(f) == 0 {
			continue
		}
		if ends[f[0]] {
			h.End = append(h.End, strings.Join(f, " "))
			continue
		}
		if len(h.End) > 0 {
			return h, fmt.Errorf("%q comes after the end", part)
		}
		s := Step{Who: 't'}
		switch f[0] {
		case "P":
			s.Who, f = 'p', f[1:]
		case "2":
			s.Who, f = '2', f[1:]
		}
		if len(f) > 1 && f[0][0] == '#' {
			s.Handle, f = true, append([]string{f[1], f[0][1:]}, f[2:]...)
		}
		s.Verb = f[0]
		if len(f) > 1 {
			s.A = f[1]
		}
		if len(f) > 2 {
			s.B = f[2]
		}
		if controls[s.Verb] {
			s.Who = 'c'
		}
		h.Steps = append(h.Steps, s)
	}
	return h, nil
}

// controls are what happens to a journal in the middle of a history: "restart" closes it and opens it
// again, "list" asks for the changes, "kill N" ends the program at the N-th step of the recorder from
// then on or else after the next step of the task, "cut N" likewise with a power cut, after which up to
// N bytes of what was not durable are there.
var controls = map[string]bool{"restart": true, "list": true, "kill": true, "cut": true}

// two reports whether a history has two tasks.
func (h History) two() bool {
	return slices.ContainsFunc(h.Steps, func(s Step) bool { return s.Who == '2' }) || slices.Contains(h.End, "undo 2")
}

// sound reports whether every step of a history does something, and its end can be judged.
func (h History) sound() bool {
	m, _ := begin(h.World)
	for _, s := range h.Steps {
		if !m.apply(s) {
			return false
		}
	}
	undone := false
	for _, e := range h.End {
		if strings.HasPrefix(e, "redo") && !undone {
			return false
		}
		undone = undone || strings.HasPrefix(e, "undo")
	}
	if h.two() && !(slices.Contains(h.End, "undo") && slices.Contains(h.End, "undo 2")) {
		return false
	}
	return len(h.Steps) > 0 && len(h.End) > 0
}

// Alone reports whether a history has one task, and nothing that ends the program.
func (h History) Alone() bool {
	return !h.two() && !slices.ContainsFunc(h.Steps, func(s Step) bool { return s.Verb == "kill" || s.Verb == "cut" }) &&
		!slices.ContainsFunc(h.End, func(e string) bool { return strings.Contains(e, "!") })
}

// Only returns the next of random histories that is one of some.
func Only(is func(History) bool, next func() History) func() (History, bool) {
	return func() (History, bool) {
		for range 10_000 {
			if h := next(); is(h) {
				return h, true
			}
		}
		return History{}, false
	}
}

// Plain reports whether a history has one task, no person, no hard links, no redo after undo of a part, and nothing that ends the program.
func (h History) Plain() bool {
	if slices.Contains(h.End, "redo") && slices.ContainsFunc(h.End, func(e string) bool { return strings.HasPrefix(e, "part") }) {
		return false
	}
	return h.World.Name != "hard" && h.Alone() && !slices.ContainsFunc(h.Steps, func(s Step) bool {
		return s.Who == 'p' || s.Verb == "link"
	})
}
