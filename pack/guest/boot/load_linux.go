package boot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ModulesDir is where the initramfs keeps kernel modules.
const ModulesDir = "/modules"

// readOrder reads the order of modules; without the file there are none, as
// with a kernel that has everything built in.
func readOrder(dir string) (Order, error) {
	b, err := os.ReadFile(filepath.Join(dir, "order"))
	if errors.Is(err, fs.ErrNotExist) {
		return Order{}, nil
	}
	if err != nil {
		return Order{}, err
	}
	return ParseOrder(string(b))
}

// load loads modules in order with finit_module(2). A module that is there
// already is fine; others that fail are noted and the rest is still loaded.
func load(log *Log, dir string, names []string) {
	for _, name := range names {
		if err := loadOne(filepath.Join(dir, name)); err != nil {
			log.Fail("module "+name, err)
		}
	}
}

func loadOne(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	err = unix.FinitModule(int(f.Fd()), "", 0)
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("finit_module: %w", err)
	}
	return nil
}
