// Package meter reads from a provider's answer what it used, and says what that
// cost.
//
// A [Reader] is given every byte of an answer as it passes. It is a bystander: it
// changes no byte, keeps no slice it was given, never fails and never waits; its
// memory is bounded; an answer that is too odd to be read is counted by its length
// and marked as such ([Tokens].Guessed). What it reads is hostile: numbers are
// clamped, nothing in it is believed twice.
//
// Prices are data with a date (prices.json): a model that is not there costs an
// unknown amount.
package meter
