package words

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"

	"piwork/app/chore"
	"piwork/app/task"
	"piwork/pack/tools"
)

// Chore gives a chore its words: what it is called and does, what it counts, and its
// parameters.
func (c *Catalogue) Chore(i *chore.Info) {
	id := "chore." + i.Name + "."
	i.Title, i.About, i.Run = c.ChoreTitle(i.Name), c.text(id+"about", nil), c.first(nil, id+"run", "say.run")
	i.Params = slices.Clone(i.Params)
	noun := "count." + c.unit(i.Name)
	i.Unit = map[string]string{"one": c.text(noun, params{"count": "1"}), "other": c.text(noun+".of", nil)}
	for n := range i.Params {
		p := &i.Params[n]
		p.Words = c.param(p.Choices, id+"param."+p.Name+".", "chore-param."+p.Name+".")
	}
}

// ChoreTitle is what a chore is called; one of another version by its own name.
func (c *Catalogue) ChoreTitle(name string) string {
	if s := c.text("chore."+name+".title", nil); s != "" {
		return s
	}
	return Printable(name)
}

// unit is what a chore counts, as an id under "count".
func (c *Catalogue) unit(name string) string {
	if s := c.text("chore."+name+".unit", nil); s != "" {
		return s
	}
	return "file"
}

// Inputs says how many of what a chore works on.
func (c *Catalogue) Inputs(name string, n int) string { return c.Count(n, c.unit(name)) }

// OfInputs is Inputs behind "from": aus 4 Bildern.
func OfInputs(c *Catalogue, name string, n int) string {
	number := strconv.Itoa(n)
	if c.form(number) == plural.One {
		return c.Inputs(name, n)
	}
	return c.number(number) + " " + c.text("count."+c.unit(name)+".of", nil)
}

// Count says a number and what is counted: count.noun.
func (c *Catalogue) Count(n int, noun string) string {
	number := strconv.Itoa(n)
	return c.number(number) + " " + c.text("count."+noun, params{"count": number})
}

// Plan says a plan in one line, what is downloaded for it, and the button that carries it out.
func (c *Catalogue) Plan(p *chore.Plan) {
	inputs, removed := map[string]bool{}, 0
	for _, op := range p.Operations {
		if op.Effect == chore.EffectDelete {
			removed++
			continue
		}
		for _, in := range op.In {
			inputs[in.Path] = true
		}
	}
	id, n := "chore."+p.Chore+".", len(p.Operations)-removed
	p.Title, p.Summary, p.Run = c.ChoreTitle(p.Chore), c.first(nil, id+"none", "say.nothing-to-do"), c.first(nil, id+"run", "say.run")
	var parts []string
	if n > 0 {
		given := params{"inputs": c.Inputs(p.Chore, len(inputs)), "count": strconv.Itoa(n)}
		parts = append(parts, cmp.Or(c.text(id+"plan", given), given["inputs"]))
	}
	if removed > 0 {
		parts = append(parts, c.text("say.empty-folders", params{"count": strconv.Itoa(removed)}))
	}
	if len(parts) > 0 {
		p.Summary = strings.Join(parts, ", ")
	}
	if p.Online != nil {
		said := *p.Online
		said.Note = c.text("say.online", params{"count": strconv.Itoa(said.Files), "bytes": strconv.FormatInt(said.Bytes, 10)})
		p.Online = &said
	}
}

// Task says what a task is called: in the words of its person, or by its chore or
// tool and its folder.
func (c *Catalogue) Task(t *task.Task) {
	t.Called, t.Stands, t.Where = t.Title, c.Name("state", string(t.State)), c.Name("runtime-at", t.Runtime)
	names := make([]string, len(t.Folders))
	for i, f := range t.Folders {
		names[i] = f.Name
	}
	folder := append(slices.Clone(names), "")[0]
	op, _ := t.Params["op"].(string)
	tool := c.ToolTitle(op)
	switch {
	case t.Titled:
	case t.Kind == task.KindTool && t.Title == op:
		t.Called = tool
	case t.Kind == task.KindTool && t.Title == op+": "+folder:
		t.Called = tool + ": " + folder
	case t.Chore != "" && t.Title == t.Chore+": "+folder && c.Has("chore."+t.Chore+".task"):
		t.Called = c.text("chore."+t.Chore+".task", params{"folder": oneLine(path.Base(folder))})
	case t.Chore != "":
		t.Called = strings.TrimSuffix(c.ChoreTitle(t.Chore)+": "+strings.Join(names, ", "), ": ")
	case t.Title == "":
		t.Called = strings.Join(t.Argv, " ")
	}
}

// Tool gives an operation its words.
func (c *Catalogue) Tool(d *tools.Description) {
	id := "tool." + d.Name + "."
	d.Title, d.About = c.ToolTitle(d.Name), c.text(id+"about", nil)
	properties, _ := d.Params["properties"].(map[string]any)
	d.Words = make(map[string]tools.ParamWords, len(properties))
	for name, schema := range properties {
		d.Words[name] = c.param(choices(schema), id+"param."+name+".", "tool-param."+name+".")
	}
}

// ToolTitle is what an operation is called; one of another version by its own name.
func (c *Catalogue) ToolTitle(name string) string {
	if s := c.text("tool."+name+".title", nil); s != "" {
		return s
	}
	return Printable(name)
}

// param is the words of a parameter: the first place that has one has it.
func (c *Catalogue) param(choices []string, places ...string) tools.ParamWords {
	say := func(part string) string {
		ids := make([]string, len(places))
		for i, place := range places {
			ids[i] = place + part
		}
		return c.first(nil, ids...)
	}
	w := tools.ParamWords{Label: say("label"), Hint: say("hint")}
	for _, choice := range choices {
		if s := say("choices." + choice); s != "" {
			if w.Choices == nil {
				w.Choices = map[string]string{}
			}
			w.Choices[choice] = s
		}
	}
	return w
}

// choices are the values that a schema lists for a parameter, or for one of several.
func choices(schema any) []string {
	s, _ := schema.(map[string]any)
	if items, ok := s["items"].(map[string]any); ok {
		s = items
	}
	switch values := s["enum"].(type) {
	case []string:
		return values
	case []any:
		var out []string
		for _, v := range values {
			out = append(out, fmt.Sprint(v))
		}
		return out
	}
	return nil
}
