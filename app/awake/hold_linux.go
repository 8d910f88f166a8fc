package awake

import (
	"context"
	"fmt"
	"os"

	"github.com/godbus/dbus/v5"
)

// System asks logind for an inhibitor, which is a file that is open.
func System(ctx context.Context, why string) (func(), error) {
	bus, err := dbus.ConnectSystemBus(dbus.WithContext(context.WithoutCancel(ctx)))
	if err != nil {
		return nil, fmt.Errorf("ask to stay awake: %w", err)
	}
	defer bus.Close()
	var fd dbus.UnixFD
	err = bus.Object("org.freedesktop.login1", "/org/freedesktop/login1").
		CallWithContext(ctx, "org.freedesktop.login1.Manager.Inhibit", 0, "idle", "piwork", why, "block").Store(&fd)
	if err != nil {
		return nil, fmt.Errorf("ask to stay awake: %w", err)
	}
	file := os.NewFile(uintptr(fd), "inhibitor")
	return func() { file.Close() }, nil
}
