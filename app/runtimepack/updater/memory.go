package updater

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"piwork/app/durable"
	"piwork/app/problem"
)

const (
	memoryVersion = 1
	maxMemory     = 1 << 20 // bytes
	maxTrials     = 3       // proof boots of a version that ended with the program
)

// memory is what is kept over restarts besides the stores. All of it can be lost.
type memory struct {
	V         int              `json:"v"`
	Checked   time.Time        `json:"checked,omitzero"`   // last look that got an answer
	NotBefore time.Time        `json:"notBefore,omitzero"` // nothing by itself before
	Failures  int              `json:"failures,omitempty"` // in a row, by itself
	Phase     Phase            `json:"phase,omitempty"`    // outcome of the last look or update
	Version   string           `json:"version,omitempty"`
	Notes     string           `json:"notes,omitempty"`
	Problem   *problem.Problem `json:"problem,omitempty"`
	Wish      *wish            `json:"wish,omitempty"`   // update that is not over
	Trials    map[string]int   `json:"trials,omitempty"` // proof boots that began, by manifest
}

// wish is what an update is to bring.
type wish struct {
	AddOns  []string `json:"addOns,omitempty"`
	Version string   `json:"version,omitempty"`
	Asked   bool     `json:"asked,omitempty"` // by a person
	Local   bool     `json:"local,omitempty"` // only try what is here
}

// with is what brings both; where they contradict each other, the newer one counts.
func (w wish) with(newer wish) wish {
	return wish{
		AddOns:  slices.Compact(slices.Sorted(slices.Values(slices.Concat(w.AddOns, newer.AddOns)))),
		Version: cmp.Or(newer.Version, w.Version),
		Asked:   w.Asked || newer.Asked,
		Local:   w.Local && newer.Local,
	}
}

// covers reports whether w brings all that a person asks for with other.
func (w wish) covers(other wish) bool {
	return w.Asked && !w.Local && (other.Version == "" || other.Version == w.Version) &&
		!slices.ContainsFunc(other.AddOns, func(n string) bool { return !slices.Contains(w.AddOns, n) })
}

func (m memory) clone() memory {
	m.Trials = maps.Clone(m.Trials)
	if m.Wish != nil {
		w := *m.Wish
		w.AddOns = slices.Clone(w.AddOns)
		m.Wish = &w
	}
	return m
}

func readMemory(file string) (memory, error) {
	fresh := memory{V: memoryVersion}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err == nil && info.Size() > maxMemory {
		err = fmt.Errorf("%d bytes are too many", info.Size())
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(file)
	}
	var m memory
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err == nil && m.V != memoryVersion {
		err = fmt.Errorf("form %d, this program knows %d", m.V, memoryVersion)
	}
	if err != nil {
		return fresh, fmt.Errorf("read %s: %w", file, err)
	}
	switch m.Phase {
	case "", PhaseAvailable, PhaseUpToDate, PhaseFailed, PhaseOffline:
	default:
		m.Phase = ""
	}
	return m, nil
}

func (m memory) write(file string) error {
	m.V = memoryVersion
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return durable.WriteFile(file, append(data, '\n'))
}
