package flags

import "piwork/app/cli/terminal"

// UsageError is a command line that makes no sense.
type UsageError struct{ text string }

func (u *UsageError) Error() string { return u.text }

// Usage is a UsageError in the words of usage.ID about parameters, which follow as names
// and values.
func Usage(id string, about ...any) error {
	return &UsageError{terminal.Texts().Text("usage."+id, terminal.Named(about))}
}
