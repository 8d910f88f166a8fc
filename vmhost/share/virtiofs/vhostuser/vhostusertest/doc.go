// Package vhostusertest is the other side of vhost-user for tests: what QEMU and
// the driver of a guest do, over memory of this process and without a machine.
// Linux only.
package vhostusertest
