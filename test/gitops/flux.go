// Applies manifests by the library of Flux's kustomize-controller:
//
//	flux KUBECONFIG apply FILE [FORMER-FILE]
//	flux KUBECONFIG wait FILE
//
// Prints what it did to each object. What only the former file has is pruned.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/cli-utils/pkg/object"
	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/normalize"
	"github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func read(file string) []*unstructured.Unstructured {
	text, err := os.ReadFile(file)
	check(err)
	objects, err := utils.ReadObjects(bytes.NewReader(text))
	check(err)
	check(normalize.UnstructuredList(objects))
	for _, one := range objects {
		if one.GetNamespace() == "" {
			one.SetNamespace("default")
		}
	}
	return objects
}

func main() {
	kubeconfig, command, file := os.Args[1], os.Args[2], os.Args[3]
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	check(err)
	config.QPS, config.Burst = 100, 200
	http, err := rest.HTTPClientFor(config)
	check(err)
	mapper, err := apiutil.NewDynamicRESTMapper(config, http)
	check(err)
	api, err := client.New(config, client.Options{Mapper: mapper})
	check(err)
	poller := polling.NewStatusPoller(api, mapper, polling.Options{})
	manager := ssa.NewResourceManager(api, poller, ssa.Owner{Field: "kustomize-controller", Group: "kustomize.toolkit.fluxcd.io"})
	ctx := context.Background()
	objects := read(file)
	manager.SetOwnerLabels(objects, "app", "flux-system")
	switch command {
	case "apply":
		changes, err := manager.ApplyAllStaged(ctx, objects, ssa.DefaultApplyOptions())
		check(err)
		for _, one := range changes.Entries {
			fmt.Printf("%s %s\n", one.Action, one.Subject)
		}
		if len(os.Args) > 4 {
			former := object.UnstructuredSetToObjMetadataSet(read(os.Args[4]))
			gone := former.Diff(object.UnstructuredSetToObjMetadataSet(objects))
			stale := []*unstructured.Unstructured{}
			for _, one := range read(os.Args[4]) {
				if gone.Contains(object.UnstructuredToObjMetadata(one)) {
					stale = append(stale, one)
				}
			}
			options := ssa.DefaultDeleteOptions()
			options.Inclusions = manager.GetOwnerLabels("app", "flux-system")
			deleted, err := manager.DeleteAll(ctx, stale, options)
			check(err)
			for _, one := range deleted.Entries {
				fmt.Printf("%s %s\n", one.Action, one.Subject)
			}
		}
	case "wait":
		check(manager.Wait(objects, ssa.WaitOptions{Interval: time.Second, Timeout: time.Minute}))
	}
}
