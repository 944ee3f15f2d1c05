package main

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// A package, and the types whose methods register flags of a component; none: everything in it does.
type origin struct {
	path      string
	receivers []string
}

var registration = regexp.MustCompile(`^(Bool|Int|Int32|Int64|Int32Slice|Uint|Uint32|Uint64|String|StringSlice|StringArray|StringToString|IntSlice|Duration|Float32|Float64|IP|IPNet)?(Var)?P?$`)

// A flag's type as far as the command line depends on it.
func typeOf(method string) string {
	kind := registration.FindStringSubmatch(method)[1]
	switch {
	case kind == "Bool":
		return "bool"
	case strings.HasPrefix(kind, "Uint"):
		return "uint"
	case kind == "Int" || kind == "Int32" || kind == "Int64":
		return "int"
	case strings.HasPrefix(kind, "Float"):
		return "float"
	case kind == "Duration":
		return "duration"
	}
	return "text"
}

// The plugins that flags of audit backends are named after.
var auditPlugins = []string{"log", "webhook"}

// Registers the flags of a component in one package.
func (s *sources) flagsIn(from origin, into table) {
	in := s.open(from.path)
	if in == nil {
		return
	}
	for _, file := range in.files {
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil || !from.has(function) {
				continue
			}
			ast.Inspect(function.Body, func(node ast.Node) bool {
				if call, ok := node.(*ast.CallExpr); ok {
					for _, name := range s.names(in, file, call) {
						into[strings.ReplaceAll(name, "_", "-")] = kindOf(call)
					}
				}
				return true
			})
		}
	}
}

func (from origin) has(function *ast.FuncDecl) bool {
	if len(from.receivers) == 0 {
		return true
	}
	name := function.Name.Name
	if function.Recv != nil {
		ast.Inspect(function.Recv.List[0].Type, func(node ast.Node) bool {
			if identifier, ok := node.(*ast.Ident); ok {
				name = identifier.Name
			}
			return true
		})
	}
	return slices.Contains(from.receivers, name)
}

// Functions that register, under the same name, a flag of the process.
var registrars = map[string]int{"register": 2, "registerDeprecated": 2, "pflagRegister": 2, "Register": 1, "AddFlag": 1}

func kindOf(call *ast.CallExpr) string {
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok && registration.MatchString(selector.Sel.Name) {
		return typeOf(selector.Sel.Name)
	}
	return "text"
}

// The names of the flags that a call registers.
func (s *sources) names(in *pkg, file *ast.File, call *ast.CallExpr) []string {
	at := -1
	switch function := call.Fun.(type) {
	case *ast.Ident:
		if index, ok := registrars[function.Name]; ok {
			at = index
		}
	case *ast.SelectorExpr:
		method := function.Sel.Name
		if index, ok := registrars[method]; ok {
			at = index
		} else if registration.MatchString(method) && method != "" {
			at = 0
			if strings.Contains(method, "Var") {
				at = 1
			}
		}
	}
	if at < 0 || len(call.Args) < at+1 || len(call.Args) < 2 {
		return nil
	}
	if format, ok := call.Args[at].(*ast.CallExpr); ok && len(format.Args) == 2 {
		pattern, _ := s.text(in, file, format.Args[0])
		if !strings.Contains(pattern, "%s") {
			return nil
		}
		names := []string{}
		for _, plugin := range auditPlugins {
			names = append(names, strings.Replace(pattern, "%s", plugin, 1))
		}
		return names
	}
	if name, ok := s.text(in, file, call.Args[at]); ok && flagName.MatchString(name) {
		return []string{name}
	}
	return nil
}

var flagName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
