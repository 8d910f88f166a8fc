package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"piwork/pack/guest/agent"
	"piwork/pack/guest/agentkit"
	"piwork/pack/guest/boot"
	"piwork/pack/guest/bridge"
	"piwork/pack/guest/execution"
	"piwork/pack/guest/machine"
	"piwork/pack/guest/order"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Bounds of all programs together.
const (
	reservedMemory = 64 << 20 // bytes for the kernel and the agent
	reservedPart   = 32       // and of all memory this part, for the kernel's tables
	maxProcesses   = 8192
)

// In memory: what the agent keeps for programs to read.
const (
	runDir = "/run/piwork"
	idDir  = runDir // ids of this guest
)

// packages are the Debian packages that the pack's tools are, by tool.
var packages = tools.Packages()

// assemble joins the parts of the agent.
func (g *guest) assemble(ctx context.Context) {
	children := &execution.Children{}
	go func() {
		if err := children.ReapOrphans(ctx); err != nil {
			g.say("reaping orphans: " + err.Error())
		}
	}()
	report := func(err error) { g.say(err.Error()) }
	starter := &execution.Starter{
		Launcher: []string{self, partLaunch}, Children: children, UID: boot.UserID, GID: boot.GroupID, Report: report,
	}
	group, err := newGroup()
	g.groupErr = err
	g.shares = &agent.Shares{}
	g.bridge = &bridge.Bridge{Config: bridge.Config{Bridge: []string{self, partBridge}, Children: children, Group: group, Report: report}}
	g.log.Fail("directory", os.MkdirAll(runDir, 0o755))
	g.log.Fail("directory of pi", agentkit.MakeDir(agentkit.AgentDir, agentkit.StateDir, boot.UserID, boot.GroupID))
	g.names = machine.Names{Root: "/", Run: idDir}
	g.engine = execution.NewEngine(execution.Config{
		Starter: starter, Group: group, Env: g.env.ofTask, Cwd: wire.WorkDir,
		Notify: func(ctx context.Context, o wire.ExecOutput) error {
			return g.agent.NotifyOutput(ctx, o)
		},
		Log: g.lines.Log,
	})
	box := &agent.Tools{
		Starter: starter, Group: group, Operate: []string{order.Program}, Programs: boot.ProgramsID,
		Scratch: boot.ScratchDir, Env: ofSystem(g.env.words), Report: report, Log: g.lines.Log, Versions: toolVersions(packageList, report),
		Notify: func(ctx context.Context, method string, params any) error { return g.agent.Notify(ctx, method, params) },
	}
	g.standby = &execution.Standby{Starter: starter, Group: group, Program: box.Waiting, Enough: machine.CanSpare}
	box.Standby = g.standby
	g.agent = agent.New(agent.Config{
		Hello: g.hello, Ready: g.ready, RootError: func() error { return g.rootErr },
		System: g, Exec: g.engine, Shares: g.shares, Links: g,
		Tools: box,
	})
}

// packageList is where Debian lists what is installed.
const packageList = "/var/lib/dpkg/status"

// toolVersions reads the versions of the pack's tools once, when they are asked for.
func toolVersions(list string, report func(error)) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		v, err := machine.PackageVersions(list, packages)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			report(err)
		}
		return v
	})
}

// newGroup makes the cgroup above all programs. Without one there are no
// limits to keep, so the guest takes no work.
func newGroup() (*execution.Group, error) {
	total, err := machine.Memory()
	if err != nil {
		return nil, err
	}
	limits := execution.GroupLimits{Pids: maxProcesses}
	// Programs reach their own bound before the machine is out of memory: then
	// only they are looked at for what to end.
	if total > 2*reservedMemory {
		limits.Memory = total - reservedMemory - total/reservedPart
	}
	return execution.NewGroup(filepath.Join(boot.CgroupDir, "piwork"), limits)
}

// environment is what programs find in theirs besides what the host adds.
type environment struct {
	mu               sync.Mutex
	locale, timeZone string
	more             []string // of programs of the task alone
}

// cacheWords have the usual package managers and builds use the cache. What they do not
// have of their own, XDG_CACHE_HOME covers.
var cacheWords = []string{
	"XDG_CACHE_HOME=" + wire.CacheDir + "/xdg", "PIP_CACHE_DIR=" + wire.CacheDir + "/pip", "NPM_CONFIG_CACHE=" + wire.CacheDir + "/npm",
	"GOMODCACHE=" + wire.CacheDir + "/go/mod", "GOCACHE=" + wire.CacheDir + "/go/build", "HF_HOME=" + wire.CacheDir + "/huggingface",
}

// addWords tells programs of the task that are started from now on of something. It can be
// done again.
func (e *environment) addWords(words []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.more = append(slices.DeleteFunc(slices.Clone(e.more), func(w string) bool { return slices.Contains(words, w) }), words...)
}

// ofTask are the words of a program of the task.
func (e *environment) ofTask() []string {
	words := e.words()
	e.mu.Lock()
	defer e.mu.Unlock()
	return append(words, e.more...)
}

func (e *environment) set(locale, timeZone string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.locale, e.timeZone = locale, timeZone
}

func (e *environment) words() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	locale := cmp.Or(e.locale, "C.UTF-8")
	words := []string{
		"PATH=" + searchPath("", ownHome), "HOME=" + ownHome, "USER=piwork", "LOGNAME=piwork",
		"SHELL=/bin/sh", "LANG=" + locale, "TERM=dumb", "TMPDIR=/tmp", wire.FoldersVariable + "=" + wire.FoldersDir,
	}
	if e.timeZone != "" {
		words = append(words, "TZ="+e.timeZone)
	}
	return append(words, packageWords(ownHome)...)
}

// ownHome is the home of programs, which lasts as long as the place.
const ownHome = "/home/piwork"

// searchPath is where programs are found. What packages bring comes last: it takes the place of
// no program of the system.
func searchPath(tree, home string) string {
	dirs := filepath.SplitList(wire.SystemPath)
	for i, dir := range dirs {
		dirs[i] = path.Join("/", tree, dir)
	}
	return strings.Join(append(dirs, home+"/.local/bin"), ":")
}

// ofSystem are words by which only programs of the system are found.
func ofSystem(words func() []string) func() []string {
	return func() []string {
		all := words()
		for i, word := range all {
			if dirs, is := strings.CutPrefix(word, "PATH="); is {
				all[i] = "PATH=" + dirs[:strings.LastIndex(dirs, ":")]
			}
		}
		return all
	}
}

// packageWords have pip and npm put what they install into the home: the system can't be written.
// Debian's pip would rather not (PEP 668), because elsewhere the system's own programs find it. A
// connection may wait for a person.
func packageWords(home string) []string {
	return []string{
		"PIP_BREAK_SYSTEM_PACKAGES=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_DEFAULT_TIMEOUT=600",
		"NPM_CONFIG_PREFIX=" + home + "/.local", "NPM_CONFIG_UPDATE_NOTIFIER=false", "NPM_CONFIG_FUND=false", "NPM_CONFIG_AUDIT=false",
	}
}
