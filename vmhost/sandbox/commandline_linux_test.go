package sandbox

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// The command line gives a sandbox the tree, its scratch and the folders, and nothing
// that the tree has at a place of the sandbox's own.
func TestArguments(t *testing.T) {
	l := layout{
		root: "/trees/1", agent: "/lib/guest", work: "/tasks/1/work",
		entries: []entry{{"bin", "usr/bin"}, {"etc", ""}, {"proc", ""}, {"dev", ""}, {"folders", ""}, {"home", ""}, {"tmp", ""}, {"usr", ""}, {"work", ""}},
	}
	const always = "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net --uid 1000 --gid 1000 --hostname piwork " +
		"--cap-drop ALL --new-session --die-with-parent --as-pid-1 --clearenv --unshare-cgroup-try " +
		"--symlink usr/bin /bin --ro-bind /trees/1/etc /etc --ro-bind /trees/1/usr /usr " +
		"--proc /proc --dev /dev --perms 1777 --size 1073741824 --tmpfs /dev/shm --remount-ro /dev " +
		"--perms 1777 --size 1073741824 --tmpfs /tmp --perms 0700 --size 1073741824 --tmpfs /home/piwork " +
		"--ro-bind /lib/guest /run/piwork/guest --bind /tasks/1/work /work "
	for name, tt := range map[string]struct {
		folders string
		state   bool
		rest    string
	}{
		"no folders": {"", false, "--remount-ro / --chdir / -- /run/piwork/guest serve /work /tmp /home/piwork /dev"},
		"folders":    {"/tasks/1/folders", false, "--bind /tasks/1/folders /folders --remount-ro / --chdir / -- /run/piwork/guest serve /work /tmp /home/piwork /dev /folders"},
		"a state": {"/tasks/1/folders", true, "--bind /tasks/1/folders /folders --bind /tasks/1/folders/.state /state --remount-ro / --chdir / -- " +
			"/run/piwork/guest serve /work /tmp /home/piwork /dev /folders /state"},
	} {
		l.folders, l.state = tt.folders, tt.state
		if got := strings.Join(arguments(l), " "); got != always+tt.rest {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, always+tt.rest)
		}
	}
}

// Where programs are bounded, the agent gets the cgroup and programs cannot write in it, and
// nothing that they write is on the disk of this computer.
func TestArgumentsOfBounds(t *testing.T) {
	l := layout{root: "/trees/1", agent: "/lib/guest", work: "/tasks/1/work", disk: 8 << 20, group: "x.scope"}
	got := strings.Join(arguments(l), " ")
	for _, part := range []string{
		" --size 524288 --tmpfs /dev/shm ", " --size 2097152 --tmpfs /tmp ", " --size 1572864 --tmpfs /home/piwork ", " --perms 0700 --size 4194304 --tmpfs /work ",
		" --bind x.scope /run/piwork/group ", " -- /run/piwork/guest serve --group /run/piwork/group /work /tmp /home/piwork /dev",
	} {
		if !strings.Contains(got+" ", part) {
			t.Errorf("%q is missing: %s", part, got)
		}
	}
	for _, part := range []string{"cgroup-try", l.work} {
		if strings.Contains(got, part) {
			t.Errorf("it has %q: %s", part, got)
		}
	}
}

// All that programs can write to in memory has a size, and together it is full before half of
// this computer's memory is; with a limit they have that together.
func TestScratchIsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		l    layout
		most int64
	}{
		"no limit":                   {layout{memory: 64 << 30}, 3 << 30},
		"no limit, a small computer": {layout{memory: 4 << 30}, 1536 << 20},
		"a limit":                    {layout{memory: 64 << 30, disk: 8 << 20}, 8 << 20},
		"a limit above memory":       {layout{memory: 4 << 30, disk: 64 << 30}, 1 << 30},
	} {
		all, args := int64(0), arguments(tt.l)
		for i, arg := range args {
			if arg == "--size" {
				n, err := strconv.ParseInt(args[i+1], 10, 64)
				if err != nil || n <= 0 {
					t.Errorf("%s: %s", name, args[i+1])
				}
				all += n
			}
		}
		if all > tt.most || all < tt.most*15/16 {
			t.Errorf("%s: %d bytes, at most %d", name, all, tt.most)
		}
	}
}

// The agent comes before bubblewrap for what has to be made before it.
func TestCommandLine(t *testing.T) {
	for want, l := range map[string]layout{
		"/usr/bin/bwrap": {},
		"/lib/guest mounted /tasks/1/folders /usr/bin/bwrap":                 {folders: "/tasks/1/folders"},
		"/lib/guest mounted --group x.scope /tasks/1/folders /usr/bin/bwrap": {folders: "/tasks/1/folders", group: "x.scope"},
		"/lib/guest mounted --group x.scope  /usr/bin/bwrap":                 {group: "x.scope"},
	} {
		l.agent = "/lib/guest"
		if got := strings.Join(commandLine(l, "/usr/bin/bwrap"), " "); got != want+" "+strings.Join(arguments(l), " ") {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// Other systems than Linux have none, which has a reason of its own.
func TestErrSystem(t *testing.T) {
	if f := ErrSystem; f.Reason != vmhost.ReasonSystem || f.Runtime != vmhost.KindSandbox {
		t.Errorf("%+v", f)
	}
}

// Every place that all runtimes have is a sandbox's own, whatever the tree has there.
func TestOwnPlaces(t *testing.T) {
	for _, dir := range []string{wire.WorkDir, wire.FoldersDir, wire.StateDir, home, agentPath, groupPath} {
		if first, _, _ := strings.Cut(strings.TrimPrefix(dir, "/"), "/"); !own[first] {
			t.Errorf("%s is the tree's", dir)
		}
	}
}

// What a system says that gives people no namespaces has a reason of its own.
func TestDenied(t *testing.T) {
	exit := errors.New("exit status 1")
	for name, tt := range map[string]struct {
		err    error
		said   string
		denied bool
	}{
		"Debian, kernel.unprivileged_userns_clone": {exit, "bwrap: No permissions to creating new namespace, likely because the kernel does not allow non-privileged user namespaces.", true},
		"Ubuntu's AppArmor, the network":           {exit, "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", true},
		"Ubuntu's AppArmor, the users":             {exit, "bwrap: setting up uid map: Permission denied", true},
		"the process that mounts":                  {unix.EPERM, "", true},
		"user.max_user_namespaces is 0":            {unix.ENOSPC, "", true},
		"after a warning":                          {exit, "warning\nbwrap: Creating new namespace failed: Operation not permitted", true},
		"words of somebody else":                   {exit, "No permissions to create new namespace", false},
		"something else":                           {exit, "bwrap: execvp /run/piwork/guest: No such file or directory", false},
	} {
		var e *vmhost.FailedError
		if got := errors.As(denied(tt.err, tt.said), &e); got != tt.denied || got && e.Reason != vmhost.ReasonSandboxDenied {
			t.Errorf("%s: %v", name, denied(tt.err, tt.said))
		}
	}
}

// What is said once programs run can have their words.
func TestDeniedByBubblewrapOnly(t *testing.T) {
	for spoke, want := range map[bool]bool{false: true, true: false} {
		p := &place{conn: &connection{}, exit: errors.New("exit status 1")}
		p.conn.spoke.Store(spoke)
		_, _ = p.said.Write([]byte("bwrap: No permissions to create new namespace\n"))
		var e *vmhost.FailedError
		if got := errors.As(p.Exit(), &e); got != want {
			t.Errorf("the agent spoke: %v: %v", spoke, p.Exit())
		}
	}
}

// Without FUSE there are no folders; without rights in a namespace there is no sandbox.
func TestNotMounted(t *testing.T) {
	for text, isDenied := range map[string]bool{
		"open /dev/fuse: permission denied":         false,
		"open /dev/fuse: no such file or directory": false,
		"mount: no such device":                     false,
		"make mounts private: permission denied":    true,
		"mount: operation not permitted":            true,
	} {
		err := notMounted(text)
		var f *vmhost.FailedError
		var u *vmhost.UnsupportedError
		if got := errors.As(err, &f); got != isDenied || got && f.Reason != vmhost.ReasonSandboxDenied || !got && !errors.As(err, &u) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	dir := t.TempDir()
	good := Config{Dir: filepath.Join(dir, "d"), Root: dir, Agent: filepath.Join(dir, "agent")}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Config){
		"no directory":      func(c *Config) { c.Dir = "" },
		"a relative tree":   func(c *Config) { c.Root = "tree" },
		"no agent":          func(c *Config) { c.Agent = "" },
		"a state by nobody": func(c *Config) { c.State = true },
	} {
		c := good
		change(&c)
		if _, err := New(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
