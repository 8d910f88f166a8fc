//go:build !windows

package problem

import (
	"errors"
	"syscall"
)

func isReadOnlyFS(err error) bool { return errors.Is(err, syscall.EROFS) }
