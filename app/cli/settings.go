package cli

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/config"
	"piwork/app/cli/flags"
	"piwork/app/cli/help"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/history"
	"piwork/app/machines"
)

// numbers are the settings of machines that are one: what is chosen, and what is in use
// where nothing is.
var numbers = []struct {
	name  string // what it is: setting.NAME
	size  bool   // of memory; else a count
	value func(machines.Machines) (chosen, inUse int)
}{
	{"memory", true, func(m machines.Machines) (int, int) { return m.Settings.MemoryMB, m.Size.MemoryMB }},
	{"cpus", false, func(m machines.Machines) (int, int) { return m.Settings.CPUs, m.Size.CPUs }},
	{"total-memory", true, func(m machines.Machines) (int, int) { return m.Settings.TotalMB, m.TotalMB }},
	{"at-once", false, func(m machines.Machines) (int, int) { return m.Settings.AtOnce, m.AtOnce }},
}

// settingNames are those of this command, which are keys of piwork config in short.
var settingNames = []string{"memory", "cpus", "total-memory", "at-once", "instant", "share", "undo-days", "undo-space", "undo-writes"}

func settingKey(name string) string {
	if of, is := strings.CutPrefix(name, "undo-"); is {
		return "undo." + of
	}
	return "machines." + name
}

// answerSettings is what the command answers as JSON.
type answerSettings struct {
	machines.Machines
	Undo history.UndoKeeping `json:"undo"`
}

func settingsCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:         "settings [NAME=VALUE...]",
		Annotations: map[string]string{help.Settings: strings.Join(settingNames, " ")},
		ValidArgsFunction: func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return config.Complete(settingNames, settingKey, begun)
		},
		RunE: command.Do(func(ctx context.Context, args []string) error {
			changes, err := parseSettings(args)
			if err != nil {
				return err
			}
			return e.With(ctx, func(ctx context.Context, s *session) error {
				if err := config.Choose(ctx, s, changes); err != nil {
					return err
				}
				m, err := s.Machines(ctx)
				if err != nil {
					return err
				}
				keeping, err := s.UndoKeeping(ctx)
				return e.Reply(answerSettings{m, keeping}, err, func() {
					printMachines(e, m)
					printUndo(e, keeping)
				})
			})
		}),
	}
}

// similarSetting finds what a name may mean, also that of piwork config.
func similarSetting(name string) []string {
	for _, one := range settingNames {
		if settingKey(one) == name {
			return []string{one}
		}
	}
	return flags.Similar(name, settingNames)
}

// parseSettings reads arguments NAME=VALUE.
func parseSettings(args []string) (changes []config.Change, err error) {
	for _, arg := range args {
		name, value, is := strings.Cut(arg, "=")
		if !is {
			return nil, flags.Usage("setting-form", "value", arg)
		}
		if !slices.Contains(settingNames, name) {
			return nil, flags.Usage("no-setting", "name", name, "similar", similarSetting(name), "choices", settingNames)
		}
		changes = append(changes, config.Change{Name: name, Key: settingKey(name), Value: value})
	}
	return changes, config.Check(changes)
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
		chosen, inUse := n.value(m)
		by := terminal.Text("chosen")
		if chosen == 0 {
			chosen, by = inUse, "auto"
		}
		value := strconv.Itoa(chosen)
		if n.size {
			value = memory(chosen)
		}
		e.Print("  %-13s %-8s %s (%s)", n.name, value, wording.Name("setting", n.name), by)
	}
	e.Print("  %-13s %-8s %s", "instant", onOff(m.Settings.Instant), wording.InstantLine(m.Instant))
	e.Print("  %-13s %-8s %s", "share", m.Settings.Share, wording.ShareLine(m.Share))
	if m.Running > 0 || m.Queued > 0 {
		e.PrintText("workrooms-now", "count", m.Running, "waiting", m.Queued)
	}
}

// printUndo shows how undo is kept.
func printUndo(e *env, k history.UndoKeeping) {
	days := "forever"
	if k.Settings.Days > 0 {
		days = strconv.Itoa(k.Settings.Days)
	}
	size := func(mb int) string {
		if mb < 1000 {
			return strconv.Itoa(mb) + "M"
		}
		return strconv.FormatFloat(float64(mb)/1000, 'f', -1, 64) + "G"
	}
	e.Print("  %-13s %-8s %s", "undo-days", days, terminal.Text("undo-days", "bytes", k.Bytes, "count", k.Tasks))
	e.Print("  %-13s %-8s %s", "undo-space", size(k.Settings.SpaceMB), terminal.Text("undo-space"))
	e.Print("  %-13s %-8s %s", "undo-writes", size(k.Settings.WriteMB), terminal.Text("undo-writes"))
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
