// Package flags reads what is typed behind a command: folders, sizes, limits, files. What
// makes no sense is a [UsageError], which says how it is written.
package flags
