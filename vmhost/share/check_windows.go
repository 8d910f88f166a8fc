package share

import (
	"os"
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
