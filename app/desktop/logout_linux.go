package desktop

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/godbus/dbus/v5"
)

const (
	logind        = "org.freedesktop.login1"
	logindManager = logind + ".Manager"
	logindPath    = dbus.ObjectPath("/org/freedesktop/login1")
	goesOff       = "PrepareForShutdown" // true: the computer is about to be switched off or restarted
)

// hearSession has l hear from logind that the computer is switched off or restarted,
// until deaf is called (org.freedesktop.login1(5)). logind goes on when everything that
// this process has is over, and after its InhibitDelayMaxSec, 5 s unless somebody chose
// otherwise, in any case.
//
// A log-out alone is not announced to who is no client of a desktop's own session
// manager: it is heard as the signal that ends the session's processes, or as the loss
// of the display (see watchDisplay), whichever comes first.
func hearSession(l *logout, log *slog.Logger) (deaf func(), err error) {
	bus, err := dbus.ConnectSystemBus()
	if err != nil {
		return nil, fmt.Errorf("hear when the computer is switched off: %w", err)
	}
	heard := make(chan *dbus.Signal, 1)
	bus.Signal(heard)
	err = bus.AddMatchSignal(dbus.WithMatchSender(logind), dbus.WithMatchObjectPath(logindPath),
		dbus.WithMatchInterface(logindManager), dbus.WithMatchMember(goesOff))
	var fd dbus.UnixFD
	if err == nil {
		err = bus.Object(logind, logindPath).Call(logindManager+".Inhibit", 0,
			"shutdown", "piwork", logoutReasonEnglish, "delay").Store(&fd)
	}
	if err != nil {
		_ = bus.Close()
		return nil, fmt.Errorf("hear when the computer is switched off: %w", err)
	}
	lock := os.NewFile(uintptr(fd), "inhibitor") // logind waits while it is open
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer lock.Close()
		for s := range heard {
			if s.Name != logindManager+"."+goesOff || len(s.Body) != 1 || s.Body[0] != true || !fromLogind(bus, s) {
				continue
			}
			log.Info("window: the computer is about to be switched off")
			l.hear(endTold, nil)
			return
		}
	}()
	return func() {
		_ = bus.Close() // closes heard
		<-ended
	}, nil
}

// fromLogind reports whether logind sent s: one that is sent to this program alone
// passes every match.
func fromLogind(bus *dbus.Conn, s *dbus.Signal) bool {
	var owner string
	err := bus.BusObject().Call("org.freedesktop.DBus.GetNameOwner", 0, logind).Store(&owner)
	return err == nil && s.Sender == owner
}
