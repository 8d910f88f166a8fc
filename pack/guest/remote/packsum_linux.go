package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire/resume"
)

// sumOf is a sum over what the file system says of everything in a tree, without what is in
// the files: names, modes, sizes, inodes, and when they were changed last, which a program
// cannot set.
func sumOf(place string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(place, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		st, _ := info.Sys().(*syscall.Stat_t)
		if st == nil {
			return errors.New("the file system says nothing of it")
		}
		_, err = fmt.Fprintf(h, "%q %o %d %d %d %d %d\n", name[len(place):], st.Mode, st.Size, st.Ino, st.Uid, st.Ctim.Sec, st.Ctim.Nsec)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// untouched tells whether the tree of a pack is here, as it was made.
func untouched(dir, name string) bool {
	want, err := os.ReadFile(filepath.Join(dir, sumPrefix+name))
	if err != nil {
		return false
	}
	sum, err := sumOf(filepath.Join(dir, name))
	return err == nil && sum == string(want)
}

// usePack is the tree of a pack, which stays as long as this process is.
func usePack(name string) (string, error) {
	if !packName().MatchString(name) {
		return "", fmt.Errorf("%q is no pack", name)
	}
	dir, err := below("pack")
	if err != nil {
		return "", err
	}
	if _, err := lockFile(filepath.Join(dir, usePrefix+name), unix.LOCK_SH); err != nil {
		return "", err
	}
	place, now := filepath.Join(dir, name), time.Now()
	if err := os.Chtimes(filepath.Join(dir, sumPrefix+name), now, now); err != nil {
		return "", &codeError{resume.CodeDamaged, err}
	}
	return place, nil
}
