package place

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/terminal"
	"piwork/app/executable"
	"piwork/app/problem"
	"piwork/app/remotes"
	"piwork/app/words"
	"piwork/vmhost"
	"piwork/vmhost/remote"
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
					err := test(ctx, s, r.Kind())
					if r.Cluster == nil && !s.JSON {
						if u, uerr := s.RemoteUsage(ctx, name); uerr == nil {
							s.Print("           %s", piworkThere(name, u))
						}
					}
					return err
				}
			}
			return test(ctx, s, vmhost.KindRemote+":"+name) // which says that it is unknown
		}),
		&cobra.Command{Use: "install NAME", Args: cobra.ExactArgs(1), RunE: command.Do(func(ctx context.Context, args []string) error { return install(ctx, e, args[0]) })},
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
			if !e.Ask(ctx, terminal.Text("remote-key", "address", p.Params["address"], "fingerprint", fingerprint)) {
				return cmp.Or(context.Cause(ctx), err)
			}
			a.Confirm = append(a.Confirm, fingerprint)
		}
	})
	cmd.Flags().StringSliceVar(&a.Confirm, "key", nil, "")
	cmd.Flags().StringVar(&at, "kubernetes", "", "")
	cmd.Flags().StringVar(&cluster.Namespace, "namespace", "", "")
	cmd.Flags().StringVar(&cluster.Image, "image", "", "")
	cmd.Flags().StringVar(&a.Program, "program", "", "")
	cmd.MarkFlagsRequiredTogether("kubernetes", "image")
	cmd.MarkFlagsMutuallyExclusive("kubernetes", "program")
	return cmd
}

// listed is a computer, and what piwork has there.
type listed struct {
	remotes.Remote
	Usage   *remotes.RemoteUsage `json:"usage,omitempty"`
	Problem *problem.Problem     `json:"problem,omitempty"`
}

// listRemotes asks all of them at once what piwork has there.
func listRemotes(ctx context.Context, s *command.Session, _ []string) error {
	all, err := s.Remotes(ctx)
	list := make([]listed, len(all))
	bar := s.StartProgress(terminal.Text("progress-remote"))
	var work sync.WaitGroup
	for i, r := range all {
		work.Go(func() {
			list[i].Remote = r
			if u, err := s.RemoteUsage(ctx, r.Name); err != nil {
				list[i].Problem = problem.From(err)
			} else {
				list[i].Usage = &u
			}
		})
	}
	work.Wait()
	bar.Stop()
	return s.Reply(list, err, func() {
		if command.Wide(s, list, "NAME ADDRESS SIZE TASKS USED PIWORK PROBLEM", func(l listed) []any {
			if l.Usage == nil {
				return []any{l.Name, l.Address, "", "", "", "", command.InShort(l.Problem)}
			}
			return []any{l.Name, l.Address, terminal.Size(l.Usage.Bytes), l.Usage.Places, used(*l.Usage), version(*l.Usage), ""}
		}) {
			return
		}
		if len(list) == 0 {
			s.PrintText("remote-none")
		}
		for _, l := range list {
			s.Print("%-16s %s", l.Name, l.Address)
			if l.Usage == nil {
				s.Card(s.Stdout, "                 ", *l.Problem)
				continue
			}
			s.Print("                 %s", terminal.Text("remote-usage", "bytes", l.Usage.Bytes, "count", terminal.Some(l.Usage.Places), "used", used(*l.Usage)))
			if l.Cluster == nil {
				s.Print("                 %s", piworkThere(l.Name, *l.Usage))
			}
		}
	})
}

// version is that of the piwork that is installed there, "" without one.
func version(u remotes.RemoteUsage) string {
	if u.Piwork == nil {
		return ""
	}
	return u.Piwork.Version
}

// piworkThere says whether a piwork is installed there.
func piworkThere(name string, u remotes.RemoteUsage) string {
	if u.Piwork == nil {
		return terminal.Text("remote-no-piwork", "name", name)
	}
	return terminal.Text("remote-piwork", "name", name, "version", words.Printable(u.Piwork.Version), "program", words.Printable(u.Piwork.Program))
}

// used is when piwork was used there last, "" for never.
func used(u remotes.RemoteUsage) string {
	if u.Used == nil {
		return ""
	}
	return u.Used.Local().Format(time.DateTime)
}

// install sends this program to another computer, to be the piwork there, unless one is there.
func install(ctx context.Context, e *command.Env, name string) error {
	all, err := e.Computers()
	if err != nil {
		return err
	}
	bar := e.StartProgress(terminal.Text("progress-remote"))
	there, err := all.Piwork(ctx, name)
	bar.Stop()
	var p *problem.Problem
	switch {
	case err == nil:
		there.Close()
		if there.Version == e.Version {
			have := remotes.Piwork{Version: there.Version, Program: there.Program}
			return e.Reply(have, nil, func() { e.Print("%s", piworkThere(name, remotes.RemoteUsage{Piwork: &have})) })
		}
	case !errors.As(err, &p) || p.Code != problem.CodeRemotePiwork || p.Cause != remote.ProgramMissing && p.Cause != remote.ProgramFails && p.Cause != remote.ProgramOld:
		return err
	}
	program, err := executable.Path()
	if err != nil {
		return err
	}
	info, err := os.Stat(program)
	if err != nil {
		return problem.From(err)
	}
	if err := e.Consent(ctx, terminal.Text("ask-install", "name", name, "version", e.Version, "bytes", info.Size())); err != nil {
		return err
	}
	bar = e.StartProgress(terminal.Text("progress-send", "name", name))
	sent, err := all.InstallPiwork(ctx, name, program)
	bar.Stop()
	return e.Reply(sent, err, func() { e.Print("%s", piworkThere(name, remotes.RemoteUsage{Piwork: &sent})) })
}

// clean removes what piwork has there, and says how much that was, where that is known: what
// a computer does not say is removed, too. Tasks that work there end, also those of others.
func clean(ctx context.Context, s *command.Session, name string) error {
	var removed int64
	var bytes *int64 // nil where that is not known
	question := ""
	u, err := s.RemoteUsage(ctx, name)
	var p *problem.Problem
	switch {
	case err == nil:
		if removed, bytes = u.Bytes, &u.Bytes; u.Places > 0 {
			question = terminal.Text("ask-clean", "name", name, "count", u.Places)
		}
	case errors.As(err, &p) && p.Code == problem.CodeNotFound: // there is no such computer
		return err
	default:
		question = terminal.Text("ask-clean-unknown", "name", name)
	}
	if question != "" {
		if err := s.Consent(ctx, question); err != nil {
			return err
		}
	}
	err = s.CleanRemote(ctx, name)
	return s.Reply(struct {
		Cleaned string `json:"cleaned"`
		Bytes   *int64 `json:"bytes,omitempty"`
	}{name, bytes}, err, func() {
		s.PrintText("remote-cleaned", "name", name, "bytes", terminal.Some(removed))
	})
}

func forget(ctx context.Context, s *command.Session, name string) error {
	return s.Reply(map[string]string{"removed": name}, s.RemoveRemote(ctx, name), func() { s.PrintText("remote-removed", "name", name) })
}
