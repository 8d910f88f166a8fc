package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"piwork/app"
)

// undoSetting is for how long changes can be taken back.
const (
	undoSetting = "undo-days"
	forever     = "forever"
)

// answerSettings is what the command answers as JSON.
type answerSettings struct {
	app.Machines
	Undo app.UndoKeeping `json:"undo"`
}

// undoKeeping reads how undo is kept, after choosing the days where they are given.
func (e *env) undoKeeping(ctx context.Context, s *session, days *int) (app.UndoKeeping, error) {
	now, err := s.UndoKeeping(ctx)
	if err != nil || days == nil || *days == now.Settings.Days {
		return now, err
	}
	if shorter := *days > 0 && (now.Settings.Days == 0 || *days < now.Settings.Days); shorter && now.Tasks > 0 {
		if err := e.consent(fmt.Sprintf("Keep undo for %s? What ended longer ago cannot be taken back any more.", count(*days, "day"))); err != nil {
			return now, err
		}
	}
	return s.SetUndoKeeping(ctx, app.UndoSettings{Days: *days})
}

func undoDays(days int) string {
	if days == 0 {
		return forever
	}
	return strconv.Itoa(days)
}

func undoLine(k app.UndoKeeping) string {
	return fmt.Sprintf("days that changes can be taken back (%s kept for %s)", size(k.Bytes), count(k.Tasks, "task"))
}

// parseUndoDays takes the setting about undo out of the arguments; nil where it
// is not there.
func parseUndoDays(args []string) (rest []string, days *int, err error) {
	for _, arg := range args {
		value, ok := strings.CutPrefix(arg, undoSetting+"=")
		if !ok {
			rest = append(rest, arg)
			continue
		}
		n := 0
		if value != forever {
			if n, err = strconv.Atoi(value); err != nil || n < 1 || n > 36_500 {
				return nil, nil, usage("%s is a number of days, or %s, not %q", undoSetting, forever, value)
			}
		}
		days = &n
	}
	return rest, days, nil
}
