package durable

import "time"

// dirPatience is how long something in a directory may be in use that gets another name: a
// virus scanner looks at thousands of files that were just written.
const dirPatience = 30 * time.Second

// RenameDir calls rename, which gives a directory another name, again for as long as
// somebody has one of its files open. Only Windows minds that.
func RenameDir(rename func() error) error { return patiently(dirPatience, inUse, rename) }

// patiently tries again while busy knows the error, until patience is at its end.
func patiently(patience time.Duration, busy func(error) bool, try func() error) error {
	limit := time.Now().Add(patience)
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		err := try()
		if err == nil || !busy(err) || time.Now().After(limit) {
			return err
		}
		<-time.After(wait)
	}
}
