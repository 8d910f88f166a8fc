// Package execution makes the records of the audit log about what a task executes: what began,
// how it ended, and what went to which host meanwhile. It knows actions and places; what names
// and contents become in a record is package audit's.
package execution

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"time"

	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Execution is one of a task.
type Execution struct {
	ID      string
	Task    string
	Request string // x-request-id of who asked for the task
	Client  string // the program with a token that did; "" for the person
	Door    string // see task.DoorOf

	// Of one that ended, where its answer does not say.
	Took time.Duration
	In   []string // inputs of an operation
}

func (x Execution) record(e audit.Event) audit.Record {
	return audit.Record{Event: e, Exec: x.ID, Task: x.Task, Request: x.Request, Client: x.Client, Door: x.Door}
}

// Place is where an execution happens, and what it can reach there.
type Place struct {
	vmhost.Capabilities
	Accel   string
	Pack    string // version
	Network task.Network
	Folders []task.Folder
}

// Begin is the record of an execution that is about to start.
func (x Execution) Begin(k *audit.Key, at Place, a vmhost.Action) audit.Record {
	r := x.record(audit.EventBegin)
	r.Begin = audit.Begin{
		Runtime: at.Name, Isolation: string(at.Isolation), Domain: string(at.Domain), Accel: at.Accel, Pack: at.Pack, Network: string(at.Network),
	}
	for _, f := range at.Folders {
		r.Folders = append(r.Folders, audit.Folder{Path: k.Digest(f.Path), Mode: string(f.Mode)})
	}
	var in []string
	switch {
	case a.Exec != nil:
		r.Action, r.EnvNames, r.Args = "exec", envNames(a.Exec.Env), k.ArgsDigest(a.Exec.Argv)
		if len(a.Exec.Argv) > 0 {
			r.Program = audit.Program(a.Exec.Argv[0])
		}
	case a.Tool != nil:
		r.Action, r.Op, r.Out, in = "tool", a.Tool.Op, k.Digest(a.Tool.Out), a.Tool.In
		if params, err := json.Marshal(a.Tool.Params); err == nil && len(a.Tool.Params) > 0 {
			r.Args = k.Digest(string(params))
		}
	case a.File != nil && a.File.Op == wire.FileWrite:
		r.Action, r.Op, r.Out, r.Content = "file", a.File.Op, k.Digest(a.File.Path), k.Digest(string(a.Data))
	case a.File != nil:
		r.Action, r.Op, in = "file", a.File.Op, []string{a.File.Path}
	case a.Fetch != nil:
		r.Action, r.Out, in = "fetch", k.Digest(a.Fetch.Into), []string{a.Fetch.URL}
	case a.Page != nil:
		r.Action = "page"
		for _, s := range a.Page.Steps { // what is typed is not written down
			if s.Do == wire.PageOpen {
				in = append(in, s.URL)
			}
		}
	}
	if r.In, r.Inputs = k.Digests(in), len(in); r.Action == "fetch" || r.Action == "page" {
		r.Hosts = hosts(in)
	}
	return r
}

const maxEnvNames = 100

var plainVariable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// envNames are the names of variables, as far as they are such.
func envNames(env map[string]string) []string {
	out := slices.DeleteFunc(slices.Sorted(maps.Keys(env)), func(s string) bool { return !plainVariable.MatchString(s) })
	return out[:min(len(out), maxEnvNames)]
}

// hosts are those of addresses, each once.
func hosts(addresses []string) (out []string) {
	for _, a := range addresses {
		u, err := url.Parse(a)
		if err == nil && u.Hostname() != "" && !slices.Contains(out, u.Hostname()) && len(out) < audit.MaxPaths {
			out = append(out, u.Hostname())
		}
	}
	return out
}

// End is the record of an execution that ended.
func (x Execution) End(obs vmhost.Observation, err error) audit.Record {
	r := x.record(audit.EventEnd)
	r.WallMS = x.Took.Milliseconds()
	switch {
	case err != nil:
		r.Ended, r.Problem = audit.EndedError, problem.From(err).Code
	case obs.Exec != nil:
		r.Exit, r.Ended, r.WallMS = &obs.Exec.ExitCode, obs.Exec.Ended, obs.Exec.WallMS
	case obs.Tool != nil:
		r.WallMS, r.Problem = obs.Tool.WallMS, x.failure(obs.Tool)
	}
	return r
}

// failure is why an operation failed as a whole: by itself, or since it made nothing and each of
// its inputs failed.
func (x Execution) failure(r *wire.ToolResult) string {
	all := ""
	failed := map[string]bool{}
	for _, p := range r.Problems {
		switch {
		case p.Code == tools.MoreResults: // no failure
		case p.Path == "":
			return p.Code
		default:
			all, failed[p.Path] = cmp.Or(all, p.Code), true
		}
	}
	if len(r.Out) > 0 || len(r.Info) > 0 || slices.ContainsFunc(x.In, func(in string) bool { return !failed[in] }) {
		return ""
	}
	return all
}
