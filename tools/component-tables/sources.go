package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// The released sources of some modules.
type sources struct {
	directories map[string]string
	packages    map[string]*pkg
}

// A package as Linux on amd64 compiles it.
type pkg struct {
	files     []*ast.File
	constants map[string]ast.Expr
}

func modules(paths ...string) *sources {
	found := &sources{map[string]string{}, map[string]*pkg{}}
	command := exec.Command("go", append([]string{"mod", "download", "-json"}, paths...)...)
	// What cannot be downloaded is told in the output.
	output, _ := command.Output()
	for decoder := json.NewDecoder(strings.NewReader(string(output))); decoder.More(); {
		var module struct{ Path, Dir, Error string }
		check(decoder.Decode(&module))
		if module.Error != "" {
			check(errors.New(module.Error))
		}
		found.directories[module.Path] = module.Dir
	}
	return found
}

// Adds the modules of a project that Kubernetes itself requires.
func (s *sources) addRequired(project string) {
	text, err := os.ReadFile(filepath.Join(s.directories["k8s.io/kubernetes"], "go.mod"))
	check(err)
	for _, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) > 1 && strings.HasPrefix(words[0], project) && strings.HasPrefix(words[1], "v") {
			for path, directory := range modules(words[0] + "@" + words[1]).directories {
				s.directories[path] = directory
			}
		}
	}
}

func (s *sources) directory(path string) (string, bool) {
	for module, directory := range s.directories {
		if path == module || strings.HasPrefix(path, module+"/") {
			return filepath.Join(directory, strings.TrimPrefix(path, module)), true
		}
	}
	return "", false
}

// The package of an import path; nil if these modules lack it.
func (s *sources) open(path string) *pkg {
	if known, ok := s.packages[path]; ok {
		return known
	}
	s.packages[path] = nil
	directory, ok := s.directory(path)
	if !ok {
		return nil
	}
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = "linux", "amd64", false
	listed, err := context.ImportDir(directory, 0)
	if err != nil {
		return nil
	}
	opened := &pkg{constants: map[string]ast.Expr{}}
	for _, name := range listed.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(directory, name), nil, 0)
		check(err)
		opened.files = append(opened.files, file)
		for _, declaration := range file.Decls {
			general, ok := declaration.(*ast.GenDecl)
			if !ok || general.Tok != token.CONST {
				continue
			}
			for _, spec := range general.Specs {
				value := spec.(*ast.ValueSpec)
				for i, name := range value.Names {
					if i < len(value.Values) {
						opened.constants[name.Name] = value.Values[i]
					}
				}
			}
		}
	}
	s.packages[path] = opened
	return opened
}

// The import path that a name stands for in a file.
func imported(file *ast.File, name string) string {
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && filepath.Base(path) == name {
			return path
		}
	}
	return ""
}

// The text of a constant expression.
func (s *sources) text(in *pkg, file *ast.File, expression ast.Expr) (string, bool) {
	switch e := expression.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.Ident:
		if value, ok := in.constants[e.Name]; ok {
			return s.text(in, file, value)
		}
	case *ast.SelectorExpr:
		if name, ok := e.X.(*ast.Ident); ok {
			if other := s.open(imported(file, name.Name)); other != nil {
				if value, ok := other.constants[e.Sel.Name]; ok {
					return s.text(other, file, value)
				}
			}
		}
	case *ast.CallExpr:
		// A conversion, such as featuregate.Feature("X").
		if len(e.Args) == 1 {
			return s.text(in, file, e.Args[0])
		}
	case *ast.BinaryExpr:
		left, ok := s.text(in, file, e.X)
		right, also := s.text(in, file, e.Y)
		return left + right, ok && also
	}
	return "", false
}

// The texts of a list that a package declares.
func (s *sources) listIn(path, variable string) table {
	texts := table{}
	in := s.open(path)
	for _, file := range in.files {
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || spec.Names[0].Name != variable || len(spec.Values) == 0 {
				return true
			}
			for _, element := range spec.Values[0].(*ast.CompositeLit).Elts {
				if text, ok := s.text(in, file, element); ok {
					texts[text] = ""
				}
			}
			return false
		})
	}
	return texts
}
