package problem

import (
	"errors"

	"golang.org/x/sys/windows"
)

func isReadOnlyFS(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }
