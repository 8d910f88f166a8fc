package copied

import "piwork/scripts/lib/memdir"

func init() { memdir.Use() }
