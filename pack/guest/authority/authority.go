// Package authority has the programs of a task believe an authority that signs for hosts
// which piwork answers for (vmhost/network/inspect). It is for this machine alone: what is
// written here is in the overlay of the task, and goes with it.
//
// Programs find whom to believe in three ways, and get all of them: in Debian's bundle, in a
// file of the authority alone (Node.js adds that to its own), and in variables that lead to
// the bundle, for those that bring a bundle of their own. Programs that heed neither (a
// browser with a store of its own, Java) refuse the hosts that are answered for.
package authority

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Files, below the root.
const (
	bundle = "etc/ssl/certs/ca-certificates.crt"
	alone  = "etc/ssl/certs/piwork-task.pem"
)

// Words are the variables of programs that are to believe what is below a root.
func Words(root string) []string {
	alone, bundle := filepath.Join(root, alone), filepath.Join(root, bundle)
	return []string{
		"NODE_EXTRA_CA_CERTS=" + alone,
		"SSL_CERT_FILE=" + bundle, "CURL_CA_BUNDLE=" + bundle, "REQUESTS_CA_BUNDLE=" + bundle, "PIP_CERT=" + bundle,
		"GIT_SSL_CAINFO=" + bundle, "CARGO_HTTP_CAINFO=" + bundle,
	}
}

// BelieveBeside is Believe for programs whose own root is root and cannot be changed: all whom
// they believe is then below another directory.
func BelieveBeside(root, dir, certificate string) error {
	all, err := os.ReadFile(filepath.Join(root, bundle))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read whom programs believe: %w", err)
	}
	if err := write(filepath.Join(dir, bundle), string(all)); err != nil {
		return fmt.Errorf("add an authority: %w", err)
	}
	return Believe(dir, certificate)
}

// Believe adds a certificate, PEM, to whom programs believe. It can be done again: one that
// was added before goes.
func Believe(root, certificate string) error {
	all, err := os.ReadFile(filepath.Join(root, bundle))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read whom programs believe: %w", err)
	}
	before, err := os.ReadFile(filepath.Join(root, alone))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read whom programs believe: %w", err)
	}
	text := string(all)
	if len(before) > 0 {
		text = strings.ReplaceAll(text, string(before), "")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if !strings.HasSuffix(certificate, "\n") {
		certificate += "\n"
	}
	for name, content := range map[string]string{alone: certificate, bundle: text + certificate} {
		if err := write(filepath.Join(root, name), content); err != nil {
			return fmt.Errorf("add an authority: %w", err)
		}
	}
	return nil
}

// write replaces a file, which programs may read meanwhile.
func write(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	staged := path + ".new"
	if err := os.WriteFile(staged, []byte(content), 0o644); err != nil {
		return err
	}
	return os.Rename(staged, path)
}
