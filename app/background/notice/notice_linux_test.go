package notice

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// shown is what the fake service was asked to show.
type shown struct {
	replaces    uint32
	title, body string
	actions     []string
}

type desktop struct{ asked chan shown }

// Notify is org.freedesktop.Notifications.Notify.
func (d desktop) Notify(_ string, replaces uint32, _, title, body string, actions []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	d.asked <- shown{replaces, title, body, actions}
	if replaces != 0 {
		return replaces, nil
	}
	return uint32(len(title)), nil // another one for another title
}

// bus is a session's bus with a notification service.
func bus(t *testing.T) (*dbus.Conn, desktop) {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		t.Skip("there is no dbus-daemon")
	}
	cmd := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(line))
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	d := desktop{make(chan shown, 8)}
	if err := conn.Export(d, object, service); err != nil {
		t.Fatal(err)
	}
	return conn, d
}

// A message is shown as plain text, the next one of the same task takes its place, a click
// is heard once, and then the bus is let go of.
func TestShow(t *testing.T) {
	conn, d := bus(t)
	s := &session{}
	t.Cleanup(s.Close)
	if err := s.Show(Message{ID: "1", Title: "x"}, nil); err == nil {
		t.Error("nobody shows messages, and nothing is said")
	}
	if r, err := conn.RequestName(service, dbus.NameFlagDoNotQueue); err != nil || r != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(r, err)
	}
	clicks := make(chan string, 8)
	show := func(id, title string) shown {
		t.Helper()
		if err := s.Show(Message{ID: id, Title: title, Body: "Done\n<b>", Open: "Show"}, func() { clicks <- title }); err != nil {
			t.Fatal(err)
		}
		return <-d.asked
	}
	if got := show("1", "<i>one & two"); got.title != "‹i›one ＆ two" || got.body != "Done ‹b›" || got.replaces != 0 || strings.Join(got.actions, ",") != "default,Show" {
		t.Errorf("%+v", got)
	}
	first := uint32(len("‹i›one ＆ two"))
	if got := show("1", "again"); got.replaces != first {
		t.Errorf("%+v", got)
	}
	other := "another task"
	show("2", other)
	emit := func(name string, id uint32, more any) {
		t.Helper()
		if err := conn.Emit(object, service+"."+name, id, more); err != nil {
			t.Fatal(err)
		}
	}
	emit("ActionInvoked", 4711, "default") // of another program
	emit("ActionInvoked", first, "default")
	if got := <-clicks; got != "again" {
		t.Errorf("clicked: %s", got)
	}
	s.mu.Lock()
	over, open := s.over, len(s.shown)
	s.mu.Unlock()
	if open != 1 {
		t.Errorf("%d are open", open)
	}
	emit("NotificationClosed", uint32(len(other)), uint32(2))
	<-over
	if got := show("2", other); got.replaces != 0 {
		t.Errorf("%+v", got)
	}
	s.Close()
	if len(clicks) != 0 {
		t.Errorf("one click more: %s", <-clicks)
	}
}
