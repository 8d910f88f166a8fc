package mcpservers

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/approval"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/share"
	"piwork/vmhost/wire"
)

// Program is the program of a local server, and what it may see.
type Program struct {
	Task    string // for which it runs; "" for a check
	Agent   string // the AI program that works in the task; "" is pi
	Server  string
	By      approval.Who
	Argv    []string
	Env     map[string]string // with secrets: they are in nothing that is written
	Folders []task.Folder     // read-only
	Hosts   []string          // patterns of package policy

	Services []string // of the person, whose secrets are put in on the way

	Slow bool // the task that it is for works without acceleration, by choice
}

// Networked reports whether it has a network.
func (p Program) Networked() bool { return len(p.Hosts)+len(p.Services) > 0 }

// Starter starts programs of servers, each in a place of its own.
type Starter interface {
	// Start returns when the program runs. Closing what it returns ends the program and its
	// place, and waits until nothing of them is left; so does the end of ctx.
	Start(ctx context.Context, p Program) (Running, error)
}

// Running is a program that runs: its input and output.
type Running interface {
	io.ReadWriteCloser
	Tail() string // the end of what it printed to its standard error
}

// open starts a server and greets it; p says for whom. life ends the server at the latest; ctx bounds the
// start.
func (s *Servers) open(ctx, life context.Context, v Server, p Program) (*session, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startWithin, errors.New("the server took too long to start"))
	defer cancel()
	if v.remote() {
		return s.openRemote(ctx, life, v, p)
	}
	if v.Fetches() {
		return nil, problem.New(problem.CodeMCPServer).With("name", v.Name).By("fetches").With("program", v.Command)
	}
	env, err := s.env(ctx, v)
	if err != nil {
		return nil, err
	}
	folders, err := s.o.folders(v.Folders)
	if err != nil {
		return nil, err
	}
	p.Server, p.Argv, p.Env, p.Folders, p.Hosts, p.Services = v.Name, argv(v, folders), env, folders, v.Hosts, v.Services
	// The program lives longer than its start, and is ended when that is given up.
	living, end := context.WithCancel(life)
	unhook := context.AfterFunc(ctx, end)
	defer unhook()
	r, err := s.o.Start.Start(living, p)
	if err != nil {
		end()
		if ctx.Err() != nil && life.Err() == nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	over := func() {
		end()
		if err := r.Close(); err != nil {
			s.o.Log.Warn("the place of an MCP server did not end well", "server", v.Name, "error", err)
		}
	}
	t := &mcp.IOTransport{Reader: &bounded{r, maxOutput}, Writer: r, MaxLineLength: maxLine}
	return connect(ctx, t, newSecrets(env), false, r.Tail, over)
}

// folders are those of a server, with the names that they have where it runs.
func (o *Options) folders(paths []string) ([]task.Folder, error) {
	var out []task.Folder
	for i, p := range paths {
		real, err := o.Folder(p)
		if err != nil {
			return nil, err
		}
		if real != p { // a link leads elsewhere since
			return nil, problem.New(problem.CodeFolderRefused).With("path", p)
		}
		out = append(out, task.Folder{ID: "f" + strconv.Itoa(i+1), Path: p, Name: task.FolderName(filepath.Base(p), p, out), Mode: task.ModeReadOnly})
	}
	return out, nil
}

// argv is the command line of a server: paths in its folders are those that it sees.
func argv(v Server, folders []task.Folder) []string {
	out := []string{seen(v.Command, folders)}
	for _, a := range v.Args {
		out = append(out, seen(a, folders))
	}
	return out
}

// seen is a path in one of the folders as it is where they are shared. Anything else stays.
func seen(arg string, folders []task.Folder) string {
	if !filepath.IsAbs(arg) {
		return arg
	}
	names := []string{filepath.Clean(arg)}
	if real, err := share.RealPath(arg); err == nil { // as the folders are
		names = append(names, real)
	}
	for _, name := range names {
		for _, f := range folders {
			if task.Contains(f.Path, name) {
				rel, err := filepath.Rel(f.Path, name)
				if err == nil {
					return strings.TrimSuffix(wire.FoldersDir+"/"+f.Name+"/"+filepath.ToSlash(rel), "/.")
				}
			}
		}
	}
	return arg
}
