package keys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/app/durable"
)

// maxAuthFile bounds an auth.json.
const maxAuthFile = 1 << 20

// Left is an entry of an auth.json that was not taken over.
type Left struct {
	Provider string
	Reason   string // LeftX
}

// Why entries are not taken over.
const (
	LeftCommand  = "command"  // the key is the output of a command, which piwork does not run
	LeftVariable = "variable" // the key is in the environment: PIWORK_AUTH_MODE=env reads it from there
	LeftUnknown  = "unknown"  // of a kind, or for a provider, that is not supported
	LeftInvalid  = "invalid"  // no key that could be sent
	LeftNewer    = "newer"    // the store has another one already
)

// Imported says what became of an auth.json.
type Imported struct {
	File    string
	Moved   []string // providers whose entry is in the store now, sorted
	Left    []Left   // sorted by provider
	Deleted bool     // the file is gone
}

// AuthFile is one auth.json to import.
type AuthFile struct {
	Path string
	Keep bool // it belongs to another program: nothing is taken out of it
}

// AuthFiles says which files the environment asks to import, in this order. data
// is piwork's data directory, home the person's. A file of piwork's own store
// (auth/<profile>/auth.json) is moved whenever it is there; what PIWORK_AUTH_PATH
// names, and pi's own file, are copied when they are asked for.
func AuthFiles(getenv func(string) string, data, home string) []AuthFile {
	var files []AuthFile
	if own := OwnAuthFile(getenv, data); own != "" {
		files = append(files, AuthFile{Path: own})
	}
	switch path := getenv(VarPath); {
	case path != "":
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(home, rest)
		}
		files = append(files, AuthFile{Path: path, Keep: true})
	case getenv(VarCopy) == "1" && home != "":
		files = append(files, AuthFile{Path: filepath.Join(home, ".pi", "agent", "auth.json"), Keep: true})
	}
	return files
}

// Profile is the name of the profile that the environment asks for; one that
// could leave the directory of profiles is "default".
func Profile(getenv func(string) string) string {
	if p := getenv(VarProfile); ValidID(strings.ToLower(p)) {
		return p
	}
	return "default"
}

// OwnAuthFile is the auth.json of the profile in piwork's data directory.
func OwnAuthFile(getenv func(string) string, data string) string {
	if data == "" {
		return ""
	}
	return filepath.Join(data, "auth", Profile(getenv), "auth.json")
}

// authEntry is one of pi's auth.json.
type authEntry struct {
	Type    string `json:"type"`
	Key     string `json:"key"`
	Access  string `json:"access"`
	Refresh string `json:"refresh"`
	Expires int64  `json:"expires"`

	EnterpriseURL string `json:"enterpriseUrl"` // of github-copilot: a GitHub of an organisation's own
	Client        string `json:"clientId"`      // of openai
}

// Import takes the entries of an auth.json into a store. supported says which
// providers the gateway can serve. Each entry is written, read back and compared;
// only then it is taken out of the file, unless the file is to be kept; a file
// with no entry left is deleted. After an error, or a kill at any moment, each
// entry is in the store, in the file, or in both. A file that does not exist is
// fs.ErrNotExist.
//
// A login that is copied is shared with the other program from then on: most
// providers end the older refresh token when a new one is fetched.
func Import(ctx context.Context, f AuthFile, to Store, supported func(provider string, k Kind) bool) (Imported, error) {
	out := Imported{File: f.Path}
	data, err := readAuth(f.Path)
	if err != nil {
		return out, err
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return out, fmt.Errorf("import %s: no list of keys", f.Path) // the text of the error could hold a part of a key
	}
	providers := make([]string, 0, len(all))
	for p := range all {
		providers = append(providers, p)
	}
	slices.Sort(providers)
	for _, p := range providers {
		c, reason := read(p, all[p], supported)
		if reason == "" {
			reason, err = move(ctx, c, to)
			if err != nil {
				return out, fmt.Errorf("import the key of %s: %w", p, err)
			}
		}
		if reason != "" {
			out.Left = append(out.Left, Left{Provider: p, Reason: reason})
			continue
		}
		out.Moved = append(out.Moved, p)
		delete(all, p)
	}
	if f.Keep || len(out.Moved) == 0 && len(all) > 0 {
		return out, nil
	}
	if len(all) > 0 {
		rest, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return out, err
		}
		if err := durable.WriteFile(f.Path, append(rest, '\n')); err != nil {
			return out, fmt.Errorf("take imported keys out of the file: %w", err)
		}
		return out, nil
	}
	if err := os.Remove(f.Path); err != nil {
		return out, fmt.Errorf("delete the imported file: %w", err)
	}
	out.Deleted = true
	return out, durable.SyncDir(filepath.Dir(f.Path))
}

func readAuth(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("import keys: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxAuthFile {
		return nil, fmt.Errorf("import %s: not a file of keys", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("import keys: %w", err)
	}
	return data, nil
}

// read makes a credential of an entry, or says why not.
func read(provider string, raw json.RawMessage, supported func(string, Kind) bool) (Credential, string) {
	var e authEntry
	if json.Unmarshal(raw, &e) != nil {
		return Credential{}, LeftUnknown
	}
	c := Credential{Provider: provider}
	switch e.Type {
	case "api_key":
		c.Kind, c.Key = KindKey, NewSecret(e.Key)
		switch {
		case strings.HasPrefix(e.Key, "!"):
			return c, LeftCommand
		case strings.Contains(e.Key, "$"):
			return c, LeftVariable
		}
	case "oauth":
		c.Kind, c.Access, c.Refresh = KindOAuth, NewSecret(e.Access), NewSecret(e.Refresh)
		if e.Expires > 0 {
			c.Expires = time.UnixMilli(e.Expires)
		}
		if e.EnterpriseURL != "" {
			var ok bool
			if c.Domain, ok = companyDomain(e.EnterpriseURL); !ok {
				return c, LeftUnknown // its tokens are made, and sent, elsewhere
			}
		}
		if Endpoints()[provider].Registers {
			if c.Client = e.Client; !(&grant{code: "x", client: c.Client}).good(Endpoints()[provider]) {
				return c, LeftInvalid // it cannot be renewed
			}
		}
	default:
		return c, LeftUnknown
	}
	if !supported(provider, c.Kind) {
		return c, LeftUnknown
	}
	if c.Check() != nil {
		return c, LeftInvalid
	}
	return c, ""
}

// move writes a credential and makes sure that it is there. A login that the
// store renewed since is not overwritten by its older copy, nor a key that a
// person set here.
func move(ctx context.Context, c Credential, to Store) (reason string, err error) {
	switch old, err := to.Get(ctx, c.Provider); {
	case err == nil && same(old, c):
		return "", nil // a kill came after it was written
	case err == nil:
		return LeftNewer, nil
	case !errors.Is(err, ErrNotFound):
		return "", err
	}
	if err := to.Set(ctx, c); err != nil {
		return "", err
	}
	back, err := to.Get(ctx, c.Provider)
	if err != nil {
		return "", fmt.Errorf("read it back: %w", err)
	}
	if !same(back, c) {
		return "", fmt.Errorf("the store gave back something else: %w", ErrEntry)
	}
	return "", nil
}

// NoAuthFile reports that there was nothing to import.
func NoAuthFile(err error) bool { return errors.Is(err, fs.ErrNotExist) }
