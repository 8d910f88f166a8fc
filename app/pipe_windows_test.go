package app

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
