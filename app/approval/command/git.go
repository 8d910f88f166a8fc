package command

import (
	"slices"
	"strconv"
	"strings"
)

// git runs programs that the configuration of a repository names: a monitor of
// files at status, filters and converters at diff, a checker of signatures at log.
// A folder of the person's can come with such a configuration. Looking at a
// repository is allowed all the same: it is what a person who has git does in the
// folder, too; what runs is in the machine, where the share's guards and the network's
// policy hold; a configuration that is written in the task is asked about by the
// guards. [GitEnv] switches off what can be: the monitor, hooks, signatures, the
// fetching of missing objects, and that status writes its index. What stays are
// programs for diff, filters and converters.
//
// Options that name a program, a configuration or an output are in no list.

// GitEnv are variables to run a silent command with, by name.
var GitEnv = gitEnv("core.fsmonitor", "false", "core.hooksPath", "/dev/null", "log.showSignature", "false", "submodule.recurse", "false",
	"gpg.program", "/bin/false", "gpg.openpgp.program", "/bin/false", "gpg.x509.program", "/bin/false", "gpg.ssh.program", "/bin/false")

func gitEnv(config ...string) map[string]string {
	env := map[string]string{
		"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat",
		"GIT_CONFIG_COUNT": strconv.Itoa(len(config) / 2),
	}
	for i := 0; i < len(config); i += 2 {
		n := strconv.Itoa(i / 2)
		env["GIT_CONFIG_KEY_"+n], env["GIT_CONFIG_VALUE_"+n] = config[i], config[i+1]
	}
	return env
}

// Options of git's commands that show history.
const (
	gitCommits = ` -# -n: --oneline --graph --decorate? --no-decorate --all --branches --tags --max-count= --skip= --since= --after= --until= --before= --author= --committer=
		--grep= --reverse --first-parent --merges --no-merges --date= --pretty? --format= --abbrev-commit --follow --topo-order --date-order --left-right --count -S: -G: -i -E -F`
	gitDiffs = ` -p -u -s -w -b -z -M -C -R -U: -a --patch --no-patch --stat? --numstat --shortstat --summary --name-only --name-status --no-color --color? --word-diff?
		--unified= --minimal --no-renames --no-ext-diff --no-textconv --raw --check --text --ignore-all-space --ignore-space-change --ignore-blank-lines --diff-filter= --no-prefix --compact-summary --find-renames?`
)

// gitCommands are those that look, with their options.
var gitCommands = map[string]options{
	"status":   optionsOf(`-s -b -v -z -u -uno -unormal -uall --short --branch --porcelain? --long --verbose --untracked-files? --ignored? --show-stash --no-renames`),
	"log":      optionsOf(gitCommits + gitDiffs),
	"show":     optionsOf(gitCommits + gitDiffs),
	"shortlog": optionsOf(`-s -n -e --summary --numbered --email --all --since= --until=`),
	"diff":     optionsOf(gitDiffs + ` --cached --staged --merge-base --exit-code --quiet --no-index`),
	"blame":    optionsOf(`-L: -w -M -C -s -e -l -t --date= --line-porcelain --porcelain`),
	"grep":     optionsOf(`-n -i -l -L -c -w -v -E -F -P -h -H -o -e: -A: -B: -C: --line-number --ignore-case --count --files-with-matches --cached --untracked --no-index --and --or --not`),
	"ls-files": optionsOf(`-c -d -m -o -i -s -u -z -t -v -x: --cached --deleted --modified --others --ignored --stage --exclude-standard --exclude= --full-name --error-unmatch`),
	"ls-tree":  optionsOf(`-r -d -t -l -z --name-only --name-status --long --full-name --full-tree`),
	"rev-parse": optionsOf(`-q --show-toplevel --show-cdup --show-prefix --abbrev-ref? --short? --verify --quiet --git-dir --absolute-git-dir
		--is-inside-work-tree --is-bare-repository --symbolic-full-name --all --branches --tags`),
	"rev-list":      optionsOf(gitCommits + ` --objects`),
	"describe":      optionsOf(`--all --tags --long --always --dirty? --abbrev= --contains --match= --exact-match`),
	"cat-file":      optionsOf(`-p -t -s -e`),
	"count-objects": optionsOf(`-v -H`),
	"version":       optionsOf(``),
	// Those change something when they have an operand.
	"branch": optionsOf(`-a -r -v -vv --all --remotes --list --show-current --no-color --color? --sort=`),
	"tag":    optionsOf(`-l --list --sort=`),
	"remote": optionsOf(`-v --verbose`),
	"reflog": optionsOf(`-# -n: --oneline`),
	"config": optionsOf(`-l --list --get= --get-all= --show-origin --show-scope --local --global --system`),
}

var gitBare = strings.Fields("branch tag remote reflog config")

func git(_ *checker, args []word) bool {
	for len(args) > 0 && args[0].known && args[0].text[:min(1, len(args[0].text))] == "-" {
		switch {
		case args[0].text == "--no-pager" || args[0].text == "--no-optional-locks":
			args = args[1:]
		case args[0].text == "-C" && len(args) > 1 && args[1].one:
			args = args[2:]
		default:
			return false
		}
	}
	if len(args) == 0 || !args[0].known {
		return false
	}
	name := args[0].text
	o, ok := gitCommands[name]
	if !ok {
		return false
	}
	g, ok := o.sort(args[1:])
	if !ok || slices.Contains(gitBare, name) && len(g.operands) > 0 {
		return false
	}
	for _, option := range []string{"--pretty", "--format"} { // %G? has a signature checked
		for _, v := range g.options[option] {
			if !v.known && v.one || strings.Contains(v.text, "%G") {
				return false
			}
		}
	}
	return name != "config" || g.has("-l", "--list", "--get", "--get-all")
}
