package setup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"piwork/app/durable"
	"piwork/vmhost/qemu"
)

// Proof is a boot of the pack's own kernel that reached the agent.
type Proof struct {
	BootMS int64 `json:"bootMs"`           // from the start to the agent
	SlowMS int64 `json:"slowMs,omitempty"` // the same in slow mode, when it was measured
}

// proofKey is everything that a proof depends on.
type proofKey struct {
	Image string     `json:"image"` // qemu.Image.ID
	Accel qemu.Accel `json:"accel"`
	Host  string     `json:"host"` // release of the kernel
	CPU   string     `json:"cpu"`
}

type storedProof struct {
	proofKey
	Proof
	Time time.Time `json:"time"`
}

const maxProofs = 16 // kept in the file, newest last

// proofs remembers what was proven, over restarts too. Losing it costs another
// proof boot, so that errors of the file do not matter.
type proofs struct {
	file string // "" keeps nothing
}

func (p proofs) load() []storedProof {
	if p.file == "" {
		return nil
	}
	data, err := os.ReadFile(p.file)
	var all []storedProof
	if err != nil || json.Unmarshal(data, &all) != nil {
		return nil
	}
	return all
}

func (p proofs) get(key proofKey) (Proof, bool) {
	for _, s := range p.load() {
		if s.proofKey == key {
			return s.Proof, true
		}
	}
	return Proof{}, false
}

// put records a proof, or forgets it when proof is nil.
func (p proofs) put(key proofKey, proof *Proof, now time.Time) error {
	if p.file == "" {
		return nil
	}
	var all []storedProof
	for _, s := range p.load() {
		if s.proofKey != key {
			all = append(all, s)
		}
	}
	if proof != nil {
		all = append(all, storedProof{proofKey: key, Proof: *proof, Time: now.UTC()})
	}
	all = all[max(0, len(all)-maxProofs):]
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.file), 0o700); err != nil {
		return err
	}
	return durable.WriteFile(p.file, append(data, '\n'))
}
