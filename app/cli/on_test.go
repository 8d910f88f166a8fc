package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
