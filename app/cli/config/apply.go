package config

import (
	"cmp"
	"context"
	"errors"
	"reflect"

	"piwork/app/cli/command"
	"piwork/app/cli/terminal"
	"piwork/app/history"
	"piwork/app/models"
)

// load asks for the values of all settings.
func load(ctx context.Context, s *command.Session) (v Values, err error) {
	m, err := s.Machines(ctx)
	if err != nil {
		return v, err
	}
	undo, err := s.UndoKeeping(ctx)
	if err != nil {
		return v, err
	}
	update, err := s.Update(ctx)
	if err != nil {
		return v, err
	}
	search, err := s.WebSearch(ctx)
	if err != nil {
		return v, err
	}
	window, err := s.WindowSettings(ctx)
	if err != nil {
		return v, err
	}
	list, err := s.Models(ctx)
	if err != nil {
		return v, err
	}
	v = Values{Machines: m.Settings, Undo: undo.Settings, Updates: update.Settings, Search: search, Window: window}
	v.Undo.SpaceMB = cmp.Or(v.Undo.SpaceMB, history.DefaultUndoMB)
	if list.Chosen {
		v.Model = list.Default
	}
	return v, nil
}

// part is what is chosen by one request.
type part struct {
	of  func(Values) any
	set func(ctx context.Context, s *command.Session, v Values) error
}

var parts = []part{
	{func(v Values) any { return v.Machines }, func(ctx context.Context, s *command.Session, v Values) error {
		_, err := s.SetMachines(ctx, v.Machines)
		return err
	}},
	{func(v Values) any { return v.Updates }, func(ctx context.Context, s *command.Session, v Values) error {
		_, err := s.SetUpdates(ctx, v.Updates)
		return err
	}},
	{func(v Values) any { return v.Search }, func(ctx context.Context, s *command.Session, v Values) error {
		_, err := s.SetWebSearch(ctx, v.Search)
		return err
	}},
	{func(v Values) any { return v.Window }, func(ctx context.Context, s *command.Session, v Values) error {
		_, err := s.SetWindowSettings(ctx, v.Window)
		return err
	}},
	{func(v Values) any { return v.Model }, func(ctx context.Context, s *command.Session, v Values) error {
		_, err := s.SetModel(ctx, models.ChoiceRequest{Model: v.Model})
		return err
	}},
	{func(v Values) any { return v.Undo }, func(ctx context.Context, s *command.Session, v Values) error { // the last: it may delete
		_, err := s.SetUndoKeeping(ctx, v.Undo)
		return err
	}},
}

// apply chooses what differs. Where the controller refuses something, what was chosen
// before that is chosen back, so that nothing of it holds.
func apply(ctx context.Context, s *command.Session, before, after Values) error {
	if days := after.Undo.Days; days > 0 && (before.Undo.Days == 0 || days < before.Undo.Days) {
		kept, err := s.UndoKeeping(ctx)
		if err != nil {
			return err
		}
		if kept.Tasks > 0 && !s.Yes {
			if err := s.Consent(terminal.Text("ask-undo-days", "count", days)); err != nil {
				return err
			}
		}
	}
	var done []part
	for _, p := range parts {
		if reflect.DeepEqual(p.of(before), p.of(after)) {
			continue
		}
		err := p.set(ctx, s, after)
		if err == nil {
			done = append(done, p)
			continue
		}
		for _, p := range done {
			err = errors.Join(err, p.set(context.WithoutCancel(ctx), s, before))
		}
		return err
	}
	return nil
}
