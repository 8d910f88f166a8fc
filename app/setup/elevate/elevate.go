// Package elevate has the system ask a person for an administrator, and run one
// command as one: pkexec on Linux, which asks through the desktop's agent of polkit,
// and the prompt of User Account Control on Windows.
//
// What is run comes from the tables of app/setup, never from a request, a file or
// what a guest says; a name that comes from this computer (of an account, of a
// group) is an argument of its own and never part of a text that a shell reads. The
// person was shown [Act.String] before. piwork itself never gets more rights, and
// sees no password.
//
// Command lines are built by [System.Line], a pure function.
package elevate

import (
	"strings"
)

// Act is a command that an administrator may run.
type Act struct {
	Program string // its name alone: where it lies is the system's business
	Args    []string
	// Script makes the act a few lines for /bin/sh, with Args as $1 and so on. It is a
	// constant of the program. Program is then what the lines are shown as.
	Script string
	Fine   []int // exit codes beside 0 that say that it worked
}

// String is what a person is shown: the command as it is run.
func (a Act) String() string {
	if a.Script != "" {
		words := make([]string, 0, 2*len(a.Args))
		for i, arg := range a.Args {
			words = append(words, "$"+string(rune('1'+i)), arg)
		}
		return strings.NewReplacer(words...).Replace(a.Script)
	}
	return strings.Join(append([]string{a.Program}, a.Args...), " ")
}

// System is how a computer asks for an administrator.
type System struct {
	OS string // as runtime.GOOS
	// Ask is the program that asks, with its directory; "" where there is none.
	Ask string
	// Find returns where a program of the system lies, "" for nowhere. Directories of
	// a person are not looked at.
	Find func(name string) string
}

// Exit codes of a person who said no.
const (
	pkexecDismissed = 126  // pkexec(1)
	uacDismissed    = 1223 // ERROR_CANCELLED
)

// Line returns the command line that asks and then runs a; false where this system
// cannot.
func (s System) Line(a Act) ([]string, bool) {
	if s.Ask == "" || s.Find == nil {
		return nil, false
	}
	program, args := s.Find(a.Program), a.Args
	if a.Script != "" {
		program, args = s.Find("sh"), append([]string{"-c", a.Script, "piwork"}, a.Args...)
	}
	if program == "" {
		return nil, false
	}
	switch s.OS {
	case "linux":
		// Without a desktop to ask on it fails, and does not ask in a terminal that
		// nobody looks at.
		return append([]string{s.Ask, "--disable-internal-agent", program}, args...), true
	case "windows":
		if a.Script != "" {
			return nil, false
		}
		quoted := make([]string, len(args))
		for i, arg := range args {
			quoted[i] = literal(arg)
		}
		// Start-Process fails with ERROR_CANCELLED when the prompt is refused.
		script := "$ErrorActionPreference = 'Stop'; try { " +
			"$p = Start-Process -FilePath " + literal(program) + " -ArgumentList " + strings.Join(quoted, ",") +
			" -Verb RunAs -WindowStyle Hidden -Wait -PassThru; exit $p.ExitCode } " +
			"catch { $e = $_.Exception; while ($e.InnerException) { $e = $e.InnerException }; " +
			"if ($e.NativeErrorCode -eq 1223) { exit 1223 }; [Console]::Error.WriteLine($e.Message); exit 1 }"
		return []string{s.Ask, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", script}, true
	}
	return nil, false
}

// literal is a text of PowerShell in which nothing means anything but itself.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// dismissed is the exit code of a person who said no.
func (s System) dismissed() int {
	if s.OS == "windows" {
		return uacDismissed
	}
	return pkexecDismissed
}
