package hostile

import (
	"fmt"
	"strings"

	"piwork/pack/tools"
)

// cyclic is a PDF whose pages are in themselves.
const cyclic = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[2 0 R]/Count 1000000000>>endobj\ntrailer<</Root 1 0 R>>"

// onePage is a PDF of one empty page that says where nothing is.
const onePage = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R/Size 4>>\n"

// traps are things in a folder that nobody may follow or wait for.
const traps = "ln -s /work/canary.txt link; ln -s /work/ away; ln -s . self; mkfifo pipe; mkdir -p -- '-d\n'"

// entity declares the canary as one of XML.
const entity = `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///work/canary.txt">]>`

// otherFile is a PDF whose page and attachment are in another file, and which has a
// program run.
const otherFile = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Launch/F(/work/escaped)>>/Names<</EmbeddedFiles<</Names[(a)5 0 R]>>>>>>endobj\n" +
	"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n" +
	"4 0 obj<</Length 0/F(/work/canary.txt)>>stream\n\nendstream endobj\n5 0 obj<</Type/Filespec/F(/work/canary.txt)/EF<</F 4 0 R>>>>endobj\ntrailer<</Root 1 0 R/Size 6>>\n"

// ring is a binary property list of a list in itself (CFBinaryPList.c: objects, their
// places, sizes of numbers, how many, the first, where the places are).
const ring = "bplist00\xA1\x00\x08\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0A"

// album is a TIFF whose second picture is the first.
const album = "II*\x00\x08\x00\x00\x00\x02\x00\x00\x01\x03\x00\x01\x00\x00\x00\x09\x00\x00\x00\x01\x01\x03\x00\x01\x00\x00\x00\x09\x00\x00\x00\x08\x00\x00\x00"

// vast is a PNG that is said to be 100,000 pixels wide and high.
const vast = "\x89PNG\r\n\x1A\n\x00\x00\x00\x0DIHDR\x00\x01\x86\xA0\x00\x01\x86\xA0\x08\x02\x00\x00\x00\xEC\xC4\xFE\x21\x00\x00\x00\x00IDAT\x35\xAF\x06\x1E\x00\x00\x00\x00IEND\xAE\x42\x60\x82"

// rows are written for a place where [Home.Outside] is /work.
func (h Home) rows() map[string]Row {
	svg := func(body string) []byte {
		return []byte(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e SYSTEM "file:///work/canary.txt"><!ENTITY a "aaaaaaaaaa">]><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="20">` + body + `</svg>`)
	}
	laughs := `<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "aaaaaaaaaa">` // billion laughs
	for c := 'b'; c < 'l'; c++ {
		laughs += fmt.Sprintf(`<!ENTITY %c "%s">`, c, strings.Repeat("&"+string(c-1)+";", 10))
	}
	slip := h.zipped("../../../../../../../../work/escaped", "x", "/work/escaped", "x", "ok", "x")
	rows := map[string]Row{
		"svg that names files":  {Op: "image.convert", File: "-x.svg", Data: svg(`<image xlink:href="/work/canary.txt" width="9" height="9"/><image xlink:href="http://127.0.0.1:1/x" width="9" height="9"/><text y="10">&e;</text>`), Params: map[string]any{"format": "png"}, Out: "h.png", Codes: []string{"", tools.InputBroken}},
		"svg of a cinema":       {Op: "image.convert", File: "big.svg", Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="1000000" height="1000000"/>`), Params: map[string]any{"format": "png"}, Out: "h.png", Codes: []string{tools.InputTooLarge}},
		"svg with a style file": {Op: "image.convert", File: "a\nb.svg", Data: []byte(`<?xml-stylesheet href="file:///work/canary.txt"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>@import url("file:///work/canary.txt");</style></svg>`), Params: map[string]any{"format": "png"}, Out: "h.png", Codes: []string{""}},
		"script as picture":     {Op: "image.resize", File: "msl:x.jpg", Data: []byte("push graphic-context\nviewbox 0 0 9 9\nimage over 0,0 0,0 'https://127.0.0.1/x'\npop graphic-context"), Params: map[string]any{"width": 9}, Out: "h.jpg", Codes: []string{tools.InputUnsupported}},
		"picture of a country":  {Op: "image.info", File: "@big.gif", Data: []byte("GIF89a\xFF\xFF\xFF\xFF\x00\x00\x00,\x00\x00\x00\x00\xFF\xFF\xFF\xFF\x00\x02\x01\x00\x00;"), Codes: []string{tools.InputTooLarge, tools.InputBroken}},
		"PostScript as PDF":     {Op: "pdf.compress", File: "ps.pdf", Data: []byte("%!PS\n(/work/canary.txt) (r) file 100 string readstring pop show showpage %PDF-1.4"), Out: "h.pdf", Codes: []string{tools.InputBroken}},
		"PDF of text":           {Op: "pdf.ocr", File: "x.pdf", Data: []byte("%PDF-1.7\nnothing"), Out: "h.pdf", Codes: []string{tools.InputBroken}},
		"JPEG called PDF":       {Op: "pdf.text", File: "j.pdf", Data: []byte("\xFF\xD8\xFF\xE0"), Out: "h.txt", Codes: []string{tools.InputUnsupported}},
		"brackets without end":  {Op: "pdf.rotate", File: "-rotate.pdf", Data: []byte("%PDF-1.7\n1 0 obj" + strings.Repeat("[", 200_000)), Params: map[string]any{"angle": 90}, Out: "h.pdf", Codes: []string{tools.InputBroken, tools.ToolFailed}},
		"password of a file":    {Op: "pdf.protect", File: "@p.pdf", Data: []byte(onePage), Params: map[string]any{"password": "@/work/canary.txt"}, Out: "h.pdf", Codes: []string{""}},
		"password, an option":   {Op: "pdf.unlock", File: "--empty", Data: []byte(onePage), Params: map[string]any{"password": "--json"}, Out: "h.pdf", Codes: []string{""}},
		"list that includes":    {Op: "plist.convert", File: "x.plist", Data: []byte(`<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY e SYSTEM "file:///work/canary.txt">]><plist version="1.0"><string>&e;</string></plist>`), Params: map[string]any{"to": "xml"}, Out: "h.plist", Codes: []string{tools.InputBroken, ""}},
		"list that grows":       {Op: "plist.validate", File: "l.plist", Data: []byte(laughs + `]><plist version="1.0"><string>&k;</string></plist>`), Codes: []string{tools.InputBroken, tools.OutOfMemory, ""}},
		"list, deep":            {Op: "plist.convert", File: "d.plist", Data: []byte(`<plist version="1.0">` + strings.Repeat("<array>", 200_000)), Params: map[string]any{"to": "binary"}, Out: "h.plist", Codes: []string{tools.InputBroken, tools.ToolFailed}},
		"tag that is an option": {Op: "metadata.write", File: "t.jpg", Data: h.Picture, Params: map[string]any{"title": "-o /work/escaped", "author": "<=/work/canary.txt", "description": "@/work/canary.txt"}, Out: "h.jpg", Codes: []string{""}},
		"no metadata here":      {Op: "metadata.strip", File: "x.jpg", Data: []byte("#!/bin/sh\ntouch /work/escaped"), Out: "h.jpg", Codes: []string{tools.InputUnsupported}},
		"Perl in metadata":      {Op: "metadata.read", File: "d.jpg", Data: []byte("AT&TFORM\x00\x00\x00\x40DJVUANTa\x00\x00\x00\x20(metadata (Copyright \"\\\n\" . `touch /work/escaped` . \"\"))"), Codes: []string{"", tools.InputBroken, tools.InputUnsupported}},
		"archive that slips":    {Op: "archive.extract", File: "-rf.zip", Data: slip, Out: "hz", Codes: []string{tools.EntryLeftOut}},
		"sizes of what slips":   {Op: "archive.info", File: "--info.zip", Data: slip, Codes: []string{""}},
		"list of what slips":    {Op: "archive.list", File: "--list.zip", Data: slip, Codes: []string{""}},
		"tar that leads away":   {Op: "archive.extract", File: "l.tar", Data: h.leading(), Out: "hl", Codes: []string{tools.EntryLeftOut}},
		"archive, cut off":      {Op: "archive.list", File: "c.zip", Data: slip[:len(slip)/2], Codes: []string{tools.InputBroken}},
		"picture, cut off":      {Op: "image.convert", File: "c.jpg", Data: h.Picture[:len(h.Picture)/2], Params: map[string]any{"format": "png"}, Out: "h.png", Codes: []string{tools.InputBroken}},
		"page as picture":       {Op: "image.convert", File: "https:x.png", Data: []byte(`<html><img src="file:///work/canary.txt"></html>`), Params: map[string]any{"format": "pdf"}, Out: "h.pdf", Codes: []string{tools.InputUnsupported}},
		"picture of a county":   {Op: "image.resize", File: "v.png", Data: []byte(vast), Params: map[string]any{"width": 9}, Out: "h.png", Codes: []string{tools.InputTooLarge, tools.InputBroken}},
		"album without end":     {Op: "image.info", File: "a.tif", Data: []byte(album), Codes: []string{tools.InputBroken, tools.InputUnsupported, ""}},
		"list in itself":        {Op: "plist.convert", File: "r.plist", Data: []byte(ring), Params: map[string]any{"to": "json"}, Out: "h.json", Codes: []string{tools.InputBroken, tools.InputUnsupported, tools.ToolFailed}},
		"metadata, cut off":     {Op: "metadata.strip", File: "c.jpg", Data: h.Picture[:len(h.Picture)/2], Out: "h.jpg", Codes: []string{"", tools.InputBroken}},
		"picture as workbook":   {Op: "table.read", File: "p.xlsx", Data: []byte(vast), Codes: []string{tools.InputUnsupported}},
		"table with a mile":     {Op: "table.clean", File: "m.csv", Data: []byte(strings.Repeat("x\n", tools.MaxTableCells/tools.MaxTableColumns+1) + strings.Repeat(",", tools.MaxTableColumns-1)), Params: map[string]any{"to": "xlsx"}, Out: "h.xlsx", Codes: []string{tools.InputTooLarge}},
		"links in an archive":   {Op: "archive.create", File: "x", Data: []byte("x"), In: ".", Prepare: traps, Params: map[string]any{"format": "tar"}, Out: "h.tar", Codes: []string{"", tools.InputUnsupported}},
		"JSON, deep":            {Op: "table.read", File: "=1+1.json", Data: []byte(strings.Repeat("[", 1_000_000)), Codes: []string{tools.InputBroken}},
		"workbook of a file":    {Op: "table.convert", File: "x.xlsx", Data: h.zipped("xl/workbook.xml", entity+"<workbook>&e;</workbook>"), Params: map[string]any{"to": "csv"}, Out: "h.csv", Codes: []string{tools.InputBroken}},
		"table, wide":           {Op: "table.clean", File: "w.csv", Data: []byte(strings.Repeat(",", tools.MaxTableColumns+1)), Params: map[string]any{"to": "csv"}, Out: "h.csv", Codes: []string{tools.InputTooLarge}},
		"table of formulas":     {Op: "table.merge", File: "=cmd|'-C x'!A0.csv", Data: []byte("a,b\n\"=IMPORTDATA(\"\"file:///work/canary.txt\"\")\",@SUM(1)\n"), Params: map[string]any{"to": "xlsx", "source": "=x"}, Out: "h.xlsx", Codes: []string{""}},
		"bill of a file":        {Op: "table.receipts", File: "-b.docx", Data: h.zipped("word/document.xml", entity+"<d><p><t>Total &e;</t></p></d>"), Params: map[string]any{"to": "csv"}, Out: "h.csv", Codes: []string{tools.InputBroken}},
		"page that fetches":     {Op: "text.extract", File: "p.html", Data: []byte(`<iframe src="file:///work/canary.txt"></iframe><object data="/work/canary.txt"></object><link rel=import href="file:///work/canary.txt"><meta http-equiv=refresh content="0;url=file:///work/canary.txt">ok`), Out: "h.txt", Codes: []string{""}},
		"document, packed full": {Op: "text.extract", File: "b.docx", Data: packedFull(), Out: "h.txt", Codes: []string{tools.InputTooLarge}, Slow: true},
		"name that is a script": {Op: "file.report", File: "<script>alert(1)<script>\n\u202E.html", Data: []byte("x"), In: ".", Prepare: traps, Out: "h.html", Codes: []string{""}},
		"name of a directory":   {Op: "file.rename", File: "a", Data: []byte("x"), Params: map[string]any{"pattern": "{name}", "find": "a", "with": ".."}, Codes: []string{tools.OutputName}},
		"move through a link":   {Op: "file.move", File: "x", Data: []byte("x"), Prepare: traps, Params: map[string]any{"to": []string{h.Folder + "/away/escaped"}}, Codes: []string{tools.OutputDenied}},
		"remove through a link": {Op: "file.remove", File: "x", Data: []byte("x"), In: "away", Prepare: traps, Codes: []string{tools.InputUnsupported}},
	}
	for _, op := range []string{"pdf.info", "pdf.merge", "pdf.split", "pdf.images"} {
		row := Row{Op: op, File: "@x.pdf", Data: []byte(cyclic), Codes: []string{tools.InputBroken}}
		if op != "pdf.info" {
			row.Out = "h" + op
		}
		rows["PDF in itself, "+op] = row
	}
	for _, op := range []string{"pdf.compress", "pdf.merge", "pdf.text", "pdf.images"} {
		rows["PDF of another file, "+op] = Row{Op: op, File: "-o.pdf", Data: []byte(otherFile), Out: "h" + op, Codes: []string{"", tools.InputBroken, tools.InputUnsupported, tools.ToolFailed}}
	}
	for op, params := range map[string]map[string]any{
		"file.hash": {"recursive": true}, "file.duplicates": {"similar": true}, "file.organize": {"recursive": true}, "file.cleanup": nil,
	} {
		rows["folder of traps, "+op] = Row{Op: op, File: "-n\n.jpg", Data: []byte("x"), In: ".", Prepare: traps, Params: params, Codes: []string{""}}
	}
	return rows
}
