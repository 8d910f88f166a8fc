package ninep

import (
	"github.com/hugelgupf/p9/linux"
	"github.com/hugelgupf/p9/p9"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

const atRemoveDir = 0x200 // Linux AT_REMOVEDIR

// change runs a change of a name in this directory, unless the folder is
// read-only.
func (n *node) change(name string, do func(journal.Place) error) error {
	if n.m.ReadOnly {
		return linux.EROFS
	}
	p, err := n.child(name)
	if err != nil {
		return errno(err)
	}
	defer p.Dir.Close()
	return errno(do(p))
}

// Mkdir makes a directory.
func (n *node) Mkdir(name string, perm p9.FileMode, _ p9.UID, _ p9.GID) (q p9.QID, err error) {
	err = n.change(name, func(p journal.Place) error {
		info, err := n.m.Files.Mkdir(p, uint32(perm)&permBits)
		q = qid(info)
		return err
	})
	return q, err
}

// Symlink makes a link; its target is data that only the guest resolves.
func (n *node) Symlink(target, name string, _ p9.UID, _ p9.GID) (q p9.QID, err error) {
	err = n.change(name, func(p journal.Place) error {
		info, err := n.m.Files.Symlink(p, target)
		q = qid(info)
		return err
	})
	return q, err
}

// Link gives a file of the same folder a second name.
func (n *node) Link(target p9.File, name string) error {
	t, ok := target.(*node)
	if !ok || t.m != n.m {
		return linux.EXDEV
	}
	return n.change(name, func(p journal.Place) error {
		old, err := t.place()
		if err != nil {
			return err
		}
		defer old.Dir.Close()
		_, err = n.m.Files.Link(old, p)
		return err
	})
}

// Mknod makes regular files only; no device, FIFO or socket reaches the host.
func (n *node) Mknod(name string, mode p9.FileMode, _, _ uint32, _ p9.UID, _ p9.GID) (q p9.QID, err error) {
	if t := mode.FileType(); t != 0 && t != p9.ModeRegular {
		return p9.QID{}, linux.EPERM
	}
	err = n.change(name, func(p journal.Place) error {
		f, info, err := n.m.Files.Create(p, uint32(mode)&permBits)
		if err != nil {
			return err
		}
		q = qid(info)
		return f.Close()
	})
	return q, err
}

// RenameAt moves a name within the folder.
func (n *node) RenameAt(oldName string, newDir p9.File, newName string) error {
	d, ok := newDir.(*node)
	if !ok || d.m != n.m {
		return linux.EXDEV
	}
	return n.change(oldName, func(old journal.Place) error {
		p, err := d.child(newName)
		if err != nil {
			return err
		}
		defer p.Dir.Close()
		return n.m.Files.Rename(old, p)
	})
}

// UnlinkAt removes a name, or with AT_REMOVEDIR an empty directory.
func (n *node) UnlinkAt(name string, flags uint32) error {
	return n.change(name, func(p journal.Place) error {
		info, err := p.Dir.Lstat(name)
		if err != nil {
			return err
		}
		isDir := info.Kind == at.Directory
		switch {
		case flags&atRemoveDir != 0 && !isDir:
			return linux.ENOTDIR
		case flags&atRemoveDir != 0:
			return n.m.Files.RemoveDir(p)
		case isDir:
			return linux.EISDIR
		}
		return n.m.Files.Remove(p)
	})
}
