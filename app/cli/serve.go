package cli

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/access"
	"piwork/app/api"
	"piwork/app/background"
	"piwork/app/background/notice"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/wording"
	"piwork/app/client"
	"piwork/app/lock"
	"piwork/app/problem"
	"piwork/app/stdio"
	"piwork/app/task"
	"piwork/app/words"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	address      command.Address
	stdio        bool
	launched     bool
	idle         time.Duration
	stop, status bool
	atLogin      string
	cancel       bool
}

func serveCommand(e *env) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use: "serve [--http 127.0.0.1:0 [--cert FILE --key FILE]] | --stdio | --status | --stop [--cancel] | --at-login on|off", Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	o.address.Add(cmd)
	f.BoolVar(&o.stdio, "stdio", false, "")
	f.BoolVar(&o.status, "status", false, "")
	f.BoolVar(&o.stop, "stop", false, "")
	f.BoolVar(&o.cancel, "cancel", false, "")
	f.StringVar(&o.atLogin, "at-login", "", "")
	f.BoolVar(&o.launched, "background", false, "")
	f.DurationVar(&o.idle, "idle", -1, "")
	f.Lookup("idle").DefValue = "0s" // help says no default: it depends on who starts it
	_ = f.MarkHidden("background")
	cmd.MarkFlagsMutuallyExclusive("status", "stop", "http", "at-login", "stdio")
	cmd.MarkFlagsMutuallyExclusive("status", "stop", "background")
	cmd.RunE = command.Do(func(ctx context.Context, _ []string) error {
		if err := o.address.Check(); err != nil {
			return err
		}
		switch {
		case o.cancel && !o.stop:
			return flags.Usage("cancel-without-stop")
		case o.stdio:
			return serveStdio(ctx, e)
		case o.status:
			return showProcess(ctx, e)
		case o.stop:
			return stopProcess(ctx, e, o.cancel)
		case o.atLogin != "":
			return serveAtLogin(ctx, e, o.atLogin)
		case o.launched:
			return serveLaunched(ctx, e, o)
		}
		return serveHere(ctx, e, o)
	})
	return cmd
}

func statusCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "status", Args: cobra.NoArgs,
		RunE: command.Do(func(ctx context.Context, _ []string) error {
			if e.On != "" { // asking starts it there
				return e.With(ctx, func(ctx context.Context, s *session) error { return printProcess(ctx, e, s.Client, s.Process) })
			}
			return showProcess(ctx, e)
		}),
	}
}

// processShown is the answer of status: nothing but running when there is none.
type processShown struct {
	Running bool `json:"running"`
	*api.ProcessStatus
}

func showProcess(ctx context.Context, e *env) error {
	c, s, err := background.Find(ctx, e.AppOptions())
	if err != nil {
		return err
	}
	if c == nil {
		e.Show(processShown{}, func() { e.PrintText("background-none") })
		return nil
	}
	return printProcess(ctx, e, c, s)
}

func printProcess(ctx context.Context, e *env, c *client.Client, s api.ProcessStatus) error {
	tasks, err := c.Tasks(ctx)
	if err != nil {
		return err
	}
	e.Show(processShown{Running: true, ProcessStatus: &s}, func() {
		e.PrintText("background-runs", "version", s.Version, "since", s.Since.Local().Format("15:04"), "pid", s.PID)
		for _, t := range tasks {
			if !t.State.Final() {
				e.Print("  %s  %s  %s", t.ID, wording.Name("state", t.State), words.Printable(t.Title))
			}
		}
		switch {
		case s.Working > 0 || s.Clients > 0:
			e.PrintText("background-busy", "tasks", s.Working, "clients", s.Clients)
		case s.IdleEnd > 0:
			e.PrintText("background-idle", "minutes", command.Minutes(s.IdleEnd))
		default:
			e.PrintText("background-stays")
		}
	})
	return nil
}

// loginShown is the answer of serve --at-login.
type loginShown struct {
	AtLogin bool `json:"atLogin"`
}

// serveAtLogin has the system start the controller at login, or not.
func serveAtLogin(ctx context.Context, e *env, choice string) error {
	if choice != "on" && choice != "off" {
		return flags.Usage("one-of", "flag", "--at-login", "value", choice, "choices", "on, off")
	}
	now, err := background.SetAtLogin(ctx, e.AppOptions(), api.AtLoginChoice{On: choice == "on"})
	return e.Reply(loginShown{now.On}, err, func() {
		if now.On {
			e.PrintText("at-login-on")
		} else {
			e.PrintText("at-login-off")
		}
	})
}

// stopProcess ends the controller, and waits until it is gone.
func stopProcess(ctx context.Context, e *env, cancel bool) error {
	c, s, err := background.Find(ctx, e.AppOptions())
	if err != nil {
		return err
	}
	if c == nil {
		e.Show(processShown{}, func() { e.PrintText("background-none") })
		return nil
	}
	if err := c.EndProcess(ctx, api.EndRequest{Cancel: cancel}); err != nil {
		return err
	}
	if err := background.AwaitEnd(ctx, e.AppOptions()); err != nil {
		return err
	}
	e.Show(processShown{ProcessStatus: &s}, func() { e.PrintText("background-ended", "pid", s.PID) })
	return nil
}

// serveLaunched is the process that was launched.
func serveLaunched(ctx context.Context, e *env, o serveOptions) error {
	idle := background.IdleEnd
	if d, err := time.ParseDuration(os.Getenv(background.EnvIdleEnd)); err == nil && d > 0 {
		idle = d
	}
	if o.idle >= 0 {
		idle = o.idle
	}
	ao := e.AppOptions()
	ao.Accel = e.Accel
	if log, over, err := background.Logger(ao); err == nil { // else whoever launched it says so
		defer over.Close()
		ao.Log = log
	}
	s, ready, err := background.Await(ctx, background.ServerOptions{App: ao, Background: true, Idle: idle, Pages: e.Options.Pages, Open: e.Options.Open, Notices: notice.System()})
	if err != nil {
		e.JSONLine(background.Ready{Problem: problem.From(err)}) // whoever launched it tells the person
		return err
	}
	e.JSONLine(ready)
	if s == nil {
		return nil // another one was quicker
	}
	if f, ok := e.Stdout.(*os.File); ok {
		_ = f.Close() // whoever launched it reads to the end
	}
	return s.Run(ctx)
}

// served is the answer of serve: where it answers.
type served struct {
	PID    int    `json:"pid"`
	Socket string `json:"socket"`
	HTTP   string `json:"http,omitempty"`  // base address
	Token  string `json:"token,omitempty"` // bearer token for it, of the person
	Page   string `json:"page,omitempty"`  // for a browser; holds the token
}

// serveHere runs the controller in this terminal.
func serveHere(ctx context.Context, e *env, o serveOptions) error {
	ao := e.AppOptions()
	ao.Accel = e.Accel
	var ln net.Listener
	var names func(string) error
	if o.address.HTTP != "" { // before anything ends for it
		var err error
		if ln, names, err = o.address.Listen(); err != nil {
			if c, status, _ := background.Find(ctx, ao); c != nil && !status.Background { // the address may be its
				return problem.New(problem.CodeControllerInUse).With("pid", status.PID).Because(err)
			}
			return o.address.Refused(err)
		}
		defer ln.Close()
	}
	log, over, err := background.Logger(ao)
	if err != nil {
		return err
	}
	defer over.Close()
	ao.Log = log
	s, err := takeOver(ctx, background.ServerOptions{App: ao, Idle: max(o.idle, 0), Pages: e.Options.Pages, Open: e.Options.Open})
	if err != nil {
		return err
	}
	where := served{PID: os.Getpid(), Socket: s.Controller.Socket()}
	run, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	if ln != nil {
		h, err := o.guard(s, ln, names, e.Options.Pages, &where)
		if err != nil {
			stop()
			return errors.Join(err, s.Run(run))
		}
		go func() {
			ended <- api.Serve(run, ln, h)
			stop()
		}()
	} else {
		ended <- nil
	}
	if e.JSON {
		e.JSONLine(where)
	} else {
		e.PrintText("serve-socket", "socket", where.Socket)
		switch {
		case where.Page != "":
			e.PrintText("serve-page", "page", where.Page)
		case where.HTTP != "":
			e.PrintText("serve-address", "address", where.HTTP)
			if all, err := s.Controller.Tokens(ctx); err == nil && len(all) == 0 {
				e.HintText("serve-no-token")
			}
		}
		e.HintText("serve-end")
	}
	err = s.Run(run)
	if ctx.Err() == nil && s.Moved() {
		e.HintText("serve-moved")
	}
	stop()
	return errors.Join(err, <-ended)
}

// guard lets in who may come by the address: on loopback the person, who gets a token and a
// page, and programs with a token; with TLS the latter alone.
func (o serveOptions) guard(s *background.Server, ln net.Listener, names func(string) error, pages fs.FS, where *served) (http.Handler, error) {
	g := api.Guard{Names: names}
	g.Clients, _ = s.Controller.(api.Clients) // that of a test has none
	if names == nil {
		g.Token, g.Pages = access.NewSecret(), pages
	}
	g.Addr, _ = ln.Addr().(*net.TCPAddr)
	h, err := s.API.Guarded(g)
	if err != nil {
		return nil, err
	}
	where.HTTP = o.address.URL(ln)
	if where.Token = g.Token; g.Token != "" {
		where.Page = where.HTTP + "/#token=" + g.Token
	}
	return h, nil
}

// serveStdio passes requests on standard input on to the process that has the data.
func serveStdio(ctx context.Context, e *env) error {
	e.Door = task.DoorStdio
	return e.With(ctx, func(ctx context.Context, s *command.Session) error {
		if e.IsTerminal(e.Stdin) {
			e.HintText("stdio-typed")
		}
		return stdio.Run(ctx, e.Stdin, e.Stdout, s.Client)
	})
}

// takeOver opens the data directory, which one in the background gives up when no task is
// at work in it.
func takeOver(ctx context.Context, o background.ServerOptions) (*background.Server, error) {
	s, err := background.NewServer(ctx, o)
	var held *lock.HeldError
	if !errors.As(err, &held) {
		return s, err
	}
	inUse := problem.New(problem.CodeControllerInUse).With("pid", held.PID).Because(err)
	switch c, status, err := background.Find(ctx, o.App); {
	case err != nil:
		return nil, err
	case c == nil: // it ended meanwhile
	case !status.Background:
		return nil, inUse
	default:
		if err := c.EndProcess(ctx, api.EndRequest{}); err != nil {
			return nil, err
		}
		if err := background.AwaitEnd(ctx, o.App); err != nil {
			return nil, err
		}
	}
	if s, err = background.NewServer(ctx, o); errors.As(err, &held) {
		return nil, inUse
	}
	return s, err
}
