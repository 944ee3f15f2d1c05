package main

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
)

const (
	program = "k8s.io/kubernetes/cmd/"
	serving = "k8s.io/apiserver/pkg/server/options"
	base    = "k8s.io/component-base/"
)

// What all four components have.
var common = []origin{
	{base + "logs/api/v1", []string{"addFlags", "AddFlags"}},
	{base + "cli/globalflag", []string{"AddGlobalFlags"}},
}

// What the API server, the controller manager and the scheduler have.
var servers = append([]origin{
	{serving, []string{"SecureServingOptions", "RequestHeaderAuthenticationOptions", "ClientCertAuthenticationOptions"}},
	{base + "metrics", []string{"Options"}},
	{base + "featuregate", nil},
	{base + "compatibility", nil},
}, common...)

// What serves requests of other components only, as the controller manager and the scheduler do.
var delegating = append([]origin{
	{serving, []string{"DelegatingAuthenticationOptions", "DelegatingAuthorizationOptions"}},
	{base + "config/options", nil},
}, servers...)

var components = map[string][]origin{
	"kube-apiserver": append([]origin{
		{program + "kube-apiserver/app/options", nil},
		{"k8s.io/kubernetes/pkg/controlplane/apiserver/options", nil},
		{"k8s.io/kubernetes/pkg/kubeapiserver/options", nil},
		{"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds", nil},
		{serving, []string{
			"AdmissionOptions", "APIEnablementOptions", "AuditOptions", "AuditBatchOptions", "AuditTruncateOptions",
			"AuditLogOptions", "AuditWebhookOptions", "EgressSelectorOptions", "EtcdOptions", "FeatureOptions",
			"ServerRunOptions", "TracingOptions",
		}},
	}, servers...),
	"kube-controller-manager": append([]origin{
		{program + "kube-controller-manager/app/options", nil},
		{program + "kube-controller-manager/app", []string{"registerLegacyGlobalFlags"}},
		{"k8s.io/controller-manager/options", nil},
		{"k8s.io/controller-manager/pkg/leadermigration/options", nil},
		{"k8s.io/cloud-provider/options", []string{
			"CloudProviderOptions", "KubeCloudSharedOptions", "ServiceControllerOptions",
		}},
	}, delegating...),
	"kube-scheduler": append([]origin{{program + "kube-scheduler/app/options", nil}}, delegating...),
	"kubelet": append([]origin{
		{program + "kubelet/app/options", nil},
		{"k8s.io/kubernetes/pkg/kubelet/config", []string{"ContainerRuntimeOptions"}},
	}, common...),
}

// The packages that declare gates. All components of a release know all of them.
var gatePackages = []string{
	"k8s.io/kubernetes/pkg/features",
	"k8s.io/apiserver/pkg/features",
	"k8s.io/apiextensions-apiserver/pkg/features",
	"k8s.io/controller-manager/pkg/features",
	"k8s.io/client-go/features",
	base + "logs/api/v1",
	base + "metrics/features",
	base + "zpages/features",
}

func kubernetesRelease(version string) release {
	staging := strings.Replace(version, "v1.", "v0.", 1)
	paths := []string{"k8s.io/kubernetes@" + version}
	for _, module := range []string{
		"apiserver", "apiextensions-apiserver", "client-go", "cloud-provider", "component-base",
		"controller-manager", "kube-aggregator",
	} {
		paths = append(paths, "k8s.io/"+module+"@"+staging)
	}
	read := modules(paths...)
	read.addRequired("github.com/google/cadvisor")
	output := release{}
	for component, origins := range components {
		flags := table{"help": "bool", "version": "text"}
		for _, from := range origins {
			read.flagsIn(from, flags)
		}
		output[component] = flags
	}
	gates := table{"AllAlpha": "any", "AllBeta": "any"}
	for _, path := range gatePackages {
		read.gatesIn(path, minorOf(version), gates)
	}
	kubeadm := table{}
	read.gatesIn(program+"kubeadm/app/features", minorOf(version), kubeadm)
	output["gates"], output["kubeadmGates"] = gates, kubeadm
	output["plugins"], output["apiVersions"] = read.plugins(), read.apiVersions()
	return output
}

// The admission plugins.
func (s *sources) plugins() table {
	return s.listIn("k8s.io/kubernetes/pkg/kubeapiserver/options", "AllOrderedPlugins")
}

// The versions of API groups whose Go types are registered, served or not.
func (s *sources) apiVersions() table {
	versions := table{}
	for _, root := range []string{
		"k8s.io/kubernetes/pkg/apis",
		"k8s.io/apiextensions-apiserver/pkg/apis",
		"k8s.io/kube-aggregator/pkg/apis",
	} {
		directory, _ := s.directory(root)
		groups, err := os.ReadDir(directory)
		check(err)
		for _, group := range groups {
			s.versionsOf(filepath.Join(root, group.Name()), versions)
		}
	}
	return versions
}

func (s *sources) versionsOf(group string, into table) {
	internal, install := s.open(group), s.open(group+"/install")
	if internal == nil || install == nil {
		return
	}
	name, ok := s.text(internal, internal.files[0], ast.NewIdent("GroupName"))
	if !ok {
		return
	}
	for _, file := range install.files {
		for _, spec := range file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			if version := filepath.Base(path); filepath.Dir(path) == group && strings.HasPrefix(version, "v") {
				into[strings.TrimPrefix(name+"/"+version, "/")] = ""
			}
		}
	}
}
