package operate

import (
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Kinds of files, by which they are tidied.
const (
	kindPicture      = "picture"
	kindVideo        = "video"
	kindSound        = "sound"
	kindDocument     = "document"
	kindTable        = "table"
	kindPresentation = "presentation"
	kindBook         = "book"
	kindArchive      = "archive"
	kindInstaller    = "installer"
	kindFont         = "font"
	kindProgram      = "program"
	kindOther        = "other"
	kindEmpty        = "empty-folder"
)

// suffixes of kinds.
var suffixes = map[string]string{
	kindPicture:      "jpg jpeg png gif webp bmp tif tiff heic heif avif svg raw cr2 cr3 nef arw dng orf rw2 psd ico jxl",
	kindVideo:        "mp4 mov m4v avi mkv webm wmv flv mpg mpeg 3gp mts m2ts ogv",
	kindSound:        "mp3 m4a aac wav flac ogg opus aiff aif wma amr caf mid midi",
	kindDocument:     "pdf doc docx odt rtf txt md pages tex wpd xps html htm mht mhtml eml msg",
	kindTable:        "xls xlsx xlsm ods csv tsv numbers",
	kindPresentation: "ppt pptx odp key pps ppsx",
	kindBook:         "epub mobi azw azw3 fb2 djvu cbz cbr",
	kindArchive:      "zip 7z rar tar gz tgz bz2 tbz2 xz txz zst lz4 lz cab",
	kindInstaller:    "exe msi msix appx dmg pkg deb rpm appimage apk iso img flatpakref snap xpi crx",
	kindFont:         "ttf otf woff woff2 ttc",
	kindProgram:      "js ts py go c h cpp rs java sh bat ps1 json xml yaml yml toml sql ipynb ics vcf torrent",
}

var kindOf = func() map[string]string {
	m := map[string]string{}
	for kind, list := range suffixes {
		for s := range strings.FieldsSeq(list) {
			m[s] = kind
		}
	}
	return m
}()

// fileKind is the kind of a file by its name.
func fileKind(name string) string {
	if k := kindOf[strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))]; k != "" {
		return k
	}
	return kindOther
}

// unfinished are the suffixes of downloads under way.
var unfinished = map[string]bool{".part": true, ".crdownload": true, ".download": true, ".partial": true, ".tmp": true, ".opdownload": true}

// leaveAlone reports files that are not a person's: hidden ones, those of file
// managers, downloads under way; and those whose names no answer could hold.
func leaveAlone(name string) bool {
	lower := strings.ToLower(name)
	return !utf8.ValidString(name) || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$") || lower == "desktop.ini" || lower == "thumbs.db" || unfinished[filepath.Ext(lower)]
}

// packages are the suffixes of folders that macOS shows as one file: programs,
// libraries of pictures, films and music, projects, documents, disks, machines. Without
// one of the files in them the rest is of no use.
var packages = func() map[string]bool {
	m := map[string]bool{}
	for s := range strings.FieldsSeq(`app appex bundle component dsym framework kext plugin prefpane qlgenerator saver service vst vst3 wdgt workflow xpc
		photoslibrary photolibrary migratedphotolibrary aplibrary photoboothlibrary imovielibrary rcproject theater tvlibrary musiclibrary
		lrlibrary lrdata cocatalog cosessiondb fcpbundle fcpproject motn logicx logic band concert xcodeproj xcworkspace xcarchive playground
		rtfd pages numbers key epub ibooks iba textbundle scriv scptd ulysses oo3 ooutline graffle mindnode dtbase2 abbu icbu mbox nib pkg mpkg
		sparsebundle backupbundle utm pvm vmwarevm`) {
		m["."+s] = true
	}
	return m
}()

// isPackage reports whether macOS shows a folder as one file, by its name.
func isPackage(dir string) bool { return packages[strings.ToLower(filepath.Ext(dir))] }

// folderNames are the folders into which kinds go, by language.
var folderNames = map[string]map[string]string{
	"en": {
		kindPicture: "Pictures", kindVideo: "Videos", kindSound: "Music", kindDocument: "Documents", kindTable: "Tables",
		kindPresentation: "Presentations", kindBook: "Books", kindArchive: "Archives", kindInstaller: "Installers", kindFont: "Fonts",
		kindProgram: "Data", kindOther: "Other", "old-" + kindInstaller: "Old installers", "old-" + kindArchive: "Old archives",
	},
	"de": {
		kindPicture: "Bilder", kindVideo: "Videos", kindSound: "Musik", kindDocument: "Dokumente", kindTable: "Tabellen",
		kindPresentation: "Präsentationen", kindBook: "Bücher", kindArchive: "Archive", kindInstaller: "Installationsdateien", kindFont: "Schriften",
		kindProgram: "Daten", kindOther: "Anderes", "old-" + kindInstaller: "Alte Installationsdateien", "old-" + kindArchive: "Alte Archive",
	},
}
