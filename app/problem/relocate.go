package problem

import (
	"errors"

	"piwork/app/relocate"
)

// fromRelocate knows the errors of app/relocate.
func fromRelocate(err error) *Problem {
	var refused *relocate.RefusedError
	var room *relocate.RoomError
	var gone *relocate.GoneError
	switch {
	case errors.As(err, &refused):
		return New(CodeMoveRefused).With("path", refused.Path).By(string(refused.Code))
	case errors.As(err, &room):
		return New(CodeDiskFull).With("path", room.Dir).With("needBytes", room.Need).With("freeBytes", room.Free)
	case errors.As(err, &gone):
		return New(CodePlaceGone).With("path", gone.Dir)
	}
	return nil
}
