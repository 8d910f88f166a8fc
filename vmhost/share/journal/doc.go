// Package journal keeps what a task changed in a folder, so that a person can
// see it and take it back, even after a crash.
package journal
