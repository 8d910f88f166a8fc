package remote

import "errors"

var (
	errBusy    = errors.New("somebody else sends programs there")
	errDamaged = errors.New("what is there is not what was sent")
)
