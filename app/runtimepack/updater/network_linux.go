package updater

import (
	"context"

	"github.com/godbus/dbus/v5"
)

// NetworkManager's D-Bus API: org.freedesktop.NetworkManager and its type
// NMMetered.
const (
	nmName  = "org.freedesktop.NetworkManager"
	nmPath  = "/org/freedesktop/NetworkManager"
	nmGet   = "org.freedesktop.DBus.Properties.Get"
	nmYes   = 1
	nmGuess = 3 // yes, by the looks of it: a phone's hotspot
)

// metered asks NetworkManager, where it runs: it is not started for this. Without
// it nothing is known.
func metered(ctx context.Context) bool {
	conn, err := dbus.ConnectSystemBus(dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer conn.Close()
	var v dbus.Variant
	call := conn.Object(nmName, nmPath).CallWithContext(ctx, nmGet, dbus.FlagNoAutoStart, nmName, "Metered")
	return call.Store(&v) == nil && costs(v.Value())
}

// costs reads the value of the property.
func costs(v any) bool { return v == uint32(nmYes) || v == uint32(nmGuess) }
