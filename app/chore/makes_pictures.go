package chore

import (
	"context"
	"slices"

	"piwork/app/problem"
	"piwork/pack/tools"
)

// Parameters that several chores have.
var (
	recursively = ParamInfo{Name: "recursive", Type: "bool", Default: false}
	pageOrder   = ParamInfo{Name: "order", Type: "choice", Default: orderName, Choices: []string{orderName, orderDate}}
)

// wholeNumber describes a parameter that is a whole number.
func wholeNumber(name string, byDefault, least, most int) ParamInfo {
	return ParamInfo{Name: name, Type: "int", Default: byDefault, Min: &least, Max: &most}
}

// of returns a parameter of the type T, its zero value when it is none.
func of[T any](params map[string]any, name string) T {
	v, _ := params[name].(T)
	return v
}

// count returns a parameter that is a whole number, as given or as a record has
// it.
func count(params map[string]any, name string) int {
	n, _ := number(params[name])
	return n
}

// extensions are those of what an operation can use, but for some.
func extensions(op string, but ...string) []string {
	o, _ := tools.Find(op)
	var out []string
	for _, ext := range o.Accepts {
		if !slices.Contains(but, ext) {
			out = append(out, "."+ext)
		}
	}
	return out
}

// convertPictures makes pictures of another format, or smaller ones. A picture
// that is so already is left where it is, and one of several pages or frames, of
// which only the first would be in the result.
var convertPictures = maker{
	info: Info{
		Name: "convert-pictures",
		Params: []ParamInfo{
			{Name: "format", Type: "choice", Default: tools.FormatJPEG, Choices: []string{tools.FormatJPEG, tools.FormatPNG, tools.FormatWebP}},
			wholeNumber("side", 0, 0, 30_000),
			wholeNumber("quality", 85, 1, 100),
			recursively,
			languages,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	},
	ops:  []string{opConvert, opResize},
	exts: pictureExts,
	look: func(ctx context.Context, env Env, in []Input, done func(int)) (map[string]seen, map[string]*problem.Problem, error) {
		found, problems, err := env.look(ctx, opInfo, "look", in, done)
		for p, s := range found {
			if s.Frames > 1 && len(converted(env.Params, s)) > 0 {
				problems[p] = leftOut(problem.CodeInputPages, p)
			}
		}
		return found, problems, err
	},
	into:  map[string]string{"en": "Converted pictures", "de": "Umgewandelte Bilder"},
	makes: converted,
	params: func(given map[string]any, op Operation) map[string]any {
		p := map[string]any{"format": given["format"], "quality": given["quality"]}
		if op.Op == opResize {
			p["width"], p["height"] = given["side"], given["side"]
		}
		return p
	},
}

const opResize = "image.resize"

// converted is what convertPictures makes of a picture.
func converted(params map[string]any, s seen) []making {
	format, side := text(params, "format"), count(params, "side")
	ext := "." + tools.Suffix(format)
	switch {
	case s.Format == format && (side == 0 || max(s.Width, s.Height) <= float64(side)):
		return nil
	case side > 0:
		return []making{{op: opResize, ext: ext}}
	default:
		return []making{{op: opConvert, ext: ext}}
	}
}

// stripMetadata makes copies that say nothing of who made them where.
var stripMetadata = maker{
	info: Info{
		Name: "strip-metadata",
		Params: []ParamInfo{
			{Name: "keepDate", Type: "bool", Default: false},
			recursively,
			languages,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	},
	ops:   []string{opStrip},
	exts:  extensions(opStrip),
	into:  map[string]string{"en": "For sharing", "de": "Zum Weitergeben"},
	makes: func(map[string]any, seen) []making { return []making{{op: opStrip, ext: sameExt}} },
	params: func(given map[string]any, _ Operation) map[string]any {
		return map[string]any{"keepDate": given["keepDate"]}
	},
}

const opStrip = "metadata.strip"
