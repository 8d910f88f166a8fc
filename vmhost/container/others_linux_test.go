package container

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// personID is the user who runs an engine without the rights of root.
const personID = 64321

// alone runs a command in mount and process namespaces of its own, in which there is a user with
// subordinate users who may open /dev/fuse. Its arguments are a directory, the user's
// number, and the command.
const alone = `
{ cat /etc/passwd; echo "person:x:$1:$1::$0/home:/bin/sh"; } >"$0/passwd"
{ cat /etc/group; echo "person:x:$1:"; } >"$0/group"
echo person:200000:65536 >"$0/subid"
mkdir "$0/home" "$0/run" "$0/dev"
mount --make-rshared / # as systemd has it
chown "$1:$1" "$0/home" "$0/run"
mount --bind "$0/passwd" /etc/passwd
mount --bind "$0/group" /etc/group
mount --bind "$0/subid" /etc/subuid
mount --bind "$0/subid" /etc/subgid
mount -t tmpfs tmpfs "$0/dev"
mknod -m 666 "$0/dev/fuse" c 10 229
mount --bind "$0/dev/fuse" /dev/fuse
user=$1
shift
exec setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
`

// Everything holds with other engines, too: Podman without the rights of root, and Docker.
func TestOtherEngines(t *testing.T) {
	if os.Getenv(anotherEngine) != "" {
		t.Skip("this is another engine")
	}
	parts(t)
	for name, tt := range map[string]struct {
		kind    string
		needs   []string // programs
		command func(dir string) []string
	}{
		"podman of a person": {"podman", []string{"newuidmap", "fusermount3", "unshare", "setpriv"}, func(dir string) []string {
			return []string{"unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-euc", alone, dir, strconv.Itoa(personID)}
		}},
		"docker": {"docker", []string{"docker", "dockerd", "containerd"}, func(string) []string { return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			for _, program := range tt.needs {
				if _, err := exec.LookPath(program); err != nil {
					t.Skipf("there is no %s (apt install docker.io, or fuse3 and uidmap)", program)
				}
			}
			dir, err := os.MkdirTemp("", "o")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			tmp, tests := filepath.Join(dir, "t"), filepath.Join(dir, "tests")
			self, err := os.ReadFile("/proc/self/exe") // where it is, only its user gets
			err = errors.Join(err, os.Chmod(dir, 0o755), os.Chmod(made.dir, 0o755), os.WriteFile(tests, self, 0o755), os.Mkdir(tmp, 0o700))
			command := tt.command(dir)
			if command != nil {
				err = errors.Join(err, os.Chown(tmp, personID, personID))
			}
			if err != nil {
				t.Fatal(err)
			}
			command = append(command, tests, "-test.v="+strconv.FormatBool(testing.Verbose()))
			cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
			cmd.Dir = "/"
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s", anotherEngine, tt.kind, made.dir), "TMPDIR="+tmp, "HOME="+filepath.Join(dir, "home"), "XDG_RUNTIME_DIR="+filepath.Join(dir, "run"))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}
