//go:build !linux

package at

func (r *Root) unmoved() error { return r.compared() }
