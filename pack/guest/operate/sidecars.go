package operate

import (
	"path"
	"strings"

	"piwork/pack/tools"
	"piwork/pack/tools/natural"
)

// sidecars are the suffixes of files that hold what was done to a picture: of Lightroom
// and darktable, and of Apple's Photos. Away from the picture they are of no use.
var sidecars = map[string]bool{".xmp": true, ".aae": true}

// sidecarsOf are the sidecars among files, by the path of the picture or film that they
// are of: IMG_1.xmp and IMG_1.CR2.xmp are of IMG_1.CR2.
func sidecarsOf(files []found) map[string][]found {
	owners := map[string]string{} // by path, with the suffix and without it
	for _, f := range files {
		if kind := fileKind(f.path); kind != kindPicture && kind != kindVideo {
			continue
		}
		owners[natural.Folded(f.path)] = f.path
		if stem := natural.Folded(strings.TrimSuffix(f.path, path.Ext(f.path))); owners[stem] == "" {
			owners[stem] = f.path
		}
	}
	of := map[string][]found{}
	for _, f := range files {
		ext := path.Ext(f.path)
		if owner := owners[natural.Folded(strings.TrimSuffix(f.path, ext))]; owner != "" && sidecars[strings.ToLower(ext)] {
			of[owner] = append(of[owner], f)
		}
	}
	return of
}

// sidecarName is what a sidecar is called when its picture gets a number: that number
// too, where the picture has it. 0 is none.
func sidecarName(f found, n int) string {
	name := path.Base(f.path)
	if n == 0 {
		return name
	}
	stem := strings.TrimSuffix(name, path.Ext(name))
	if fileKind(stem) != kindOther { // IMG_1.CR2.xmp
		stem = strings.TrimSuffix(stem, path.Ext(stem))
	}
	return tools.Numbered(stem, n, name[len(stem):])
}
