//go:build long

package journal

const everyStep = true
