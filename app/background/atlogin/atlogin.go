// Package atlogin has the system start `piwork serve` when the person logs in, where they
// want that: what is to happen at a time needs a controller that runs.
//
//   - Linux: a user unit of systemd (systemd.unit(5), systemctl(1))
//   - macOS: a LaunchAgent (launchd.plist(5))
//   - Windows: a scheduled task at the logon of this user, with their rights only
//
// A [Service] is the files and commands of one system, made by pure functions, so that each
// is tested everywhere.
package atlogin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// commandWithin is how long the system's own command may take.
const commandWithin = 20 * time.Second

// Service is what one system needs.
type Service struct {
	File    string     // that describes it
	Content []byte     // of the file
	Add     [][]string // commands, once the file is there
	Remove  [][]string // commands, while the file is there
	Gone    [][]string // commands, once the file is gone
}

// Manager adds and removes the service of this user.
type Manager struct {
	service Service
	run     func(ctx context.Context, argv []string) error
}

// Of this system, for a program and the directory of settings. ErrNone: the system has no
// such thing.
func Of(program, config string) (*Manager, error) {
	s, err := service(program, config)
	if err != nil {
		return nil, err
	}
	return &Manager{s, run}, nil
}

// ErrNone says that the system has nothing that starts programs at login in this way.
var ErrNone = errors.New("this system has no services of users that piwork knows")

// On reports whether the service is there.
func (m *Manager) On() bool {
	_, err := os.Lstat(m.service.File)
	return err == nil
}

// Set adds or removes the service. It takes effect at the next login. When a command fails,
// what was there before stays.
func (m *Manager) Set(ctx context.Context, on bool) error {
	if !on {
		return m.remove(ctx)
	}
	if err := os.MkdirAll(filepath.Dir(m.service.File), 0o700); err != nil {
		return fmt.Errorf("make the directory of the service: %w", err)
	}
	before, berr := os.ReadFile(m.service.File)
	if err := os.WriteFile(m.service.File, m.service.Content, 0o600); err != nil {
		return fmt.Errorf("describe the service: %w", err)
	}
	for _, argv := range m.service.Add {
		if err := m.run(ctx, argv); err != nil {
			if berr == nil {
				return errors.Join(err, os.WriteFile(m.service.File, before, 0o600))
			}
			return errors.Join(err, os.Remove(m.service.File))
		}
	}
	return nil
}

func (m *Manager) remove(ctx context.Context) error {
	if !m.On() {
		return nil
	}
	var errs []error
	for _, argv := range m.service.Remove {
		errs = append(errs, m.run(ctx, argv)) // the file goes in any case
	}
	if err := os.Remove(m.service.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	for _, argv := range m.service.Gone {
		errs = append(errs, m.run(ctx, argv))
	}
	return errors.Join(errs...)
}

// run is a command of the system.
func run(ctx context.Context, argv []string) error {
	ctx, stop := context.WithTimeout(ctx, commandWithin)
	defer stop()
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput() //nolint:gosec // its own
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
