// Command piwork-guest is /init of the virtual machine's initramfs. The boot reads
// all of it, so it imports no more than booting and starting programs needs. As
// "piwork-guest serve" it is the same agent without a machine, on its standard input and
// output. See package piwork/pack/guest for its parts.
package main
