// Package vmhost says what a place where work happens is, whatever it is made
// of: a virtual machine, a container, a sandbox, this computer, another one, a Pod.
//
// # Parties
//
// A [Runtime] is one such place for one task. Its environment, [ExecutionEnv],
// is decided before it exists and does not change while it lives. What is done
// in it is an [Action]; what came of it is an [Observation].
//
// # States
//
//	idle → connecting → ready → closed
//	          └────────────┴──→ failed
//
// Execute works in ready only. Close leads to closed from every state but failed.
// closed and failed are final: a new Runtime is made instead.
//
// # Promises
//
//   - Connect refuses an environment that it cannot enforce, naming what
//     ([UnsupportedError]); it never runs in a weaker one.
//   - InitData is the same for the whole task, also over restarts of the VM,
//     because it becomes part of a model's prompt cache. What changes is in
//     Hints.
//   - Close ends everything that the Runtime started, also after an error.
package vmhost
