package durable

import "io/fs"

// OnDisk is what a file takes.
func OnDisk(info fs.FileInfo) int64 { return info.Size() }
