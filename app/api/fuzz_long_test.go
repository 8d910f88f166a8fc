//go:build long

package api

// fuzzRounds of a hundred requests for each operation.
const fuzzRounds = 20
