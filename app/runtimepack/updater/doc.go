// Package updater keeps the runtime in order: it finds out that there is a newer
// one, brings it here, tries it on this computer, and takes it back when it does
// not work. Nobody should ever have to think about it.
//
// # Parties
//
//   - [Channel] says what there is, signed (pack/trust/channel).
//   - [Source] brings an archive into a store, resumed where it stopped
//     (pack/update and pack.Assemble).
//   - [Files] installs what a person already has: a pack, an add-on, a bundle.
//   - A [pack.Store] for the runtime and one for each add-on keep the versions.
//   - [Options.Prove] boots a version with the accelerator in use.
//   - [Updater] decides. It is the only one that moves the pointer of the runtime. Its
//     versions are what is installed, its activity is whose turn it is and what everybody
//     is told, its scheduler has it look by itself.
//
// # The life of a version
//
//	announced ─► fetched, every chunk verified ─► candidate ─► proof boot here ─┬─► current ─► previous ─► collected
//	                                                                            └─► failed: remembered by its manifest
//
// A candidate that fails leaves the current version alone. A current version
// that stops booting while the previous one still does is failed, too, and the
// previous one is current again ([Updater.Heal]). When neither boots it is the
// computer, and nothing is held against anybody. A version that is damaged on
// the disk is a matter for [Updater.Repair]: it is never booted and never failed.
//
// Without any current version the first one becomes current untried: there is
// nothing to fall back to, and what this computer lacks is for setup to say.
//
// # Add-ons
//
// An add-on is made over one build of the base image, which it names by root
// hash. It has no pointer: in use is the newest installed version that fits the
// runtime in use ([Updater.Usable]), so that a rollback of the runtime takes the
// add-ons with it. An update of the runtime brings the add-ons that are
// installed, before it is tried; a repair mends those that are damaged, and the
// runtime does without one that is not to be had.
//
// # Promises
//
//   - By itself it looks at start and daily, at no common moment of all
//     computers, never without a network, and never on a connection that is known to
//     be metered (only NetworkManager on Linux tells); it can be switched off. What a
//     person asks for is done on any connection.
//   - One change at a time. A person's change interrupts a download, which goes
//     on later from where it was.
//   - It can be killed at any moment. What it knows beyond the stores is one small
//     file; without it nothing is lost but a pause, a date, and how often a proof boot
//     ended with the program.
//   - A version that failed is not tried again by itself. A proof boot that ends
//     three times with the program is a failed one.
//   - Tasks finish on the version they started with: they hold a [pack.Lease].
package updater
