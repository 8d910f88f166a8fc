package main

import (
	"time"

	"piwork/vmhost/wire"
)

// start measures the way from nothing to a machine that works on a folder.
func start(b *B) {
	kernel, version := b.cloudKernel()
	echo := b.initramfs("echoinit")
	w := newWorkshop(b)
	defer b.end(w.factory.Close)
	raw := w.rawRestore()
	cloud := plainSpec{image: w.m.image, accel: w.m.accel, kernel: kernel, initrd: echo}
	shown := cloud
	shown.kernel, shown.initrd = "VMLINUX", "ECHO.cpio"
	plainBoot := "first answer of an init that only echoes, under " + version + ": " + commandText(shown.args("SOCKET"), w.m.dir)
	plainRestore := "first answer of the agent: " + commandText(raw.args("DIR"), w.m.dir)

	ready := func(how way) func() time.Duration { return func() time.Duration { return w.ready(how) } }
	node := func(how way) func() time.Duration { return func() time.Duration { return w.node(how) } }
	firstEcho := func() time.Duration { return b.firstEcho(cloud) }
	for _, c := range []struct {
		name, than   string
		ours, theirs func() time.Duration
	}{
		{"start/cold/ready", plainBoot, ready(booted), firstEcho},
		{"start/template-9p/ready", plainBoot, ready(restored), firstEcho},
		{"start/template-virtiofs/ready", plainBoot, ready(restoredDevice), firstEcho},
		{"start/template-9p/around", plainRestore, ready(restored), func() time.Duration { return b.firstAnswer(raw) }},
		{"start/node/eval", "the same in a machine that was booted", node(restored), node(booted)},
	} {
		b.part(c.name, func() { b.compare(c.name, c.than, c.ours, c.theirs) })
	}
}

// firstEcho measures a plain boot to its first answer.
func (b *B) firstEcho(s plainSpec) time.Duration {
	began := time.Now()
	p := b.bootPlain(s)
	defer b.end(p.end)
	answer := p.roundTrip(payload)
	took := time.Since(began)
	if answer != payload+"\n" {
		failf("the comparator answered %.200q", answer)
	}
	return took
}

// node measures the first program of Node in a machine that is ready: Node's own
// start, in a directory of the machine. In a folder over 9p the way to the folder
// comes on top, in both machines.
func (w *workshop) node(how way) (took time.Duration) {
	w.with(how, func(r *room) { took = timed(func() { r.runIn(wire.WorkDir, "node", "-e", "1") }) })
	return took
}
