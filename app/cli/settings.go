package cli

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/help"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/machines"
)

// setting is one that can be read and changed.
type setting struct {
	name  string // what it is: setting.NAME
	size  bool   // of memory; else a count
	value func(*machines.Settings) *int
	inUse func(machines.Machines) int // where nothing was chosen
}

// Settings that are one of a few words.
const (
	instantSetting = "instant"
	shareSetting   = "share"
)

const automatic = "auto"

var worded = map[string]struct {
	words []string
	set   func(*machines.Settings, string)
}{
	instantSetting: {[]string{"on", "off"}, func(s *machines.Settings, v string) { s.Instant = v == "on" }},
	shareSetting: {[]string{string(machines.ShareAuto), string(machines.Share9P), string(machines.ShareVirtioFS)},
		func(s *machines.Settings, v string) { s.Share = machines.ShareKind(v) }},
}

// numbers are the settings that are one.
var numbers = []setting{
	{"memory", true, func(s *machines.Settings) *int { return &s.MemoryMB }, func(m machines.Machines) int { return m.Size.MemoryMB }},
	{"cpus", false, func(s *machines.Settings) *int { return &s.CPUs }, func(m machines.Machines) int { return m.Size.CPUs }},
	{"total-memory", true, func(s *machines.Settings) *int { return &s.TotalMB }, func(m machines.Machines) int { return m.TotalMB }},
	{"at-once", false, func(s *machines.Settings) *int { return &s.AtOnce }, func(m machines.Machines) int { return m.AtOnce }},
}

func settingsCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:               "settings [NAME=VALUE...]",
		Annotations:       map[string]string{help.Settings: strings.Join(settingNames(), " ")},
		ValidArgsFunction: completeSettings,
		RunE: command.Do(func(ctx context.Context, args []string) error {
			args, undo, err := parseUndo(args)
			if err != nil {
				return err
			}
			changes, err := parseSettings(args)
			if err != nil {
				return err
			}
			return e.With(ctx, func(ctx context.Context, s *session) error {
				m, err := s.Machines(ctx)
				if err == nil && len(changes) > 0 {
					chosen := m.Settings
					for _, change := range changes {
						change(&chosen)
					}
					m, err = s.SetMachines(ctx, chosen)
				}
				if err != nil {
					return err
				}
				keeping, err := undoKeeping(ctx, s, undo)
				return e.Reply(answerSettings{m, keeping}, err, func() {
					printMachines(e, m)
					printUndo(e, keeping)
				})
			})
		}),
	}
}

func prepareCommand(e *env) *cobra.Command {
	return e.Command("prepare", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
		bar := e.StartProgress(terminal.Text("progress-fast-start"))
		m, err := s.PrepareMachines(ctx)
		bar.Stop()
		return e.Reply(m, err, func() { e.Print("%s", wording.InstantLine(m.Instant)) })
	})
}

// printMachines says how this computer is shared out.
func printMachines(e *env, m machines.Machines) {
	e.PrintText("this-computer", "memory", memory(m.Host.MemoryMB), "free", freeMemory(m.Host.FreeMB), "count", m.Host.CPUs)
	for _, n := range numbers {
		chosen := *n.value(&m.Settings)
		by := terminal.Text("chosen")
		if chosen == 0 {
			chosen, by = n.inUse(m), automatic
		}
		value := strconv.Itoa(chosen)
		if n.size {
			value = memory(chosen)
		}
		e.Print("  %-13s %-8s %s (%s)", n.name, value, wording.Name("setting", n.name), by)
	}
	e.Print("  %-13s %-8s %s", instantSetting, onOff(m.Settings.Instant), wording.InstantLine(m.Instant))
	e.Print("  %-13s %-8s %s", shareSetting, m.Settings.Share, wording.ShareLine(m.Share))
	if m.Running > 0 || m.Queued > 0 {
		e.PrintText("workrooms-now", "count", m.Running, "waiting", m.Queued)
	}
}

// printWarmStart says whether workrooms open at once, and how that is made so.
func printWarmStart(ctx context.Context, s *session) {
	m, err := s.Machines(ctx)
	if err != nil {
		return // it is no part of being ready
	}
	text := wording.InstantLine(m.Instant) + "."
	if m.Instant.State == machines.WarmPending {
		text += " " + terminal.Text("prepare")
	}
	s.Print("%s", text)
	s.Print("%s.", wording.ShareLine(m.Share))
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func freeMemory(mb int) string {
	if mb < 0 {
		return ""
	}
	return memory(mb)
}

// memory writes MiB as it is given to settings: "1.5G".
func memory(mb int) string {
	if mb < 1<<10 {
		return strconv.Itoa(mb) + "M"
	}
	return strconv.FormatFloat(math.Round(float64(mb)/(1<<10)*10)/10, 'f', -1, 64) + "G"
}

// parseSettings reads NAME=VALUE arguments.
func parseSettings(args []string) ([]func(*machines.Settings), error) {
	var out []func(*machines.Settings)
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, flags.Usage("setting-form", "value", arg)
		}
		if w, ok := worded[name]; ok {
			if !slices.Contains(w.words, value) {
				return nil, flags.Usage("one-of", "flag", name, "value", value, "choices", w.words)
			}
			out = append(out, func(s *machines.Settings) { w.set(s, value) })
			continue
		}
		at := slices.IndexFunc(numbers, func(n setting) bool { return n.name == name })
		if at < 0 {
			return nil, flags.Usage("no-setting", "name", name, "choices", settingNames())
		}
		number, err := parseNumber(numbers[at], value)
		if err != nil {
			return nil, err
		}
		out = append(out, func(s *machines.Settings) { *numbers[at].value(s) = number })
	}
	return out, nil
}

func parseNumber(n setting, value string) (int, error) {
	switch {
	case value == automatic:
		return 0, nil
	case n.size:
		return flags.ParseMemory(value)
	}
	number, err := strconv.Atoi(value)
	if err != nil || number < 1 {
		return 0, flags.Usage("setting-number", "name", n.name, "word", automatic, "value", value)
	}
	return number, nil
}

func settingNames() []string {
	var names []string
	for _, n := range numbers {
		names = append(names, n.name)
	}
	return append(names, instantSetting, shareSetting, undoSetting, undoSpaceSetting)
}

func completeSettings(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var out []string
	if name, _, chosen := strings.Cut(begun, "="); chosen {
		for _, v := range worded[name].words {
			out = append(out, name+"="+v)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	for _, n := range settingNames() {
		out = append(out, n+"=")
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
