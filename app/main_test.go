package app_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/background"
	"piwork/app/cli"
	"piwork/app/task"
)

// envProgram has this test binary be the program: the command line, with machines that are
// "real" or a "stand-in", or a "window" without a screen.
const envProgram = "PIWORK_TEST_PROGRAM"

func TestMain(m *testing.M) {
	switch as := os.Getenv(envProgram); as {
	case "":
	case "window":
		beWindow()
	default:
		var o cli.Options
		if as == "stand-in" && len(os.Args) > 1 && os.Args[1] == "serve" {
			o.Open = func(ctx context.Context, o app.Options) (background.Controller, error) {
				return app.OpenStandIn(ctx, o)
			}
		}
		os.Exit(cli.Main(os.Args[1:], o))
	}
	code := m.Run()
	for _, end := range app.AfterTests {
		if end() != nil && code == 0 {
			code = 1
		}
	}
	os.Exit(code)
}

// noWindow is a window that does nothing.
type noWindow struct{ api.Window }

// beWindow follows the events of the controller, as a window does, until it is killed.
func beWindow() {
	s, err := background.Open(context.Background(), background.SessionOptions{Window: noWindow{}})
	if err == nil {
		err = s.API.Events(context.Background(), task.EventFilter{}, func(task.Event) error { return nil }, nil)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
