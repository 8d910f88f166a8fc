package pack

import (
	"path/filepath"
	"strings"

	"piwork/pack/spec"
)

// Emulator is how the QEMU of a pack is started. Nobody starts it in another way.
type Emulator struct {
	Command []string // argv prefix
	Env     []string // whole environment of the process
	DataDir string   // firmware, for -L; "" for none
}

// Emulator returns how the pack's QEMU is started: a static program by itself, one
// with libraries by the loader that is in the pack too. It looks at the manifest
// only.
func (in *Installed) Emulator() (Emulator, error) {
	program, err := in.Path(spec.RoleQEMU)
	if err != nil {
		return Emulator{}, err
	}
	e := Emulator{Command: []string{program}, Env: []string{"LC_ALL=C"}}
	if len(in.Paths(spec.RoleQEMULoader)) > 0 {
		loader, err := in.Path(spec.RoleQEMULoader)
		if err != nil {
			return Emulator{}, err
		}
		// ld.so(8): only the pack's own libraries, not those that this computer's
		// cache names.
		e.Command = []string{loader, "--inhibit-cache", "--library-path", libraryPath(in.Paths(spec.RoleQEMULib), loader), program}
	}
	if firmware := in.Paths(spec.RoleFirmware); len(firmware) > 0 {
		e.DataDir = commonDir(firmware)
	}
	return e, nil
}

// libraryPath lists the directories of libraries, each once, in order.
func libraryPath(libs []string, loader string) string {
	dirs := []string{filepath.Dir(loader)}
	for _, l := range libs {
		if d := filepath.Dir(l); d != dirs[len(dirs)-1] {
			dirs = append(dirs, d)
		}
	}
	return strings.Join(dirs, ":")
}

// commonDir returns the deepest directory that has all of the files in it.
func commonDir(files []string) string {
	dir := filepath.Dir(files[0])
	for _, f := range files[1:] {
		for !strings.HasPrefix(f, dir+string(filepath.Separator)) {
			dir = filepath.Dir(dir)
		}
	}
	return dir
}
