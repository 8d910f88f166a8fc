package words

import (
	"fmt"
	"slices"
	"strings"

	"piwork/app/problem"
)

// ProblemCodes are the codes of problems that there are words for, sorted.
func ProblemCodes(c *Catalogue) (codes []string) {
	for _, f := range c.files()["problem"] {
		texts, err := f.texts()
		if err != nil {
			panic(fmt.Errorf("%s/%s: %w", c.Language, f.name, err)) //nolint:forbidigo // as in find
		}
		for id := range texts {
			if parts := strings.Split(id, "."); len(parts) == 3 && parts[2] == "title" {
				codes = append(codes, parts[1])
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes) // some stand in two files, with what each says of them
}

// Problem gives a problem its words: what happened, what it means, and what each of
// its next steps is. It writes into p, and into a copy of its fixes.
func (c *Catalogue) Problem(p *problem.Problem) {
	given := c.clean(p.Params)
	given["cause"] = oneLine(p.Cause)
	_, narrow, _ := strings.Cut(p.Cause, "-") // of "kvm-held"
	say := func(part string) string {
		return c.first(given, "problem."+p.Code+"."+p.Cause+"."+part, "problem."+p.Code+"."+narrow+"."+part, "problem."+p.Code+"."+part)
	}
	if p.Title, p.Detail = say("title"), say("detail"); p.Title == "" {
		p.Title, p.Detail = c.text("problem.unknown.title", given), c.text("problem.unknown.detail", given)
	}
	p.Reason = say("reason")
	p.Then = c.text("restart."+string(p.Restart), given)
	p.Fix = slices.Clone(p.Fix)
	for i, f := range p.Fix {
		if saysRestart[f.Code] {
			p.Then = ""
		}
		f.Title = c.text("fix."+f.Code+".title", given)
		if f.Command != "" {
			f.Lead = c.first(given, "fix."+f.Code+".lead", "fix.lead")
		}
		if steps := c.text("fix."+f.Code+".steps", given); steps != "" {
			f.Steps = strings.Split(steps, "\n")
		}
		p.Fix[i] = f
	}
}

// saysRestart are the fixes whose own words say what has to start anew.
var saysRestart = map[string]bool{problem.FixRestart: true, problem.FixRelogin: true, problem.FixFirmware: true,
	problem.FixNestedVirt: true, problem.FixWSLNested: true, problem.FixNativeApp: true}

// KeyReason says why a key of an AI service doesn't work, as of a model that doesn't
// answer: what failed, and what helps. "" is for none.
func KeyReason(c *Catalogue, reason string) string {
	title, cause := c.text("problem.model-failed."+reason+".title", nil), c.text("cause.model."+reason, nil)
	if title == "" || cause == "" {
		return title + cause
	}
	return title + ". " + cause
}

// Command is what does a fix on the command line, "" where nothing does. It is to be typed as it
// stands: a parameter that a shell would read as more than a word is left out of it.
func (c *Catalogue) Command(p *problem.Problem, fix string) string {
	given := c.clean(p.Params)
	for name, value := range given {
		if !word().MatchString(value) {
			delete(given, name)
		}
	}
	return c.text("fix."+fix+".command", given)
}
