package mcpservers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// entry is a server as other programs write it.
type entry struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	OAuth   struct {
		Client string `json:"clientId"`
	} `json:"oauth"`
}

// parseImport reads the JSON that other programs keep their servers in: mcpServers, or
// servers, with entries by name. What is in it besides is passed over.
func parseImport(text string) ([]Addition, error) {
	if len(text) > maxImport {
		return nil, errors.New("it is too long")
	}
	var file struct {
		Named map[string]entry `json:"mcpServers"`
		Other map[string]entry `json:"servers"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("it is no JSON with mcpServers: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON")
	}
	all := file.Named
	if len(all) == 0 {
		all = file.Other
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("it has no mcpServers")
	case len(all) > maxServers:
		return nil, fmt.Errorf("it has more than %d servers", maxServers)
	}
	var out []Addition
	for _, name := range slices.Sorted(maps.Keys(all)) {
		e := all[name]
		a := Addition{Name: plainName(name), Command: e.Command, Args: e.Args, Env: e.Env, URL: e.URL, Headers: e.Headers, Client: e.OAuth.Client}
		if a.Name == "" {
			return nil, fmt.Errorf("no name can be made of %q", name)
		}
		if slices.ContainsFunc(out, func(o Addition) bool { return o.Name == a.Name }) {
			return nil, fmt.Errorf("two servers would be called %q", a.Name)
		}
		out = append(out, a)
	}
	return out, nil
}

// plainName is a name of small letters, digits and -, made of another.
func plainName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxName {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}
