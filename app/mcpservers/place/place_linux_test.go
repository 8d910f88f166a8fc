package place

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/app/setup"
	"piwork/app/tasks"
	"piwork/app/telemetry"
	"piwork/vmhost"
)

// stuck is a place whose folders stay mounted after its end.
type stuck struct {
	vmhost.Runtime
	folder, at string
	unable     error // to mount
}

var errStuck = errors.New("the folders are still in use")

func (s *stuck) Connect(context.Context) error {
	if err := os.MkdirAll(s.at, 0o700); err != nil {
		return err
	}
	s.unable = unix.Mount(s.folder, s.at, "", unix.MS_BIND, "")
	return nil
}

func (s *stuck) Close(context.Context) error       { return errStuck }
func (s *stuck) Capabilities() vmhost.Capabilities { return vmhost.Capabilities{} }

// What is in the folders of a place that can't be ended stays.
func TestFoldersStayMounted(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may mount; on any computer TestMountsIn of pack/durable has what is found")
	}
	s := &stuck{folder: t.TempDir()}
	letter := filepath.Join(s.folder, "letter")
	if err := os.WriteFile(letter, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	maker := func(_ context.Context, c tasks.PlaceConfig) (vmhost.Runtime, error) {
		s.at = filepath.Join(c.Dir, "folders")
		return s, nil
	}
	r := &running{name: "server", o: &Options{
		Machines: t.TempDir(), Kinds: tasks.Kinds{Make: map[string]tasks.PlaceMaker{vmhost.KindContainer: maker}},
		Grace: context.Background, CloseWithin: time.Minute, Log: slog.New(slog.DiscardHandler),
	}}
	if err := r.connect(t.Context(), setup.Machine{}, vmhost.KindContainer); err != nil {
		t.Fatal(err)
	}
	if s.unable != nil {
		t.Skipf("here nothing can be mounted: %v", s.unable)
	}
	t.Cleanup(func() { _ = unix.Unmount(s.at, unix.MNT_DETACH) })
	if err := r.clear(); !errors.Is(err, errStuck) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(letter); err != nil {
		t.Error(err)
	}
}

// ready is a place that is there.
type ready struct{ vmhost.Runtime }

func (ready) Connect(context.Context) error { return nil }
func (ready) Close(context.Context) error   { return nil }
func (ready) Capabilities() vmhost.Capabilities {
	return vmhost.Capabilities{Name: vmhost.KindContainer}
}

// The start of a server's place is counted as that of any other.
func TestStartsAreCounted(t *testing.T) {
	counts, err := telemetry.New(telemetry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	maker := func(context.Context, tasks.PlaceConfig) (vmhost.Runtime, error) { return ready{}, nil }
	r := &running{name: "server", o: &Options{
		Machines: t.TempDir(), Kinds: tasks.Kinds{Make: map[string]tasks.PlaceMaker{vmhost.KindContainer: maker}},
		Grace: context.Background, CloseWithin: time.Minute, Log: slog.New(slog.DiscardHandler), Telemetry: counts,
	}}
	if err := errors.Join(r.connect(t.Context(), setup.Machine{}, vmhost.KindContainer), r.clear()); err != nil {
		t.Fatal(err)
	}
	text, err := counts.Metrics(t.Context())
	if want := `piwork_start_duration_seconds_count{outcome="ok",runtime="container",way="`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%s lacks %s, %v", text, want, err)
	}
}
