package port

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// classDir lists every virtio-serial port of the machine.
const classDir = "/sys/class/virtio-ports"

// Find returns the device of the port with the given name, e.g. /dev/vport2p1.
// While the port is not there, or its name is not known yet, the error is
// fs.ErrNotExist.
func Find(name string) (string, error) { return find(classDir, "/dev", name) }

func find(class, dev, name string) (string, error) {
	entries, err := os.ReadDir(class)
	if err != nil {
		return "", fmt.Errorf("port %s: %w", name, err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(class, e.Name(), "name"))
		if err == nil && strings.TrimSuffix(string(b), "\n") == name {
			return filepath.Join(dev, e.Name()), nil
		}
	}
	return "", fmt.Errorf("port %s: %w", name, fs.ErrNotExist)
}
