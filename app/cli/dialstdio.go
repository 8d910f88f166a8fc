package cli

import (
	"context"
	"net"

	"github.com/spf13/cobra"

	"piwork/app/background"
	"piwork/app/cli/command"
	"piwork/app/client"
	"piwork/app/problem"
)

// dialStdioCommand joins its input and output with the controller's socket, for a piwork on
// another computer (docker system dial-stdio is the model). Nothing else is on its output.
func dialStdioCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "dial-stdio", Args: cobra.NoArgs, Hidden: true,
		RunE: command.Do(func(ctx context.Context, _ []string) error {
			e.Quiet = true
			if h, ok := background.Holder(e.AppOptions()); ok && e.Options.Open == nil { // whatever its version: who asks sees that
				if conn, err := client.DialSocket(ctx, h.Socket); err == nil {
					return background.Relay(ctx, conn, e.Stdin, e.Stdout)
				}
			}
			return e.With(ctx, func(ctx context.Context, s *session) error {
				conn, err := dialController(ctx, s)
				if err != nil {
					return err
				}
				return background.Relay(ctx, conn, e.Stdin, e.Stdout)
			})
		}),
	}
}

// dialController connects to the controller of a session.
func dialController(ctx context.Context, s *session) (net.Conn, error) {
	conn, err := client.DialSocket(ctx, s.Socket)
	if err != nil {
		return nil, problem.New(problem.CodeControllerInUse).With("pid", s.Process.PID).Because(err)
	}
	return conn, nil
}
