package flags

import (
	"fmt"
)

// UsageError is a command line that makes no sense.
type UsageError struct{ text string }

func (u *UsageError) Error() string { return u.text }

// Usage is a command line that makes no sense, in words for a person.
func Usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }
