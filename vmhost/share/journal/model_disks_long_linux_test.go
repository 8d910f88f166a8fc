//go:build long

package journal_test

import (
	"testing"
	"time"

	"piwork/vmhost/share/internal/realfs"
	"piwork/vmhost/share/model"
)

// On the file systems that people's folders lie on, short histories end as the rule has it.
func TestModelOnDisks(t *testing.T) {
	for _, name := range []string{"ext4", "btrfs", "xfs"} {
		realfs.On(t, name, func(t *testing.T, d *realfs.Disk) {
			for _, beside := range []bool{false, true} {
				seed := modelSeed(t)
				pick := model.Random(seed)
				next := func() (model.History, bool) { return model.Short(pick), true }
				with := recorded
				if !beside {
					journals := modelDir(t)
					with = func(r *model.Runner) {
						r.JDir = journals + r.Dir
						recorded(r)
					}
				}
				played(t, seed, model.Run(d.Dir, modelWorkers, modelTime(t, 2*time.Minute), with, next))
			}
		})
	}
}
