package debian

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Contents calls each for the entries of a package's data, with names relative
// to the root ("usr/bin/env"), until it returns an error.
func Contents(ctx context.Context, file string, each func(h *tar.Header, r io.Reader) error) error {
	return readTar(ctx, "--fsys-tarfile", file, each)
}

// Control returns the control file of a package.
func Control(ctx context.Context, file string) (string, error) {
	var text []byte
	err := readTar(ctx, "--ctrl-tarfile", file, func(h *tar.Header, r io.Reader) (err error) {
		if h.Name == "control" {
			text, err = io.ReadAll(io.LimitReader(r, maxLine))
		}
		return err
	})
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("%s has no control file", file)
	}
	return string(text), err
}

// readTar reads what dpkg-deb(1) makes of a package.
func readTar(ctx context.Context, option, file string, each func(h *tar.Header, r io.Reader) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := exec.CommandContext(ctx, "dpkg-deb", option, file)
	var complaint bytes.Buffer
	c.Stderr = &complaint
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("dpkg-deb: %w", err)
	}
	err = eachEntry(out, each)
	if err != nil {
		cancel()
	} else {
		_, err = io.Copy(io.Discard, out) // the padding after the end
	}
	if failed := c.Wait(); err == nil && failed != nil {
		err = fmt.Errorf("dpkg-deb: %w: %s", failed, strings.TrimSpace(complaint.String()))
	}
	return err
}

func eachEntry(r io.Reader, each func(h *tar.Header, r io.Reader) error) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		h.Name = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(h.Name, "."), "/"), "/")
		if err := each(h, t); err != nil {
			return err
		}
	}
}
