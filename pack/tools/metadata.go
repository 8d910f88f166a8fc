package tools

import (
	"reflect"
	"strings"
	"time"

	"piwork/pack/lazyregexp"
	"piwork/vmhost/wire"
)

// MaxMetadataSize bounds files whose metadata is looked at, in bytes.
const MaxMetadataSize = 16 << 30

// writable are the suffixes of files whose metadata can be written.
var writable = []string{"jpg", "jpeg", "png", "gif", "webp", "tif", "tiff", "heic", "heif", "avif", "pdf", "mp4", "mov", "m4a"}

var metadataOperations = []Operation{
	{
		Name: "metadata.read", Report: reflect.TypeFor[MetadataInfo](), Min: 1, Max: 500, Out: OutNone, Programs: []string{ToolExif},
		params: func() Params { return &MetadataRead{} },
		work:   work{each: 10 * time.Second, mega: time.Second, memory: memoryFew},
	},
	{
		Name: "metadata.write", Min: 1, Max: 1000, Out: OutEach, Accepts: writable, Programs: []string{ToolExif},
		params: func() Params { return &MetadataWrite{} },
		work:   work{each: 30 * time.Second, mega: time.Second, memory: memoryFew},
	},
	{
		Name: "metadata.strip", Min: 1, Max: 1000, Out: OutEach, Accepts: writable, Programs: []string{ToolExif, ToolQPDF},
		params: func() Params { return &MetadataStrip{} },
		work:   work{each: 30 * time.Second, mega: time.Second, memory: memoryFew},
	},
}

// MetadataRead are the parameters of metadata.read.
type MetadataRead struct {
	All bool `json:"all" schema:"default=false"` // everything, else what people ask for
}

// MetadataInfo is what metadata.read reports of each input: tags by
// "Group:Name", each a text, a number or a list.
type MetadataInfo struct {
	Path string         `json:"path"`
	Tags map[string]any `json:"tags"`
}

// MetadataWrite are the parameters of metadata.write. What is empty stays as it
// is.
type MetadataWrite struct {
	Title       string   `json:"title" schema:"maxLength=1000"`
	Author      string   `json:"author" schema:"maxLength=1000"`
	Description string   `json:"description" schema:"maxLength=4000"`
	Copyright   string   `json:"copyright" schema:"maxLength=1000"`
	Keywords    []string `json:"keywords" schema:"maxItems=100,maxLength=200"`
	Taken       string   `json:"taken" schema:"maxLength=40"` // "2024-05-31 12:00:00"
	Each
}

// taken is a time without a zone, as cameras have it.
var taken = lazyregexp.New(`^[12][0-9]{3}-[01][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9]$`)

// Check implements Params.
func (p *MetadataWrite) Check() error {
	for name, s := range map[string]string{"title": p.Title, "author": p.Author, "description": p.Description, "copyright": p.Copyright, "keywords": strings.Join(p.Keywords, "")} {
		if strings.ContainsAny(s, "\r\n") {
			return &wire.InvalidError{Field: "params." + name, Reason: "has a line end"}
		}
	}
	if p.Taken != "" && !taken().MatchString(p.Taken) {
		return &wire.InvalidError{Field: "params.taken", Reason: "is not like 2024-05-31 12:00:00"}
	}
	if p.Title+p.Author+p.Description+p.Copyright+p.Taken == "" && len(p.Keywords) == 0 {
		return &wire.InvalidError{Field: "params.title", Reason: "there is nothing to write"}
	}
	return nil
}

// MetadataStrip are the parameters of metadata.strip: everything goes that the
// picture does not need to look the same.
type MetadataStrip struct {
	KeepDate bool `json:"keepDate" schema:"default=false"` // when it was taken
	Each
}

// exiftool begins every call. Without a configuration file of a user, and with
// what Perl needs for names in UTF-8.
func exiftool(more ...string) []string { return append([]string{"exiftool", "-config", ""}, more...) }

// commonTags are what people ask for.
var commonTags = []string{
	"-File:FileType", "-File:MIMEType", "-ImageSize", "-Title", "-XPTitle", "-Author", "-Artist", "-Creator", "-Description", "-ImageDescription",
	"-Copyright", "-Keywords", "-Subject", "-DateTimeOriginal", "-CreateDate", "-ModifyDate", "-Make", "-Model", "-LensModel", "-ExposureTime",
	"-FNumber", "-ISO", "-FocalLength", "-Orientation", "-GPSPosition", "-GPSAltitude", "-PageCount", "-Producer", "-Software", "-Duration",
	"-Album", "-Track", "-Genre", "-Year", "-Comment",
}

// ExifRead writes the tags of files to stdout as JSON, in their order. inputs
// are scratch names.
func ExifRead(p *MetadataRead, inputs []string) []string {
	argv := exiftool("-json", "-G0", "-q", "-q", "-api", "largefilesupport=1", "-dateFormat", "%Y-%m-%d %H:%M:%S")
	if p.All {
		argv = append(argv, "-All", "-x", "FilePermissions", "-x", "FileModifyDate", "-x", "FileAccessDate", "-x", "FileInodeChangeDate",
			"-x", "Directory", "-x", "ExifToolVersion", "-x", "FileName")
	} else {
		argv = append(argv, commonTags...)
	}
	return append(append(argv, "--"), inputs...)
}

// ExifWrite writes copies of files with tags into a directory, by the same
// names. inputs are scratch names, dir is one of a directory and ends in a
// slash. Values are words of their own, so nothing in them is an option.
func ExifWrite(p *MetadataWrite, inputs []string, dir string) []string {
	argv := exiftool("-q", "-q", "-m", "-codedcharacterset=utf8", "-o", dir)
	add := func(value string, names ...string) {
		if value == "" {
			return
		}
		for _, n := range names {
			argv = append(argv, "-"+n+"="+value)
		}
	}
	add(p.Title, "Title")
	add(p.Author, "Author", "Artist", "Creator")
	add(p.Description, "Description", "ImageDescription")
	add(p.Copyright, "Copyright", "Rights")
	for i, k := range p.Keywords {
		if i == 0 {
			add(k, "Keywords", "Subject")
			continue
		}
		argv = append(argv, "-Keywords+="+k, "-Subject+="+k)
	}
	if p.Taken != "" {
		add(strings.ReplaceAll(p.Taken[:10], "-", ":")+p.Taken[10:], "DateTimeOriginal", "CreateDate")
	}
	return append(append(argv, "--"), inputs...)
}

// ExifStrip writes copies of files into a directory, without tags but for what
// they need to look the same. inputs and dir are as for [ExifWrite]. Of a TIFF it
// leaves the texts of its pages. The times of films are no tags that go with all.
func ExifStrip(p *MetadataStrip, inputs []string, dir string) []string {
	argv := exiftool("-q", "-q", "-m", "-o", dir, "-all=", "-trailer:all=")
	if !p.KeepDate {
		argv = append(argv, "-time:all=")
	}
	argv = append(argv, "-tagsfromfile", "@", "-Orientation", "-ICC_Profile:all", "-ColorSpaceTags")
	if p.KeepDate {
		argv = append(argv, "-DateTimeOriginal", "-CreateDate")
	}
	return append(append(argv, "--"), inputs...)
}
