//go:build !vm

package vm

import "piwork/scripts/lib/memdir"

func init() { memdir.Use() }
