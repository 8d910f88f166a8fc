//go:build !linux

package main

// sharedRAM is nothing that a mapping is called: there are no devices here.
const sharedRAM = "/memfd:"

func sharedOf(int) float64 { return 0 }
