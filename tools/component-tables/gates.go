package main

import (
	"go/ast"
	"strconv"
	"strings"
)

// The feature gates that a package declares: maps from a gate to its stages, or to its only one.
func (s *sources) gatesIn(path string, minor int, into table) {
	in := s.open(path)
	if in == nil {
		return
	}
	for _, file := range in.files {
		ast.Inspect(file, func(node ast.Node) bool {
			literal, ok := node.(*ast.CompositeLit)
			if !ok || !isGateMap(literal.Type) {
				return true
			}
			for _, element := range literal.Elts {
				pair := element.(*ast.KeyValueExpr)
				if name, ok := s.text(in, file, pair.Key); ok {
					if stage := stageAt(pair.Value, minor); stage != nil {
						into[name] = lockOf(stage)
					}
				}
			}
			return false
		})
	}
}

func isGateMap(expression ast.Expr) bool {
	switch e := expression.(type) {
	case *ast.MapType:
		value := nameOf(e.Value)
		return nameOf(e.Key) == "Feature" && (value == "FeatureSpec" || value == "VersionedSpecs")
	case *ast.Ident:
		return e.Name == "FeatureList"
	}
	return false
}

func nameOf(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// The fields of the stage that a gate is in; nil before its first.
func stageAt(value ast.Expr, minor int) map[string]ast.Expr {
	literal, ok := value.(*ast.CompositeLit)
	if !ok {
		return map[string]ast.Expr{}
	}
	if len(literal.Elts) == 0 || isPair(literal.Elts[0]) {
		return fieldsOf(literal)
	}
	var latest map[string]ast.Expr
	for _, element := range literal.Elts {
		fields := fieldsOf(element.(*ast.CompositeLit))
		if sinceOf(fields["Version"]) <= minor {
			latest = fields
		}
	}
	return latest
}

func isPair(element ast.Expr) bool {
	_, ok := element.(*ast.KeyValueExpr)
	return ok
}

func fieldsOf(literal *ast.CompositeLit) map[string]ast.Expr {
	fields := map[string]ast.Expr{}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			fields[nameOf(pair.Key)] = pair.Value
		}
	}
	// kubeadm's own gates wrap the stage.
	if spec, ok := fields["FeatureSpec"].(*ast.CompositeLit); ok {
		return fieldsOf(spec)
	}
	return fields
}

// The minor of version.MustParse("1.31").
func sinceOf(expression ast.Expr) int {
	call, ok := expression.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return 0
	}
	text, err := strconv.Unquote(call.Args[0].(*ast.BasicLit).Value)
	check(err)
	minor, err := strconv.Atoi(strings.Split(text, ".")[1])
	check(err)
	return minor
}

func lockOf(stage map[string]ast.Expr) string {
	if nameOf(stage["LockToDefault"]) != "true" {
		return "any"
	}
	return nameOf(stage["Default"])
}
