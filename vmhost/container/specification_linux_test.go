package container

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/image"
	"github.com/moby/moby/api/types/mount"
)

// What a container is asked for keeps programs in.
func TestSpecification(t *testing.T) {
	got := specification(arrangement{
		image: "i", owner: "o", engine: facts{processes: true}, memory: 1 << 30, cpus: 1.5, user: "7:8", folders: "/run/f",
	})
	c, h := got.Config, got.HostConfig
	if h.NetworkMode != "none" || !h.ReadonlyRootfs || !h.AutoRemove || h.Privileged || h.Init == nil || *h.Init || len(h.CapAdd)+len(h.Devices)+len(h.Binds) > 0 ||
		!slices.Equal(h.CapDrop, []string{"ALL"}) || !slices.Equal(h.SecurityOpt, []string{"no-new-privileges"}) || h.PidMode != "" || h.IpcMode != "private" ||
		h.LogConfig.Type != "none" || h.UsernsMode != "" || h.Memory != 1<<30 || h.MemorySwap != 1<<30 || h.NanoCPUs != 1_500_000_000 || *h.PidsLimit != maxProcesses {
		t.Errorf("%+v", h)
	}
	if c.User != "7:8" || c.Tty || !c.OpenStdin || !c.StdinOnce || !c.AttachStdin || c.Labels[labelOwner] != "o" ||
		strings.Join(append(c.Entrypoint, c.Cmd...), " ") != "/piwork/guest serve /work /tmp /home/piwork /dev /folders" {
		t.Errorf("%+v", c)
	}
	if want := []mount.Mount{{Type: "bind", Source: "/run/f", Target: "/folders", BindOptions: &mount.BindOptions{Propagation: "rslave"}}}; !reflect.DeepEqual(h.Mounts, want) {
		t.Errorf("%+v", h.Mounts)
	}

	if len(c.Volumes) > 0 {
		t.Errorf("volumes without a bound: %v", c.Volumes)
	}

	// Without folders, none; where Podman has no rights of root, the person's own number.
	got = specification(arrangement{engine: facts{rootless: true, podman: true}})
	if h := got.HostConfig; len(h.Mounts) > 0 || h.UsernsMode != "keep-id:uid=1000,gid=1000" || h.Memory != 0 || h.NanoCPUs != 0 || h.PidsLimit != nil {
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

// All that programs can write to has a size, and together it is full before the memory is,
// whatever the engine can limit.
func TestScratchIsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		a    arrangement
		most int64
	}{
		"memory of the container": {arrangement{memory: 1 << 30, engine: facts{computer: 64 << 30}}, 512 << 20},
		"of the computer":         {arrangement{engine: facts{computer: 4 << 30}}, 1 << 30},
		"a large computer":        {arrangement{engine: facts{computer: 1 << 40}}, 8 << 30},
		"an engine without facts": {arrangement{}, 8 << 30},
		"a limit":                 {arrangement{memory: 8 << 30, disk: 64 << 20}, 64 << 20},
		"a limit above memory":    {arrangement{memory: 1 << 30, disk: 64 << 30}, 512 << 20},
	} {
		h := specification(tt.a).HostConfig
		all := h.ShmSize
		for _, dir := range []string{"/work", "/tmp", "/home/piwork"} {
			_, size, _ := strings.Cut(h.Tmpfs[dir], "size=")
			size, _, _ = strings.Cut(size, ",")
			n, err := strconv.ParseInt(size, 10, 64)
			if err != nil || n <= 0 {
				t.Errorf("%s: %s has %q", name, dir, h.Tmpfs[dir])
			}
			all += n
		}
		if len(h.Tmpfs) != 3 || h.ShmSize <= 0 || all > tt.most || all < tt.most*15/16 {
			t.Errorf("%s: %d bytes, at most %d", name, all, tt.most)
		}
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
	must(os.Chmod(filepath.Join(root, "usr/bin/a"), 0o755|os.ModeSetuid))
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
		if scratch := strings.HasPrefix(h.Name, "work") || h.Name == "home/piwork/" || h.Name == "folders/"; h.Uid != h.Gid || (h.Uid == userID) != scratch || !scratch && h.Uid != 0 {
			t.Errorf("%s belongs to %d", h.Name, h.Uid)
		}
		if h.Mode&0o6000 != 0 {
			t.Errorf("%s gives others rights: %o", h.Name, h.Mode)
		}
	}
	for name, want := range map[string]string{"usr/bin/a": "0program", "usr/bin/b": "1usr/bin/a", "bin": "2usr/bin", "piwork/guest": "0the agent", "work/out/": "5", "folders/": "5", "state": "2/folders/.state"} {
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
	mine, forged, old := fakeID(1), fakeID(2), fakeID(3)
	all := []image.Summary{of(mine, "me", "new"), of(forged, "me", "new"), of(old, "me", "old"), of(fakeID(4), "another", "new"), of(fakeID(5), "me", ""), {ID: fakeID(6)}, of("", "me", "new"), of("latest", "me", "new")}
	if there, others := sortImages(all, "me", mine); !there || !slices.Equal(others, []string{forged, old}) {
		t.Errorf("%t %q", there, others)
	}
	if there, others := sortImages(all, "me", ""); there || !slices.Equal(others, []string{mine, forged, old}) {
		t.Errorf("%t %q", there, others)
	}
}

func TestLeftover(t *testing.T) {
	of := func(id, owner, name string) container.Summary {
		return container.Summary{ID: id, Names: []string{"/" + name}, Labels: map[string]string{labelOwner: owner}}
	}
	live.Store("used", true)
	defer live.Delete("used")
	if got := leftover([]container.Summary{of("1", "me", "used"), of("2", "me", "another"), of("3", "another", "another"), {ID: "4"}, of("", "me", "another")}, "me"); !slices.Equal(got, []string{"2"}) {
		t.Errorf("%q", got)
	}
}

// Labels hold whatever is in a directory's name.
func TestImageOptions(t *testing.T) {
	if got := imageOptions("d", `/a "b" c`).Changes; !slices.Equal(got, []string{`LABEL piwork.image="d"`, `LABEL piwork.owner="/a \"b\" c"`}) {
		t.Errorf("%q", got)
	}
}

func TestUserFor(t *testing.T) {
	for _, tt := range []struct {
		engine facts
		uid    int
		want   user
	}{
		{facts{podman: true, rootless: true}, 501, user{"1000:1000", 501, false}},
		{facts{rootless: true}, 501, user{"1000:1000", 1000, true}},
		{facts{}, 501, user{"501:7", 501, false}},
		{facts{podman: true}, 0, user{"1000:1000", 1000, true}},
	} {
		if got := userFor(tt.engine, tt.uid, 7); got != tt.want {
			t.Errorf("%+v, %d: %+v", tt.engine, tt.uid, got)
		}
	}
}
