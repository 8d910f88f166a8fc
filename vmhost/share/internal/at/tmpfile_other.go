//go:build !linux

package at

import "os"

func tmpfile(*Dir, uint32) (*os.File, Info, error) { return nil, Info{}, ErrUnsupported }

func linkFile(*Dir, *os.File, string) error { return ErrUnsupported }
