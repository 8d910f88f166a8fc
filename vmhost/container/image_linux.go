package container

import (
	"archive/tar"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/moby/moby/api/types/image"
	"github.com/moby/moby/client"

	"piwork/vmhost/sandbox/tree"
	"piwork/vmhost/wire"
)

// importing has room for who looks for an image, makes it, or makes a container of it: two
// tasks that begin at once make it once, and a task of another pack does not remove it before
// there is a container, which keeps it.
var importing = make(chan struct{}, 1)

// withImage has the ID of the engine's image of the tree and the agent used for a container.
func (e *engine) withImage(ctx context.Context, c *Config, use func(id string) error) error {
	select {
	case importing <- struct{}{}:
		defer func() { <-importing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	id, err := e.ensureImage(ctx, c)
	if err != nil {
		return err
	}
	return use(id)
}

// ensureImage returns the ID of the engine's image of the tree and the agent, which it
// makes unless it made it before and the engine still has it. What it made of others
// before is removed, and what only says so by its labels.
func (e *engine) ensureImage(ctx context.Context, c *Config) (string, error) {
	what, err := c.imported(e)
	if err != nil {
		return "", fmt.Errorf("read the agent: %w", err)
	}
	mine := imports(c.Imports)
	id := mine.find(what)
	if there, err := e.tidyImages(ctx, c, id); there || err != nil {
		return id, err
	}
	if id, err = e.importImage(ctx, c); err != nil {
		return "", err
	}
	there, err := e.tidyImages(ctx, c, id)
	if err == nil && !there {
		err = lost(errors.New("the engine took an image and does not have it"))
	}
	if err != nil {
		return "", err
	}
	what.Image = id
	return id, mine.remember(what)
}

// tidyImages reports whether the engine has the image with the ID, and removes the owner's
// others.
func (e *engine) tidyImages(ctx context.Context, c *Config, id string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Answer)
	defer cancel()
	all, err := e.ImageList(ctx, client.ImageListOptions{Filters: make(client.Filters).Add("label", labelOwner+"="+c.Owner)})
	if err != nil {
		return false, said("list images", err)
	}
	there, others := sortImages(all.Items, c.Owner, id)
	for _, id := range others {
		// One that a container of another process still uses stays.
		if _, err := e.ImageRemove(ctx, id, client.ImageRemoveOptions{PruneChildren: true}); err != nil {
			c.Log.Warn("an old image of the container engine is left", "image", id, "error", err)
		}
	}
	return there, nil
}

// sortImages tells whether the image with the ID is among those with the labels of an owner,
// and which are the others.
func sortImages(all []image.Summary, owner, id string) (there bool, others []string) {
	for _, i := range all {
		switch got := ownImage(i, owner); got {
		case "":
		case id:
			there = true
		default:
			others = append(others, got)
		}
	}
	return there, others
}

// ownImage is the ID of an image with the labels of an owner, "" for another one.
func ownImage(i image.Summary, owner string) string {
	if i.Labels[labelOwner] != owner || i.Labels[labelImage] == "" {
		return ""
	}
	return imageID(i.ID)
}

// importImage sends the tree and the agent to the engine, and returns the ID of what it
// made of them.
func (e *engine) importImage(ctx context.Context, c *Config) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, importAnswers*c.Answer)
	defer cancel()
	r, w := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		err := pack(w, c.Root, c.Agent)
		w.CloseWithError(err)
		packed <- err
	}()
	answer, err := e.send(ctx, r, imageOptions(c.Digest, c.Owner))
	id := ""
	if err == nil {
		id, err = imageMade(answer)
		answer.Close()
	}
	r.CloseWithError(errors.New("the engine reads no further"))
	if perr := <-packed; perr != nil && err == nil {
		return "", fmt.Errorf("pack the tree of the runtime: %w", perr)
	}
	if err != nil {
		return "", said("import the image", err)
	}
	return id, nil
}

// send has the engine make an image of an archive, and returns what it says meanwhile.
func (e *engine) send(ctx context.Context, archive io.Reader, o client.ImageImportOptions) (io.ReadCloser, error) {
	if !e.info.podman {
		return e.ImageImport(ctx, client.ImageImportSource{Source: archive, SourceName: "-"}, "", o)
	}
	// Where Podman answers as Docker does, it leaves the archive in /var/tmp for good
	// (containers/podman#28531).
	where := "http://podman/v4.0.0/libpod/images/import?" + url.Values{"changes": o.Changes}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, where, archive)
	if err != nil {
		return nil, err
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return e.Dialer()(ctx) }
	answer, err := (&http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode < http.StatusBadRequest {
		return answer.Body, nil
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, maxRefusal))
	if err != nil {
		return nil, err
	}
	return nil, refusedError(answer.Status + " " + string(said))
}

// maxRefusal bounds what is kept of what an engine says when it refuses, in bytes.
const maxRefusal = 4 << 10

// refusedError is what an engine says in the middle of its work.
type refusedError string

func (e refusedError) Error() string { return string(e) }

// imageMade reads what an engine says while it makes an image: the error in it, or the ID, which
// comes last.
func imageMade(r io.Reader) (id string, err error) {
	for d := json.NewDecoder(r); ; {
		var m struct {
			Status string `json:"status"`
			ID     string `json:"id"` // Podman's
			Error  string `json:"error"`
		}
		err := d.Decode(&m)
		switch {
		case errors.Is(err, io.EOF) && id == "":
			return "", errors.New("the engine does not say what it made")
		case errors.Is(err, io.EOF):
			return id, nil
		case err != nil:
			return "", err
		case m.Error != "":
			return "", refusedError(m.Error)
		}
		id = imageID(cmp.Or(m.Status, m.ID))
	}
}

// pack writes the tree, the agent and the directories that a container mounts something on,
// as an archive. All but the scratch belongs to root.
func pack(w io.Writer, root, agent string) error {
	t := tar.NewWriter(w)
	if err := tree.Archive(t, root, func(rel string) bool { return own[rel] }); err != nil {
		return err
	}
	for _, d := range []struct { // Podman gives what is mounted in memory the mode of the directory below it
		name string
		mode int64
		user int
	}{
		{"proc", 0o555, 0}, {"dev", 0o755, 0}, {"sys", 0o555, 0}, {"run", 0o755, 0}, {"tmp", 0o1777, 0}, {"home", 0o755, 0},
		{home, 0o1777, userID}, {wire.WorkDir, 0o1777, userID}, {wire.OutDir, 0o1777, userID}, {wire.FoldersDir, 0o1777, userID}, {ownDir, 0o755, 0},
	} {
		h := &tar.Header{Typeflag: tar.TypeDir, Name: strings.TrimPrefix(d.name, "/") + "/", Mode: d.mode, Uid: d.user, Gid: d.user, ModTime: time.Unix(0, 0)}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
	}
	// The state comes with the folders; where there is none, the link leads nowhere.
	state := wire.FoldersDir + "/" + wire.StateName
	if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: strings.TrimPrefix(wire.StateDir, "/"), Linkname: state, Mode: 0o777, ModTime: time.Unix(0, 0)}); err != nil {
		return err
	}
	info, err := os.Stat(agent)
	if err != nil {
		return err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: strings.TrimPrefix(agentPath, "/"), Mode: 0o755, Size: info.Size(), ModTime: time.Unix(0, 0)}
	if err := tree.ArchiveFile(t, h, agent); err != nil {
		return err
	}
	return t.Close()
}
