package hostile

import "piwork/pack/tools"

// linkRows are links that an operation is given as a file. One that stays in its folder
// is followed; one that leads out of it is refused, however it does.
func (h Home) linkRows() map[string]Row {
	refused := []string{tools.InputLink}
	rows := map[string]Row{
		"link in its folder":        {Op: "file.hash", File: "x", In: "d/e/l", Prepare: "mkdir -p d/e; ln -s ../../x d/e/k; ln -s k d/e/l", Codes: []string{""}},
		"link by way of outside":    {Op: "file.hash", File: "x", In: "l", Prepare: `ln -s "../../${PWD##*/}/../${PWD##*/}/x" l`, Codes: refused},
		"link to users":             {Op: "table.read", File: "x", In: "l", Prepare: "ln -s /etc/passwd l", Codes: refused},
		"link up to users":          {Op: "text.extract", File: "x", In: "l.txt", Prepare: "ln -s ../../../../../../../../../etc/passwd l.txt", Out: "h.txt", Codes: refused},
		"link to a link to a link":  {Op: "file.hash", File: "x", In: "a", Prepare: "ln -s b a; ln -s ./c b; ln -s /work/canary.txt c", Codes: refused},
		"link to itself":            {Op: "file.hash", File: "x", In: "l", Prepare: "ln -s l l", Codes: refused},
		"link to what runs":         {Op: "file.hash", File: "x", In: "l", Prepare: "ln -s /proc/self/exe l", Codes: refused},
		"link to a folder of links": {Op: "file.hash", File: "x", In: "d/l", Prepare: "mkdir e; ln -s e d; ln -s /work/canary.txt e/l", Codes: refused},
		"packed through a link":     {Op: "archive.create", File: "x", In: "away/canary.txt", Prepare: traps, Params: map[string]any{"format": "tar"}, Out: "h.tar", Codes: refused},
		"removed through a link":    {Op: "file.remove", File: "x", In: "away/canary.txt", Prepare: traps, Params: map[string]any{"files": true}, Codes: refused},
		"moved through a link":      {Op: "file.move", File: "x", In: "away/canary.txt", Prepare: traps, Params: map[string]any{"to": []string{h.Folder + "/got"}}, Codes: refused},
		"renamed through a link":    {Op: "file.rename", File: "x", In: "away/canary.txt", Prepare: traps, Params: map[string]any{"pattern": "{n}"}, Codes: refused},
		"folder that is a link":     {Op: "file.organize", File: "x", In: "away", Prepare: traps, Codes: refused},
		"report of a link":          {Op: "file.report", File: "x", In: "away", Prepare: traps, Out: "h.html", Codes: refused},
	}
	for _, op := range []string{"image.info", "image.resize", "pdf.text", "archive.list", "archive.info", "archive.extract", "table.clean", "text.extract", "metadata.strip", "plist.validate"} {
		row := Row{Op: op, File: "x", In: "away/canary.txt", Prepare: traps, Codes: refused}
		switch op {
		case "image.resize":
			row.Params = map[string]any{"width": 9}
		case "table.clean":
			row.Params = map[string]any{"to": "csv"}
		}
		if d, ok := tools.Find(op); ok && d.Out != tools.OutNone {
			row.Out = "h" + op
		}
		rows["through a link, "+op] = row
	}
	for name, row := range rows {
		row.Data = []byte("x,y\n")
		rows[name] = row
	}
	return rows
}
