//go:build long

package journal

const stride = 1
