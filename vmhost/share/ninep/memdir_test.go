package ninep_test

import "piwork/scripts/lib/memdir"

func init() { memdir.Use() }
