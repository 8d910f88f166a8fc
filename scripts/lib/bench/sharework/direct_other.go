//go:build !linux

package sharework

const oDirect = 0 // the guest is Linux
