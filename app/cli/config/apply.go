package config

import (
	"cmp"
	"context"
	"errors"
	"reflect"

	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/consent"
	"piwork/app/health"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/runtimes"
	"piwork/app/setup"
	"piwork/app/telemetry"
	"piwork/app/upkeep"
)

// part is what is chosen by one request.
type part struct {
	same func(a, b Values) bool
	load func(ctx context.Context, s *command.Session, v *Values) error
	set  func(ctx context.Context, s *command.Session, v Values) error
}

// of makes a part of what the API answers and takes. Answers that have more than the choice
// are reduced to it by choice.
func of[T, Answer, Done any](
	at func(*Values) *T,
	get func(*command.Session, context.Context) (Answer, error), choice func(Answer) T,
	set func(*command.Session, context.Context, T) (Done, error),
) part {
	return part{
		same: func(a, b Values) bool { return reflect.DeepEqual(*at(&a), *at(&b)) },
		load: func(ctx context.Context, s *command.Session, v *Values) error {
			answer, err := get(s, ctx)
			if err == nil {
				*at(v) = choice(answer)
			}
			return err
		},
		set: func(ctx context.Context, s *command.Session, v Values) error {
			_, err := set(s, ctx, *at(&v))
			return err
		},
	}
}

func itself[T any](v T) T { return v }

// parts are all. What may delete is the last.
var parts = []part{
	of(func(v *Values) *machines.Settings { return &v.Machines },
		(*command.Session).Machines, func(m machines.Machines) machines.Settings { return m.Settings }, (*command.Session).SetMachines),
	of(func(v *Values) *runtimes.Settings { return &v.Runtimes }, (*command.Session).RuntimeSettings, itself, (*command.Session).SetRuntimes),
	of(func(v *Values) *upkeep.AuditSettings { return &v.Audit }, (*command.Session).AuditKeeping, itself, (*command.Session).SetAuditKeeping),
	of(func(v *Values) *updater.Settings { return &v.Updates },
		(*command.Session).Update, func(u updater.State) updater.Settings { return u.Settings }, (*command.Session).SetUpdates),
	of(func(v *Values) *consent.WebSearch { return &v.Search }, (*command.Session).WebSearch, itself, (*command.Session).SetWebSearch),
	of(func(v *Values) *upkeep.WindowSettings { return &v.Window },
		(*command.Session).WindowSettings, itself, (*command.Session).SetWindowSettings),
	of(func(v *Values) *models.ChoiceRequest { return &v.Model }, (*command.Session).ModelsChosen, func(c models.Chosen) models.ChoiceRequest { return models.ChoiceRequest{Model: c.Model} }, (*command.Session).SetModel),
	of(func(v *Values) *api.AtLoginChoice { return &v.AtLogin },
		atLogin, func(a api.AtLogin) api.AtLoginChoice { return api.AtLoginChoice{On: a.On} }, (*command.Session).SetAtLogin),
	of(func(v *Values) *telemetry.Settings { return &v.Sent }, (*command.Session).TelemetrySettings, itself, (*command.Session).SetTelemetry),
	of(func(v *Values) *models.KeyStoreChoice { return &v.Keys },
		(*command.Session).ModelsChosen, func(c models.Chosen) models.KeyStoreChoice { return models.KeyStoreChoice{Store: c.Store} },
		(*command.Session).SetKeyStore),
	of(func(v *Values) *health.SlowMode { return &v.SlowMode }, (*command.Session).SlowMode, itself, setSlowMode),
	of(func(v *Values) *history.UndoSettings { return &v.Undo },
		(*command.Session).UndoKeeping, func(u history.UndoKeeping) history.UndoSettings {
			u.Settings.SpaceMB = cmp.Or(u.Settings.SpaceMB, history.DefaultUndoMB)
			u.Settings.WriteMB = cmp.Or(u.Settings.WriteMB, history.DefaultWriteMB)
			return u.Settings
		}, (*command.Session).SetUndoKeeping),
}

// atLogin is off where the controller is part of another program, which has no such choice.
func atLogin(s *command.Session, ctx context.Context) (api.AtLogin, error) { //nolint:revive // as a method expression
	now, err := s.AtLogin(ctx)
	if p, is := errors.AsType[*problem.Problem](err); is && p.Code == answer.CodeNoProcess {
		return api.AtLogin{}, nil
	}
	return now, err
}

// setSlowMode has the computer checked with the other mode, which takes as long as a boot.
func setSlowMode(s *command.Session, ctx context.Context, to health.SlowMode) (setup.Report, error) { //nolint:revive // as a method expression
	bar := s.StartProgress(terminal.Text("progress-test"))
	defer bar.Stop()
	return s.SetSlowMode(ctx, to)
}

// load asks for the values of all settings.
func load(ctx context.Context, s *command.Session) (v Values, err error) {
	for _, p := range parts {
		if err := p.load(ctx, s, &v); err != nil {
			return v, err
		}
	}
	return v, nil
}

// apply chooses what differs. Where the controller refuses something, what was chosen
// before that is chosen back, so that nothing of it holds.
func apply(ctx context.Context, s *command.Session, before, after Values) error {
	if s.On != "" && after.Updates.CAFile != before.Updates.CAFile { // it was made a path of this computer
		return flags.Usage("on-flag", "flag", "updates.ca-file", "name", s.On)
	}
	if days := after.Undo.Days; days > 0 && (before.Undo.Days == 0 || days < before.Undo.Days) {
		kept, err := s.UndoKeeping(ctx)
		if err != nil {
			return err
		}
		if kept.Tasks > 0 && !s.Yes {
			if err := s.Consent(ctx, terminal.Text("ask-undo-days", "count", days)); err != nil {
				return err
			}
		}
	}
	if after.Keys.Store != before.Keys.Store {
		now, err := s.KeyStore(ctx)
		if err == nil {
			after.Keys.Passphrase, err = s.StorePassphrase(ctx, now, after.Keys.Store)
		}
		if err != nil {
			return err
		}
	}
	var done []part
	for _, p := range parts {
		if p.same(before, after) {
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
