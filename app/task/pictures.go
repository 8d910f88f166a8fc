package task

import "strings"

// GivenName is what a picture was called before pending named it.
func GivenName(name string) string {
	if parts := strings.SplitN(name, "-", 3); len(parts) == 3 {
		return parts[2]
	}
	return name
}
