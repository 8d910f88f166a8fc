//go:build !unix

package model

import "errors"

var errSystem = errors.New("histories are played on Unix only")

type entry struct {
	kind byte
	state
	ino uint64
}

func (entry) String() string { return "" }

type tree map[string]entry

func readTree(string) (tree, error) { return nil, errSystem }

func (tree) paths() []string { return nil }

func (tree) has(string) bool { return false }

func (*folder) build(string) error { return errSystem }

func editDisk(string, Step, string) error { return errSystem }
