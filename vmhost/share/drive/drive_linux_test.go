package drive_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/drive/drivetest"
)

// Who waits for a drive that does not answer is told so, and at once from then on, until it
// answers; what was under way then comes to its end.
func TestAwait(t *testing.T) {
	drivetest.Hasten(t)
	d := drivetest.Mount(t, t.TempDir())
	look := func() error {
		return drive.Check(t.Context(), d.Dir, func() error { _, err := os.Stat(filepath.Join(d.Dir, "x")); return err })
	}
	if err := look(); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	d.SilentAt(drivetest.Lookup)
	late := make(chan int, 1)
	began := time.Now()
	_, err := drive.Await(t.Context(), d.Dir, func() (int, error) { _, _ = os.Stat(filepath.Join(d.Dir, "x")); return 7, nil }, func(n int) { late <- n })
	var silent *drive.SilentError
	if !errors.As(err, &silent) || silent.Dir != d.Dir || time.Since(began) < drive.Silence() || time.Since(began) > time.Minute {
		t.Fatalf("%v after %v", err, time.Since(began))
	}
	for tries := 1; ; tries++ { // a busy computer may take longer, but who waits is never as quick
		began = time.Now()
		err := look()
		took := time.Since(began)
		if !errors.As(err, &silent) || tries == 20 {
			t.Errorf("again, %d times: %v after %v", tries, err, took)
		}
		if err == nil || took < drive.Silence()/2 || tries == 20 {
			break
		}
	}
	d.Answer()
	if n := <-late; n != 7 {
		t.Error(n)
	}
	for end := time.Now().Add(time.Minute); drive.Silent(d.Dir); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it stays silent")
		}
	}
	if err := look(); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A call that takes long is waited for as long as the drive answers others.
func TestSlowIsNotSilent(t *testing.T) {
	drivetest.Hasten(t)
	d := drivetest.Mount(t, t.TempDir())
	if err := os.WriteFile(filepath.Join(d.Dir, "x"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	waits := d.SlowAt(drivetest.Read)
	go func() { <-waits; time.Sleep(4 * drive.Silence()); d.Answer() }()
	data, err := drive.Await(t.Context(), d.Dir, func() ([]byte, error) { return os.ReadFile(filepath.Join(d.Dir, "x")) }, nil)
	if err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
	d.SlowAt(drivetest.Open) // who gives up is not held up
	ctx, cancel := context.WithTimeout(t.Context(), drive.Silence())
	defer cancel()
	if _, err := drive.Await(ctx, d.Dir, func() ([]byte, error) { return os.ReadFile(filepath.Join(d.Dir, "x")) }, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// A computer that slept, or a drive that nobody looked at, is not taken for silence.
func TestNobodyLooked(t *testing.T) {
	drivetest.Hasten(t)
	d := drivetest.Mount(t, t.TempDir())
	d.SilentAt(drivetest.Statfs)
	if drive.Waits(d.Dir) != 0 {
		t.Error("it waits already")
	}
	time.Sleep(3 * drive.Silence())
	if w := drive.Waits(d.Dir); w >= drive.Silence() {
		t.Errorf("it has waited for %v", w)
	}
}
