//go:build !windows

package chore

func osName(string) error { return nil }
