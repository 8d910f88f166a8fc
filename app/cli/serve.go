package cli

import (
	"context"
	"net"
	"os"

	"github.com/spf13/cobra"

	"piwork/app/api"
	"piwork/app/cli/flags"
	"piwork/app/problem"
)

func serveCommand(e *env) *cobra.Command {
	var addr string
	cmd := &cobra.Command{Use: "serve [--http 127.0.0.1:0]", Args: cobra.NoArgs}
	cmd.Flags().StringVar(&addr, "http", "", "")
	cmd.RunE = do(func(ctx context.Context, _ []string) error {
		s, err := e.connect(ctx, e.appOptions())
		if err != nil {
			return err
		}
		if s.Own == nil {
			return problem.New(problem.CodeControllerInUse)
		}
		err = answerOthers(ctx, s, addr)
		if cerr := s.close(ctx); err == nil { // ctx is over, so it waits for nobody
			err = cerr
		}
		return err
	})
	return cmd
}

// served is the answer of serve: where it answers.
type served struct {
	PID    int    `json:"pid"`
	Socket string `json:"socket"`
	HTTP   string `json:"http,omitempty"`  // base address
	Token  string `json:"token,omitempty"` // bearer token for it
	Page   string `json:"page,omitempty"`  // for a browser; holds the token
}

func answerOthers(ctx context.Context, s *session, addr string) error {
	if err := s.SocketError(); err != nil {
		return err
	}
	where := served{PID: os.Getpid(), Socket: s.Own.Socket()}
	over := make(chan error, 1)
	if addr != "" {
		ln, err := api.ListenLoopback(addr)
		if err != nil {
			return flags.Usage("raw", "error", err)
		}
		bound, _ := ln.Addr().(*net.TCPAddr)
		where.Token = api.NewToken()
		h, err := s.API.Guarded(api.Guard{Token: where.Token, Addr: bound, Pages: s.options.Pages})
		if err != nil {
			_ = ln.Close()
			return err
		}
		where.HTTP = "http://" + ln.Addr().String()
		where.Page = where.HTTP + "/#token=" + where.Token
		go func() { over <- api.Serve(ctx, ln, h) }()
	}
	if s.JSON {
		s.JSONLine(where)
	} else {
		s.PrintText("serve-socket", "socket", where.Socket)
		if where.Page != "" {
			s.PrintText("serve-page", "page", where.Page)
		}
		s.HintText("serve-end")
	}
	select {
	case <-ctx.Done():
	case err := <-over:
		return err
	case <-s.Moved():
		s.HintText("serve-moved")
	}
	if addr != "" && ctx.Err() != nil {
		return <-over
	}
	return nil
}
