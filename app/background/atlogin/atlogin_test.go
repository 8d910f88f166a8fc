package atlogin

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const strange = `/opt/A & B/50% "π"/piwork`

// Each system's file has the program as one word, whatever its path is.
func TestFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		s    Service
		file string
		has  string
	}{
		"systemd": {systemd(strange, "/c"), "/c/systemd/user/piwork.service", `ExecStart="/opt/A & B/50%% \"π\"/piwork" serve --background --idle 0
Restart=on-failure
RestartSec=30
KillMode=process
`},
		"launchd":   {launchd(strange, "/h"), "/h/Library/LaunchAgents/io.piwork.controller.plist", `<string>/opt/A &amp; B/50% &#34;π&#34;/piwork</string><string>serve</string>`},
		"scheduled": {scheduled(strange, "/c", "S-1-5-21"), "/c/at-login.xml", `<Command>/opt/A &amp; B/50% &#34;π&#34;/piwork</Command>`},
	} {
		if filepath.ToSlash(tt.s.File) != tt.file || !strings.Contains(string(tt.s.Content), tt.has) {
			t.Errorf("%s: %s\n%s", name, tt.s.File, tt.s.Content)
		}
		if name == "systemd" {
			continue
		}
		d := xml.NewDecoder(bytes.NewReader(tt.s.Content))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// A workroom that is started by one that began at login is as fast as any: the system throttles
// neither.
func TestNothingIsThrottled(t *testing.T) {
	for name, tt := range map[string]struct {
		s   Service
		has string
	}{
		"launchd":   {launchd("/p", "/h"), "<key>ProcessType</key><string>Interactive</string>"},
		"scheduled": {scheduled("/p", "/c", "S-1-5-21"), "<Priority>5</Priority></Settings>"},
	} {
		if !strings.Contains(string(tt.s.Content), tt.has) {
			t.Errorf("%s: %s", name, tt.s.Content)
		}
	}
}

// It is on once every command has worked, and off when one fails; what is removed is gone
// in any case.
func TestSet(t *testing.T) {
	var ran []string
	var fails error
	m := &Manager{Service{
		File: filepath.Join(t.TempDir(), "a", "unit"), Content: []byte("x"),
		Add: [][]string{{"add"}}, Remove: [][]string{{"remove"}}, Gone: [][]string{{"gone"}},
	}, func(_ context.Context, argv []string) error { ran = append(ran, argv[0]); return fails }}
	fails = errors.New("no manager of this user")
	if err := m.Set(t.Context(), true); !errors.Is(err, fails) || m.On() {
		t.Errorf("%v, on: %v", err, m.On())
	}
	fails = nil
	if err := m.Set(t.Context(), true); err != nil || !m.On() {
		t.Fatalf("%v, on: %v", err, m.On())
	}
	if data, err := os.ReadFile(m.service.File); err != nil || string(data) != "x" {
		t.Errorf("%q %v", data, err)
	}
	fails = errors.New("no manager of this user")
	if err := m.Set(t.Context(), false); !errors.Is(err, fails) || m.On() {
		t.Errorf("%v, on: %v", err, m.On())
	}
	if err := m.Set(t.Context(), false); err != nil {
		t.Errorf("removed twice: %v", err)
	}
	if want := []string{"add", "add", "remove", "gone"}; !reflect.DeepEqual(ran, want) {
		t.Errorf("%q", ran)
	}
}

// When a second yes fails, the first holds.
func TestSetAgainFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "u", "piwork.service")
	var fails error
	m := &Manager{Service{File: file, Content: []byte("unit"), Add: [][]string{{"x"}}}, func(context.Context, []string) error { return fails }}
	if err := m.Set(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	fails = errors.New("no bus")
	if err := m.Set(t.Context(), true); err == nil || !m.On() {
		t.Errorf("%v, on: %v", err, m.On())
	}
}
