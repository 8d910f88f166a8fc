// Package chore holds the ready-made chores: a plan computed read-only in the
// VM, shown to the person, then carried out exactly.
package chore
