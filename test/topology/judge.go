// Answers, one JSON object a line, which objects Cluster API's own code makes of a Cluster with a topology,
// its ClusterClass and the templates of that class. A line that cannot be judged is answered with an error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/cluster-api/exp/topology/desiredstate"
	"sigs.k8s.io/cluster-api/exp/topology/scope"
)

// asked is a Cluster whose variables have their defaults, with what it refers to.
type asked struct {
	Cluster      clusterv1.Cluster           `json:"cluster"`
	ClusterClass clusterv1.ClusterClass      `json:"clusterClass"`
	Templates    []unstructured.Unstructured `json:"templates"`
	// The labels of CustomResourceDefinitions, by their name.
	Definitions map[string]map[string]string `json:"definitions"`
}

type workers struct {
	TopologyName   string `json:"topologyName"`
	Object         any    `json:"object"`
	Bootstrap      any    `json:"bootstrap"`
	Infrastructure any    `json:"infrastructure"`
	HealthCheck    any    `json:"healthCheck,omitempty"`
}

type answer struct {
	Infrastructure          any       `json:"infrastructure,omitempty"`
	ControlPlane            any       `json:"controlPlane,omitempty"`
	ControlPlaneTemplate    any       `json:"controlPlaneTemplate,omitempty"`
	ControlPlaneHealthCheck any       `json:"controlPlaneHealthCheck,omitempty"`
	Deployments             []workers `json:"deployments,omitempty"`
	Pools                   []workers `json:"pools,omitempty"`
	Error                   string    `json:"error,omitempty"`
}

// definitions answers reads of CustomResourceDefinitions, and of nothing else.
type definitions struct {
	client.Client
	labels map[string]map[string]string
}

func (d definitions) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	labels, has := d.labels[key.Name]
	if !has {
		return fmt.Errorf("no CustomResourceDefinition %s is given", key.Name)
	}
	object.SetLabels(labels)
	return nil
}

// named sets the kind, which typed objects leave out.
func named[T client.Object](object T, kind string) T {
	object.GetObjectKind().SetGroupVersionKind(clusterv1.GroupVersion.WithKind(kind))
	return object
}

type noClusters struct{ clustercache.ClusterCache }

func (a asked) template(ref clusterv1.ClusterClassTemplateReference) (*unstructured.Unstructured, error) {
	for i := range a.Templates {
		one := &a.Templates[i]
		if one.GroupVersionKind() == schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind) && one.GetName() == ref.Name {
			return one.DeepCopy(), nil
		}
	}
	return nil, fmt.Errorf("no template %s %s is given", ref.Kind, ref.Name)
}

func (a asked) blueprint() (*scope.ClusterBlueprint, error) {
	spec := a.ClusterClass.Spec
	made := &scope.ClusterBlueprint{
		Topology:           a.Cluster.Spec.Topology,
		ClusterClass:       &a.ClusterClass,
		ControlPlane:       &scope.ControlPlaneBlueprint{},
		MachineDeployments: map[string]*scope.MachineDeploymentBlueprint{},
		MachinePools:       map[string]*scope.MachinePoolBlueprint{},
	}
	var err error
	read := func(ref clusterv1.ClusterClassTemplateReference) *unstructured.Unstructured {
		found, fault := a.template(ref)
		if fault != nil && err == nil {
			err = fault
		}
		return found
	}
	made.InfrastructureClusterTemplate = read(spec.Infrastructure.TemplateRef)
	made.ControlPlane.Template = read(spec.ControlPlane.TemplateRef)
	if made.HasControlPlaneInfrastructureMachine() {
		made.ControlPlane.InfrastructureMachineTemplate = read(spec.ControlPlane.MachineInfrastructure.TemplateRef)
	}
	if made.HasControlPlaneMachineHealthCheck() {
		made.ControlPlane.HealthCheck = spec.ControlPlane.HealthCheck
	}
	for _, class := range spec.Workers.MachineDeployments {
		made.MachineDeployments[class.Class] = &scope.MachineDeploymentBlueprint{
			Metadata:                      class.Metadata,
			BootstrapTemplate:             read(class.Bootstrap.TemplateRef),
			InfrastructureMachineTemplate: read(class.Infrastructure.TemplateRef),
			HealthCheck:                   class.HealthCheck,
		}
	}
	for _, class := range spec.Workers.MachinePools {
		made.MachinePools[class.Class] = &scope.MachinePoolBlueprint{
			Metadata:                          class.Metadata,
			BootstrapTemplate:                 read(class.Bootstrap.TemplateRef),
			InfrastructureMachinePoolTemplate: read(class.Infrastructure.TemplateRef),
		}
	}
	return made, err
}

func (a asked) answered(ctx context.Context) (*answer, error) {
	blueprint, err := a.blueprint()
	if err != nil {
		return nil, err
	}
	generator, err := desiredstate.NewGenerator(definitions{labels: a.Definitions}, noClusters{}, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	s := scope.New(&a.Cluster)
	s.Blueprint = blueprint
	s.Current.ControlPlane = &scope.ControlPlaneState{}
	desired, err := generator.Generate(ctx, s)
	if err != nil {
		return nil, err
	}
	made := &answer{
		Infrastructure: desired.InfrastructureCluster,
		ControlPlane:   desired.ControlPlane.Object,
	}
	if desired.ControlPlane.InfrastructureMachineTemplate != nil {
		made.ControlPlaneTemplate = desired.ControlPlane.InfrastructureMachineTemplate
	}
	if desired.ControlPlane.MachineHealthCheck != nil {
		made.ControlPlaneHealthCheck = named(desired.ControlPlane.MachineHealthCheck, "MachineHealthCheck")
	}
	for name, one := range desired.MachineDeployments {
		of := workers{TopologyName: name, Object: named(one.Object, "MachineDeployment"), Bootstrap: one.BootstrapTemplate, Infrastructure: one.InfrastructureMachineTemplate}
		if one.MachineHealthCheck != nil {
			of.HealthCheck = named(one.MachineHealthCheck, "MachineHealthCheck")
		}
		made.Deployments = append(made.Deployments, of)
	}
	for name, one := range desired.MachinePools {
		of := workers{TopologyName: name, Object: named(one.Object, "MachinePool"), Bootstrap: one.BootstrapObject, Infrastructure: one.InfrastructureMachinePoolObject}
		made.Pools = append(made.Pools, of)
	}
	for _, list := range [][]workers{made.Deployments, made.Pools} {
		sort.Slice(list, func(i, j int) bool { return list[i].TopologyName < list[j].TopologyName })
	}
	return made, nil
}

func judged(ctx context.Context, line []byte) (result *answer) {
	defer func() {
		if fault := recover(); fault != nil {
			result = &answer{Error: fmt.Sprint(fault)}
		}
	}()
	var given asked
	if err := json.Unmarshal(line, &given); err != nil {
		return &answer{Error: err.Error()}
	}
	made, err := given.answered(ctx)
	if err != nil {
		return &answer{Error: err.Error()}
	}
	return made
}

func main() {
	ctx := ctrl.LoggerInto(context.Background(), logr.Discard())
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := out.Encode(judged(ctx, lines.Bytes())); err != nil {
			panic(err)
		}
	}
}
