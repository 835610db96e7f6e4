// Write where go/types leads each use of a name: go run go_uses.go MODULE USES.json
// What is imported from other modules is left out of the check, but for the standard library.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

type place [2]any

type use struct {
	Path            string  `json:"path"`
	Offset          int     `json:"offset"`
	Call            bool    `json:"call"`
	Targets         []place `json:"targets"`
	Implementations []place `json:"implementations"`
}

type checker struct {
	root, module string
	files        *token.FileSet
	standard     types.Importer
	packages     map[string]*types.Package
	syntax       []*ast.File
	info         types.Info
}

func (c *checker) Import(name string) (*types.Package, error) {
	if known, ok := c.packages[name]; ok {
		return known, nil
	}
	if name != c.module && !strings.HasPrefix(name, c.module+"/") {
		if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") {
			return nil, fmt.Errorf("%s is in another module", name)
		}
		return c.standard.Import(name)
	}
	folder := filepath.Join(c.root, strings.TrimPrefix(name, c.module))
	listed, err := build.Default.ImportDir(folder, 0)
	if err != nil {
		return nil, err
	}
	var syntax []*ast.File
	for _, file := range listed.GoFiles {
		if parsed, _ := parser.ParseFile(c.files, filepath.Join(folder, file), nil, 0); parsed != nil {
			syntax = append(syntax, parsed)
		}
	}
	config := types.Config{Importer: c, Error: func(error) {}, FakeImportC: true}
	checked, _ := config.Check(name, c.files, syntax, &c.info)
	c.packages[name] = checked
	c.syntax = append(c.syntax, syntax...)
	return checked, nil
}

func (c *checker) place(object types.Object) place {
	position := c.files.Position(object.Pos())
	relative, err := filepath.Rel(c.root, position.Filename)
	if err != nil || !position.IsValid() || strings.HasPrefix(relative, "..") {
		return place{"", 0}
	}
	return place{relative, position.Line}
}

// Returns the methods that a call of a method of an interface can reach.
func (c *checker) implementations(object types.Object) []place {
	method, ok := object.(*types.Func)
	if !ok || method.Signature().Recv() == nil {
		return nil
	}
	listing, ok := method.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var places []place
	for _, each := range c.packages {
		for _, name := range each.Scope().Names() {
			named, ok := each.Scope().Lookup(name).(*types.TypeName)
			if !ok || types.IsInterface(named.Type()) {
				continue
			}
			pointer := types.NewPointer(named.Type())
			if types.Implements(pointer, listing) {
				found, _, _ := types.LookupFieldOrMethod(pointer, true, each, method.Name())
				if found != nil {
					places = append(places, c.place(found))
				}
			}
		}
	}
	return places
}

func (c *checker) uses() []use {
	var uses []use
	for _, file := range c.syntax {
		called := map[*ast.Ident]bool{}
		ast.Inspect(file, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				function := ast.Unparen(call.Fun)
				if index, ok := function.(*ast.IndexExpr); ok {
					function = index.X
				}
				if selector, ok := function.(*ast.SelectorExpr); ok {
					called[selector.Sel] = true
				} else if name, ok := function.(*ast.Ident); ok {
					called[name] = true
				}
			}
			return true
		})
		ast.Inspect(file, func(node ast.Node) bool {
			name, ok := node.(*ast.Ident)
			object := c.info.Uses[name]
			if !ok || object == nil {
				return true
			}
			if function, ok := object.(*types.Func); ok {
				object = function.Origin()
			}
			position := c.files.Position(name.Pos())
			relative, _ := filepath.Rel(c.root, position.Filename)
			targets := []place{c.place(object)}
			found := use{relative, position.Offset, called[name], targets, c.implementations(object)}
			uses = append(uses, found)
			return true
		})
	}
	return uses
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		panic(err)
	}
	_, rest, _ := strings.Cut(string(text), "module ")
	module, _, _ := strings.Cut(rest, "\n")
	files := token.NewFileSet()
	c := &checker{
		root: root, module: strings.TrimSpace(module), files: files,
		standard: importer.ForCompiler(files, "source", nil),
		packages: map[string]*types.Package{},
		info:     types.Info{Uses: map[*ast.Ident]types.Object{}},
	}
	filepath.WalkDir(root, func(folder string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			relative, _ := filepath.Rel(root, folder)
			c.Import(path.Join(c.module, filepath.ToSlash(relative)))
		}
		return nil
	})
	encoded, _ := json.Marshal(c.uses())
	if err := os.WriteFile(os.Args[2], encoded, 0o644); err != nil {
		panic(err)
	}
}
