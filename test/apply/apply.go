// Runs sequences of writes through Kubernetes' own field managers: one JSON case a line in, the results of its steps a
// line out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// One version of the kind under test: its schema, how its fields of spec are named in the hub, and its reset fields.
type version struct {
	Schema   json.RawMessage     `json:"schema"`
	Names    map[string]string   `json:"names"`
	Reset    map[string][]string `json:"reset"`
	Replicas []string            `json:"replicas"`
}

type step struct {
	Operation   string             `json:"operation"`
	Version     string             `json:"version"`
	Subresource string             `json:"subresource"`
	Manager     string             `json:"manager"`
	Force       bool               `json:"force"`
	Now         string             `json:"now"`
	Object      json.RawMessage    `json:"object"`
	Entries     json.RawMessage    `json:"entries"`
	Versions    map[string]version `json:"versions"`
}

type testCase struct {
	Custom bool   `json:"custom"`
	Steps  []step `json:"steps"`
}

type result struct {
	Object  map[string]any `json:"object,omitempty"`
	Error   string         `json:"error,omitempty"`
	Code    int32          `json:"code,omitempty"`
	Causes  []string       `json:"causes,omitempty"`
	Entries any            `json:"entries,omitempty"`
}

const group, kind, hub = "it.example.com", "It", "v1"

func gv(version string) schema.GroupVersion { return schema.GroupVersion{Group: group, Version: version} }

// Renames fields of spec on their way through the hub, and knows no other versions.
type converter struct{ versions map[string]version }

func (c *converter) Convert(in, out, context any) error { return errors.New("not needed") }
func (c *converter) ConvertFieldLabel(_ schema.GroupVersionKind, _, _ string) (string, string, error) {
	return "", "", errors.New("not needed")
}

func renamed(object *unstructured.Unstructured, names func(string) string) {
	fields, ok := object.Object["spec"].(map[string]any)
	if !ok {
		return
	}
	changed := map[string]any{}
	for name, value := range fields {
		changed[names(name)] = value
	}
	object.Object["spec"] = changed
}

func (c *converter) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	to := target.(schema.GroupVersion)
	object := in.(*unstructured.Unstructured)
	from := object.GroupVersionKind().GroupVersion()
	known, ok := c.versions[to.Version]
	if !ok || to.Group != group {
		return nil, runtime.NewNotRegisteredErrForKind("it", to.WithKind(kind))
	}
	if from == to {
		return object, nil
	}
	object = object.DeepCopy()
	toHub := c.versions[from.Version].Names
	renamed(object, func(name string) string {
		if other, ok := toHub[name]; ok {
			name = other
		}
		for own, other := range known.Names {
			if other == name {
				return own
			}
		}
		return name
	})
	object.SetAPIVersion(to.String())
	return object, nil
}

type nothing struct{}

func (nothing) Default(runtime.Object) {}
func (nothing) New(of schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(of)
	return object, nil
}

// The models of a CustomResourceDefinition as its API server makes them, or of a built-in kind as they are given.
func modelsOf(custom bool, versions map[string]version) (map[string]*spec.Schema, error) {
	models := map[string]*spec.Schema{}
	if !custom {
		for name, one := range versions {
			model := &spec.Schema{}
			if err := json.Unmarshal(one.Schema, model); err != nil {
				return nil, err
			}
			model.AddExtension("x-kubernetes-group-version-kind", []any{
				map[string]any{"group": group, "version": name, "kind": kind},
			})
			models["it."+name] = model
		}
		return models, nil
	}
	crd := &v1.CustomResourceDefinition{Spec: v1.CustomResourceDefinitionSpec{
		Group: group,
		Names: v1.CustomResourceDefinitionNames{Kind: kind, Plural: "its", ListKind: "ItList"},
		Scope: v1.NamespaceScoped,
	}}
	for name, one := range versions {
		props := &v1.JSONSchemaProps{}
		if err := json.Unmarshal(one.Schema, props); err != nil {
			return nil, err
		}
		crd.Spec.Versions = append(crd.Spec.Versions, v1.CustomResourceDefinitionVersion{
			Name: name, Served: true, Storage: name == hub, Schema: &v1.CustomResourceValidation{OpenAPIV3Schema: props},
		})
	}
	for name := range versions {
		built, err := builder.BuildOpenAPIV3(crd, name, builder.Options{})
		if err != nil {
			return nil, err
		}
		for model, of := range built.Components.Schemas {
			models[model] = of
		}
	}
	return models, nil
}

// The field managers of one set of versions.
type managers struct {
	converter *converter
	types     managedfields.TypeConverter
	reset     map[string]map[fieldpath.APIVersion]*fieldpath.Set
	made      map[string]*managedfields.FieldManager
}

func managersOf(custom bool, versions map[string]version) (*managers, error) {
	models, err := modelsOf(custom, versions)
	if err != nil {
		return nil, err
	}
	types, err := managedfields.NewTypeConverter(models, false)
	if err != nil {
		return nil, err
	}
	reset := map[string]map[fieldpath.APIVersion]*fieldpath.Set{}
	for name, one := range versions {
		for subresource, fields := range one.Reset {
			set := fieldpath.NewSet()
			for _, field := range fields {
				set.Insert(fieldpath.MakePathOrDie(field))
			}
			if reset[subresource] == nil {
				reset[subresource] = map[fieldpath.APIVersion]*fieldpath.Set{}
			}
			reset[subresource][fieldpath.APIVersion(gv(name).String())] = set
		}
	}
	return &managers{&converter{versions}, types, reset, map[string]*managedfields.FieldManager{}}, nil
}

func (m *managers) of(version, subresource string) (*managedfields.FieldManager, error) {
	key := version + "/" + subresource
	if m.made[key] == nil {
		made, err := managedfields.NewDefaultCRDFieldManager(
			m.types, m.converter, nothing{}, nothing{}, gv(version).WithKind(kind), gv(hub), subresource,
			fieldpath.NewExcludeFilterSetMap(m.reset[subresource]))
		if err != nil {
			return nil, err
		}
		m.made[key] = made
	}
	return m.made[key], nil
}

// The managers read the real clock, which is after all times of a case.
func setTimes(object *unstructured.Unstructured, now string) {
	entries, _, _ := unstructured.NestedSlice(object.Object, "metadata", "managedFields")
	for _, entry := range entries {
		fields := entry.(map[string]any)
		if time, ok := fields["time"].(string); ok && time > "2020" {
			fields["time"] = now
		}
	}
	if entries != nil {
		_ = unstructured.SetNestedSlice(object.Object, entries, "metadata", "managedFields")
	}
}

func failure(err error) result {
	failed := result{Error: err.Error()}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		failed.Code = status.Status().Code
		if details := status.Status().Details; details != nil {
			for _, cause := range details.Causes {
				failed.Causes = append(failed.Causes, fmt.Sprintf("%s|%s|%s", cause.Type, cause.Message, cause.Field))
			}
		}
	}
	return failed
}

// Maps the entries of an object to those of its scale, and others of the scale back.
func scale(one step, live *unstructured.Unstructured) result {
	mappings := managedfields.ResourcePathMappings{}
	for name, of := range one.Versions {
		mappings[gv(name).String()] = nil
		if of.Replicas != nil {
			parts := fieldpath.Path{}
			for _, part := range of.Replicas {
				parts = append(parts, fieldpath.FieldNameElement(part))
			}
			mappings[gv(name).String()] = parts
		}
	}
	handler := managedfields.NewScaleHandler(live.GetManagedFields(), gv(one.Version), mappings)
	own, err := handler.ToSubresource()
	if err != nil {
		return failure(err)
	}
	var written []metav1.ManagedFieldsEntry
	if err := json.Unmarshal(one.Entries, &written); err != nil {
		return failure(err)
	}
	back, err := handler.ToParent(written)
	if err != nil {
		return failure(err)
	}
	return result{Entries: []any{own, back}}
}

func run(of testCase) ([]result, error) {
	results := []result{}
	var current *managers
	// The live object, in the hub's version.
	live := &unstructured.Unstructured{Object: map[string]any{}}
	live.SetGroupVersionKind(gv(hub).WithKind(kind))
	for _, one := range of.Steps {
		object := &unstructured.Unstructured{}
		if err := utiljson.Unmarshal(one.Object, &object.Object); err != nil {
			return nil, err
		}
		if one.Operation == "scale" {
			results = append(results, scale(one, object))
			continue
		}
		if one.Versions != nil {
			made, err := managersOf(of.Custom, one.Versions)
			if err != nil {
				return nil, err
			}
			current = made
		}
		manager, err := current.of(one.Version, one.Subresource)
		if err != nil {
			return nil, err
		}
		before := live.DeepCopy()
		var next runtime.Object
		if one.Operation == "apply" {
			next, err = manager.Apply(live.DeepCopy(), object, one.Manager, one.Force)
		} else {
			var inHub runtime.Object
			if inHub, err = current.converter.ConvertToVersion(object, gv(hub)); err == nil {
				next, err = manager.Update(live.DeepCopy(), inHub, one.Manager)
			}
		}
		if err != nil {
			results = append(results, failure(err))
			continue
		}
		next, err = fieldmanager.IgnoreManagedFieldsTimestampsTransformer(context.Background(), next, before)
		if err != nil {
			return nil, err
		}
		live = next.(*unstructured.Unstructured)
		setTimes(live, one.Now)
		// As from a store: without what Go keeps of the numbers' types.
		text, err := live.MarshalJSON()
		if err != nil {
			return nil, err
		}
		live = &unstructured.Unstructured{}
		if err := live.UnmarshalJSON(text); err != nil {
			return nil, err
		}
		results = append(results, result{Object: live.DeepCopy().Object})
		if live.GetUID() == "" {
			live.SetUID("it")
		}
	}
	return results, nil
}

// Field sets, alone: the sets of a text, encoded again.
func fields(text string) result {
	set := fieldpath.NewSet()
	if err := set.FromJSON(strings.NewReader(text)); err != nil {
		return result{Error: "undecodable"}
	}
	out, err := set.ToJSON()
	if err != nil {
		return failure(err)
	}
	return result{Entries: []string{string(out), set.String()}}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var one struct {
			testCase
			Fields *string `json:"fields"`
		}
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		var answer any
		if one.Fields != nil {
			answer = fields(*one.Fields)
		} else {
			results, err := run(one.testCase)
			if err != nil {
				answer = []result{{Error: "case: " + err.Error()}}
			} else {
				answer = results
			}
		}
		text, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		_, _ = out.Write(append(text, '\n'))
	}
}
