// Converts objects of Cluster API and its AWS provider to their hub versions by upstream's own code: one JSON object a
// line in, one a line out.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	aws1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1"
	aws2 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	boot1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta1"
	boot2 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	plane1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta1"
	plane2 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	core1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
	core2 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	boot3 "sigs.k8s.io/cluster-api/internal/api/bootstrap/kubeadm/v1alpha3"
	boot4 "sigs.k8s.io/cluster-api/internal/api/bootstrap/kubeadm/v1alpha4"
	plane3 "sigs.k8s.io/cluster-api/internal/api/controlplane/kubeadm/v1alpha3"
	plane4 "sigs.k8s.io/cluster-api/internal/api/controlplane/kubeadm/v1alpha4"
	core3 "sigs.k8s.io/cluster-api/internal/api/core/v1alpha3"
	core4 "sigs.k8s.io/cluster-api/internal/api/core/v1alpha4"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

func convert(scheme *runtime.Scheme, line []byte) (map[string]any, error) {
	var object unstructured.Unstructured
	if err := object.UnmarshalJSON(line); err != nil {
		return nil, err
	}
	kind := object.GroupVersionKind()
	spoke, err := scheme.New(kind)
	if err != nil {
		return nil, err
	}
	hub, err := scheme.New(schema.GroupVersionKind{Group: kind.Group, Version: "v1beta2", Kind: kind.Kind})
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(line, spoke); err != nil {
		return nil, err
	}
	if err := spoke.(conversion.Convertible).ConvertTo(hub.(conversion.Hub)); err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(hub)
}

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		core1.AddToScheme, core2.AddToScheme, core3.AddToScheme, core4.AddToScheme,
		boot1.AddToScheme, boot2.AddToScheme, boot3.AddToScheme, boot4.AddToScheme,
		plane1.AddToScheme, plane2.AddToScheme, plane3.AddToScheme, plane4.AddToScheme,
		aws1.AddToScheme, aws2.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		object, err := convert(scheme, lines.Bytes())
		if err != nil {
			object = map[string]any{"error": err.Error()}
		}
		text, err := json.Marshal(object)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
}
