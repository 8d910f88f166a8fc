package person

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/packtest"
	"piwork/vmhost/runtimetest/smalltree"
)

// ID is the user, and the group, as whom tests run again where [Options] say none.
const ID = 65534

// alone opens /dev/fuse to everybody for one program, which may be root's here, and shows
// it directories: in a mount namespace of its own. $1 is a directory, $2 and $3 the number of
// the device, $4 the user, $5 the number of the directories that are shown, which follow in
// pairs; then the program.
const alone = `
top=$1 major=$2 minor=$3 user=$4 n=$5; shift 5
umount -a -i -l -t fuse.piwork # those of others would stay mounted here when they end
mkdir "$top/dev"; mount -t tmpfs -o mode=755 tmpfs "$top/dev"; mknod -m 666 "$top/dev/fuse" c "$major" "$minor"; mount --bind "$top/dev/fuse" /dev/fuse
while [ "$n" -gt 0 ]; do mkdir -p "$2"; mount --bind "$1" "$2"; shift 2; n=$((n-1)); done
exec setpriv --reuid "$user" --regid "$user" --clear-groups "$@"`

// Options say what the person finds.
type Options struct {
	User   int               // and group, 0 is ID; one of their own is for tests that bound how many processes a user has
	Given  []string          // files and directories that become the person's
	Shown  map[string]string // directories, by the variable that names them to the person
	Kept   string            // a directory that stays between runs: the person's PIWORK_TEST_KEEP, always of the same name there
	Env    []string
	Plain  bool // /dev/fuse stays as it is
	NoFUSE bool // nothing can be mounted with it
}

// Again reports whether the test that calls it is run by somebody who is not root. Otherwise
// it has it run as one, in another process, before it returns.
func Again(t *testing.T, o Options) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return true
	}
	cmd, clean, err := command(o, []string{"-test.v", "-test.run=^" + t.Name() + "$"})
	if err != nil {
		t.Fatal(err)
	}
	defer clean()
	b, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as the user %d: %v\n%s", o.user(), err, b)
	}
	if err == nil && strings.Contains(string(b), "--- SKIP: "+t.Name()+" ") {
		t.Skipf("as the user %d, who says why:\n%s", o.user(), b)
	}
	t.Logf("as the user %d:\n%s", o.user(), b)
	return false
}

// Pack shows the person the pack of tests with real machines, where there is one, has what
// they unpack of it stay between runs, and gives them a directory for columns of parity.
func (o Options) Pack() Options {
	o.Shown = map[string]string{}
	if pack := os.Getenv(packtest.EnvDir); pack != "" {
		o.Shown[packtest.EnvDir] = pack
	}
	const columns = "PIWORK_TEST_PARITY" // parity.EnvColumns
	if dir := os.Getenv(columns); dir != "" && os.Getuid() == 0 {
		dir = filepath.Join(dir, "person")
		if os.MkdirAll(dir, 0o700) == nil && os.Chown(dir, o.user(), o.user()) == nil {
			o.Shown[columns] = dir
		}
	}
	if keep := os.Getenv("PIWORK_TEST_KEEP"); keep != "" {
		o.Kept = filepath.Join(keep, "person")
	}
	return o
}

// Main has all tests of a program run as a person, with the arguments of this process, and
// returns the status with which it ended.
func Main(o Options) int {
	// What the go command wants written is root's.
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool {
		return strings.HasPrefix(a, "-test.testlogfile=") || strings.HasPrefix(a, "-test.coverprofile=") || strings.HasPrefix(a, "-test.gocoverdir=")
	})
	cmd, clean, err := command(o, args)
	if err == nil {
		defer clean()
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		err = cmd.Run()
	}
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.ExitCode() > 0:
		return ended.ExitCode()
	case err != nil:
		fmt.Fprintf(os.Stderr, "tests as the user %d: %v\n", o.user(), err)
		return 1
	}
	return 0
}

// command is this program as a person, and what removes its files.
func command(o Options, args []string) (_ *exec.Cmd, clean func(), err error) {
	top, err := os.MkdirTemp("", "person")
	if err != nil {
		return nil, nil, err
	}
	clean = func() { _ = os.RemoveAll(top) }
	defer func() {
		if err != nil {
			clean()
		}
	}()
	program, tmp, home := filepath.Join(top, "tests"), filepath.Join(top, "t"), filepath.Join(top, "home")
	err = errors.Join(os.Chmod(top, 0o755), os.Mkdir(tmp, 0o700), os.Mkdir(home, 0o700), smalltree.CopyFile("/proc/self/exe", program))
	for _, path := range append([]string{tmp, home}, o.Given...) {
		err = errors.Join(err, give(path, o.user()))
	}
	if err != nil {
		return nil, nil, err
	}
	env := append(os.Environ(), "TMPDIR="+tmp, "HOME="+home, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME=", "XDG_RUNTIME_DIR=")
	shown := []string{}
	for name, from := range o.Shown {
		at := filepath.Join(top, "shown", name)
		shown, env = append(shown, from, at), append(env, name+"="+at)
	}
	if o.Kept != "" {
		const at = "/mnt"
		if err := errors.Join(os.MkdirAll(o.Kept, 0o700), os.Lchown(o.Kept, o.user(), o.user())); err != nil {
			return nil, nil, err
		}
		shown, env = append(shown, o.Kept, at), append(env, "PIWORK_TEST_KEEP="+at)
	}
	major, minor := "10", "229" // of fuse(4)
	if o.NoFUSE {
		major, minor = "1", "3" // of null(4)
	}
	user := fmt.Sprint(o.user())
	argv := append([]string{"unshare", "--mount", "sh", "-ec", alone, "sh", top, major, minor, user, fmt.Sprint(len(shown) / 2)}, shown...)
	if o.Plain {
		argv = []string{"setpriv", "--reuid", user, "--regid", user, "--clear-groups"}
	}
	argv = append(append(argv, program), args...)
	cmd := exec.CommandContext(context.Background(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = "/", append(env, o.Env...)
	return cmd, clean, nil
}

func (o Options) user() int { return cmp.Or(o.User, ID) }

// give makes a file, or a directory with all that is in it, the user's.
func give(path string, user int) error {
	return filepath.WalkDir(path, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(name, user, user)
	})
}
