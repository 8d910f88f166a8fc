// Package suites holds the folders of a task to what others say that a file
// system does, in a real machine, over both front ends of the share (9p on the
// device, virtio-fs), and attacks them from a guest that means harm.
//
// # Parties
//
//   - The machine is the pack's kernel with a first process of its own (guest,
//     order), which mounts the folders as a task's machine does and runs programs.
//   - The suites lie on a disk (room): programs and tests of Debian, npm, GNU,
//     CPython and Go, none of them ours. They run as the guest's user.
//   - The attacks (attacks_vm_test.go) are programs of the guest: one speaks raw 9p
//     on a port, one races with the host for names. They run in the suite vm.
//   - What no guest can say to the 9p device, a processor does that is this program
//     (devicefuzz_long_test.go), while the server lies, too.
//
// # Expectations
//
// Every suite runs on a disk of the guest's own too. What fails there as well is
// the suite's affair or the machine's: testdata/expected.txt counts it. It names
// every test in which the folders differ from the disk, with the reason. All
// outcomes must be those: a regression fails, and so does a pass that nobody
// expects.
//
// `go test -tags long -run TestSuites -timeout 120m ./vmhost/vm/suites -update`
// writes the outcomes, also of suites that the file does not know yet; reasons are
// kept, and new lines get none, which fails until somebody writes why. For looking
// closer, PIWORK_TEST_PLACE (local, virtio-9p, virtio-fs) and PIWORK_TEST_SUITE choose
// one (-update with a suite leaves the others as they were), and PIWORK_TEST_OUTPUT
// is a directory for what the suites said.
package suites
