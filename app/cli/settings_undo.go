package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/history"
	"piwork/app/machines"
)

// Settings about undo.
const (
	undoSetting      = "undo-days"
	undoSpaceSetting = "undo-space"
	forever          = "forever"
)

// answerSettings is what the command answers as JSON.
type answerSettings struct {
	machines.Machines
	Undo history.UndoKeeping `json:"undo"`
}

// undoChange is what arguments say about undo; nil members leave it as it is.
type undoChange struct{ days, spaceMB *int }

// undoKeeping reads how undo is kept, after choosing what is given.
func undoKeeping(ctx context.Context, s *session, c undoChange) (history.UndoKeeping, error) {
	now, err := s.UndoKeeping(ctx)
	if err != nil {
		return now, err
	}
	chosen := now.Settings
	if c.days != nil {
		chosen.Days = *c.days
	}
	if c.spaceMB != nil {
		chosen.SpaceMB = *c.spaceMB
	}
	if chosen == now.Settings {
		return now, nil
	}
	if shorter := chosen.Days > 0 && (now.Settings.Days == 0 || chosen.Days < now.Settings.Days); shorter && now.Tasks > 0 {
		if err := s.consent(fmt.Sprintf("Keep undo for %s? What ended longer ago can no longer be undone.", terminal.Count(chosen.Days, "day"))); err != nil {
			return now, err
		}
	}
	return s.SetUndoKeeping(ctx, chosen)
}

func undoDays(days int) string {
	if days == 0 {
		return forever
	}
	return strconv.Itoa(days)
}

// storage shows MB as people write them.
func storage(mb int) string {
	if mb < 1000 {
		return strconv.Itoa(mb) + "M"
	}
	return strconv.FormatFloat(float64(mb)/1000, 'f', -1, 64) + "G"
}

// printUndo show how undo is kept.
func printUndo(e *env, k history.UndoKeeping) {
	e.Print("  %-13s %-8s days that changes can be undone (%s kept for %s)", undoSetting, undoDays(k.Settings.Days), terminal.Size(k.Bytes), terminal.Count(k.Tasks, "task"))
	e.Print("  %-13s %-8s that may be kept for that in one task, without asking you", undoSpaceSetting, storage(k.Settings.SpaceMB))
}

// parseUndo takes the settings about undo out of the arguments.
func parseUndo(args []string) (rest []string, c undoChange, err error) {
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case undoSetting:
			n := 0
			if value != forever {
				if n, err = strconv.Atoi(value); err != nil || n < 1 || n > 36_500 {
					return nil, c, flags.Usage("%s is a number of days, or %s, not %q", undoSetting, forever, value)
				}
			}
			c.days = &n
		case undoSpaceSetting:
			n, err := flags.ParseAmount(value, 1000)
			if err != nil {
				return nil, c, flags.Usage("%s is an amount: 512M and 20G are, not %q", undoSpaceSetting, value)
			}
			c.spaceMB = &n
		default:
			rest = append(rest, arg)
		}
	}
	return rest, c, nil
}
