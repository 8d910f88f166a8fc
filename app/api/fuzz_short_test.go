//go:build !long

package api

const fuzzRounds = 1
