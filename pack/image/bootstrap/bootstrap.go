// Package bootstrap installs exactly the packages of a lock into an empty
// directory, by mmdebstrap(1): the guest's root file system and the rooms in
// which programs are built begin like this.
//
// The packages come from an archive of our own that has nothing else, without a
// network, as root or in a user namespace. Maintainer scripts see nothing of the
// building machine's environment.
package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"piwork/pack/image/debian"
)

// Job is one bootstrap.
type Job struct {
	Lock    *debian.Lock  // all packages, the essential ones among them
	Store   *debian.Store // has them
	Time    time.Time     // SOURCE_DATE_EPOCH
	Format  string        // of Out: "tar", or "null" for none
	Out     string        // what is made of the directory; "-" for none
	Options []string      // further ones: hooks, what dpkg leaves out
	Log     string        // a file that gets everything which mmdebstrap says
}

// logLines of the end of the log are in an error.
const logLines = 30

// Run carries the job out. When ctx ends, mmdebstrap and what it started are
// asked to end, and take their mounts and their directory away. An error has the
// end of the log in it.
func (j Job) Run(ctx context.Context) error {
	// Not in the cache: mmdebstrap in a user namespace cannot enter a private home.
	repo, err := os.MkdirTemp("", "piwork-repository-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(repo)
	if err := os.Chmod(repo, 0o755); err != nil {
		return err
	}
	if err := debian.WriteRepository(ctx, repo, j.Lock, j.Store); err != nil {
		return fmt.Errorf("local repository: %w", err)
	}
	log, err := os.Create(j.Log)
	if err != nil {
		return err
	}
	defer log.Close()
	c := exec.CommandContext(ctx, "mmdebstrap", j.arguments(repo, os.Geteuid() == 0)...)
	c.Env = environment(os.Environ(), j.Time)
	c.Stdout, c.Stderr = log, log
	ownGroup(c)
	c.Cancel = func() error { return endGroup(c.Process) }
	c.WaitDelay = time.Minute
	if err := c.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("mmdebstrap is needed (scripts/setup installs it): %w", err)
		}
		return fmt.Errorf("mmdebstrap: %w:\n%s", err, tail(j.Log, logLines))
	}
	return nil
}

// arguments are mmdebstrap's. Root needs no user namespace; others do.
func (j Job) arguments(repo string, isRoot bool) []string {
	mode := "unshare"
	if isRoot {
		mode = "root"
	}
	names := make([]string, len(j.Lock.Packages))
	for i, p := range j.Lock.Packages {
		names[i] = p.Name
	}
	args := append([]string{
		"--mode=" + mode, "--variant=essential", "--format=" + j.Format, "--architectures=" + j.Lock.Architecture,
		"--include=" + strings.Join(names, ","),
		`--aptopt=Acquire::Languages "none"`,
		`--aptopt=APT::Install-Recommends "false"`,
		`--aptopt=Acquire::Check-Valid-Until "false"`,
	}, j.Options...)
	return append(args, j.Lock.Suite, j.Out, "deb [trusted=yes] copy:"+repo+" "+j.Lock.Suite+" main")
}

// environment is that of maintainer scripts: nothing of the user's but where
// temporary files go.
func environment(from []string, t time.Time) []string {
	env := []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC",
		"DEBIAN_FRONTEND=noninteractive", "DEBCONF_NONINTERACTIVE_SEEN=true", "HOME=/nonexistent",
		fmt.Sprintf("SOURCE_DATE_EPOCH=%d", t.Unix()),
	}
	for _, v := range from {
		if strings.HasPrefix(v, "TMPDIR=") {
			env = append(env, v)
		}
	}
	return env
}

// tail is the end of a text file, for an error message.
func tail(file string, lines int) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
