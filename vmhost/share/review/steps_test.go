//go:build !race

package review

// stride: crash at every stride-th step.
const stride = 1
