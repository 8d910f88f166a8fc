package place

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/remotes"
	"piwork/vmhost"
)

// Remote adds and removes other computers and clusters.
func Remote(e *command.Env) *cobra.Command {
	return command.Group("remote",
		add(e),
		e.Command("list", cobra.NoArgs, listRemotes),
		e.EachCommand("test NAME...", func(ctx context.Context, s *command.Session, name string) error {
			all, err := s.Remotes(ctx)
			if err != nil {
				return err
			}
			for _, r := range all {
				if r.Name == name {
					return test(ctx, s, r.Kind())
				}
			}
			return test(ctx, s, vmhost.KindRemote+":"+name) // which says that it is unknown
		}),
		e.EachCommand("clean NAME...", clean),
		e.EachCommand("remove NAME...", forget),
	)
}

// add adds a computer or a cluster. Keys that nobody has confirmed are shown, one after the
// other.
func add(e *command.Env) *cobra.Command {
	var a remotes.RemoteAddition
	var cluster remotes.Cluster
	at := ""
	count := func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("kubernetes") {
			return cobra.ExactArgs(1)(cmd, args)
		}
		return cobra.ExactArgs(2)(cmd, args)
	}
	cmd := e.Command("add NAME [USER@]HOST[:PORT] | NAME --kubernetes CONTEXT --image IMAGE", count, func(ctx context.Context, s *command.Session, args []string) error {
		a.Name, a.Address = args[0], at
		if len(args) > 1 {
			a.Address = args[1]
		} else {
			a.Cluster = &cluster
		}
		for {
			bar := s.StartProgress(terminal.Text("progress-remote"))
			made, err := s.AddRemote(ctx, a)
			bar.Stop()
			var p *problem.Problem
			if !errors.As(err, &p) || p.Cause != string(vmhost.ReasonHostKeyUnknown) {
				return s.Reply(made, err, func() { s.PrintText("remote-added", "kind", made.Kind()) })
			}
			fingerprint, _ := p.Params["fingerprint"].(string)
			if e.Yes || !e.CanAsk() { // a yes to whatever comes is none to a key
				return err
			}
			if !e.Ask(terminal.Text("remote-key", "address", p.Params["address"], "fingerprint", fingerprint)) {
				return err
			}
			a.Confirm = append(a.Confirm, fingerprint)
		}
	})
	cmd.Flags().StringSliceVar(&a.Confirm, "key", nil, "")
	cmd.Flags().StringVar(&at, "kubernetes", "", "")
	cmd.Flags().StringVar(&cluster.Namespace, "namespace", "", "")
	cmd.Flags().StringVar(&cluster.Image, "image", "", "")
	cmd.MarkFlagsRequiredTogether("kubernetes", "image")
	return cmd
}

func listRemotes(ctx context.Context, s *command.Session, _ []string) error {
	all, err := s.Remotes(ctx)
	return s.Reply(all, err, func() {
		if command.Wide(s, all, "NAME ADDRESS", func(r remotes.Remote) []any { return []any{r.Name, r.Address} }) {
			return
		}
		if len(all) == 0 {
			s.PrintText("remote-none")
		}
		for _, r := range all {
			s.Print("%-16s %s", r.Name, r.Address)
		}
	})
}

func clean(ctx context.Context, s *command.Session, name string) error {
	if err := s.CleanRemote(ctx, name); err != nil {
		return err
	}
	s.PrintText("remote-cleaned", "name", name)
	return nil
}

func forget(ctx context.Context, s *command.Session, name string) error {
	if err := s.RemoveRemote(ctx, name); err != nil {
		return err
	}
	s.PrintText("remote-removed", "name", name)
	return nil
}
