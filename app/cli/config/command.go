package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
)

// maxDocument is how large a document may be, in bytes.
const maxDocument = 1 << 20

// Command is the command about all settings.
func Command(e *command.Env) *cobra.Command {
	keys := func(context.Context, *command.Session) []cobra.Completion { return Keys() }
	show := e.Command("show [NAME...]", nil, show)
	show.ValidArgsFunction = e.CompleteEach(keys, cobra.ShellCompDirectiveNoFileComp)
	set := e.Command("set NAME=VALUE...", cobra.MinimumNArgs(1), set)
	set.ValidArgsFunction = func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return Complete(Keys(), func(key string) string { return key }, begun)
	}
	return command.Group("config", show, set,
		&cobra.Command{Use: "edit", Args: cobra.NoArgs, RunE: command.Do(func(ctx context.Context, _ []string) error {
			with, err := editor(e)
			if err != nil {
				return err
			}
			return e.With(ctx, func(ctx context.Context, s *command.Session) error { return edit(ctx, s, with) })
		})},
		&cobra.Command{Use: "validate FILE", Args: cobra.ExactArgs(1), RunE: command.Do(func(_ context.Context, args []string) error {
			return validate(e, args[0])
		})},
	)
}

// show prints the document, or the values of some settings; a group stands for all of its.
func show(ctx context.Context, s *command.Session, names []string) error {
	var keys []string
	for _, name := range names {
		if _, ok := find(name); ok {
			keys = append(keys, name)
			continue
		}
		group := inGroup(name)
		if len(group) == 0 {
			return noSetting(name)
		}
		keys = append(keys, group...)
	}
	v, err := load(ctx, s)
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		values := map[string]any{}
		for _, key := range keys {
			one, _ := find(key)
			values[key] = one.get(&v)
		}
		s.Show(values, func() {
			for _, key := range keys {
				line := fmt.Sprint(values[key])
				if len(keys) > len(names) { // of a group: which is which
					line = key + ": " + line
				}
				s.Print("%s", terminal.PrintableText(line))
			}
		})
		return nil
	}
	text, err := Document(v)
	return s.Reply(Tree(v), err, func() { s.Print("%s", strings.TrimSuffix(terminal.PrintableText(text), "\n")) })
}

// Complete offers names of settings, and behind one its values where they are known.
func Complete(names []string, key func(name string) string, begun string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	if name, _, is := strings.Cut(begun, "="); is {
		one, _ := find(key(name))
		for _, word := range one.words {
			out = append(out, name+"="+word)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	for _, name := range names {
		out = append(out, name+"=")
	}
	return out, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// Check reports what is wrong with changes.
func Check(changes []Change) error {
	v := Defaults()
	return v.Set(changes...)
}

// Choose changes some settings, where any are given.
func Choose(ctx context.Context, s *command.Session, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	return changed(ctx, s, changes, apply)
}

// set is Choose, and says what changed.
func set(ctx context.Context, s *command.Session, args []string) error {
	changes, err := parseChanges(args)
	if err != nil {
		return err
	}
	return changed(ctx, s, changes, change)
}

func changed(ctx context.Context, s *command.Session, changes []Change, apply func(ctx context.Context, s *command.Session, before, after Values) error) error {
	before, err := load(ctx, s)
	if err != nil {
		return err
	}
	after := before
	if err := after.Set(changes...); err != nil {
		return err
	}
	return apply(ctx, s, before, after)
}

// change applies what differs, and says what that is.
func change(ctx context.Context, s *command.Session, before, after Values) error {
	var changed []setting
	for _, one := range settings {
		if !one.same(before, after) {
			changed = append(changed, one)
		}
	}
	if len(changed) > 0 {
		if err := apply(ctx, s, before, after); err != nil {
			return err
		}
	}
	now, err := load(ctx, s)
	return s.Reply(Tree(now), err, func() {
		for _, one := range changed {
			s.Print("%s: %v", one.key, terminal.PrintableText(fmt.Sprint(one.get(&now)))) // which need not be what was asked for
		}
		if len(changed) == 0 {
			s.PrintText("config-same")
		}
	})
}

// validate checks a document, and changes nothing.
func validate(e *command.Env, name string) error {
	path, err := flags.GivenFile(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxDocument {
		return flags.Usage("config-large", "path", name, "bytes", maxDocument)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	v, err := Parse(text, Defaults())
	return e.Reply(Tree(v), err, func() { e.PrintText("config-valid", "path", name) })
}

// edit opens the document in an editor until it can be applied, or the person gives up: what
// was typed is then kept.
func edit(ctx context.Context, s *command.Session, with []string) error {
	base, err := load(ctx, s)
	if err != nil {
		return err
	}
	text, err := Document(base)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp("", "piwork-config-*.yaml")
	if err != nil {
		return fmt.Errorf("write the settings for an editor: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the settings for an editor: %w", err)
	}
	for {
		err := edited(ctx, s, with, f.Name(), text, &base)
		if err == nil {
			return os.Remove(f.Name())
		}
		if _, is := errors.AsType[*flags.UsageError](err); ctx.Err() == nil && s.CanAsk() && (is || isConflict(err)) {
			err = s.Told(err)
			if s.AskLine(ctx, terminal.Text("config-again"), true) == "y" {
				continue
			}
		}
		if now, rerr := os.ReadFile(f.Name()); errors.Is(rerr, fs.ErrNotExist) || rerr == nil && string(now) == text {
			return errors.Join(err, os.RemoveAll(f.Name())) // nothing was typed
		}
		if s.JSON {
			s.ErrorLine(map[string]string{"kept": f.Name()})
		} else {
			fmt.Fprintln(s.Stderr, terminal.Text("config-kept", "path", f.Name()))
		}
		return err
	}
}

// edited has the file edited once, and applies what it makes of base to what the settings are
// then. After a conflict base has the values that the person was told.
func edited(ctx context.Context, s *command.Session, with []string, path, shown string, base *Values) error {
	if err := runEditor(ctx, s, with, path); err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	if bytes.Equal(text, []byte(shown)) {
		return change(ctx, s, *base, *base)
	}
	wanted, err := Parse(text, *base)
	if err != nil {
		return err
	}
	now, err := load(ctx, s)
	if err != nil {
		return err
	}
	after, both, err := merge(*base, wanted, now)
	if err != nil {
		return err
	}
	if len(both) > 0 {
		for _, one := range both {
			err = errors.Join(err, one.copyTo(base, now))
		}
		return errors.Join(err, conflicted(both, wanted, now))
	}
	return change(ctx, s, now, after)
}

// editor is the editor that the person has chosen. One of the system's is started only on a
// terminal: a script would wait for it without end.
func editor(e *command.Env) ([]string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if chosen := strings.Fields(os.Getenv(name)); len(chosen) > 0 {
			return chosen, nil
		}
	}
	if !e.IsTerminal(e.Stdin) || !e.IsTerminal(screen(e.Terminal)) {
		return nil, flags.Usage("config-no-terminal")
	}
	if runtime.GOOS == "windows" {
		return []string{"notepad"}, nil
	}
	return []string{"vi"}, nil
}

// screen is what an editor draws on.
func screen(t *terminal.Terminal) io.Writer {
	if t.JSON {
		return t.Stderr
	}
	return t.Stdout
}

// runEditor opens a file in an editor.
func runEditor(ctx context.Context, s *command.Session, with []string, path string) error {
	cmd := exec.CommandContext(ctx, with[0], append(slices.Clone(with[1:]), path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.Stdin, screen(s.Terminal), s.Stderr
	if err := cmd.Run(); err != nil {
		return flags.Usage("config-editor", "editor", with[0], "error", err)
	}
	return nil
}
