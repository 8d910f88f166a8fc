package desktop

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What systems are told of links is what the program understands.
func TestLinksAreRegistered(t *testing.T) {
	read := func(parts ...string) string {
		data, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, parts...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	var project struct {
		Info struct {
			Protocols []struct{ Scheme, Role string }
		}
	}
	if err := json.Unmarshal([]byte(read("wails.json")), &project); err != nil || len(project.Info.Protocols) != 1 || project.Info.Protocols[0].Scheme != Scheme {
		t.Errorf("%+v %v", project, err)
	}
	entry := read("build", "linux", "piwork.desktop")
	for _, line := range []string{"MimeType=x-scheme-handler/" + Scheme + ";", "Exec=piwork %U"} { // never a type of files: piwork would become what opens them
		if !strings.Contains(entry, "\n"+line+"\n") {
			t.Errorf("the menu entry has no line %s", line)
		}
	}
	_, action, _ := strings.Cut(entry, "\n[Desktop Action new-window]\n")
	if !strings.Contains(entry, "\nActions=new-window;\n") || !strings.Contains(action, "\nExec=piwork "+newWindowFlag+"\n") {
		t.Error("the menu entry opens no further window")
	}
	plist := read("build", "darwin", "Info.plist")
	for _, want := range []string{"CFBundleURLTypes", "{{.Scheme}}", "public.folder", "<string>None</string>"} {
		if !strings.Contains(plist, want) {
			t.Errorf("Info.plist has no %s", want)
		}
	}
	d := xml.NewDecoder(strings.NewReader(regexp.MustCompile(`\{\{[^}]*\}\}`).ReplaceAllString(plist, "")))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
