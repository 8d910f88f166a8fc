// Package policy has the commands on written rules: what they are, whether a file of them is
// in order, what they say to something and why, and whether they say what a file of cases
// expects.
package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/consent"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/words"
)

// Command has all of them.
func Command(e *command.Env) *cobra.Command {
	return command.Group("policy", show(e), check(e), explain(e), test(e), proposals(e), exceptions(e))
}

func show(e *command.Env) *cobra.Command {
	var cedar bool
	cmd := e.Command("show", cobra.NoArgs, func(ctx context.Context, s *command.Session, _ []string) error {
		p, err := s.Policy(ctx)
		return s.Reply(p, err, func() {
			for _, f := range p.Files {
				switch {
				case f.Fault != nil:
					s.Print("%s\n  %s", fault(f.Fault), f.Fault.Message)
				case f.There:
					s.PrintText("policy-file", "layer", string(f.Layer), "path", f.Path)
				default:
					s.PrintText("policy-no-file", "layer", string(f.Layer), "path", f.Path)
				}
			}
			layer := policy.Layer("")
			for _, r := range p.Rules {
				if r.Layer != layer {
					layer = r.Layer
					s.Print("\n%s", terminal.Text("policy-layer", "layer", string(layer)))
				}
				printRule(s.Terminal, r)
				if cedar {
					for line := range strings.Lines(r.Cedar) {
						s.Print("      %s", strings.TrimRight(line, "\r\n"))
					}
				}
			}
		})
	})
	cmd.Flags().BoolVar(&cedar, "cedar", false, "")
	return cmd
}

// printRule prints a rule in words, and what is to be doubted of it.
func printRule(t *terminal.Terminal, r policy.WrittenRule) {
	t.Print("  %-27s %s", r.ID, r.Said)
	if r.Doubt != "" {
		t.Print("      %s", terminal.Text("policy-doubt", "line", r.Line, "why", r.Doubt))
	}
}

// fault says what is wrong with a file.
func fault(f *policy.RuleFault) string {
	words.PolicyFault(terminal.Texts(), f, f.Path != "")
	return f.Said
}

// checked is what a file of rules is found to be.
type checked struct {
	Path  string               `json:"path"`
	Fault *policy.RuleFault    `json:"fault,omitempty"`
	Rules []policy.WrittenRule `json:"rules"`
}

// check needs no controller for a file: who prepares one for others has none.
func check(e *command.Env) *cobra.Command {
	return &cobra.Command{Use: "check [FILE|-]", Args: cobra.MaximumNArgs(1), RunE: command.Do(func(ctx context.Context, args []string) error {
		if len(args) == 0 {
			return e.With(ctx, func(ctx context.Context, s *command.Session) error {
				p, err := s.Policy(ctx)
				if err != nil {
					return err
				}
				all := []checked{}
				for _, f := range p.Files {
					c := checked{Path: f.Path, Fault: f.Fault, Rules: []policy.WrittenRule{}}
					for _, r := range p.Rules {
						if r.Layer == f.Layer {
							c.Rules = append(c.Rules, r)
						}
					}
					if f.There || f.Fault != nil {
						all = append(all, c)
					}
				}
				return found(e, all, true)
			})
		}
		text, err := read(ctx, e, args[0])
		if err != nil {
			return err
		}
		c := checked{Path: args[0]}
		c.Rules, c.Fault = policy.Check(text)
		for i := range c.Rules {
			words.PolicyRule(terminal.Texts(), &c.Rules[i])
		}
		if c.Fault != nil {
			c.Fault.Path = args[0]
		}
		return found(e, []checked{c}, false)
	})}
}

func found(e *command.Env, all []checked, inUse bool) error {
	code := command.ExitDone
	for _, c := range all {
		if c.Fault != nil {
			code = command.ExitFailed
			words.PolicyFault(terminal.Texts(), c.Fault, inUse)
		}
	}
	e.Show(all, func() {
		if len(all) == 0 {
			e.PrintText("policy-none")
		}
		for _, c := range all {
			if f := c.Fault; f != nil {
				e.Print("%s:%d:%d: %s", c.Path, f.Line, f.Column, f.Message)
				e.Print("%s", f.Said)
				continue
			}
			doubted := slices.ContainsFunc(c.Rules, func(r policy.WrittenRule) bool { return r.Doubt != "" })
			e.PrintText("policy-good", "path", c.Path, "count", len(c.Rules), "doubted", doubted)
			for _, r := range c.Rules {
				printRule(e.Terminal, r)
			}
		}
	})
	if code != command.ExitDone {
		return &command.Ended{Code: code}
	}
	return nil
}

// read reads a file of rules or cases, "-" the standard input; it is bounded.
func read(ctx context.Context, e *command.Env, name string) (string, error) {
	in := e.Stdin
	if name != "-" {
		path, err := flags.GivenFile(name)
		if err != nil {
			return "", err
		}
		f, err := os.Open(path)
		if err != nil {
			return "", problem.From(err)
		}
		defer f.Close()
		in = f
	}
	data, err := flags.ReadUpTo(ctx, in, maxCases+1)
	if err != nil {
		return "", problem.From(err)
	}
	if len(data) > maxCases {
		return "", flags.Usage("policy-large", "path", name, "bytes", maxCases)
	}
	return string(data), nil
}

// maxCases is the largest file that is read, in bytes.
const maxCases = 4 << 20

// Case is one of a file of cases: a request, and what the rules are to say to it.
type Case struct {
	Name string `json:"name,omitempty"`
	policy.Request
	Expect policy.Effect `json:"expect"`
	Rule   string        `json:"rule,omitempty"` // that is to decide; "" is any
}

// tested is how a case went.
type tested struct {
	Case
	Got  policy.Decision `json:"got"`
	Good bool            `json:"good"`
}

// cases reads a file of cases, in YAML or JSON.
func cases(text string) ([]Case, error) {
	var tree any
	if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
		return nil, err
	}
	data, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	var out []Case
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields() // a misspelled condition would be none
	if err := d.Decode(&out); err != nil {
		return nil, err
	}
	for i, c := range out {
		switch {
		case c.Expect != policy.Allow && c.Expect != policy.Ask && c.Expect != policy.Deny:
			return nil, fmt.Errorf("case %d: expect is allow, ask or deny", i+1)
		case c.Action == "":
			return nil, fmt.Errorf("case %d: action is missing", i+1)
		}
	}
	return out, nil
}

func test(e *command.Env) *cobra.Command {
	var candidate string
	cmd := e.Command("test FILE", cobra.ExactArgs(1), func(ctx context.Context, s *command.Session, args []string) error {
		if args[0] == "-" && candidate == "-" { // the second reader would get nothing, and test no rule
			return flags.Usage("exclude", "one", "test -", "other", "--file -")
		}
		text, err := read(ctx, e, args[0])
		if err != nil {
			return err
		}
		list, err := cases(text)
		if err != nil {
			return flags.Usage("policy-cases", "path", args[0], "why", err.Error())
		}
		var rules *string
		if candidate != "" {
			text, err := read(ctx, e, candidate)
			if err != nil {
				return err
			}
			rules = &text
		}
		out := []tested{}
		bad := 0
		for _, c := range list {
			x, err := s.ExplainPolicy(ctx, consent.ExplainRequest{Request: c.Request, Text: rules})
			if err != nil {
				return err
			}
			t := tested{Case: c, Got: x.Decision}
			if t.Good = x.Effect == c.Expect && (c.Rule == "" || c.Rule == x.Rule); !t.Good {
				bad++
			}
			out = append(out, t)
		}
		s.Show(out, func() {
			for i, t := range out {
				if !t.Good {
					s.PrintText("policy-case", "n", i+1, "name", t.Name, "want", string(t.Expect), "rule", t.Case.Rule, "got", string(t.Got.Effect), "by", t.Got.Name())
				}
			}
			s.PrintText("policy-cases-done", "count", len(out), "bad", terminal.Some(bad))
		})
		if bad > 0 {
			return &command.Ended{Code: command.ExitFailed}
		}
		return nil
	})
	cmd.Flags().StringVar(&candidate, "file", "", "")
	return cmd
}
