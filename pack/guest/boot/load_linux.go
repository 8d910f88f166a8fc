package boot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// noMoreModules is a switch of the kernel that nobody can set back.
const noMoreModules = "/proc/sys/kernel/modules_disabled"

// readModuleOrder reads the list of modules in a directory; there are none
// without it.
func readModuleOrder(dir string) (ModuleOrder, error) {
	b, err := os.ReadFile(filepath.Join(dir, OrderFile))
	if errors.Is(err, fs.ErrNotExist) {
		return ModuleOrder{}, nil
	}
	if err != nil {
		return ModuleOrder{}, fmt.Errorf("list of modules: %w", err)
	}
	return ParseModuleOrder(string(b))
}

// loadModules loads modules in order. One that fails is noted, and the rest is
// still loaded.
func loadModules(log *Log, dir string, names []string) {
	for _, name := range names {
		log.Fail("module "+name, loadModule(filepath.Join(dir, name)))
	}
}

// loadModule loads a module with finit_module(2). It is no fault when the kernel
// has the module already, or when the machine lacks what the module is for: a
// faster SHA-256 is refused by a processor that has no instructions for it.
func loadModule(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	err = unix.FinitModule(int(f.Fd()), "", 0)
	if err == nil || errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENODEV) {
		return nil
	}
	return fmt.Errorf("finit_module: %w", err)
}

// LoadAllModules loads the modules of both stages, for a first process that has no
// stages.
func LoadAllModules(log *Log) {
	order, err := readModuleOrder(ModulesDir)
	log.Fail("modules", err)
	loadModules(log, ModulesDir, order.Early)
	LoadModules(log, order.Late)
}

// LoadModules loads the modules of the second stage, and has the kernel refuse
// all others from then on. Without modules it does nothing.
func LoadModules(log *Log, late []string) {
	if len(late) == 0 {
		return
	}
	loadModules(log, ModulesDir, late)
	log.Fail("no more modules", os.WriteFile(noMoreModules, []byte("1"), 0))
	log.Fail("modules", os.RemoveAll(ModulesDir)) // their memory, before the root covers it
	log.Mark("modules")
}
