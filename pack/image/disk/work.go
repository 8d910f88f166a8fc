package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Label is the volume label of the work disk.
const Label = "piwork-work"

// fixed identifies every work disk: they all are the same empty one.
const fixed = "6f2f9a52-52b1-4d0e-8a55-0f5c3f6d9f01"

// Work describes the empty work disk.
type Work struct {
	Size int64     // bytes the guest sees
	Time time.Time // of everything in it
	// Mke2fs is the argv prefix that runs mke2fs (e2fsprogs 1.47.1 or newer: it
	// takes its clock from SOURCE_DATE_EPOCH).
	Mke2fs []string
}

// mke2fsConfig keeps the machine's own /etc/mke2fs.conf out of the result.
const mke2fsConfig = `[defaults]
	base_features = sparse_super,large_file,filetype,dir_index,ext_attr
	default_mntopts = acl,user_xattr
	enable_periodic_fsck = 0
	blocksize = 4096
	inode_size = 256
	inode_ratio = 16384
[fs_types]
	ext4 = {
		features = has_journal,extent,huge_file,flex_bg,metadata_csum,64bit,dir_nlink,extra_isize
	}
`

// Arguments returns the arguments of mke2fs(8) for an image file. The image is
// a hole from end to end, so nothing has to be zeroed, neither now nor by the
// guest's kernel in the background, which would fill every overlay.
func (w Work) Arguments(image string) []string {
	return []string{
		"-q", "-F", "-t", "ext4", "-b", "4096",
		"-L", Label, "-U", fixed, "-m", "0", "-J", "size=32",
		"-E", "hash_seed=" + fixed + ",assume_storage_prezeroed=1,nodiscard,packed_meta_blocks=1,root_owner=0:0",
		image,
	}
}

// Make writes the work disk to a new file. It uses a directory for what lies
// between, which must be empty and is left so.
func (w Work) Make(ctx context.Context, out, dir string) (err error) {
	raw := filepath.Join(dir, "work.raw")
	conf := filepath.Join(dir, "mke2fs.conf")
	defer func() { err = errors.Join(err, removeFiles(raw, conf)) }()
	if err := os.WriteFile(conf, []byte(mke2fsConfig), 0o600); err != nil {
		return fmt.Errorf("work disk: %w", err)
	}
	f, err := os.OpenFile(raw, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("work disk: %w", err)
	}
	defer f.Close()
	if err := f.Truncate(w.Size); err != nil {
		return fmt.Errorf("work disk: %w", err)
	}
	argv := append(append([]string(nil), w.Mke2fs...), w.Arguments(raw)...)
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Env = []string{
		"MKE2FS_CONFIG=" + conf, "LC_ALL=C", "PATH=/nonexistent",
		fmt.Sprintf("SOURCE_DATE_EPOCH=%d", w.Time.Unix()),
	}
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("work disk: mke2fs: %w: %s", err, strings.TrimSpace(string(text)))
	}
	to, err := os.OpenFile(out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("work disk: %w", err)
	}
	defer to.Close()
	if err := WriteQcow2(to, sparseFile{f}, w.Size); err != nil {
		return fmt.Errorf("work disk: %w", err)
	}
	if err := to.Chmod(0o644); err != nil {
		return fmt.Errorf("work disk: %w", err)
	}
	return to.Close()
}

func removeFiles(names ...string) error {
	var all error
	for _, n := range names {
		if err := os.Remove(n); err != nil && !errors.Is(err, os.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}
