package container

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/moby/moby/api/types/image"
	"github.com/moby/moby/client"

	"piwork/vmhost/wire"
)

// importing is held while an image is looked for or made: two tasks that begin at once
// make it once.
var importing sync.Mutex

// ensureImage returns the ID of the engine's image of the tree and the agent, which it
// makes when there is none. What it made of others before is removed.
func (e *engine) ensureImage(ctx context.Context, c *Config) (string, error) {
	importing.Lock()
	defer importing.Unlock()
	id, err := e.findImage(ctx, c)
	if id != "" || err != nil {
		return id, err
	}
	if err := e.importImage(ctx, c); err != nil {
		return "", err
	}
	id, err = e.findImage(ctx, c)
	if err == nil && id == "" {
		err = lost(errors.New("the engine took an image and does not have it"))
	}
	return id, err
}

// findImage returns the ID of the image with the digest, "" when there is none, and removes
// the owner's others.
func (e *engine) findImage(ctx context.Context, c *Config) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Answer)
	defer cancel()
	all, err := e.ImageList(ctx, client.ImageListOptions{Filters: make(client.Filters).Add("label", labelOwner+"="+c.Owner)})
	if err != nil {
		return "", said("list images", err)
	}
	found, old := sortImages(all.Items, c.Owner, c.Digest)
	for _, id := range old {
		// One that a container of another process still uses stays.
		if _, err := e.ImageRemove(ctx, id, client.ImageRemoveOptions{PruneChildren: true}); err != nil {
			c.Log.Warn("an old image of the container engine is left", "image", id, "error", err)
		}
	}
	return found, nil
}

// sortImages finds the image with the digest among those of an owner, and the others.
func sortImages(all []image.Summary, owner, digest string) (found string, old []string) {
	for _, i := range all {
		switch {
		case i.Labels[labelOwner] != owner || i.Labels[labelImage] == "" || i.ID == "":
		case i.Labels[labelImage] != digest:
			old = append(old, i.ID)
		default:
			found = i.ID
		}
	}
	return found, old
}

// importImage sends the tree and the agent to the engine.
func (e *engine) importImage(ctx context.Context, c *Config) error {
	ctx, cancel := context.WithTimeout(ctx, importAnswers*c.Answer)
	defer cancel()
	r, w := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		err := pack(w, c.Root, c.Agent)
		w.CloseWithError(err)
		packed <- err
	}()
	answer, err := e.ImageImport(ctx, client.ImageImportSource{Source: r, SourceName: "-"}, "", imageOptions(c.Digest, c.Owner))
	if err == nil {
		err = lastError(answer)
		answer.Close()
	}
	r.CloseWithError(errors.New("the engine reads no further"))
	if perr := <-packed; perr != nil && err == nil {
		return fmt.Errorf("pack the tree of the runtime: %w", perr)
	}
	if err != nil {
		return said("import the image", err)
	}
	return nil
}

// refusedError is what an engine says in the middle of its work.
type refusedError string

func (e refusedError) Error() string { return string(e) }

// lastError reads what an engine says while it works, and returns the error in it.
func lastError(r io.Reader) error {
	for d := json.NewDecoder(r); ; {
		var m struct {
			Error string `json:"error"`
		}
		err := d.Decode(&m)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case m.Error != "":
			return refusedError(m.Error)
		}
	}
}

// pack writes the tree, the agent and the directories that a container mounts something on,
// as an archive. All but the scratch belongs to root.
func pack(w io.Writer, root, agent string) error {
	t := tar.NewWriter(w)
	p := packer{Writer: t, root: root, first: map[uint64]string{}}
	if err := filepath.WalkDir(root, p.put); err != nil {
		return err
	}
	for _, d := range []struct {
		name string
		mode int64
		user int
	}{
		{"proc", 0o555, 0}, {"dev", 0o755, 0}, {"sys", 0o555, 0}, {"run", 0o755, 0}, {"tmp", 0o1777, 0}, {"home", 0o755, 0},
		{home, 0o1777, userID}, {wire.WorkDir, 0o700, userID}, {wire.OutDir, 0o700, userID}, {wire.FoldersDir, 0o755, 0}, {wire.StateDir, 0o755, 0},
		{ownDir, 0o755, 0}, {proofPath, 0o755, 0},
	} {
		h := &tar.Header{Typeflag: tar.TypeDir, Name: strings.TrimPrefix(d.name, "/") + "/", Mode: d.mode, Uid: d.user, Gid: d.user, ModTime: time.Unix(0, 0)}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
	}
	info, err := os.Stat(agent)
	if err != nil {
		return err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: strings.TrimPrefix(agentPath, "/"), Mode: 0o755, Size: info.Size(), ModTime: time.Unix(0, 0)}
	if err := p.file(h, agent); err != nil {
		return err
	}
	return t.Close()
}

// packer is a tree on its way into an archive.
type packer struct {
	*tar.Writer
	root  string
	first map[uint64]string // of files with several names, by inode: the name that is there
}

func (p *packer) put(name string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(p.root, name)
	if err != nil || rel == "." {
		return err
	}
	if own[rel] {
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	h := &tar.Header{Name: rel, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime()}
	switch {
	case d.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, rel+"/"
		return p.WriteHeader(h)
	case info.Mode()&fs.ModeSymlink != 0:
		h.Typeflag = tar.TypeSymlink
		if h.Linkname, err = os.Readlink(name); err != nil {
			return err
		}
		return p.WriteHeader(h)
	case !info.Mode().IsRegular():
		return nil
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 {
		if h.Linkname = p.first[st.Ino]; h.Linkname != "" {
			h.Typeflag = tar.TypeLink
			return p.WriteHeader(h)
		}
		p.first[st.Ino] = rel
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	return p.file(h, name)
}

func (p *packer) file(h *tar.Header, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := p.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.CopyN(p, f, h.Size)
	return err
}
