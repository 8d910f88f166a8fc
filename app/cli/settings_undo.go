package cli

import (
	"context"
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
		if err := s.Consent(terminal.Text("ask-undo-days", "count", chosen.Days)); err != nil {
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
	e.Print("  %-13s %-8s %s", undoSetting, undoDays(k.Settings.Days), terminal.Text("undo-days", "bytes", k.Bytes, "count", k.Tasks))
	e.Print("  %-13s %-8s %s", undoSpaceSetting, storage(k.Settings.SpaceMB), terminal.Text("undo-space"))
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
					return nil, c, flags.Usage("setting-number", "name", undoSetting, "word", forever, "value", value)
				}
			}
			c.days = &n
		case undoSpaceSetting:
			n, err := flags.ParseAmount(value, 1000)
			if err != nil {
				return nil, c, flags.Usage("setting-size", "name", undoSpaceSetting, "value", value)
			}
			c.spaceMB = &n
		default:
			rest = append(rest, arg)
		}
	}
	return rest, c, nil
}
