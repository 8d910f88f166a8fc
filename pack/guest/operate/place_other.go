//go:build !linux

package operate

import "errors"

func renameNoReplace(string, string) error { return errors.ErrUnsupported }

func syncDir(string) error { return nil }
