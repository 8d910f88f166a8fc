package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"piwork/pack/tools"
)

func toolCommand(e *env) *cobra.Command {
	return command.Group("tool",
		toolListCommand(e), toolRunCommand(e),
	)
}

func toolListCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Args: cobra.NoArgs,
		RunE: command.Do(func(context.Context, []string) error {
			all := tools.Catalogue()
			return e.Reply(all, nil, func() {
				for _, d := range all {
					made := "tool-report"
					switch d.Out {
					case tools.OutFile, tools.OutEach:
						made = "tool-file"
					case tools.OutFolder:
						made = "tool-folder"
					}
					if d.Changes {
						made = "tool-changes"
					}
					terminal.Texts().Tool(&d)
					e.Print("%s: %s (%s; %s)", d.Name, d.About, terminal.Text(made), terminal.Text("tool-bounds", "memory", d.Bounds.MemoryMB, "count", d.Bounds.Processors))
					properties := properties(d)
					for _, name := range slices.Sorted(maps.Keys(properties)) {
						e.Print("  --set %s=%s", name, choices(properties[name]))
					}
				}
			})
		}),
	}
}

// properties are the parameters in an operation's schema.
func properties(d tools.Description) map[string]map[string]any {
	all, _ := d.Params["properties"].(map[string]any)
	out := map[string]map[string]any{}
	for name, v := range all {
		if p, ok := v.(map[string]any); ok {
			out[name] = p
		}
	}
	return out
}

// choices says what a parameter can be.
func choices(p map[string]any) string {
	text := wording.Name("value-type", wording.Shown(p["type"]))
	one := p
	items, several := p["items"].(map[string]any)
	if several {
		one, text = items, wording.Name("value-type", "string")
	}
	switch values := one["enum"].(type) {
	case []any:
		text = strings.ReplaceAll(wording.Shown(values), ", ", "|")
	case []string:
		text = strings.Join(values, "|")
	}
	if several {
		text = terminal.Text("tool-several", "values", text)
	}
	if d := p["default"]; wording.Shown(d) != "" {
		text += "  (" + terminal.Text("default", "value", wording.Shown(d)) + ")"
	}
	return text
}

// typed gives the values of --set the types of an operation's schema. What is
// not in it stays text: the operation says what is wrong with it.
func typed(op string, set map[string]any) map[string]any {
	for _, d := range tools.Catalogue() {
		if d.Name != op {
			continue
		}
		for name, p := range properties(d) {
			text, ok := set[name].(string)
			if !ok {
				continue
			}
			switch wording.Shown(p["type"]) {
			case "integer":
				if n, err := strconv.ParseInt(text, 10, 64); err == nil {
					set[name] = n
				}
			case "number":
				if n, err := strconv.ParseFloat(text, 64); err == nil {
					set[name] = n
				}
			case "boolean":
				if b, err := strconv.ParseBool(text); err == nil {
					set[name] = b
				}
			}
		}
	}
	return set
}

func toolRunCommand(e *env) *cobra.Command {
	var in, set []string
	var out string
	var room flags.Machine
	var bound flags.Bounds
	var background detach
	cmd := &cobra.Command{Use: "run OP --in FILE... [--out FILE] [--set NAME=VALUE]...", Args: cobra.ExactArgs(1)}
	f := cmd.Flags()
	f.StringArrayVar(&in, "in", nil, "")
	f.StringVar(&out, "out", "", "")
	f.StringArrayVar(&set, "set", nil, "")
	bound.AddLimits(cmd)
	room.Add(cmd)
	background.add(cmd)
	cmd.RunE = command.Do(func(ctx context.Context, args []string) error {
		limits, err := bound.Limits()
		if err != nil {
			return err
		}
		req, err := toolRequest(ctx, e, args[0], in, out, set)
		if err == nil {
			req.Limits = limits
			err = room.Fill(&req)
		}
		if err != nil {
			return err
		}
		req.Accel, req.Accept = e.Accel, e.Yes
		return e.With(ctx, func(ctx context.Context, s *session) error { return background.startTask(ctx, s, req) })
	})
	return cmd
}

// fromStdin as a secret's value means: ask for it, or read a line.
const fromStdin = "-"

// askSecrets puts what was typed in the places of an operation's passwords. On a
// command line they would be seen by every program of this computer.
func askSecrets(ctx context.Context, e *env, op string, params map[string]any) error {
	o, ok := tools.Find(op)
	if !ok {
		return nil // is said later, and better
	}
	for _, name := range o.Secrets() {
		value, given := params[name]
		switch {
		case !given:
			continue
		case value != fromStdin:
			return flags.Usage("password-dash", "name", name)
		}
		typed, err := e.Prompt(ctx, "prompt-password", "about", name)
		if err != nil {
			return fmt.Errorf("read the %s: %w", name, err)
		}
		params[name] = typed
	}
	return nil
}

// toolRequest is the request for an operation on files as they were typed.
func toolRequest(ctx context.Context, e *env, op string, in []string, out string, set []string) (tasks.StartRequest, error) {
	var req tasks.StartRequest
	if len(in) == 0 {
		return req, flags.Usage("which-file")
	}
	all := tools.Catalogue()
	i := slices.IndexFunc(all, func(d tools.Description) bool { return d.Name == op })
	if i < 0 {
		var names []string
		for _, d := range all {
			names = append(names, d.Name)
		}
		return req, flags.Usage("no-tool", "name", op, "similar", flags.Similar(op, names))
	}
	params, err := flags.ParseSet(set)
	if err == nil {
		err = flags.KnownSet(params, op, slices.Sorted(maps.Keys(properties(all[i]))))
	}
	if err != nil {
		return req, err
	}
	if err := askSecrets(ctx, e, op, params); err != nil {
		return req, err
	}
	paths := e.Paths(ctx)
	call := tasks.ToolCall{Call: toolcall.Call{Op: op, Params: typed(op, params)}}
	for _, file := range in {
		abs, err := paths.Abs(file)
		if err != nil {
			return req, err
		}
		if _, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) && !paths.There() {
			return req, flags.Usage("no-file", "path", abs)
		}
		call.In = append(call.In, abs)
	}
	if o, ok := tools.Find(op); ok && out == "" && o.Out != tools.OutNone {
		return req, flags.Usage("which-result", "name", op)
	}
	if out != "" {
		if call.Out, err = paths.Abs(out); err != nil {
			return req, err
		}
		if info, err := os.Lstat(call.Out); err == nil && !info.IsDir() && !paths.There() { // before a workroom opens for nothing
			return req, flags.Usage("file-exists", "path", call.Out)
		}
	}
	return call.Request()
}
