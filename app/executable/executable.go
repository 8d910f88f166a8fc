// Package executable knows the file of this program.
package executable

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Path is the file to start this program by, and to hand to others: of an AppImage that itself,
// whose content is gone with the process that mounted it (https://docs.appimage.org,
// "Environment variables").
func Path() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return whole(path, os.Getenv("APPIMAGE"), os.Getenv("APPDIR")), nil
}

// whole is the AppImage at image, if path lies in what it mounted.
func whole(path, image, mounted string) string {
	if image != "" && mounted != "" && strings.HasPrefix(path, filepath.Clean(mounted)+string(filepath.Separator)) {
		return image
	}
	return path
}
