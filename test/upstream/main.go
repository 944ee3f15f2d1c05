// Prints, as JSON, what the types of Cluster API's AWS provider and its defaulting say: which fields are
// pointers, so that their zero value differs from absence, and what is filled into given specs.
package main

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	expinfrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta2"
	expwebhooks "sigs.k8s.io/cluster-api-provider-aws/v2/exp/webhooks"
	"sigs.k8s.io/cluster-api-provider-aws/v2/webhooks"
)

type given struct {
	Kind string         `json:"kind"`
	Spec map[string]any `json:"spec"`
}

// pointers collects the paths of optional fields whose zero is a value.
func pointers(of reflect.Type, at string, found map[string]bool) {
	switch of.Kind() {
	case reflect.Pointer:
		pointers(of.Elem(), at, found)
	case reflect.Slice:
		pointers(of.Elem(), at+"[]", found)
	case reflect.Map:
		pointers(of.Elem(), at+".*", found)
	case reflect.Struct:
		if strings.HasPrefix(of.PkgPath(), "k8s.io/") {
			return
		}
		for i := range of.NumField() {
			field := of.Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			path := at
			if name != "" {
				path = strings.TrimPrefix(at+"."+name, ".")
			}
			if field.Type.Kind() == reflect.Pointer {
				switch field.Type.Elem().Kind() {
				case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Struct, reflect.Slice, reflect.Map:
					found[path] = true
				}
			}
			pointers(field.Type, path, found)
		}
	}
}

func pathsOf(spec any) []string {
	found := map[string]bool{}
	pointers(reflect.TypeOf(spec), "", found)
	paths := make([]string, 0, len(found))
	for path := range found {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	return paths
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func defaulted(object given) any {
	ctx := context.Background()
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{"name": "a"}, "spec": object.Spec})
	must(err)
	var of runtime.Object
	switch object.Kind {
	case "AWSCluster":
		cluster := &infrav1.AWSCluster{}
		must(json.Unmarshal(text, cluster))
		must((&webhooks.AWSCluster{}).Default(ctx, cluster))
		of = cluster
	case "AWSMachine":
		machine := &infrav1.AWSMachine{}
		must(json.Unmarshal(text, machine))
		must((&webhooks.AWSMachine{}).Default(ctx, machine))
		of = machine
	case "AWSMachinePool":
		pool := &expinfrav1.AWSMachinePool{}
		must(json.Unmarshal(text, pool))
		must((&expwebhooks.AWSMachinePool{}).Default(ctx, pool))
		of = pool
	case "AWSClusterControllerIdentity":
		identity := &infrav1.AWSClusterControllerIdentity{}
		must(json.Unmarshal(text, identity))
		must((&webhooks.AWSClusterControllerIdentity{}).Default(ctx, identity))
		of = identity
	}
	text, err = json.Marshal(of)
	must(err)
	var fields map[string]any
	must(json.Unmarshal(text, &fields))
	return fields["spec"]
}

// schemaDefaults collects the defaults that the published schema fills in.
func schemaDefaults(schema map[string]any, at string, found map[string]any) {
	if value, has := schema["default"]; has {
		found[at] = value
	}
	if properties, is := schema["properties"].(map[string]any); is {
		for name, of := range properties {
			schemaDefaults(of.(map[string]any), strings.TrimPrefix(at+"."+name, "."), found)
		}
	}
	if items, is := schema["items"].(map[string]any); is {
		schemaDefaults(items, at+"[]", found)
	}
}

func defaultsOf(crd string) map[string]any {
	text, err := os.ReadFile(crd)
	must(err)
	var read map[string]any
	must(yaml.Unmarshal(text, &read))
	for _, one := range read["spec"].(map[string]any)["versions"].([]any) {
		version := one.(map[string]any)
		if version["name"] != "v1beta2" {
			continue
		}
		schema := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
		spec := schema["properties"].(map[string]any)["spec"].(map[string]any)
		found := map[string]any{}
		schemaDefaults(spec, "", found)
		return found
	}
	return nil
}

func main() {
	var objects []given
	text, err := os.ReadFile("given.json")
	must(err)
	must(json.Unmarshal(text, &objects))
	specs := make([]any, 0, len(objects))
	for _, object := range objects {
		specs = append(specs, defaulted(object))
	}
	crds := os.Args[1] + "/infrastructure.cluster.x-k8s.io_"
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"pointers": map[string]any{
			"AWSCluster":         pathsOf(infrav1.AWSClusterSpec{}),
			"AWSMachine":         pathsOf(infrav1.AWSMachineSpec{}),
			"AWSMachinePool":     pathsOf(expinfrav1.AWSMachinePoolSpec{}),
			"AWSMachineTemplate": pathsOf(infrav1.AWSMachineTemplateSpec{}),
		},
		"defaults": map[string]any{
			"AWSCluster":         defaultsOf(crds + "awsclusters.yaml"),
			"AWSMachine":         defaultsOf(crds + "awsmachines.yaml"),
			"AWSMachinePool":     defaultsOf(crds + "awsmachinepools.yaml"),
			"AWSMachineTemplate": defaultsOf(crds + "awsmachinetemplates.yaml"),
		},
		"healthCheck": map[string]any{
			"path":                    infrav1.DefaultAPIServerHealthCheckPath,
			"intervalSeconds":         infrav1.DefaultAPIServerHealthCheckIntervalSec,
			"timeoutSeconds":          infrav1.DefaultAPIServerHealthCheckTimeoutSec,
			"thresholdCount":          infrav1.DefaultAPIServerHealthThresholdCount,
			"unhealthyThresholdCount": infrav1.DefaultAPIServerUnhealthThresholdCount,
		},
		"specs": specs,
	}))
}
