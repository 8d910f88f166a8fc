package app_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"piwork/app"
	"piwork/app/background"
	"piwork/app/cli"
)

// A command line follows an AI task to its end, though nobody is there to answer what
// the task asks.
func TestCommandLineFollowsAnAI(t *testing.T) {
	t.Setenv("LC_ALL", "C") // it speaks the language of the terminal
	w := app.NewTestWorld(t)
	open := func(ctx context.Context, _ app.Options) (background.Controller, error) {
		c, err := w.Open(ctx)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	var stdout, stderr bytes.Buffer
	code := cli.Main([]string{"ask", "Report about my notes", "--folder", w.Notes + ":rw", "--network", "off"},
		cli.Options{Open: open, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr})
	if code != cli.ExitDenied || !strings.Contains(stdout.String(), "All done.") || !strings.Contains(stderr.String(), "Nobody was there to answer") {
		t.Errorf("exit code %d\n%s\n%s", code, &stdout, &stderr)
	}
}
