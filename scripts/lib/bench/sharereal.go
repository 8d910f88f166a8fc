package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
)

// What the programs work on: below realDir in each place, but for the archive, which is in
// the guest's memory, so that only writing is the folder's.
const (
	realDir     = "real"
	realArchive = "/tmp/files.tar"
)

// realWorks are programs as people run them, on folders and on the guest's own disk.
var realWorks = shareGroup{
	works: []shareWork{
		{name: "git-status", argv: []string{"/usr/bin/git", "-C", realDir + "/tree", "status", "--short"}},
		{name: "unpack", argv: []string{"/usr/bin/tar", "-C", realDir + "/unpacked", "-xf", realArchive}},
		{name: "read", argv: []string{"/bin/sh", "-c", "exec cat " + realDir + "/large >/dev/null"}},
		{name: "photos", argv: []string{"/bin/sh", "-c", `for f in ` + realDir + `/photos/*.jpg; do set -- "$@" "jpeg:$f"; done; exec mogrify -path ` + realDir + `/made -resize 100x100 "$@"`}}, // the guest's policy knows this name of the format alone
	},
	pairs: [][2]place{{ours, own}, {device, own}},
}

// realFiles makes what the programs work on in each place of the host, and has the guest copy it
// to its own disk.
func (r *shareRun) realFiles() {
	if len(r.places(realWorks)) == 0 {
		return
	}
	made := filepath.Join(r.dir, "real-files")
	r.realRepository(filepath.Join(made, "tree"))
	r.realLarge(filepath.Join(made, "large"))
	r.realPhotos(filepath.Join(made, "photos"))
	for _, dir := range []string{"unpacked", "made"} {
		check(os.Mkdir(filepath.Join(made, dir), 0o755))
	}
	for _, p := range []place{ours, device} { // nothing of it is written to, so that one copy does
		r.program("cp", "-al", made, filepath.Join(r.dir, p.host, realDir))
	}
	archive := filepath.Join(r.dir, ours.host, "files.tar")
	check(realTar(archive))
	r.vm.do(sharework.Order{Do: "copy", Dir: ours.dir + "/files.tar", Argv: []string{"/root" + realArchive}})
	r.vm.do(sharework.Order{Do: "run", Dir: own.dir, Argv: []string{"/bin/cp", "-a", strings.TrimPrefix(ours.dir, "/root") + "/" + realDir, "."}})
	for _, p := range r.places(realWorks) { // git keeps what it saw of each file, and reads those that look new
		r.vm.do(sharework.Order{Do: "run", Dir: p.dir, Argv: realWorks.works[0].argv})
	}
}

// realAgain takes away what a program left the last time.
func (r *shareRun) realAgain(p place) {
	for _, dir := range []string{"unpacked", "made"} {
		dir = filepath.Join(realDir, dir)
		if p == own {
			r.vm.do(sharework.Order{Do: "run", Dir: p.dir, Argv: []string{"/bin/sh", "-c", "rm -rf " + dir + " && mkdir " + dir}})
			continue
		}
		dir = filepath.Join(r.dir, p.host, dir)
		check(errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)))
	}
}

func (r *shareRun) realRepository(dir string) {
	check(os.MkdirAll(dir, 0o755))
	must(sharework.Works["create"](sharework.Order{Dir: dir, N: realTracked}))
	for _, argv := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-q", "-m", "all"}} {
		r.program("git", append([]string{"-C", dir}, argv...)...)
	}
}

func (r *shareRun) realLarge(file string) {
	f := must(os.Create(file))
	source := rand.NewChaCha8([32]byte{1})
	_, err := io.Copy(f, io.LimitReader(source, realRead))
	check(errors.Join(err, f.Close()))
}

func (r *shareRun) realPhotos(dir string) {
	check(os.Mkdir(dir, 0o755))
	dice := rand.New(rand.NewPCG(1, 2))
	for _, name := range smallNames(realPhotos) {
		check(os.WriteFile(filepath.Join(dir, name), must(noise(dice, 320, 240, 80)), 0o644))
	}
}

// realTar writes an archive of small files in directories of a hundred.
func realTar(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := tar.NewWriter(f)
	content := []byte(strings.Repeat("a line of a file\n", 40))
	for i := range realUnpacked {
		h := &tar.Header{Name: fmt.Sprintf("dir%d/a file with number %d", i/100, i), Mode: int64(fs.FileMode(0o644)), Size: int64(len(content))}
		if err = w.WriteHeader(h); err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, w.Close(), f.Close())
}
