//go:build !linux && !windows && !darwin

package notice

import "errors"

// System shows nothing.
func System() Shower { return none{} }

type none struct{}

func (none) Show(Message, func()) error { return errors.New("this system shows no messages") }
func (none) Close()                     {}
