//go:build !linux

package operate

// pins does nothing where operations only run in tests.
type pins struct{}

func (*pins) pin(string) {}
func (*pins) release()   {}

func hold(string) func() { return func() {} }
