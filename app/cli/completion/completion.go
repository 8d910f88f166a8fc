// Package completion completes what commands take: chores, tools, services, models, hosts,
// folders, versions and add-ons of the runtime.
package completion

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"piwork/app/chore"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/consent"
	"piwork/app/gateway/provider"
	"piwork/app/runtimepack"
	"piwork/app/task"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/network/policy"
)

// Versions are the installed ones that fit.
func Versions(fits func(runtimepack.Info) bool) command.Offer {
	return command.Asked(func(ctx context.Context, s *command.Session) (out []cobra.Completion) {
		packs, err := s.Packs(ctx)
		if err != nil {
			return nil
		}
		for _, p := range packs {
			if fits(p) {
				out = append(out, p.Version)
			}
		}
		return out
	})
}

// AddOns are the names of those that fit.
func AddOns(fits func(runtimepack.AddOn) bool) command.Offer {
	return command.Asked(func(ctx context.Context, s *command.Session) (out []cobra.Completion) {
		all, err := s.AddOns(ctx)
		if err != nil {
			return nil
		}
		for _, a := range all {
			if fits(a) {
				out = append(out, a.Name)
			}
		}
		return out
	})
}

// AnyVersion fits each.
func AnyVersion(runtimepack.Info) bool { return true }

// Removable fits what is not in use.
func Removable(p runtimepack.Info) bool { return !p.Current && !p.InUse }

// Installed fits what is there.
func Installed(a runtimepack.AddOn) bool { return a.Installed }

// NotThereYet fits what is not.
func NotThereYet(a runtimepack.AddOn) bool { return !a.Installed }

// completed are the arguments of commands by their paths, and the values of flags, that can
// be completed beyond what the commands do themselves.
func completed(e *command.Env) (arguments, values map[string]command.Offer) {
	return map[string]command.Offer{
			"run": choreNames, "chore show": choreNames, "tool run": toolNames,
			"runtime test": runtimeKinds, "runtime prefer": runtimeKinds, "runtime allow": runtimeKinds, "remote test": remoteNames, "remote clean": remoteNames, "remote install": otherComputers(e), "remote remove": remoteNames, "key set": providers, "key test": providers, "key remove": providers, "key login": providers, "key model": modelNames,
			"mcp-server check": serverNames, "mcp-server remove": serverNames, "mcp-server allow": serverNames, "mcp-server deny": serverNames, "mcp-server login": serverNames, "mcp-server logout": serverNames,
			"service show": serviceNames, "service secret": serviceNames, "service test": serviceNames, "service remove": serviceNames,
			"network allow": presetNames("preset:"), "network deny": hosts, "network forget": hosts, "network presets": presetNames(""),
		}, map[string]command.Offer{
			"service": serviceNames, "model": modelNames, "default": modelNames, "allow-preset": presetNames(""), "task": e.TaskOffer(command.TaskAtWork),
			"accel": theseWords("tcg"), "runtime": runtimeKinds, "on": otherComputers(e),
		}
}

// Add has the commands of a program complete their arguments and flags.
func Add(e *command.Env, root *cobra.Command) {
	arguments, values := completed(e)
	var each func(c *cobra.Command, path string)
	each = func(c *cobra.Command, path string) {
		if of := arguments[path]; of != nil && c.ValidArgsFunction == nil {
			c.ValidArgsFunction = e.Complete(of, cobra.ShellCompDirectiveNoFileComp)
			if strings.HasSuffix(c.Use, "...") {
				c.ValidArgsFunction = e.CompleteEach(of, cobra.ShellCompDirectiveNoFileComp)
			}
		}
		flag := func(f *pflag.Flag) {
			if _, there := c.GetFlagCompletionFunc(f.Name); there {
				return
			}
			if w, is := f.Value.(*flags.Words); is {
				e.CompleteFlag(c, f.Name, theseWords(w.Known...))
			} else if of := values[f.Name]; of != nil {
				e.CompleteFlag(c, f.Name, of)
			}
			if f.Name == "folder" && f.Value.Type() == "stringArray" {
				_ = c.RegisterFlagCompletionFunc(f.Name, func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
					if e.On != "" { // its folders are not here
						return nil, cobra.ShellCompDirectiveNoFileComp
					}
					return completeFolder(c, args, begun)
				})
			}
		}
		c.Flags().VisitAll(flag) // LocalFlags joins those of all parents first, which takes a while
		c.PersistentFlags().VisitAll(flag)
		for _, sub := range c.Commands() {
			each(sub, strings.TrimSpace(path+" "+sub.Name()))
		}
	}
	each(root, "")
}

// completeFolder completes a folder, and behind one its mode.
func completeFolder(_ *cobra.Command, _ []string, begun string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	if i := strings.LastIndexByte(begun, ':'); i > 0 {
		if info, err := os.Stat(begun[:i]); err == nil && info.IsDir() {
			for _, mode := range []task.Mode{task.ModeReadOnly, task.ModeReadWrite, task.ModeReview} {
				if word := begun[:i+1] + string(mode); strings.HasPrefix(word, begun) {
					out = append(out, word)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// theseWords offers some words.
func theseWords(list ...cobra.Completion) command.Offer {
	return func(context.Context, *command.Session) []cobra.Completion { return list }
}

// runtimeKinds are the kinds of places that this program can have.
func runtimeKinds(ctx context.Context, s *command.Session) []cobra.Completion {
	kinds := []cobra.Completion{vmhost.KindVM, vmhost.KindSandbox, vmhost.KindContainer, vmhost.KindHost}
	if s != nil {
		all, _ := s.Remotes(ctx)
		for _, r := range all {
			kinds = append(kinds, r.Kind())
		}
	}
	return kinds
}

// serverNames are those of MCP servers.
func serverNames(ctx context.Context, s *command.Session) (out []cobra.Completion) {
	all, _ := s.MCPServers(ctx)
	for _, v := range all {
		out = append(out, v.Name)
	}
	return out
}

// remoteNames are those of the other computers.
func remoteNames(ctx context.Context, s *command.Session) (out []cobra.Completion) {
	all, _ := s.Remotes(ctx)
	for _, r := range all {
		out = append(out, cobra.CompletionWithDesc(r.Name, r.Address))
	}
	return out
}

// otherComputers are the names of those on which a piwork can be; that needs no controller.
func otherComputers(e *command.Env) command.Offer {
	return func(ctx context.Context, _ *command.Session) (out []cobra.Completion) {
		known, err := e.Computers()
		if err != nil {
			return nil
		}
		all, _ := known.Remotes(ctx)
		for _, r := range all {
			if r.Cluster == nil {
				out = append(out, cobra.CompletionWithDesc(r.Name, r.Address))
			}
		}
		return out
	}
}

// serviceNames are those that a person lets tasks use.
func serviceNames(ctx context.Context, s *command.Session) (out []cobra.Completion) {
	all, _ := s.Services(ctx)
	for _, v := range all {
		out = append(out, v.Name)
	}
	return out
}

// choreNames are those of the ready-made chores.
func choreNames(context.Context, *command.Session) (out []cobra.Completion) {
	for _, c := range chore.All() {
		terminal.Texts().Chore(&c)
		out = append(out, cobra.CompletionWithDesc(c.Name, c.About))
	}
	return out
}

// toolNames are those of the operations on files.
func toolNames(context.Context, *command.Session) (out []cobra.Completion) {
	for _, d := range tools.Catalogue() {
		terminal.Texts().Tool(&d)
		out = append(out, cobra.CompletionWithDesc(d.Name, d.About))
	}
	return out
}

// providers are the services of AI, and of those that a person made where they are known.
func providers(ctx context.Context, s *command.Session) (out []cobra.Completion) {
	if s != nil {
		if list, err := s.Keys(ctx); err == nil {
			for _, k := range list {
				out = append(out, cobra.CompletionWithDesc(k.Provider, k.Name))
			}
			return out
		}
	}
	for _, p := range provider.Builtin() {
		out = append(out, cobra.CompletionWithDesc(p.ID, p.Name))
	}
	return out
}

// modelNames are the models that there is a key for.
var modelNames = command.Asked(func(ctx context.Context, s *command.Session) (out []cobra.Completion) {
	m, err := s.Models(ctx)
	if err != nil {
		return nil
	}
	for _, i := range m.List {
		out = append(out, i.ID)
	}
	return out
})

// presetNames are the groups of hosts, before which with stands.
func presetNames(with string) command.Offer {
	return func(context.Context, *command.Session) (out []cobra.Completion) {
		for _, p := range policy.Presets() {
			out = append(out, cobra.CompletionWithDesc(with+p.Code, strings.Join(p.Hosts, ", ")))
		}
		return out
	}
}

// hosts are those that something was decided about, and groups of them.
func hosts(ctx context.Context, s *command.Session) (out []cobra.Completion) {
	if s != nil {
		if n, err := s.NetworkRules(ctx); err == nil {
			for _, r := range n.Rules {
				if name, ok := strings.CutPrefix(r.Topic, consent.NetworkTopic(consent.NetworkRuleRequest{})); ok {
					out = append(out, name)
				}
			}
		}
	}
	return append(out, presetNames("preset:")(ctx, s)...)
}
