package container

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/image"
)

// What a container is asked for keeps programs in.
func TestSpecification(t *testing.T) {
	got := specification(arrangement{
		image: "i", owner: "o", process: "p", memory: 1 << 30, cpus: 1.5, folders: "/run/f", first: "Pictures", state: true,
	})
	c, h := got.Config, got.HostConfig
	if h.NetworkMode != "none" || !h.ReadonlyRootfs || !h.AutoRemove || h.Privileged || h.Init == nil || *h.Init || len(h.CapAdd)+len(h.Devices)+len(h.Binds) > 0 ||
		!slices.Equal(h.CapDrop, []string{"ALL"}) || !slices.Equal(h.SecurityOpt, []string{"no-new-privileges"}) || h.PidMode != "" || h.IpcMode != "private" ||
		h.LogConfig.Type != "none" || h.UsernsMode != "" || h.Memory != 1<<30 || h.MemorySwap != 1<<30 || h.NanoCPUs != 1_500_000_000 || *h.PidsLimit != maxProcesses {
		t.Errorf("%+v", h)
	}
	if c.User != "1000:1000" || c.Tty || !c.OpenStdin || !c.StdinOnce || !c.AttachStdin || c.Labels[labelOwner] != "o" || c.Labels[labelProcess] != "p" ||
		strings.Join(append(c.Entrypoint, c.Cmd...), " ") != "/piwork/guest serve /work /tmp /home/piwork /dev /folders /state" {
		t.Errorf("%+v", c)
	}
	var mounts []string
	for _, m := range h.Mounts {
		at := m.Source + ":" + m.Target
		if m.ReadOnly {
			at += ":ro"
		}
		mounts = append(mounts, at)
	}
	if want := []string{"/run/f:/folders", "/run/f/Pictures:/piwork/folder:ro", "/run/f/.state:/state"}; !slices.Equal(mounts, want) {
		t.Errorf("%q", mounts)
	}

	for memory, want := range map[int64]string{0: "size=1073741824,", 1 << 40: "size=1073741824,", 4000: "size=1000,"} {
		if got := specification(arrangement{memory: memory}).HostConfig.Tmpfs["/tmp"]; !strings.Contains(got, want) {
			t.Errorf("%d bytes: %s", memory, got)
		}
	}

	// Without folders, none; where Podman has no rights of root, the person's own number.
	got = specification(arrangement{engine: facts{rootless: true, podman: true}})
	if h := got.HostConfig; len(h.Mounts) > 0 || h.UsernsMode != "keep-id:uid=1000,gid=1000" || h.Memory != 0 || h.NanoCPUs != 0 {
		t.Errorf("%+v", h)
	}
	if got := specification(arrangement{engine: facts{rootless: true}}).HostConfig.UsernsMode; got != "" {
		t.Errorf("Docker has no %q", got)
	}
	b, err := json.Marshal(got.HostConfig)
	if err != nil || bytes.Contains(b, []byte("docker.sock")) {
		t.Errorf("%s %v", b, err)
	}
}

// An image has the tree and the agent, each name once, all of it root's but the scratch.
func TestPack(t *testing.T) {
	root, agent := t.TempDir(), filepath.Join(t.TempDir(), "guest")
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	for dir := range own {
		must(os.Mkdir(filepath.Join(root, dir), 0o755), os.WriteFile(filepath.Join(root, dir, "file"), nil, 0o644))
	}
	must(
		os.MkdirAll(filepath.Join(root, "usr/bin"), 0o755), os.WriteFile(filepath.Join(root, "usr/bin/a"), []byte("program"), 0o755),
		os.Link(filepath.Join(root, "usr/bin/a"), filepath.Join(root, "usr/bin/b")), os.Symlink("usr/bin", filepath.Join(root, "bin")),
		os.WriteFile(agent, []byte("the agent"), 0o700),
	)
	var b bytes.Buffer
	must(pack(&b, root, agent))
	there := map[string]string{}
	for r := tar.NewReader(&b); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(err)
		content, err := io.ReadAll(r)
		must(err)
		if there[h.Name] != "" {
			t.Errorf("%s is there twice", h.Name)
		}
		there[h.Name] = string(h.Typeflag) + string(content) + h.Linkname
		if scratch := strings.HasPrefix(h.Name, "work") || h.Name == "home/piwork/"; h.Uid != h.Gid || (h.Uid == userID) != scratch || !scratch && h.Uid != 0 {
			t.Errorf("%s belongs to %d", h.Name, h.Uid)
		}
	}
	for name, want := range map[string]string{"usr/bin/a": "0program", "usr/bin/b": "1usr/bin/a", "bin": "2usr/bin", "piwork/guest": "0the agent", "work/out/": "5", "folders/": "5"} {
		if there[name] != want {
			t.Errorf("%s is %q", name, there[name])
		}
	}
	for dir := range own {
		if _, is := there[dir+"/file"]; is {
			t.Errorf("%s is of the tree", dir)
		}
	}
	if err := pack(io.Discard, filepath.Join(root, "none"), agent); err == nil {
		t.Error("no tree")
	}
	if err := pack(io.Discard, root, filepath.Join(root, "none")); err == nil {
		t.Error("no agent")
	}
}

func TestSortImages(t *testing.T) {
	of := func(id, owner, digest string) image.Summary {
		return image.Summary{ID: id, Labels: map[string]string{labelOwner: owner, labelImage: digest}}
	}
	found, old := sortImages([]image.Summary{of("1", "me", "new"), of("2", "me", "old"), of("3", "another", "new"), of("4", "me", ""), {ID: "5"}, of("", "me", "new")}, "me", "new")
	if found != "1" || !slices.Equal(old, []string{"2"}) {
		t.Errorf("%q %q", found, old)
	}
}

func TestLeftover(t *testing.T) {
	of := func(id, owner, process string) container.Summary {
		return container.Summary{ID: id, Labels: map[string]string{labelOwner: owner, labelProcess: process}}
	}
	if got := leftover([]container.Summary{of("1", "me", process), of("2", "me", "another"), of("3", "another", "another"), {ID: "4"}, of("", "me", "another")}, "me"); !slices.Equal(got, []string{"2"}) {
		t.Errorf("%q", got)
	}
}

// Labels hold whatever is in a directory's name.
func TestImageOptions(t *testing.T) {
	if got := imageOptions("d", `/a "b" c`).Changes; !slices.Equal(got, []string{`LABEL piwork.image="d"`, `LABEL piwork.owner="/a \"b\" c"`}) {
		t.Errorf("%q", got)
	}
}

func TestMounted(t *testing.T) {
	info := `22 1 8:1 / / rw - ext4 /dev/a rw
40 22 0:40 / /run/x/one/folders rw,nosuid - fuse.piwork piwork rw
41 22 0:41 / /run/x/two\040words/folders rw shared:7 - fuse.piwork piwork rw
42 22 0:42 / /run/xy/folders rw - fuse.piwork piwork rw
43 22 0:43 / /run/x/another rw - fuse.sshfs piwork rw
broken
`
	if got := mounted(info, "/run/x"); !slices.Equal(got, []string{"/run/x/one/folders", "/run/x/two words/folders"}) {
		t.Errorf("%q", got)
	}
}

// Who mounts for people who are not root is told what root does.
func TestHelperOptions(t *testing.T) {
	if got := helperOptions(true); got != "fsname=piwork,subtype=piwork,nosuid,nodev,max_read=1048576,allow_other" {
		t.Error(got)
	}
	if got := helperOptions(false); strings.Contains(got, "allow") {
		t.Error(got)
	}
}
