package app

import "errors"

// realSeams are the rooms below as they are.
func realSeams(o Options) (seams, error) {
	return seams{}, errors.New("the rooms below are not here yet")
}
