//go:build !windows

package words

// SystemLanguages are none: terminals say theirs in the environment.
func SystemLanguages() []string { return nil }
