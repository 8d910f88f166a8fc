package share

import (
	"os"
	"path/filepath"
	"strings"
)

// isSystem reports whether path belongs to the operating system.
func isSystem(path string) bool {
	path = strings.ToLower(path)
	for _, v := range []string{"SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramData"} {
		if d := os.Getenv(v); d != "" && inAny(path, strings.ToLower(d)) {
			return true
		}
	}
	return strings.EqualFold(path, os.Getenv("SystemDrive")+`\Users`)
}

// isDiskRoot reports whether path is a whole disk or network share.
func isDiskRoot(path string) bool { return filepath.Dir(path) == path }
