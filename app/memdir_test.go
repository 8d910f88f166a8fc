//go:build !vm

package app

import "piwork/scripts/lib/memdir"

func init() { memdir.Use() }
