package app_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"piwork/app"
	"piwork/app/cli"
	"piwork/app/client"
)

// A command line follows an AI task to its end, though nobody is there to answer what
// the task asks: with a controller of its own, and through a running `piwork serve`.
func TestCommandLineFollowsAnAI(t *testing.T) {
	for _, served := range []bool{false, true} {
		t.Run(map[bool]string{false: "own", true: "served"}[served], func(t *testing.T) {
			w := app.NewTestWorld(t)
			open := func(ctx context.Context, _ app.Options) (client.Controller, error) {
				c, err := w.Open(ctx)
				if err != nil {
					return nil, err
				}
				return c, nil
			}
			if served {
				s, err := client.Open(t.Context(), client.SessionOptions{Open: open})
				if err != nil {
					t.Fatal(err)
				}
				if err := s.SocketError(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := s.Close(context.Background()); err != nil {
						t.Error(err)
					}
				})
			}
			var stdout, stderr bytes.Buffer
			code := cli.Main([]string{"ask", "Report about my notes", "--folder", w.Notes + ":rw", "--network", "off"},
				cli.Options{Open: open, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr})
			if code != cli.ExitDenied || !strings.Contains(stdout.String(), "All done.") || !strings.Contains(stderr.String(), "Nobody was there to answer") {
				t.Errorf("exit code %d\n%s\n%s", code, &stdout, &stderr)
			}
		})
	}
}
