package elevate

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func finds(programs map[string]string) func(string) string {
	return func(name string) string { return programs[name] }
}

func TestLine(t *testing.T) {
	linux := System{OS: "linux", Ask: "/usr/bin/pkexec", Find: finds(map[string]string{"usermod": "/usr/sbin/usermod", "sh": "/bin/sh"})}
	windows := System{OS: "windows", Ask: `C:\ps.exe`, Find: finds(map[string]string{"dism": `C:\W'in\dism.exe`, "sh": `C:\sh.exe`})}
	join := Act{Program: "usermod", Args: []string{"-aG", "kvm", "anna"}}
	lines := Act{Program: "sh", Script: `groupadd -rf kvm && usermod -aG kvm "$1"`, Args: []string{"anna"}}
	dism := Act{Program: "dism", Args: []string{"/online", "/x:it's"}}
	for _, row := range []struct {
		name  string
		s     System
		a     Act
		want  []string
		shown string
	}{
		{"linux", linux, join, []string{"/usr/bin/pkexec", "--disable-internal-agent", "/usr/sbin/usermod", "-aG", "kvm", "anna"}, "usermod -aG kvm anna"},
		{"linux, a few lines", linux, lines,
			[]string{"/usr/bin/pkexec", "--disable-internal-agent", "/bin/sh", "-c", `groupadd -rf kvm && usermod -aG kvm "$1"`, "piwork", "anna"},
			`groupadd -rf kvm && usermod -aG kvm "anna"`},
		{"linux without what is to be run", linux, Act{Program: "modprobe"}, nil, "modprobe"},
		{"linux without one who asks", System{OS: "linux", Find: linux.Find}, join, nil, "usermod -aG kvm anna"},
		{"windows runs no shell", windows, lines, nil, `groupadd -rf kvm && usermod -aG kvm "anna"`},
		{"nothing to ask with", System{}, join, nil, "usermod -aG kvm anna"},
		{"another system", System{OS: "darwin", Ask: "/x", Find: linux.Find}, join, nil, "usermod -aG kvm anna"},
		{"windows", windows, dism, []string{`C:\ps.exe`, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command",
			`$ErrorActionPreference = 'Stop'; try { $p = Start-Process -FilePath 'C:\W''in\dism.exe' -ArgumentList '/online','/x:it''s'` +
				` -Verb RunAs -WindowStyle Hidden -Wait -PassThru; exit $p.ExitCode } ` +
				`catch { $e = $_.Exception; while ($e.InnerException) { $e = $e.InnerException }; ` +
				`if ($e.NativeErrorCode -eq 1223) { exit 1223 }; [Console]::Error.WriteLine($e.Message); exit 1 }`},
			"dism /online /x:it's"},
	} {
		got, can := row.s.Line(row.a)
		if can != (row.want != nil) || !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, %v\nwant %q", row.name, got, can, row.want)
		}
		if row.a.String() != row.shown {
			t.Errorf("%s: shown as %s", row.name, row.a)
		}
	}
}

// asks is a computer whose way to ask is a shell script.
func asks(t *testing.T, script string) System {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	dir := t.TempDir()
	ask := dir + "/ask"
	if err := os.WriteFile(ask, []byte("#!"+sh+"\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return System{OS: "linux", Ask: ask, Find: func(name string) string { return "/sbin/" + name }}
}

func TestRun(t *testing.T) {
	join := Act{Program: "usermod", Args: []string{"-aG", "kvm", "anna"}, Fine: []int{30}}
	for _, row := range []struct {
		name, script, want string // part of the error, "" for none
	}{
		{"done", `test "$*" = "--disable-internal-agent /sbin/usermod -aG kvm anna"`, ""},
		{"done, and something remains to be done", "exit 30", ""},
		{"refused by the person", "exit 126", ErrDeclined.Error()},
		{"nobody to ask", "echo no agent >&2; exit 127", "exit status 127: no agent"},
		{"failed", "echo no such group; exit 6", "usermod -aG kvm anna, as an administrator: exit status 6: no such group"},
	} {
		err := asks(t, row.script).Run(t.Context(), join)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	if err := (System{}).Run(t.Context(), join); err != ErrCannot {
		t.Errorf("nothing to ask with: %v", err)
	}
}

func TestHere(t *testing.T) {
	s := Here()
	if s.Ask != "" && s.Find(strings.Repeat("no-such-program", 2)) != "" {
		t.Error("a program that is nowhere was found")
	}
}
