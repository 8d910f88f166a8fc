// Package provider knows the services that models are reached through: where
// they are, how they are signed in to, what may be asked of them, how they say
// no, and how pi is told to find them. It is pure: nothing here connects.
//
// A [Provider] speaks one [Protocol]. [Decide] is the one door: it maps method
// and path of a request from the guest to a provider's [Operation], and refuses
// everything else. The guest chooses an operation of a list, never an address.
package provider
