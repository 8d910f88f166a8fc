package execution

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// GroupsDir is where cgroup v2 is mounted.
const GroupsDir = "/sys/fs/cgroup"

// Children of a cgroup that was delegated: one with processes gives its children no limits.
const (
	agentGroup    = "agent"
	programsGroup = "programs"
)

// agentPart is how much of the memory of a delegated cgroup programs cannot have: an eighth.
const agentPart = 8

// groupPoll is how often a process looks whether it was put into a cgroup.
const groupPoll = time.Millisecond

// AwaitGroup waits until this process is in a cgroup of that name, and returns its directory
// below mount. own is the file that says where this process is (/proc/self/cgroup).
func AwaitGroup(ctx context.Context, mount, own, name string) (string, error) {
	for {
		b, err := os.ReadFile(own)
		if err != nil {
			return "", fmt.Errorf("cgroup: %w", err)
		}
		if at := ownGroup(string(b)); path.Base(at) == name {
			return filepath.Join(mount, at), nil
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("cgroup: this process was not put into %s", name)
		case <-time.After(groupPoll):
		}
	}
}

// ownGroup is the path of the cgroup v2 in a file /proc/PID/cgroup (cgroups(7)), as in
// "0::/user.slice/x.scope"; "" for none, and for one outside of what this process sees.
func ownGroup(text string) string {
	for line := range strings.Lines(text) {
		if at, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::/"); ok && !strings.HasPrefix(at, "..") {
			return "/" + at
		}
	}
	return ""
}

// DivideGroup divides a cgroup that was delegated to this process, and that it is in: this
// process moves into one child. The other one is for programs ([NewGroup] in it); its
// directory is returned. Programs together never take all of the memory.
func DivideGroup(dir string) (string, error) {
	agent, programs := filepath.Join(dir, agentGroup), filepath.Join(dir, programsGroup)
	if err := errors.Join(os.Mkdir(agent, 0o755), writeFile(filepath.Join(agent, "cgroup.procs"), "0")); err != nil {
		return "", fmt.Errorf("cgroup: %w", err)
	}
	if err := delegate(dir); err != nil {
		return "", err
	}
	var limits GroupLimits
	b, err := os.ReadFile(filepath.Join(dir, "memory.max"))
	if err != nil {
		return "", fmt.Errorf("cgroup: %w", err)
	}
	if all, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil { // else it is "max"
		limits.Memory = all - all/agentPart
	}
	if _, err := newGroup(programs, limits); err != nil {
		return "", err
	}
	return programs, nil
}
