package parity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// maxText is how much output is compared, and kept, as text, in bytes.
const maxText = 2000

// Result is what came of a case.
type Result struct {
	Refused string `json:"refused,omitempty"` // the code of an action that did not run

	Exit   int    `json:"exit,omitempty"`
	Signal int    `json:"signal,omitempty"`
	Ended  string `json:"ended,omitempty"`
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`

	// Of a tool call; the output is then of the script after it.
	Made     map[string]string `json:"made,omitempty"` // SHA-256 by path
	Info     []any             `json:"info,omitempty"`
	Problems []string          `json:"problems,omitempty"`
	Programs []string          `json:"programs,omitempty"` // that did it
}

// player runs cases in one runtime.
type player struct {
	vmhost.Runtime
	base string // directory of all cases
}

func newPlayer(r vmhost.Runtime) player {
	return player{r, path.Join(r.InitData().Cwd, "parity")}
}

// dir is the directory of a case.
func (p player) dir(c Case) string {
	return path.Join(p.base, fmt.Sprintf("%x", sha256.Sum256([]byte(c.Name)))[:12])
}

// prepare makes the directories of cases.
func (p player) prepare(ctx context.Context, cases []Case) error {
	argv := []string{"mkdir", "-p"}
	for _, c := range cases {
		argv = append(argv, p.dir(c))
	}
	return p.plain(ctx, wire.ExecParams{Argv: argv})
}

// remove removes all directories of cases.
func (p player) remove(ctx context.Context) error {
	return p.plain(ctx, wire.ExecParams{Argv: []string{"sh", "-c", `chmod -R u+rwX "$1" && rm -rf "$1"`, "sh", p.base}})
}

// plain runs a program that has nothing to say.
func (p player) plain(ctx context.Context, e wire.ExecParams) error {
	obs, err := p.Execute(ctx, vmhost.Action{Exec: &e})
	if err == nil && (obs.Exec.ExitCode != 0 || len(obs.Exec.Stdout)+len(obs.Exec.Stderr) != 0) {
		err = fmt.Errorf("exit status %d\n%s%s", obs.Exec.ExitCode, obs.Exec.Stdout, obs.Exec.Stderr)
	}
	return err
}

// cannot says what a case needs that the runtime does not claim to have.
func (p player) cannot(c Case) string {
	has, l := p.Capabilities(), c.Exec.Limits
	switch {
	case c.Tool != nil && !has.Tools:
		return "operations"
	case l.WallMS > 0 && !has.Limits.Wall:
		return "a limit of time"
	case l.CPUMS > 0 && !has.Limits.CPU:
		return "a limit of processor time"
	case l.MemoryMB > 0 && !has.Limits.Memory:
		return "a limit of memory"
	case l.OutputBytes > 0 && !has.Limits.Output:
		return "a limit of output"
	}
	return ""
}

// play runs a case whose directory is there.
func (p player) play(ctx context.Context, c Case) (Result, error) {
	if c.Tool == nil {
		e := c.Exec
		if len(e.Argv) == 0 {
			e.Argv = []string{"/bin/sh", "-c", c.Script}
		}
		return p.exec(ctx, c, e)
	}
	if strings.TrimSpace(c.Script) != "" {
		e := c.Exec
		e.Argv, e.Cwd = []string{"/bin/sh", "-ec", c.Script}, p.dir(c)
		if err := p.plain(ctx, e); err != nil {
			return Result{}, fmt.Errorf("the inputs are not made: %w", err)
		}
	}
	got, err := p.tool(ctx, c)
	if err != nil || c.Then == "" {
		return got, err
	}
	after, err := p.exec(ctx, c, wire.ExecParams{Argv: []string{"/bin/sh", "-c", c.Then}, Env: c.Exec.Env})
	got.Exit, got.Signal, got.Ended, got.Stdout, got.Stderr = after.Exit, after.Signal, after.Ended, after.Stdout, after.Stderr
	return got, err
}

func (p player) exec(ctx context.Context, c Case, e wire.ExecParams) (Result, error) {
	if e.Cwd == "" {
		e.Cwd = p.dir(c)
	}
	var stdout, stderr bytes.Buffer
	obs, err := p.Execute(ctx, vmhost.Action{Exec: &e, OnOutput: func(o wire.ExecOutput) {
		if o.Stream == wire.Stdout {
			stdout.Write(o.Data)
		} else {
			stderr.Write(o.Data)
		}
	}})
	if refused, err := refusal(err); refused != "" || err != nil {
		return Result{Refused: refused}, err
	}
	r := obs.Exec
	return Result{
		Exit: r.ExitCode, Signal: r.Signal, Ended: r.Ended,
		Stdout: p.text(c, stdout.Bytes()), Stderr: p.text(c, stderr.Bytes()),
	}, nil
}

func (p player) tool(ctx context.Context, c Case) (Result, error) {
	call := wire.ToolParams{Op: c.Tool.Op}
	for _, name := range c.Tool.In {
		call.In = append(call.In, path.Join(p.dir(c), name))
	}
	if c.Tool.Out != "" {
		call.Out = path.Join(p.dir(c), c.Tool.Out)
	}
	params, err := json.Marshal(c.Tool.Params)
	if err == nil {
		err = json.Unmarshal(bytes.ReplaceAll(params, []byte("$DIR"), []byte(p.dir(c))), &call.Params)
	}
	if err != nil {
		return Result{}, err
	}
	obs, err := p.Execute(ctx, vmhost.Action{Tool: &call})
	if refused, err := refusal(err); refused != "" || err != nil {
		return Result{Refused: refused}, err
	}
	got := Result{Made: map[string]string{}}
	for _, f := range obs.Tool.Out {
		sum := f.SHA256
		if c.Random {
			sum = "random"
		}
		got.Made[p.place(c, f.Path)] = sum
	}
	for _, q := range obs.Tool.Problems {
		got.Problems = append(got.Problems, strings.Join(slices.DeleteFunc([]string{q.Code, p.place(c, q.Path), q.Entry, q.Cause}, func(s string) bool { return s == "" }), " "))
	}
	for name := range obs.Tool.Versions {
		got.Programs = append(got.Programs, name)
	}
	slices.Sort(got.Programs)
	info, err := json.Marshal(obs.Tool.Info)
	if err == nil {
		err = json.Unmarshal([]byte(p.place(c, string(info))), &got.Info)
	}
	return got, err
}

// refusal is the code of an action that did not run; any other error stays one.
func refusal(err error) (string, error) {
	if e, is := errors.AsType[*vmhost.ActionError](err); is {
		return string(e.Code), nil
	}
	return "", err
}

// place has /case in place of the directory of a case.
func (p player) place(c Case, s string) string { return strings.ReplaceAll(s, p.dir(c), "/case") }

// text is output as it is compared.
func (p player) text(c Case, b []byte) string {
	s := p.place(c, string(b))
	if len(s) > maxText || !utf8.ValidString(s) {
		return strconv.Itoa(len(s)) + " bytes, SHA-256 " + fmt.Sprintf("%x", sha256.Sum256([]byte(s)))
	}
	return s
}
