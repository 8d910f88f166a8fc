package guard

import (
	"slices"

	"piwork/vmhost/share/internal/at"
)

// Effect is what a change does to a path.
type Effect uint8

// Effects. They can be joined.
const (
	Create    Effect = 1 << iota // something new, where nothing was
	Change                       // of content, in part, or of mode and times
	Overwrite                    // content is cut off or replaced
	Move                         // from Path to To
	Delete

	Any = Create | Change | Overwrite | Move | Delete
)

// Intent is a change that is about to be made.
type Intent struct {
	Folder   string // its id in the task
	Path, To string // in the folder, slash-separated; To with Move and with a new name of a file
	Effect   Effect
	Kind     at.Kind
	ID       at.ID // of what is changed; zero with Create
	Program  bool  // a file that may be executed
	// Original says that what is changed was there before the task. With Create:
	// that where it goes may be of interest.
	Original bool
	// Made is how many of the directories right above Path the task made, with
	// Create: the nearest that was there before is above these.
	Made int
	// Instead says that a link takes a name that meant a person's directory, with
	// Create: what that held is looked for where the link leads.
	Instead bool
	Size    int64 // bytes
}

// Verdict is what a rule says.
type Verdict uint8

// Verdicts.
const (
	Ask Verdict = iota
	Allow
	Deny
)

// Topics of what no rule names.
const (
	TopicDelete = "delete"
	TopicChange = "change"
)

// OfFolders reports whether decisions about a topic may be for one folder.
func OfFolders(topic string) bool {
	return topic == TopicDelete || topic == TopicChange || slices.ContainsFunc(append(ForAgents.Rules, ForCommands.Rules...), func(r Rule) bool { return r.Name == topic })
}

// Rule is about changes at certain paths. It matches originals, and with Create
// in Effects what is made at a path that begins to match in a directory that was
// there.
type Rule struct {
	Name     string // the topic of its questions; never one of the topics above
	Globs    []string
	Programs bool // files that may be executed, instead of globs
	Effects  Effect
	Verdict  Verdict
}

// Limit says how many originals may be affected before a person is asked: Free
// of them in a task, and in a folder that has less than Free/Share files no more
// than that part of them, but Least.
type Limit struct {
	Free  int
	Share float64 // 0 to 1; 0 is no such limit
	Least int
}

// of is the number for a folder of so many files.
func (l Limit) of(files int) int {
	if l.Share <= 0 {
		return l.Free
	}
	return min(l.Free, max(l.Least, int(l.Share*float64(files))))
}

// look is how many files of a folder matter.
func (l Limit) look() int {
	if l.Share <= 0 || l.Free == 0 {
		return 0
	}
	return int(float64(l.Free)/l.Share) + 1
}

// Grant is a change that an accepted plan said, of a folder's id and a path in it.
type Grant struct {
	Folder, Path, To string
	Effect           Effect
}

// Policy is what a task may do. The zero value asks about the first original
// that is deleted or changed.
type Policy struct {
	Rules   []Rule // the first that matches counts
	Deletes Limit
	Changes Limit
	Plan    []Grant
	Writes  int64 // bytes that may be written; 0 is no bound
	Fetches int64 // bytes that may be downloaded of files that are only online; 0 is no bound
}

// startup is what programs of the person run or read by themselves.
var startup = Rule{Name: "startup", Effects: Any, Globs: []string{
	"**/.git/hooks/**", "**/.git/config", "**/.git/config.worktree", "**/.git/info/attributes",
	"**/.envrc", "**/.vscode/tasks.json", "**/.vscode/settings.json", "**/.vscode/launch.json",
	"**/.bashrc", "**/.bash_profile", "**/.bash_login", "**/.bash_logout", "**/.profile", "**/.zshrc", "**/.zshenv", "**/.zprofile",
	"**/.zlogin", "**/.config/fish/**", "**/.config/autostart/**", "**/.ssh/**", "**/.vimrc", "**/.exrc", "**/.gdbinit",
	"**/.pam_environment", "**/.xprofile", "**/autorun.inf", "**/desktop.ini", "**/*.desktop", "**/*.lnk", "**/*.url", "**/*.command",
}}

// Policies of tasks by what they are for.
var (
	// ForCommands is for a program or an operation that the person gave.
	ForCommands = Policy{
		Rules:   []Rule{startup},
		Deletes: Limit{Free: 5, Share: 0.5, Least: 2},
		Changes: Limit{Free: 100, Share: 0.5, Least: 20},
		Writes:  DefaultWrites,
		Fetches: DefaultFetches,
	}
	// ForAgents is for a task that finds out itself what to do.
	ForAgents = Policy{
		Rules: []Rule{
			startup,
			{Name: "git", Globs: []string{"**/.git/**"}, Effects: Overwrite | Move | Delete},
			{Name: "hidden", Globs: []string{"**/.*", "**/.*/**"}, Effects: Change | Overwrite | Move | Delete},
			{Name: "programs", Programs: true, Effects: Change | Overwrite | Move | Delete},
		},
		Changes: Limit{Free: 20, Share: 0.5, Least: 5},
		Writes:  DefaultWrites,
		Fetches: DefaultFetches,
	}
)

// ForPlan is the policy of a chore whose plan was accepted, and said how many bytes it writes and
// has downloaded.
func ForPlan(plan []Grant, writes, fetches int64) Policy {
	return Policy{Rules: []Rule{startup}, Plan: plan, Writes: Sum(DefaultWrites, max(0, writes)), Fetches: Sum(DefaultFetches, max(0, fetches))}
}

// Writing is the policy with another number of bytes in place of [DefaultWrites]; what the plan
// says comes on top. A policy without a bound stays without.
func (p Policy) Writing(free int64) Policy {
	if p.Writes >= DefaultWrites {
		p.Writes = Sum(p.Writes-DefaultWrites, free)
	}
	return p
}

// Files is how many files of a folder it takes to know every limit; 0 is none.
func (p Policy) Files() int { return max(p.Deletes.look(), p.Changes.look()) }

// planned reports whether the accepted plan said this change.
type planned map[Grant]struct{}

func newPlanned(list []Grant) planned {
	p := planned{}
	for _, g := range list {
		p[g] = struct{}{}
	}
	return p
}

func (p planned) covers(i Intent) bool {
	if len(p) == 0 {
		return false
	}
	effects := []Effect{i.Effect}
	if i.Effect == Overwrite {
		effects = append(effects, Change)
	}
	for _, e := range effects {
		if _, ok := p[Grant{Folder: i.Folder, Path: i.Path, To: i.To, Effect: e}]; ok {
			return true
		}
	}
	return false
}

// topic is what a change is about, and the rule that says so, if there is one.
func (p Policy) topic(globs []compiled, i Intent) (string, *Rule) {
	for n := range p.Rules {
		r := &p.Rules[n]
		if r.Effects&i.Effect == 0 || !i.Original {
			continue
		}
		if r.Programs && i.Program || !r.Programs && globs[n].touches(i) {
			return r.Name, r
		}
	}
	if i.Effect == Delete {
		return TopicDelete, nil
	}
	return TopicChange, nil
}
