package folders

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"piwork/vmhost/hosted"
	"piwork/vmhost/share/copied"
)

// Served serves a share, when it is open, to a place that is no machine.
type Served struct {
	Open   func() (Share, error)
	Kind   string // of the place
	Beside func(copied.Beside)
}

// None is what is served to a task without folders, which may get some later.
func None(kind string, log *slog.Logger) Served {
	return Served{Kind: kind, Open: func() (Share, error) { return Sharing(log, nil)(nil, nil, nil, nil) }}
}

// ServeFUSE is for a place to which this computer's kernel brings the folders.
func (s Served) ServeFUSE(ctx context.Context, device *os.File, owner int) error {
	open, err := s.Open()
	if err != nil {
		return err
	}
	to, ok := open.(interface {
		ServeFUSE(ctx context.Context, device *os.File, owner int) error
	})
	if !ok {
		return s.cannot()
	}
	return to.ServeFUSE(ctx, device, owner)
}

// Copy is for a place that works on copies. large is a directory for contents that are on
// their way.
func (s Served) Copy(large string) (hosted.Folders, error) {
	open, err := s.Open()
	if err != nil {
		return nil, err
	}
	of, ok := open.(interface {
		Copy(copied.Options) hosted.Folders
	})
	if !ok {
		return nil, s.cannot()
	}
	return of.Copy(copied.Options{Name: s.Kind, Dir: large, Beside: s.Beside}), nil
}

func (s Served) cannot() error {
	return fmt.Errorf("the folders cannot be served to a %q", s.Kind)
}
