package recorder

import (
	"os"
	"path/filepath"

	"piwork/vmhost/bootid"
)

// bootFile is the name of a file in the journal's directory that says in which boot of the computer the
// journal was last open. While that is the same, the log has everything that was written, however the
// program ended; else a power cut may have taken what nobody had waited for.
const bootFile = "boot"

func sameBoot(dir string) bool {
	was, err := os.ReadFile(filepath.Join(dir, bootFile))
	now, unknown := bootid.ID()
	return err == nil && unknown == nil && len(now) > 0 && string(was) == now
}

// noteBoot may fail: then the next opening takes the end of this one for a power cut.
func (j *Recorder) noteBoot() {
	now, err := bootid.ID()
	if err == nil {
		err = os.WriteFile(filepath.Join(j.dir, bootFile), []byte(now), 0o600)
	}
	if err != nil {
		j.Log.Warn("journal: the boot of the computer is not noted", "err", err)
	}
}
