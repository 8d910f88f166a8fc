package operate

import (
	"fmt"
	"testing"
)

// What was done to a picture stays beside it, under its name: it goes where the picture
// goes and gets the number that the picture gets.
func TestSidecarsGoWithPictures(t *testing.T) {
	b := newBench(t)
	b.at("IMG_1.CR2", "2024-05-03", "raw")
	b.at("img_1.xmp", "2024-06-03", "what was done to it")
	b.at("IMG_2.JPG", "2024-05-04", "picture")
	b.at("IMG_2.AAE", "2024-06-04", "what was done to it")
	b.at("IMG_3.cr2", "2024-05-05", "raw")
	b.at("IMG_3.cr2.xmp", "2024-06-05", "what was done to it")
	b.at("IMG_4.xmp", "2024-06-05", "of nothing here")
	b.at("2024/2024-05/IMG_1.CR2", "2024-05-01", "another") // and without a sidecar
	b.at("2024/2024-05/IMG_3.cr2.xmp", "2024-05-01", "what was done to one that is gone")
	want := "[IMG_1.CR2>2024/2024-05/IMG_1 (2).CR2 img_1.xmp>2024/2024-05/img_1 (2).xmp " +
		"IMG_2.JPG>2024/2024-05/IMG_2.JPG IMG_2.AAE>2024/2024-05/IMG_2.AAE " +
		"IMG_3.cr2>2024/2024-05/IMG_3 (2).cr2 IMG_3.cr2.xmp>2024/2024-05/IMG_3 (2).cr2.xmp]"
	if got := b.moves("file.organize", map[string]any{"by": "taken-month"}); fmt.Sprint(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// Where pictures are sorted already, their sidecars are too.
	b = newBench(t)
	b.at("2024/2024-05/IMG_1.CR2", "2024-05-01", "raw")
	b.at("2024/2024-05/IMG_1.xmp", "2024-06-01", "what was done to it")
	if got := b.moves("file.organize", map[string]any{"by": "taken-month", "recursive": true}); len(got) != 0 {
		t.Errorf("%s", got)
	}
}
