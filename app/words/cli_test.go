package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// said are the functions of app/cli that say a text, which their first argument names;
// parameters follow as names and values.
var said = map[string]string{"PrintText": "cli.", "HintText": "cli.", "Text": "cli.", "Usage": "usage.", "Prompt": "cli."}

// What the command line says has words, about the parameters that it gives; and nothing is
// there that it never says.
func TestCommandLineHasWords(t *testing.T) {
	given, mentioned := map[string][]string{}, map[string]bool{}
	err := filepath.WalkDir("../cli", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit := literal(n); lit != "" {
				mentioned[lit] = true
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := ""
			switch f := call.Fun.(type) {
			case *ast.SelectorExpr:
				if x, _ := f.X.(*ast.Ident); f.Sel.Name != "Text" || x != nil && x.Name == "terminal" { // Text is also a method of a catalogue
					name = f.Sel.Name
				}
			case *ast.Ident:
				name = f.Name
			}
			args := call.Args
			if name == "Prompt" {
				args = args[1:]
			}
			if said[name] == "" || len(args) == 0 || literal(args[0]) == "" {
				return true
			}
			id := said[name] + literal(args[0])
			var names []string
			for i := 1; i < len(args); i += 2 {
				names = append(names, literal(args[i]))
			}
			slices.Sort(names)
			if before, twice := given[id]; twice && !slices.Equal(before, names) {
				t.Errorf("%s is said with %v and with %v", id, before, names)
			}
			given[id] = names
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := For("en")
	for id, names := range given {
		if !c.Has(id) {
			t.Errorf("there are no words for %s", id)
		}
		if about := keys(fields(c, id)); slices.ContainsFunc(about, func(p string) bool { return !slices.Contains(names, p) }) {
			t.Errorf("%s is about %v, and said with %v", id, about, names)
		}
	}
	for id := range all(t, c) {
		for _, table := range []string{"cli.", "usage."} {
			if name, ok := strings.CutPrefix(id, table); ok && !mentioned[name] {
				t.Errorf("nothing says %s", id)
			}
		}
	}
}

func literal(n ast.Node) string {
	if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		s, _ := strconv.Unquote(lit.Value)
		return s
	}
	return ""
}
