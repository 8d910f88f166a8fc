package elevate

import (
	"fmt"
	"os"
	"slices"
	"strconv"
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

// envAsked makes this program the one that asks: an exit code, and what is said
// before it; code 0 only for the command line that is expected.
const envAsked = "PIWORK_TEST_ASKED"

func TestMain(m *testing.M) {
	if answer, is := os.LookupEnv(envAsked); is {
		code, said, _ := strings.Cut(answer, " ")
		fmt.Print(said)
		exit, err := strconv.Atoi(code)
		if err != nil || exit == 0 && !slices.Equal(os.Args[1:], []string{"--disable-internal-agent", "/sbin/usermod", "-aG", "kvm", "anna"}) {
			exit = 99
		}
		os.Exit(exit)
	}
	os.Exit(m.Run())
}

func TestRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := System{OS: "linux", Ask: self, Find: func(name string) string { return "/sbin/" + name }}
	join := Act{Program: "usermod", Args: []string{"-aG", "kvm", "anna"}, Fine: []int{30}}
	for _, row := range []struct {
		name, answer, want string // part of the error, "" for none
	}{
		{"done", "0", ""},
		{"done, and something remains to be done", "30", ""},
		{"refused by the person", "126", ErrDeclined.Error()},
		{"nobody to ask", "127 no agent", "exit status 127: no agent"},
		{"failed", "6 no such group", "usermod -aG kvm anna, as an administrator: exit status 6: no such group"},
	} {
		t.Setenv(envAsked, row.answer)
		err := s.Run(t.Context(), join)
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
