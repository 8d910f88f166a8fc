package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"piwork/app/problem"
	"piwork/app/words"
)

// Every command says whether it works on another computer, and none is named that is not there.
func TestEveryCommandHasItsComputer(t *testing.T) {
	named := map[string]int{}
	for _, path := range reachable() {
		named[path]++
	}
	root := Commands(words.For("en"))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		path := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), "piwork"))
		if n := named[path]; n > 1 || n == 0 && !c.HasSubCommands() {
			t.Errorf("%q is %d times in the table", path, n)
		}
		delete(named, path)
		c.Flags().VisitAll(func(f *pflag.Flag) { // what they name is of this computer's environment or keychain
			if strings.Contains(f.Name, "secret") && !slices.Contains(hereFlags, f.Name) {
				t.Errorf("%s --%s goes to another computer", path, f.Name)
			}
		})
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(root)
	delete(named, cobra.ShellCompRequestCmd) // cobra adds them when they are called
	delete(named, cobra.ShellCompNoDescRequestCmd)
	if len(named) > 0 {
		t.Errorf("there is no command %v", named)
	}
}

// What is about this computer is refused on another one, whoever names it: a flag always, the
// variable where it could be meant.
func TestRefusedOnAnotherComputer(t *testing.T) {
	for _, tt := range []struct {
		args, env string
		refused   bool
	}{
		{args: "--on lab task list"}, {args: "task list", env: "lab"},
		{args: "--on lab serve", refused: true}, {args: "serve --stop", env: "lab"},
		{args: "--on lab remote list", refused: true}, {args: "remote list", env: "lab"},
		{args: "--on lab pack install x", refused: true}, {args: "pack install x", env: "lab", refused: true},
		{args: "--on= pack install x", env: "lab"}, {args: "pack install x"},
		{args: "--on lab mcp", refused: true}, {args: "--on lab acp", refused: true}, {args: "--on lab key login x", refused: true},
		{args: "--on lab storage move /x", refused: true}, {args: "--on lab version", refused: true}, {args: "version", env: "lab"},
		{args: "--on lab --data-dir /tmp task list", refused: true},
		{args: "--on lab session create --env-secret A=env:HOME", refused: true}, {args: "session create --env-secret A=env:HOME"},
		{args: "--on lab pack channel --ca-file x", refused: true}, {args: "--on lab task", refused: true}, {args: "task", env: "lab"},
	} {
		t.Setenv("PIWORK_ON", tt.env)
		e := newEnv(Options{})
		root := newRoot(e)
		c, rest, err := root.Find(strings.Fields(tt.args))
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err != nil {
			t.Fatal(err)
		}
		err = chooseComputer(e, c)
		if (err != nil) != tt.refused {
			t.Errorf("%q, PIWORK_ON=%s: %v", tt.args, tt.env, err)
		}
		if err == nil && e.On != "" && e.On != "lab" {
			t.Errorf("%q is on %q", tt.args, e.On)
		}
	}
}

// Commands in texts are for the computer that is worked on: each that is done on some computer,
// and no other word.
func TestCommandsForAnotherComputer(t *testing.T) {
	other := onOther("lab")
	for text, want := range map[string]string{
		"piwork task attach 0195":                 "piwork --on lab task attach 0195",
		"piwork task list; piwork task undo 0195": "piwork --on lab task list; piwork --on lab task undo 0195",
		"Type: piwork pack rollback":              "Type: piwork --on lab pack rollback",
		"piwork pack update":                      "piwork --on lab pack update",
		"piwork pack install FILE":                "piwork --on lab pack install FILE", // which refuses: it is not done here instead
		"piwork pack addon install ocr":           "piwork --on lab pack addon install ocr",
		"piwork mcp-server login notes":           "piwork --on lab mcp-server login notes",
		"piwork rules":                            "piwork --on lab rules",
		"piwork doctor":                           "piwork --on lab doctor",
		"piwork network allow a.example":          "piwork --on lab network allow a.example",
		"piwork remote clean lab":                 "piwork remote clean lab",
		"piwork serve --stop":                     "piwork serve --stop",
		"piwork can’t do this":                    "piwork can’t do this",
		"what piwork needs":                       "what piwork needs",
		"piwork runs in a machine":                "piwork runs in a machine",
		"xpiwork task list":                       "xpiwork task list",
	} {
		if got := other(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	// What piwork advises as a next step is never about this computer.
	for _, c := range []*words.Catalogue{words.For("en"), words.For("de")} {
		for _, fix := range []string{
			problem.FixCheckAgain, problem.FixInstallPack, problem.FixRepairPack, problem.FixKeys, problem.FixUnlockKeys, problem.FixKeyFile, problem.FixLogin, problem.FixResume, problem.FixStartAgain, problem.FixElsewhere, problem.FixReview,
			problem.FixCancelTask, problem.FixDeleteTask, problem.FixDeleteAnyway, problem.FixAbandonUndo, problem.FixDownloadPack, problem.FixUpdateNow, problem.FixInstallAddOn, problem.FixMachines, problem.FixUpdateSettings,
		} {
			said := c.Command(&problem.Problem{Params: map[string]any{"task": "0195", "name": "x", "provider": "x"}}, fix)
			if !strings.HasPrefix(said, "piwork ") || !strings.HasPrefix(other(said), "piwork --on lab ") {
				t.Errorf("%s: %q", fix, other(said))
			}
		}
	}
}
