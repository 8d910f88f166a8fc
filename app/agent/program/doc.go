// Package program says which AI programs there are: pi, which every runtime has, and those that
// a person installs as add-ons. Each is a row of one table: what it is called, the add-on that has
// it, how it is started, and how one talks to it.
//
//	Find(name) → Program.Command(Config) → agent.Launch     pure, as agent.Command
//	           → Program.Session(Options) → Session         pi's protocol, or the Agent Client Protocol
//
// Whatever the program, the rest of a task is the same: it runs in the task's machine, its
// commands are run by the host (agentkit.PathCommand), its files are those of the share, its models
// are reached through the gateway of the task alone, which has the keys and counts the budget.
//
// # opencode
//
// opencode (pack/image/addons.go) speaks the protocol with `opencode acp`. Only the configuration
// that is laid down here is read: none that lies in a folder, and none that an earlier run left,
// whose home is emptied but for its sessions. Everything that would reach out by
// itself is off: updates, its list of models, sharing, downloads of language servers, formatters
// and plugins, its tools for the web. It installs a package into its directory of settings unless
// that has it: the files that say so are laid down, too. What its tool for commands calls its shell
// sends the command to the host, as pi's tool does, so that what is judged and shown is what runs;
// its other tools for files work without a question, as those of pi do. It listens on an address of
// the machine, with a password of the run: a command of the task runs beside it and cannot read
// its environment.
//
// Tools of the person's MCP servers are an MCP server of ours to it (agentkit.MCP), which has the
// host call them, as pi's extension does: the host asks about each call.
//
// Models that need more than a key are left out (subscriptions, and services whose protocol it does
// not speak, see app/gateway/provider.OtherModels).
//
// # Another program
//
// One that speaks the Agent Client Protocol is a row here, an add-on in pack/image, and a test
// with the real one.
package program
