//go:build !linux

package job

// Pins does nothing where operations only run in tests.
type Pins struct{}

func (*Pins) Pin(string) {}
func (*Pins) release()   {}

func Hold(string) func() { return func() {} }
