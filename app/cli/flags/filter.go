package flags

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/task"
	"piwork/pack/lazyregexp"
)

// Filter is which tasks a command is about.
type Filter struct {
	Text string // words that the tasks have

	final         bool // only tasks that are over
	states, kinds []string
	folder        string
	since, before string
	limit         int
}

var (
	states = []task.State{task.StateQueued, task.StatePreparing, task.StateRunning, task.StateWaiting, task.StateDone, task.StateFailed, task.StateCancelled}
	kinds  = []task.Kind{task.KindChore, task.KindAI, task.KindExec, task.KindTool}
)

// Add gives a command the flags.
func (f *Filter) Add(cmd *cobra.Command) {
	f.add(cmd)
	cmd.Flags().StringVar(&f.since, "since", "", "")
	cmd.Flags().StringVar(&f.before, "before", "", "")
	cmd.Flags().IntVarP(&f.limit, "limit", "n", 0, "")
}

// AddFinal gives a command that is about tasks which are over the flags.
func (f *Filter) AddFinal(cmd *cobra.Command) {
	f.final = true
	f.add(cmd)
}

func (f *Filter) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.states, "state", nil, "")
	cmd.Flags().StringArrayVar(&f.kinds, "kind", nil, "")
	cmd.Flags().StringVarP(&f.folder, "folder", "f", "", "")
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations["states"], cmd.Annotations["kinds"] = joined(f.known()), joined(kinds)
	for flag, words := range map[string][]cobra.Completion{"state": Names(f.known()), "kind": Names(kinds)} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	_ = cmd.MarkFlagDirname("folder")
}

// known are the states that make sense.
func (f *Filter) known() []task.State {
	return slices.DeleteFunc(slices.Clone(states), func(s task.State) bool { return f.final && !s.Final() })
}

// Tasks reads what was given.
func (f *Filter) Tasks(now time.Time, p Paths) (out task.Filter, err error) {
	out = task.Filter{Text: f.Text, Limit: f.limit}
	if f.limit < 0 {
		return out, Usage("flag-wrong", "flag", "--limit", "value", strconv.Itoa(f.limit))
	}
	if out.States, err = OneOf("--state", f.states, f.known()); err != nil {
		return out, err
	}
	if f.final && len(out.States) == 0 {
		out.States = f.known()
	}
	if out.Kinds, err = OneOf("--kind", f.kinds, kinds); err != nil {
		return out, err
	}
	if f.folder != "" {
		if out.Folder, err = p.Abs(f.folder); err != nil {
			return out, err
		}
	}
	if out.Since, err = ParseTime("--since", f.since, now); err != nil {
		return out, err
	}
	out.Before, err = ParseTime("--before", f.before, now)
	return out, err
}

// OneOf reads values that are each one of some.
func OneOf[T ~string](flag string, given []string, known []T) (out []T, err error) {
	for _, g := range given {
		for _, one := range strings.Split(g, ",") {
			if !slices.Contains(known, T(one)) {
				return nil, Usage("one-of", "flag", flag, "value", one, "choices", Names(known))
			}
			out = append(out, T(one))
		}
	}
	return out, nil
}

// Names are the texts of values.
func Names[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

func joined[T ~string](list []T) string { return strings.Join(Names(list), ", ") }

// timeForms are how a time is written, here; the first is a day's begin.
var timeForms = []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", time.DateTime, "2006-01-02T15:04:05"}

// ParseTime reads a time, or how long ago it is: 2026-03-01, 2026-03-01T09:30, 36h, 7d.
// "" is none.
func ParseTime(flag, given string, now time.Time) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	if age, err := ParseAge(flag, given); err == nil {
		return now.Add(-age), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, given); err == nil {
		return t, nil
	}
	for _, form := range timeForms {
		if t, err := time.ParseInLocation(form, given, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, Usage("time", "flag", flag, "value", given)
}

const (
	day    = 24 * time.Hour
	maxAge = 100 * 365 // days
)

var daysForm = lazyregexp.New(`^([0-9]{1,5})([dw])$`)

// ParseAge reads how long ago: 90m, 36h, 7d, 2w.
func ParseAge(flag, given string) (time.Duration, error) {
	if m := daysForm().FindStringSubmatch(given); m != nil {
		n, err := strconv.Atoi(m[1])
		if m[2] == "w" {
			n *= 7
		}
		if err == nil && n <= maxAge {
			return time.Duration(n) * day, nil
		}
	} else if d, err := time.ParseDuration(given); err == nil && d >= 0 && d <= maxAge*day {
		return d, nil
	}
	return 0, Usage("age", "flag", flag, "value", given)
}
