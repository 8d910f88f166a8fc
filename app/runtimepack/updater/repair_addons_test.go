package updater

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/spec"
)

// TestRepairAddOns brings back add-ons, too: the runtime is fetched only when it
// is damaged itself, and what cannot be repaired is named.
func TestRepairAddOns(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0").addOn(t)
	const image, manifest = "guest/media.img", spec.ManifestName
	for _, tc := range []struct {
		name    string
		damage  []string // of the add-on
		runtime bool     // is damaged, too
		file    string
		beside  string
		offered string
		script  func(r *rig)
		want    string
		code    string
		media   string // version that fits and is sound then
		fetched int
	}{
		{name: "its image", damage: []string{image}, offered: "1.0.0", want: "1.0<? up-to-date", media: "1.0.0", fetched: 10},
		{name: "its manifest", damage: []string{manifest}, offered: "1.0.0", want: "1.0<? up-to-date", media: "1.0.0", fetched: 10},
		{name: "everything", damage: []string{image, manifest}, runtime: true, offered: "1.0.0", want: "1.0<? up-to-date", media: "1.0.0", fetched: 20},
		{name: "only the runtime", runtime: true, offered: "1.0.0", want: "1.0<? up-to-date", media: "1.0.0", fetched: 10},
		{name: "nothing", offered: "1.0.0", want: "1.0<? up-to-date", media: "1.0.0"},
		{name: "nothing, and no channel", script: func(r *rig) { r.off = true }, want: "1.0<? off", media: "1.0.0"},
		{name: "the channel has newer ones", damage: []string{image}, offered: "1.1.0", want: "1.1.0<1.0? up-to-date", media: "1.1.0", fetched: 20},
		{
			name: "the channel has it no more", damage: []string{image}, runtime: true, offered: "1.0.0",
			script: func(r *rig) { r.release.AddOns = nil }, want: "1.0<? up-to-date", code: problem.CodePackCorrupt, fetched: 10,
		},
		{
			name: "its download breaks", damage: []string{image}, runtime: true, offered: "1.0.0",
			script: func(r *rig) { r.broken, r.brokenAddOn = errors.New("cut off"), true },
			want:   "1.0<? up-to-date", code: problem.CodePackCorrupt, fetched: 16,
		},
		{name: "no channel", damage: []string{image}, script: func(r *rig) { r.off = true }, want: "1.0<? off", code: problem.CodePackCorrupt},
		{name: "no channel, and its manifest", damage: []string{manifest}, script: func(r *rig) { r.off = true }, want: "1.0<? off", code: problem.CodePackCorrupt},
		{name: "from its file", damage: []string{image}, file: "media/1.0.0", want: "1.0<? idle", media: "1.0.0"},
		{name: "from its file, and the runtime is damaged, too", damage: []string{image}, runtime: true, file: "media/1.0.0", want: "1.0<? idle", code: problem.CodePackCorrupt, media: "1.0.0"},
		{name: "from a file of the runtime alone", damage: []string{image}, runtime: true, file: "1.0.0", want: "1.0<? idle", code: problem.CodePackCorrupt},
		{
			name: "it is not in what lies beside the program", damage: []string{image}, runtime: true, beside: "1.0.0", offered: "1.0.0",
			want: "1.0<? up-to-date", media: "1.0.0", fetched: 10,
		},
		{
			name: "it is nowhere", damage: []string{image}, runtime: true, beside: "1.0.0", script: func(r *rig) { r.off = true },
			want: "1.0<? off", code: problem.CodePackCorrupt,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, s, "1.0.0")
				r.addOn("1.0.0")
				for _, name := range tc.damage {
					spoil(t, r.addOnStore("media"), "1.0.0", name)
				}
				if tc.runtime {
					spoil(t, r.store(), "1.0.0", "guest/rootfs.img")
				}
				r.offer(tc.offered)
				if tc.beside != "" {
					r.beside, r.besideIs = s.packs[tc.beside].File, tc.beside
				}
				if tc.script != nil {
					tc.script(r)
				}
				file := ""
				if tc.file != "" {
					file = s.packs[tc.file].File
				}
				k := r.open()
				defer k.Close()
				_, err := k.Repair(t.Context(), file)
				if codeOf(err) != tc.code {
					t.Errorf("%v, want %q", err, tc.code)
				}
				r.wantStands(tc.want)
				if len(r.fetched) != tc.fetched {
					t.Errorf("fetched %v", r.fetched)
				}
				in, err := k.current()
				if err != nil {
					t.Fatal(err)
				}
				if err := in.Verify(t.Context(), pack.LevelFull); (err != nil) != (tc.runtime && tc.file == "media/1.0.0") {
					t.Errorf("the runtime: %v", err)
				}
				if err := k.soundAddOns(t.Context(), in); (err == nil) != (tc.media != "") {
					t.Errorf("the add-on: %v", err)
				}
				if usable, err := k.Usable(in); tc.media != "" && (err != nil || len(usable) != 1 || usable[0].Version != tc.media) {
					t.Errorf("usable: %+v, %v", usable, err)
				}
			})
		})
	}
}

// TestRepairNamesTheAddOn: what a person is told is about the add-on.
func TestRepairNamesTheAddOn(t *testing.T) {
	s := newShelf(t, "1.0.0").addOn(t)
	r := newRig(t, s, "1.0.0")
	r.addOn("1.0.0")
	r.off = true
	if err := os.Remove(filepath.Join(r.dir, "addons", "media", "1.0.0", "guest", "media.img")); err != nil {
		t.Fatal(err)
	}
	k := r.open()
	defer k.Close()
	_, err := k.Repair(t.Context(), "")
	if p := problem.From(err); p.Code != problem.CodePackCorrupt || p.Params["name"] != "media" || p.Fix[0].Code != problem.FixRepairPack {
		t.Errorf("%+v", p)
	}
}
