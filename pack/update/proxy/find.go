package proxy

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// lookTimeout bounds how long the operating system is asked.
const lookTimeout = 3 * time.Second

// Find says which settings hold: setting (see [FromSetting]), then the
// environment, then the operating system. An error says what is wrong with the
// first of them that is set; the settings are none then. That the system could not
// be asked is [ErrUnknown].
func Find(ctx context.Context, setting string) (Settings, error) {
	s, ok, err := FromSetting(setting)
	if ok || err != nil {
		return s, err
	}
	if s, ok := FromEnvironment(); ok {
		return s.checked()
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	s, err = system(ctx)
	if errors.Is(err, errNotSet) {
		return Settings{}, nil
	}
	if err != nil {
		return Settings{}, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return s.withEnvironment().checked()
}

// checked refuses settings whose addresses cannot be read, instead of going
// past the proxy in silence.
func (s Settings) checked() (Settings, error) {
	for _, p := range []string{s.HTTP, s.HTTPS} {
		if p == "" {
			continue
		}
		if _, err := parse(p); err != nil {
			return Settings{}, fmt.Errorf("settings of %s: %w", s.Source, err)
		}
	}
	return s, nil
}

// ErrUnknown says that the system does not tell its settings.
var ErrUnknown = errors.New("the system's proxy settings are not known")

// errNotSet: this system has no place where a proxy could be named.
var errNotSet = errors.New("no proxy settings")
