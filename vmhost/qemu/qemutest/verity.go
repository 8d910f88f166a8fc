package qemutest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"

	"piwork/vmhost/qemu"
)

// verityOf reads from a pack's manifest what protects its root image; nil when
// nothing does, or there is no manifest.
func verityOf(t testing.TB, manifest string) *qemu.Verity {
	t.Helper()
	data, err := os.ReadFile(manifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Layers []struct {
			Name   string       `json:"name"`
			Verity *qemu.Verity `json:"verity"`
		} `json:"layers"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	for _, l := range m.Layers {
		if l.Name == "base" {
			return l.Verity
		}
	}
	return nil
}
