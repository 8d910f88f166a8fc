package notice

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	service = "org.freedesktop.Notifications"
	object  = dbus.ObjectPath("/org/freedesktop/Notifications")
	clickID = "default" // of a click on the message itself

	shownWithin = 10 * time.Second
)

// System is the notification service of the person's session
// (https://specifications.freedesktop.org/notification-spec). The bus is connected to while a
// message is shown.
func System() Shower { return &session{} }

type session struct {
	mu    sync.Mutex
	bus   *dbus.Conn
	over  chan struct{}
	shown map[uint32]open
}

// open is a message that was not closed yet.
type open struct {
	message string
	clicked func()
}

// Show implements Shower.
func (s *session) Show(m Message, clicked func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.connect(); err != nil {
		return fmt.Errorf("show a message: %w", err)
	}
	var before uint32
	for id, o := range s.shown {
		if o.message == m.ID {
			before = id
		}
	}
	actions := []string{}
	if clicked != nil {
		actions = []string{clickID, m.Open}
	}
	var id uint32
	ctx, stop := context.WithTimeout(context.Background(), shownWithin)
	defer stop()
	err := s.bus.Object(service, object).CallWithContext(ctx, service+".Notify", 0, "piwork", before, "piwork", Plain(m.Title), Plain(m.Body),
		actions, map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant("piwork")}, int32(-1)).Store(&id)
	if err != nil {
		s.rest()
		return fmt.Errorf("show a message: %w", err)
	}
	delete(s.shown, before)
	s.shown[id] = open{m.ID, clicked}
	return nil
}

func (s *session) connect() error {
	if s.bus != nil && s.bus.Connected() {
		return nil
	}
	// The plain way would start a bus where there is none, which outlives piwork.
	bus, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return err
	}
	if err := errors.Join(bus.Auth(nil), bus.Hello()); err != nil {
		_ = bus.Close()
		return err
	}
	if err := bus.AddMatchSignal(dbus.WithMatchSender(service), dbus.WithMatchObjectPath(object), dbus.WithMatchInterface(service)); err != nil {
		_ = bus.Close()
		return err
	}
	heard := make(chan *dbus.Signal, 16)
	bus.Signal(heard)
	s.bus, s.over, s.shown = bus, make(chan struct{}), map[uint32]open{}
	go func(over chan struct{}) {
		defer close(over)
		for one := range heard { // until the bus is closed
			s.hear(one)
		}
	}(s.over)
	return nil
}

func (s *session) hear(one *dbus.Signal) {
	if len(one.Body) != 2 {
		return
	}
	id, ok := one.Body[0].(uint32)
	s.mu.Lock()
	defer s.mu.Unlock()
	o, mine := s.shown[id]
	if !ok || !mine {
		return
	}
	switch one.Name {
	case service + ".ActionInvoked":
		if o.clicked != nil && one.Body[1] == clickID {
			go o.clicked()
		}
	case service + ".NotificationClosed":
	default:
		return
	}
	delete(s.shown, id)
	s.rest()
}

// rest lets go of the bus when no message is open. The caller holds the lock.
func (s *session) rest() {
	if s.bus != nil && len(s.shown) == 0 {
		_ = s.bus.Close()
		s.bus = nil
	}
}

// Close implements Shower.
func (s *session) Close() {
	s.mu.Lock()
	s.shown = nil
	s.rest()
	over := s.over
	s.mu.Unlock()
	if over != nil {
		<-over
	}
}
