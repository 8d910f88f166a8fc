package cli

import (
	"maps"

	"piwork/app/cli/terminal"
)

// choreText is what a chore is called and does, and its parameters.
type choreText struct {
	title, about string
	inputs       string            // one of what it works on
	params       map[string]string // what each is for
}

var choreWords = map[string]choreText{
	"pictures-to-pdf": {
		title: "Pictures to one PDF", about: "puts all pictures of a folder into one PDF, a page each", inputs: "picture",
		params: map[string]string{
			"name":      "name of the PDF",
			"order":     "order of the pages: by name, or by when a picture was taken",
			"recursive": "also the pictures in folders inside",
			"page":      "size of the pages: as the picture, or A4",
		},
	},
	"cleanup-downloads": {
		title: "Clean up Downloads", about: "puts what lies in a folder into folders by kind and month", inputs: "file",
		params: map[string]string{
			"months":     "a folder for each month",
			"installers": "old installers into a folder of their own",
			"archives":   "old archives into a folder of their own",
			"days":       "old means: not changed for this many days",
			"empty":      "remove empty folders",
			"language":   "language of the names of the folders",
		},
	},
	"sort-photos": {
		title: "Sort photos by date", about: "puts photos and videos into folders by when they were taken", inputs: "file",
		params: map[string]string{
			"by":        "folders by month or by year",
			"recursive": "also the photos in folders inside",
		},
	},
	"find-duplicates": {
		title: "Find duplicates", about: "puts files aside that are there more than once, all but one of each", inputs: "file",
		params: map[string]string{
			"similar":  "also pictures that look the same; the largest stays",
			"language": "language of the name of the folder",
		},
	},
	"rename-files": {
		title: "Rename many files", about: "gives the files of a folder new names by a pattern", inputs: "file",
		params: map[string]string{
			"pattern": "the new name: text, {name}, {ext}, {date}, {time}, {taken}, {n}",
			"find":    "what to replace in the old name",
			"with":    "what to put in its place",
			"case":    "letters as they are, all small or all capital",
			"spaces":  "spaces as they are, as dashes or as underscores",
			"start":   "the first number",
		},
	},
	"convert-pictures": {
		title: "Convert and shrink pictures", about: "makes JPEG, PNG or WebP of pictures, such as HEIC of a phone, smaller if wanted", inputs: "picture",
		params: map[string]string{
			"format":    "format of the new pictures",
			"side":      "longest side in pixels; 0 leaves the size as it is",
			"quality":   "quality of JPEG and WebP, from 1 to 100",
			"recursive": "also the pictures in folders inside",
			"language":  "language of the name of the folder",
		},
	},
	"strip-metadata": {
		title: "Remove hidden information", about: "makes copies of pictures, films and PDFs that do not say who made them where", inputs: "file",
		params: map[string]string{
			"keepDate":  "keep when it was taken",
			"recursive": "also the files in folders inside",
			"language":  "language of the name of the folder",
		},
	},
	"voice-memo": {
		title: "Voice memos to MP3", about: "makes small MP3 files of recordings", inputs: "recording",
		params: map[string]string{
			"quality":   "quality for speech, or for music",
			"mono":      "one channel, which is enough for speech",
			"level":     "make what is quiet louder",
			"recursive": "also the recordings in folders inside",
			"language":  "language of the name of the folder",
		},
	},
	"merge-pdf": {
		title: "Merge PDFs", about: "puts all PDFs of a folder into one", inputs: "PDF",
		params: map[string]string{
			"name":      "name of the new PDF",
			"order":     "order of the PDFs: by name, or by when they were changed",
			"recursive": "also the PDFs in folders inside",
		},
	},
	"split-pdf": {
		title: "Split PDFs", about: "makes a folder of each PDF, with its pages as PDFs", inputs: "PDF",
		params: map[string]string{
			"every":     "so many pages in each part",
			"recursive": "also the PDFs in folders inside",
		},
	},
	"compress-pdf": {
		title: "Make PDFs smaller", about: "makes smaller copies of PDFs, with their pictures less fine", inputs: "PDF",
		params: map[string]string{
			"quality":   "how fine pictures stay: for a screen, for reading or for printing",
			"recursive": "also the PDFs in folders inside",
			"language":  "language of the name of the folder",
		},
	},
	"unlock-pdf": {
		title: "Unlock PDFs", about: "makes copies of PDFs without the password that you know", inputs: "PDF",
		params: map[string]string{
			"password":  "the password of the PDFs; it is asked for and kept nowhere",
			"recursive": "also the PDFs in folders inside",
			"language":  "language of the name of the folder",
		},
	},
	"searchable-scans": {
		title: "Scans to searchable PDFs", about: "reads the text in scans, so that they can be searched and copied from", inputs: "scan",
		params: map[string]string{
			"text":      "also a text file of each",
			"reads":     "languages of the text: English, German or both",
			"force":     "also PDFs that can be searched already",
			"recursive": "also the scans in folders inside",
			"language":  "language of the name of the folder",
		},
	},
	"unpack-archives": {
		title: "Unpack archives", about: "unpacks each archive into a folder of its name", inputs: "archive",
		params: map[string]string{
			"recursive": "also the archives in folders inside",
		},
	},
	"extract-text": {
		title: "Text of documents", about: "makes a text file of each PDF, document or page, and reads scans", inputs: "document",
		params: map[string]string{
			"layout":    "lines of a PDF stay where they are on the page",
			"reads":     "languages of scans: English, German or both",
			"recursive": "also the documents in folders inside",
			"language":  "language of the name of the folder",
		},
	},
	"receipts-to-table": {
		title: "Receipts to a table", about: "makes a table of receipts and invoices: date, seller, total, tax, and how sure each row is", inputs: "receipt",
		params: map[string]string{
			"name":      "name of the table",
			"format":    "format of the table",
			"dates":     "what 03/04 means: found out, day first (dmy) or month first (mdy)",
			"reads":     "languages of scans and photos: English, German or both",
			"recursive": "also the receipts in folders inside",
			"language":  "language of the names of the columns",
		},
	},
	"folder-report": {
		title: "What is in a folder", about: "writes a report of a folder: how much of what, the biggest, newest and oldest files, empty folders", inputs: "folder",
		params: map[string]string{
			"name":     "name of the report",
			"format":   "a page (html), Markdown (md) or a table",
			"top":      "how long each list is",
			"language": "language of the report",
		},
	},
	"clean-table": {
		title: "Clean up tables", about: "makes copies of tables without empty and doubled rows and needless spaces", inputs: "table",
		params: map[string]string{
			"format":     "format of the new tables",
			"trim":       "remove needless spaces",
			"dropEmpty":  "remove empty rows and columns",
			"duplicates": "remove rows that were there before",
			"recursive":  "also the tables in folders inside",
			"language":   "language of the name of the folder",
		},
	},
	"join-tables": {
		title: "Join tables", about: "makes one table of several, with the columns of the same name in one", inputs: "table",
		params: map[string]string{
			"name":      "name of the new table",
			"format":    "its format",
			"source":    "a column that says from which file a row is",
			"order":     "order of the tables: by name, or by when they were changed",
			"recursive": "also the tables in folders inside",
			"language":  "language of the name of that column",
		},
	},
	"summarise-notes": {
		title: "Summarise notes", about: "makes text of notes and documents; an AI writes one summary of them: what matters, what is to be done, each topic", inputs: "note",
		params: aidedParams(nil),
	},
	"contract-summary": {
		title: "Summarise contracts", about: "makes text of contracts; an AI writes who, what, until when, how it ends and what it costs, with the sentences", inputs: "contract",
		params: aidedParams(nil),
	},
	"check-receipts": {
		title: "Check a table of receipts", about: "makes a table of receipts as CSV; an AI looks again at the rows that are not sure, and fills them in", inputs: "receipt",
		params: aidedParams(map[string]string{"name": "name of the table", "dates": "what 03/04 means: found out, day first (dmy) or month first (mdy)"}),
	},
	"clean-csv": {
		title: "Clean up a table thoroughly", about: "makes clean copies of tables as CSV; an AI makes one way of writing of several, and one form of dates and numbers", inputs: "table",
		params: aidedParams(map[string]string{
			"trim": "remove needless spaces", "dropEmpty": "remove empty rows and columns", "duplicates": "remove rows that were there before",
		}),
	},
	"folder-dashboard": {
		title: "Overview page of a folder", about: "writes a report of a folder; an AI makes a page of it that says what the folder is for and what is in it", inputs: "folder",
		params: aidedParams(nil),
	},
	"rename-photos": {
		title: "Name photos by what is on them", about: "an AI looks at each picture and gives it a name; the new names wait for your yes", inputs: "picture",
		params: aidedParams(nil),
	},
}

// aidedParams are those that chores with an AI have in common, with some of their own.
func aidedParams(own map[string]string) map[string]string {
	out := map[string]string{
		"reads":     "languages of scans: English, German or both",
		"recursive": "also the files in folders inside",
		"language":  "language of what is written",
	}
	maps.Copy(out, own)
	return out
}

// choreTitle is the name of a chore for people.
func choreTitle(name string) string {
	if w, ok := choreWords[name]; ok {
		return w.title
	}
	return terminal.Printable(name)
}

func inputNoun(name string) string {
	if w, ok := choreWords[name]; ok {
		return w.inputs
	}
	return "file"
}
