package tree

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Archive writes what is in a tree to an archive, without what leave says by its name in the
// tree: the same bytes for the same tree. What is neither file, link nor directory is left
// out, too.
func Archive(t *tar.Writer, root string, leave func(rel string) bool) error {
	first := map[uint64]string{} // of files with several names, by inode: the name that is there
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || rel == "." {
			return err
		}
		if leave(rel) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h := &tar.Header{Name: rel, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime().Truncate(time.Second)}
		switch {
		case d.IsDir():
			h.Typeflag, h.Name = tar.TypeDir, rel+"/"
			return t.WriteHeader(h)
		case info.Mode()&fs.ModeSymlink != 0:
			h.Typeflag = tar.TypeSymlink
			if h.Linkname, err = os.Readlink(name); err != nil {
				return err
			}
			return t.WriteHeader(h)
		case !info.Mode().IsRegular():
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 {
			if h.Linkname = first[st.Ino]; h.Linkname != "" {
				h.Typeflag = tar.TypeLink
				return t.WriteHeader(h)
			}
			first[st.Ino] = rel
		}
		h.Typeflag, h.Size = tar.TypeReg, info.Size()
		return ArchiveFile(t, h, name)
	})
}

// ArchiveFile writes a file to an archive.
func ArchiveFile(t *tar.Writer, h *tar.Header, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	if err = t.WriteHeader(h); err == nil {
		_, err = io.Copy(t, f)
	}
	return errors.Join(err, f.Close())
}
