package container

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"piwork/pack/durable"
	"piwork/pack/lazyregexp"
)

// imports remember which images this program made, in a file of the person's that no engine
// writes (Config.Imports): the labels of an image are anybody's who reaches the engine, or
// who made an image that was pulled. An image whose ID is not in the file is never used.
//
//	[{"tree":"…","agent":"…","engine":"…","image":"sha256:…"}]
type imports string

// imported is one image and what it was made of.
type imported struct {
	Tree   string `json:"tree"`   // Config.Digest
	Agent  string `json:"agent"`  // SHA-256 of the program
	Engine string `json:"engine"` // facts.identity
	Image  string `json:"image"`  // the ID that the engine answered the import with
}

// maxImports bounds the images that are remembered, and maxImportsFile the file, in bytes.
const (
	maxImports     = 32
	maxImportsFile = 64 << 10
)

// imported is what an image is made of, for an engine.
func (c *Config) imported(e *engine) (imported, error) {
	agent, err := durable.SHA256(c.Agent)
	return imported{Tree: c.Digest, Agent: agent, Engine: e.info.identity}, err
}

// read returns what is remembered; a file that is no such list says nothing.
func (i imports) read() []imported {
	f, err := os.Open(string(i))
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxImportsFile))
	if err != nil {
		return nil
	}
	return parseImports(data)
}

func parseImports(data []byte) []imported {
	var all []imported
	if json.Unmarshal(data, &all) != nil {
		return nil
	}
	all = slices.DeleteFunc(all, func(m imported) bool { return imageID(m.Image) != m.Image || m.Image == "" })
	return all[:min(len(all), maxImports)]
}

// find returns the ID of the image that was made of the same; "" for none.
func (i imports) find(what imported) string {
	for _, m := range i.read() {
		if m.Tree == what.Tree && m.Agent == what.Agent && m.Engine == what.Engine {
			return m.Image
		}
	}
	return ""
}

// remember notes an image, in place of that of the same engine before: older ones are removed.
func (i imports) remember(m imported) error {
	all := slices.DeleteFunc(i.read(), func(o imported) bool { return o.Engine == m.Engine })
	all = append([]imported{m}, all...)
	data, err := json.Marshal(all[:min(len(all), maxImports)])
	if err != nil {
		return err
	}
	err = os.MkdirAll(filepath.Dir(string(i)), 0o700)
	if err == nil {
		err = durable.WriteFile(string(i), append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember the image of the container engine: %w", err)
	}
	return nil
}

var hexID = lazyregexp.New(`^(?:sha256:)?([0-9a-f]{64})$`)

// imageID is the ID of an image as engines take it for nothing else: "sha256:" and its
// number. A bare number, or a short one, can be the name of another image. "" is no ID.
func imageID(s string) string {
	m := hexID().FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	return "sha256:" + m[1]
}
