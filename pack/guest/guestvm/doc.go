// Package guestvm boots the guest of this source tree for its own tests: QEMU
// started plainly from an unpacked runtime pack, with the agent built now laid
// over the pack's initramfs. But for [InOrder] it has no code without the build tags vm or long.
package guestvm
