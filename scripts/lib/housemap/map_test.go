package housemap

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../../.."

// spans are the pieces of code in a text.
var spans = regexp.MustCompile("`([^`]+)`")

// section is what stands under a heading of CONTRIBUTING.md, up to the next one that is as high.
func section(t *testing.T, heading string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("CONTRIBUTING.md has no %q", heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	for at := 0; ; {
		i := strings.Index(rest[at:], "\n#")
		if i < 0 {
			return rest
		}
		at += i + 1
		if line, _, _ := strings.Cut(rest[at:], " "); len(line) <= len(level) {
			return rest[:at]
		}
	}
}

// pkg is a package, read for all systems: its declarations by name, those of methods by
// the method's name and by Type.Method.
type pkg map[string][]ast.Node

var packages = map[string]pkg{}

func read(t *testing.T, dir string) pkg {
	t.Helper()
	if p, ok := packages[dir]; ok {
		return p
	}
	p := pkg{}
	packages[dir] = p
	files, _ := filepath.Glob(filepath.Join(root, dir, "*.go"))
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			p.add(d)
		}
	}
	return p
}

func (p pkg) add(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		p[d.Name.Name] = append(p[d.Name.Name], d)
		if d.Recv != nil {
			of := receiver(d.Recv.List[0].Type) + "." + d.Name.Name
			p[of] = append(p[of], d)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				p[s.Name.Name] = append(p[s.Name.Name], s)
				p.members(s)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					p[n.Name] = append(p[n.Name], s)
				}
			}
		}
	}
}

// members adds what an interface or a struct declares, as Type.Member.
func (p pkg) members(s *ast.TypeSpec) {
	var list *ast.FieldList
	switch x := s.Type.(type) {
	case *ast.InterfaceType:
		list = x.Methods
	case *ast.StructType:
		list = x.Fields
	default:
		return
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			of := s.Name.Name + "." + n.Name
			p[of] = append(p[of], f)
		}
	}
}

func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// mentions reports whether a declaration has a word as an identifier, or in a string.
func mentions(n ast.Node, word string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || n.Name == word
		case *ast.BasicLit:
			found = found || n.Kind == token.STRING && strings.Contains(word, "/") && strings.Contains(n.Value, word)
		}
		return !found
	})
	return found
}

// reaches reports whether a declaration mentions a word, or one of its package does to
// which it leads.
func (p pkg) reaches(from, word string) bool {
	seen, next := map[ast.Node]bool{}, append([]ast.Node{}, p[from]...)
	for len(next) > 0 {
		n := next[0]
		if next = next[1:]; seen[n] {
			continue
		}
		seen[n] = true
		if mentions(n, word) {
			return true
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				next = append(next, p[id.Name]...)
			}
			return true
		})
	}
	return false
}

func isDir(dir string) bool {
	info, err := os.Stat(filepath.Join(root, dir))
	return err == nil && info.IsDir()
}

// split takes "app/tasks.Runner.StartTask" apart into a directory and a name in it.
func split(span string) (dir, name string) {
	base := path.Base(span)
	i := strings.IndexByte(base, '.')
	if i < 0 {
		return span, ""
	}
	return strings.TrimSuffix(span, base[i:]), base[i+1:]
}

// place matches what is a place in the tree, not a command or a word.
var place = regexp.MustCompile(`^(app|vmhost|pack|frontend|scripts|build)(/[A-Za-z0-9_.-]+)*(\.[A-Za-z]\w*)*/?$|^[a-z]+\.(go|json|mod)$`)

// drawn matches the places in the drawing, where nothing is marked as code.
var drawn = regexp.MustCompile(`\b(app|vmhost|pack|frontend)/[a-zA-Z/]+(\.[A-Z]\w*)*`)

// Every package, file and identifier that the map names is there.
func TestMap(t *testing.T) {
	named := 0
	text := section(t, "## The map")
	_, rest, _ := strings.Cut(text, "```")
	drawing, after, _ := strings.Cut(rest, "```")
	places := drawn.FindAllString(drawing, -1)
	for _, m := range spans.FindAllStringSubmatch(after, -1) {
		if place.MatchString(m[1]) {
			places = append(places, m[1])
		}
	}
	for _, span := range places {
		span = strings.TrimSuffix(span, "/")
		named++
		if _, err := os.Stat(filepath.Join(root, span)); err == nil {
			continue
		}
		dir, name := split(span)
		if name == "" || !isDir(dir) || len(read(t, dir)[name]) == 0 {
			t.Errorf("CONTRIBUTING.md names %s, which is not there", span)
		}
	}
	if rows := strings.Count(section(t, "### Where is …"), "\n- "); rows < 40 || named < 60 {
		t.Errorf("the map has %d rows and names %d places", rows, named)
	}
}

// Every room of the table is there, and every room is in the table.
func TestRooms(t *testing.T) {
	table := map[string]bool{}
	for line := range strings.Lines(section(t, "## The house")) {
		cell, ok := strings.CutPrefix(line, "| ")
		if !ok {
			continue
		}
		cell, _, _ = strings.Cut(cell, " | ")
		in := ""
		for _, m := range spans.FindAllStringSubmatch(cell, -1) {
			span := strings.TrimSuffix(m[1], "/")
			if _, err := os.Stat(filepath.Join(root, span)); err == nil {
				in, table[span] = span, true
				continue
			}
			if table[in+"/"+span] = true; !isDir(in + "/" + span) {
				t.Errorf("the table of rooms names %s, which is not there", in+"/"+span)
			}
		}
	}
	for _, house := range []string{"app", "vmhost", "pack"} {
		dirs, err := os.ReadDir(filepath.Join(root, house))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range dirs {
			dir := house + "/" + d.Name()
			if len(read(t, dir)) > 0 && !table[dir] && !strings.HasSuffix(dir, "test") {
				t.Errorf("%s is in no row of the table of rooms", dir)
			}
		}
	}
}

// TestWays follows the ways of the map: a line names a function first and at its end what
// it hands on, which the function has to mention, itself or through others of its
// package. The function of the next line is called so, or mentions it too.
func TestWays(t *testing.T) {
	for heading, most := range map[string]int{
		"### From `piwork run` to the mount": 7,
		"### From QEMU to the sentence":      6,
	} {
		var hops [][]string // place, what is handed on
		for line := range strings.Lines(section(t, heading)) {
			if line[0] < '0' || line[0] > '9' {
				continue
			}
			found := spans.FindAllStringSubmatch(line, -1)
			hops = append(hops, []string{found[0][1], found[len(found)-1][1]})
		}
		if len(hops) < 3 || len(hops) > most {
			t.Errorf("%s: %d hops, at most %d", heading, len(hops), most)
		}
		for i, hop := range hops {
			dir, name := split(hop[0])
			p := read(t, dir)
			if len(p[name]) == 0 {
				t.Errorf("%s: there is no %s", heading, hop[0])
				continue
			}
			if i+1 < len(hops) && !p.reaches(name, hop[1]) {
				t.Errorf("%s: %s does not lead to %s", heading, hop[0], hop[1])
			}
			if i > 0 && !p.begins(name, hops[i-1][1]) {
				t.Errorf("%s: %s is not where %s leads", heading, hop[0], hops[i-1][1])
			}
		}
	}
}

// begins reports whether what is handed on arrives at a function: it is called so,
// mentions it, or is entered beside it in a table.
func (p pkg) begins(name, word string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == word || p.reaches(name, word) {
		return true
	}
	for _, list := range p {
		for _, n := range list {
			if mentions(n, word) && mentions(n, last) {
				return true
			}
		}
	}
	return false
}
