package main

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"piwork/scripts/lib/bench/sharework"
)

// How much the work of real programs is.
const (
	realTracked  = 50_000  // files of a repository that git looks through
	realUnpacked = 20_000  // files that come out of an archive
	realRead     = 2 << 30 // bytes that are read once
	realPhotos   = 1000
	realPackages = 40  // that npm installs
	realModules  = 100 // files in each of them
)

// What the programs work on: below realDir in each place, but for the archives, which are in
// the guest's memory, so that only writing is the folder's.
const (
	realDir      = "real"
	realTarName  = "files.tar"
	realArchive  = "/tmp/" + realTarName
	realNPMName  = "packages.tar"
	realRegistry = "/tmp/packages" // what an archive of that name has in it: packages, and who wants them
)

// realEmptied are the directories that programs fill.
var realEmptied = []string{"unpacked", "made", "project"}

// realWorks are programs as people run them, on folders and on the guest's own disk.
var realWorks = shareGroup{
	apart: true,
	works: []shareWork{
		{name: "git-status", argv: []string{"/usr/bin/git", "-C", realDir + "/tree", "status", "--short"}},
		{name: "unpack", argv: []string{"/usr/bin/tar", "-C", realDir + "/unpacked", "-xf", realArchive}},
		{name: "npm-install", argv: []string{"/bin/sh", "-c", "cd " + realDir + "/project && cp " + realRegistry + "/package.json . && exec npm install --offline --no-audit --no-fund --no-update-notifier --loglevel=error --cache /tmp/npm-cache"}},
		{name: "read", argv: []string{"/bin/sh", "-c", "exec cat " + realDir + "/large >/dev/null"}},
		{name: "photos", argv: []string{"/bin/sh", "-c", `for f in ` + realDir + `/photos/*.jpg; do set -- "$@" "jpeg:$f"; done; exec mogrify -format jpeg -path ` + realDir + `/made -resize 100x100 "$@"`}}, // the guest's policy knows this name of the format alone, for both sides
	},
	pairs: [][2]place{{ours, own}, {device, own}, {ours, device}},
}

// realFiles makes what the programs work on in each place of the host, and returns an image of
// the guest's own disk with the same in it: copied by a slow guest it would take longer than all
// that is measured. It returns "" where nothing of it is wanted.
func realFiles(b *B) string {
	if len(b.places(realWorks)) == 0 {
		return ""
	}
	made := filepath.Join(b.dir, "real-files")
	at := filepath.Join(made, realDir)
	makeRepository(b, filepath.Join(at, "tree"))
	makeLarge(filepath.Join(at, "large"))
	makePhotos(filepath.Join(at, "photos"))
	for _, dir := range realEmptied {
		check(os.Mkdir(filepath.Join(at, dir), 0o755))
	}
	for _, p := range []place{ours, device} { // nothing of it is written to, so that one copy does
		b.program("cp", "-al", at, filepath.Join(b.dir, p.host, realDir))
	}
	image := filepath.Join(b.dir, "own.raw")
	b.program("/usr/sbin/mke2fs", "-q", "-t", "ext4", "-d", made, image, "8G")
	shared := filepath.Join(b.dir, ours.host)
	check(writeTar(filepath.Join(shared, realTarName), realUnpackedFiles()))
	makePackages(b, filepath.Join(b.dir, "packages"), filepath.Join(shared, realNPMName))
	return image
}

// realReady brings the archives into the guest's memory.
func (r *shareRun) realReady() {
	places := r.places(realWorks)
	if len(places) == 0 {
		return
	}
	for _, name := range []string{realTarName, realNPMName} {
		r.vm.do(sharework.Order{Do: "copy", Dir: ours.dir + "/" + name, Argv: []string{"/root/tmp/" + name}})
	}
	r.vm.do(sharework.Order{Do: "run", Dir: ours.dir, Argv: []string{"/usr/bin/tar", "-C", "/tmp", "-xf", "/tmp/" + realNPMName}})
	for _, p := range places { // the first look at a repository is not that of every day
		r.vm.do(sharework.Order{Do: "run", Dir: p.dir, Argv: realWorks.works[0].argv})
	}
}

// realAgain takes away what a program left the last time.
func (r *shareRun) realAgain(p place) {
	for _, dir := range realEmptied {
		dir = filepath.Join(realDir, dir)
		if p == own {
			r.vm.do(sharework.Order{Do: "run", Dir: p.dir, Argv: []string{"/bin/sh", "-c", "rm -rf " + dir + " && mkdir " + dir}})
			continue
		}
		dir = filepath.Join(r.dir, p.host, dir)
		check(errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)))
	}
}

// makeRepository makes a repository of small files. Its copies have other inodes and other times
// of change: git is told to go by size and time of content, or it would read every file again.
func makeRepository(b *B, dir string) {
	check(os.MkdirAll(dir, 0o755))
	must(sharework.Works["create"](sharework.Order{Dir: dir, N: realTracked}))
	for _, argv := range [][]string{{"init", "-q"}, {"config", "core.checkStat", "minimal"}, {"config", "core.trustctime", "false"}, {"add", "-A"}, {"-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-q", "-m", "all"}} {
		b.program("git", append([]string{"-C", dir}, argv...)...)
	}
}

func makeLarge(file string) {
	f := must(os.Create(file))
	source := rand.NewChaCha8([32]byte{1})
	_, err := io.Copy(f, io.LimitReader(source, realRead))
	check(errors.Join(err, f.Close()))
}

func makePhotos(dir string) {
	check(os.Mkdir(dir, 0o755))
	dice := rand.New(rand.NewPCG(1, 2))
	for _, name := range smallNames(realPhotos) {
		check(os.WriteFile(filepath.Join(dir, name), must(noise(dice, 320, 240, 80)), 0o644))
	}
}

// realFile is a file of an archive.
type realFile struct{ name, content string }

// realUnpackedFiles are small files in directories of a hundred.
func realUnpackedFiles() iter.Seq[realFile] {
	content := strings.Repeat("a line of a file\n", 40)
	return func(yield func(realFile) bool) {
		for i := range realUnpacked {
			if !yield(realFile{fmt.Sprintf("dir%d/a file with number %d", i/100, i), content}) {
				return
			}
		}
	}
}

// makePackages makes packages of modules as npm has them and, for all of them, the package.json
// of who wants them, as an archive: no registry is asked.
func makePackages(b *B, dir, archive string) {
	at := filepath.Join(dir, filepath.Base(realRegistry))
	check(os.MkdirAll(at, 0o755))
	module := strings.Repeat("export const line = 'of a module';\n", 40)
	wanted := map[string]string{}
	for i := range realPackages {
		name := fmt.Sprintf("package%d", i)
		wanted[name] = "file:" + realRegistry + "/" + name + ".tar"
		check(writeTar(filepath.Join(at, name+".tar"), func(yield func(realFile) bool) {
			if !yield(realFile{"package/package.json", fmt.Sprintf(`{"name": %q, "version": "1.0.0", "type": "module"}`, name)}) {
				return
			}
			for k := range realModules {
				if !yield(realFile{fmt.Sprintf("package/lib/part%d/module%d.js", k/10, k), module}) {
					return
				}
			}
		}))
	}
	project := map[string]any{"name": "project", "version": "1.0.0", "private": true, "dependencies": wanted}
	check(os.WriteFile(filepath.Join(at, "package.json"), must(json.Marshal(project)), 0o644))
	b.program("tar", "-C", dir, "-cf", archive, filepath.Base(at))
}

// writeTar writes files as an archive.
func writeTar(file string, files iter.Seq[realFile]) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := tar.NewWriter(f)
	for e := range files {
		if err = w.WriteHeader(&tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.content))}); err == nil {
			_, err = io.WriteString(w, e.content)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, w.Close(), f.Close())
}
