// Command piwork-guest is the one program that piwork brings into the virtual
// machine: /init of the initramfs. See package piwork/pack/guest for its parts.
package main
