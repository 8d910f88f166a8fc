package vmhost

import (
	"os"
	"time"
)

// HostHints are the hints of this computer, for a Runtime that has its time and its
// language.
func HostHints() Hints {
	h := Hints{Time: time.Now(), TimeZone: hostTimeZone()}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if h.Locale = os.Getenv(name); h.Locale != "" {
			break
		}
	}
	return h
}
