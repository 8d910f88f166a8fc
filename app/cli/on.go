package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/pack/lazyregexp"
)

// reach says on which computer a command works.
type reach int

const (
	anywhere reach = iota + 1 // on that of --on, through the piwork there
	onlyHere                  // on this one: it refuses another
	itself                    // it is about this program: --on is refused, PIWORK_ON means others
)

// reaches has every command, by its path. One that is missing works only here.
var reaches = map[reach]string{
	anywhere: `run; ask; exec; chore list; chore show; tool run;
		task attach; task list; task accept; task cancel; task wait; task prune; task search; task show; task changes; task diff;
		task undo; task redo; task apply; task resume; task again; task folder add; task folder remove; task requests;
		task file list; task file read; task file stat; task file write; task file watch; task fetch; task visit; task log;
		task results; task export; task say; task unsay; task model; task compact; task answer; task rename; task delete;
		session create; session list; session show; session run; session attach; session signal; session close;
		status; doctor; health; prepare; settings; config show; config set; config edit;
		runtime list; runtime test; runtime prefer; runtime allow; runtime explain;
		pack list; pack show; pack update; pack channel; pack rollback; pack remove; pack repair; pack addon list; pack addon install; pack addon remove;
		storage; storage clean; storage caches; storage empty; storage back;
		key set; key list; key test; key remove; key models; key agents; key model; key store; key unlock; key passphrase;
		service add; service list; service show; service secret; service test; service remove;
		network; network show; network presets; network search; network allow; network deny; network forget;
		rules list; rules remove; rules expire; rules narrow; policy show; policy explain;
		policy proposals list; policy proposals accept; policy proposals drop; policy exceptions list; policy exceptions remove;
		mcp-server add; mcp-server import; mcp-server reach; mcp-server list; mcp-server check; mcp-server allow; mcp-server deny; mcp-server logout; mcp-server remove;
		token create; token list; token revoke; logs; audit show; audit verify; audit export; diagnostics`,
	// Files of this computer, windows and browsers of it, programs that are started here.
	onlyHere: `pack verify; pack install; pack bundle; pack build; storage move; key login; mcp-server login; mcp; acp;
		config validate; policy check; policy test`,
	itself: `tool list; serve; dial-stdio; remote add; remote list; remote test; remote install; remote clean; remote remove; licences; version; exit-codes;
		help; completion; completion bash; completion zsh; completion fish; completion powershell; __complete; __completeNoDesc`,
}

// hereFlags are about this computer, whatever the command is.
var hereFlags = []string{"data-dir", "env-secret", "header-secret", "client-secret", "ca-file"}

// reachOf finds a command in the table.
func reachOf(c *cobra.Command) (reach, string) {
	path := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), c.Root().Name()))
	for r, list := range reaches {
		for one := range strings.SplitSeq(list, ";") {
			if strings.Join(strings.Fields(one), " ") == path {
				return r, path
			}
		}
	}
	if c.HasSubCommands() && path != "" { // it says what is below it
		return itself, path
	}
	return onlyHere, path
}

// chooseComputer finds out on which computer a command works, and refuses another one than
// it can work on.
func chooseComputer(e *env, c *cobra.Command) error {
	given := c.Flag("on").Changed
	if !given {
		e.On = os.Getenv(command.EnvOn)
	}
	r, path := reachOf(c)
	switch {
	case e.On == "", strings.HasPrefix(path, cobra.ShellCompRequestCmd):
		return nil
	case r == itself && !given, c == c.Root():
		e.On = ""
		return nil
	case r != anywhere:
		return flags.Usage("on-here", "command", path, "name", e.On, "variable", !given)
	}
	for _, name := range hereFlags {
		if f := c.Flag(name); f != nil && f.Changed {
			return flags.Usage("on-flag", "flag", "--"+name, "name", e.On)
		}
	}
	e.Elsewhere = onOther(e.On)
	return nil
}

// spoken is a command in a text, with what may be the path of one below it.
var spoken = lazyregexp.New(`\bpiwork( [a-z][a-z-]*){1,3}`)

// onOther has each command that a text names be for another computer: what is refused there is
// no better done on this one, whose tasks and runtime are others. What is about this program
// stays as it is.
func onOther(name string) func(text string) string {
	return func(text string) string {
		return spoken().ReplaceAllStringFunc(text, func(found string) string {
			said, _ := strings.CutPrefix(found, "piwork")
			if !namesCommand(strings.Fields(said)) {
				return found
			}
			return "piwork --on " + name + said
		})
	}
}

// namesCommand reports whether words begin with a command that is done on some computer, or with
// a group of such.
func namesCommand(said []string) bool {
	for n := len(said); n > 0; n-- {
		path, group := strings.Join(said[:n], " "), false
		for r, list := range reaches {
			for one := range strings.SplitSeq(list, ";") {
				one = strings.Join(strings.Fields(one), " ")
				if one == path {
					return r != itself
				}
				group = group || r != itself && strings.HasPrefix(one, path+" ")
			}
		}
		if group {
			return true
		}
	}
	return false
}

// reachable are the commands of a table, for the test that it is complete.
func reachable() (out []string) {
	for _, list := range reaches {
		for one := range strings.SplitSeq(list, ";") {
			out = append(out, strings.Join(strings.Fields(one), " "))
		}
	}
	slices.Sort(out)
	return out
}
