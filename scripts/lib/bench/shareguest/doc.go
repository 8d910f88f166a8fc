//go:build !linux

// Command shareguest runs as init of a Linux guest and builds only for it.
package main

func main() {}
