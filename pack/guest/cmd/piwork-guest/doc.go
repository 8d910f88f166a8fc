// Command piwork-guest is /init of the virtual machine's initramfs. The boot reads
// all of it, so it imports no more than booting and starting programs needs. See
// package piwork/pack/guest for its parts.
package main
