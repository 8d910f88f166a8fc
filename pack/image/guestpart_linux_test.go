package image

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack/durable"
	"piwork/pack/guest/order"
	"piwork/pack/image/bootstrap"
	"piwork/pack/image/debian"
	"piwork/pack/image/root"
)

// workbench is a builder with what takes minutes replaced: packages are files with
// the names of the packages, images are the archives that they are made of.
type workbench struct {
	t        *testing.T
	*builder // of the next build
	tools    string
	own      ownPrograms
	extra    map[string]string // more files that are installed
	installs [][]string        // packages of each bootstrap
}

func newWorkbench(t *testing.T) *workbench {
	b, err := newBuilder(Options{HostOS: "linux", HostArch: runtime.GOARCH, SourceDir: "../..", CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	w := &workbench{t: t, builder: b, tools: t.TempDir(), own: ownPrograms{root: t.TempDir()}, extra: map[string]string{}}
	b.runBootstrap = w.install
	b.packages.open = func(string) (archive, error) { return &lockedArchive{}, nil } // no file of a package is read
	b.locks[setGuest] = w.lock(setGuest, "base-files")
	if err := os.MkdirAll(filepath.Join(b.CacheDir, "parts"), 0o755); err != nil {
		t.Fatal(err)
	}
	const copyLast = "#!/bin/sh\nfor a; do image=$archive; archive=$a; done\nexec /bin/cp -- \"$archive\" \"$image\"\n"
	writeFiles(t, w.tools, map[string]string{filepath.Join("lib", filepath.Base(rooms.loader)): copyLast})
	if err := os.Chmod(filepath.Join(w.tools, "lib", filepath.Base(rooms.loader)), 0o755); err != nil {
		t.Fatal(err)
	}
	w.operate("first")
	recipe, err := sourceHash("programs.go", "internal/", "npm/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.compiled(t.Context(), "programs", recipe, nil, []any{b.npmLock}, makeFile("from npm")); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *workbench) lock(set string, names ...string) *debian.Lock {
	l := &debian.Lock{Set: set, Suite: suite, Architecture: w.guest.debian, Time: time.Unix(1700000000, 0).UTC()}
	for _, n := range names {
		l.Packages = append(l.Packages, fakePackage(n, "1"))
	}
	return l
}

// operate is another program that carries out operations.
func (w *workbench) operate(text string) {
	writeFiles(w.t, w.own.root, map[string]string{operatePath: text})
	if err := os.Chmod(filepath.Join(w.own.root, operatePath), 0o700); err != nil { // as with a mask
		w.t.Fatal(err)
	}
}

// install plays mmdebstrap.
func (w *workbench) install(_ context.Context, j bootstrap.Job) error {
	files := map[string]string{"etc/passwd": "root:x:0:0::/:/bin/sh\n", "etc/group": "root:x:0:\n"}
	maps.Copy(files, w.extra)
	var names []string
	status := ""
	for _, p := range j.Lock.Packages {
		names = append(names, p.Name)
		files["usr/share/"+p.Name] = p.Version
		status += fmt.Sprintf("Package: %s\nStatus: install ok installed\nVersion: %s\n\n", p.Name, p.Version)
	}
	files["var/lib/dpkg/status"] = status
	w.installs = append(w.installs, names)
	out, err := os.Create(j.Out)
	if err != nil {
		return err
	}
	defer out.Close()
	t := tar.NewWriter(out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: "./" + name, Mode: 0o644, Size: int64(len(files[name])), ModTime: time.Now()}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := io.WriteString(t, files[name]); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), os.WriteFile(j.Log, nil, 0o644))
}

// root makes the root, and reads its image.
func (w *workbench) root() (part string, files map[string]tar.Header, texts map[string]string) {
	w.t.Helper()
	part, err := w.rootfs(w.t.Context(), w.tools, w.own)
	if err != nil {
		w.t.Fatal(err)
	}
	files, texts = readImage(w.t, filepath.Join(part, filepath.Base(rootfsPath)))
	return part, files, texts
}

func readImage(t *testing.T, image string) (files map[string]tar.Header, texts map[string]string) {
	t.Helper()
	f, err := os.Open(image)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files, texts = map[string]tar.Header{}, map[string]string{}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name], texts[h.Name] = *h, string(text)
	}
}

// TestChangedOperate: another program that carries out operations makes another
// root image of the same bootstrap, and no other layer.
func TestChangedOperate(t *testing.T) {
	w := newWorkbench(t)
	media := addOn{name: "media"}
	w.locks["addon-media"] = w.lock("addon-media", "ffmpeg")
	first, files, texts := w.root()
	if h := files[operatePath]; texts[operatePath] != "first" || h.Mode != 0o755 || h.Uid != 0 || !h.ModTime.Equal(w.timeOf(setGuest)) {
		t.Errorf("%s in the image: %q, %+v", operatePath, texts[operatePath], h)
	}
	if texts["usr/share/base-files"] != "1" || texts["from npm"] != "from npm" || texts["etc/ImageMagick-7/policy.xml"] == "" {
		t.Errorf("the image has %v", slices.Sorted(maps.Keys(files)))
	}
	layer, err := w.layer(t.Context(), media, w.tools, first)
	if err != nil {
		t.Fatal(err)
	}
	if files, texts := readImage(t, filepath.Join(layer, filepath.Base(layerPath(media.name)))); texts["usr/share/ffmpeg"] != "1" || len(files[operatePath].Name) > 0 || texts["usr/share/base-files"] != "" {
		t.Errorf("the layer has %v", slices.Sorted(maps.Keys(files)))
	}
	w.operate("second")
	second, _, texts := w.root()
	again, err := w.layer(t.Context(), media, w.tools, second)
	if err != nil {
		t.Fatal(err)
	}
	if second == first || texts[operatePath] != "second" {
		t.Errorf("the image still has the program %q", texts[operatePath])
	}
	if again != layer {
		t.Error("the layer was made again")
	}
	if want := [][]string{{"base-files"}, {"base-files", "ffmpeg"}}; !slices.EqualFunc(w.installs, want, slices.Equal) {
		t.Errorf("installed %v, want %v", w.installs, want)
	}
	// Nothing at all is made again for what was there before.
	w.operate("first")
	if third, _, _ := w.root(); third != first {
		t.Error("the first image is not found again")
	}
	// Other packages are another bootstrap, and other layers.
	w.locks[setGuest] = w.lock(setGuest, "base-files", "file")
	third, _, _ := w.root()
	if again, err = w.layer(t.Context(), media, w.tools, third); err != nil || again == layer || len(w.installs) != 4 {
		t.Errorf("%v, installed %v", err, w.installs)
	}
}

// TestRootIsTheSame: a bootstrap from the cache gives the bytes that a new one
// does, in another place too.
func TestRootIsTheSame(t *testing.T) {
	var sums []string
	for range 2 {
		w := newWorkbench(t)
		for _, text := range []string{"other", "first"} { // the second time from the cache
			w.operate(text)
			part, _, _ := w.root()
			sum, err := durable.SHA256(filepath.Join(part, filepath.Base(rootfsPath)))
			if err != nil {
				t.Fatal(err)
			}
			sums = append(sums, sum)
		}
		if len(w.installs) != 1 {
			t.Errorf("installed %v", w.installs)
		}
	}
	if !slices.Equal(sums[:2], sums[2:]) || sums[0] == sums[1] {
		t.Errorf("%q", sums)
	}
}

// TestLayerKeepsOff: no layer can have what is ours, whatever its content.
func TestLayerKeepsOff(t *testing.T) {
	w := newWorkbench(t)
	w.locks["addon-media"] = w.lock("addon-media", "ffmpeg")
	base, _, _ := w.root()
	for _, text := range []string{"first", "", "another"} {
		w.extra[operatePath] = text
		if _, err := w.layer(t.Context(), addOn{name: "media"}, w.tools, base); err == nil || !strings.Contains(err.Error(), "changes 1 files of its base: "+operatePath) {
			t.Errorf("a layer with our program as %q: %v", text, err)
		}
	}
}

// TestRootWithoutProgram: a root that lacks what carries out operations is none.
func TestRootWithoutProgram(t *testing.T) {
	w := newWorkbench(t)
	w.own.root = t.TempDir()
	if part, err := w.rootfs(t.Context(), w.tools, w.own); err == nil || !strings.Contains(err.Error(), operatePath) {
		t.Errorf("%q %v", part, err)
	}
}

// TestBootstrapNotLocked: what was installed is held to the lock before it is
// kept.
func TestBootstrapNotLocked(t *testing.T) {
	w := newWorkbench(t)
	install := w.runBootstrap
	w.runBootstrap = func(ctx context.Context, j bootstrap.Job) error {
		j.Lock = w.lock(setGuest, "base-files", "stranger")
		return install(ctx, j)
	}
	if _, err := w.bootstrap(t.Context()); err == nil || !strings.Contains(err.Error(), "stranger") {
		t.Errorf("%v", err)
	}
	if left, err := filepath.Glob(filepath.Join(w.CacheDir, "parts", "bootstrap-*")); err != nil || len(left) > 0 {
		t.Errorf("kept %v %v", left, err)
	}
}

// TestBuildOwn builds the guest's own programs: where the agent and the kernel
// look for them, the same bytes each time, and the modules of both are known.
func TestBuildOwn(t *testing.T) {
	if "/"+operatePath != order.Program || root.Drop(operatePath) {
		t.Errorf("%s is not in the root", operatePath)
	}
	b := newWorkbench(t).builder
	var sums, names []string
	for range 2 {
		own, err := b.buildOwn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(own.remove)
		for _, file := range own.all() {
			sum, err := durable.SHA256(file)
			if err != nil {
				t.Fatal(err)
			}
			sums = append(sums, sum)
		}
		modules, err := linkedModules(t.Context(), b.SourceDir, own.all()...)
		if err != nil {
			t.Fatal(err)
		}
		names = nil
		for _, m := range modules {
			names = append(names, m.Path)
		}
	}
	if sums[0] != sums[2] || sums[1] != sums[3] || sums[0] == sums[1] {
		t.Errorf("built as %v", sums)
	}
	for _, want := range []string{"github.com/creachadair/jrpc2", "github.com/xuri/excelize/v2", "golang.org/x/sys"} {
		if !slices.Contains(names, want) {
			t.Errorf("modules without %s: %v", want, names)
		}
	}
	if names[0] != "go" || !slices.IsSorted(names[1:]) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("modules %v", names)
	}
}
