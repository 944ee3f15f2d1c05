// Synchronizes a manifest by Argo CD's engine, which prunes, and prints what it did to each object:
//
//	argo KUBECONFIG sync FILE
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/argoproj/gitops-engine/pkg/cache"
	"github.com/argoproj/gitops-engine/pkg/engine"
	"github.com/argoproj/gitops-engine/pkg/sync"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
)

// Marks what this program applied.
const mark = "gitops.example/app"

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	config.QPS, config.Burst = 100, 200
	text, err := os.ReadFile(os.Args[3])
	check(err)
	objects, err := kube.SplitYAML(text)
	check(err)
	for _, one := range objects {
		annotations := one.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[mark] = "true"
		one.SetAnnotations(annotations)
	}
	known := cache.NewClusterCache(config, cache.SetPopulateResourceInfoHandler(
		func(one *unstructured.Unstructured, _ bool) (any, bool) {
			isOurs := one.GetAnnotations()[mark] != ""
			return isOurs, isOurs
		}))
	argo := engine.NewEngine(config, known)
	stop, err := argo.Run()
	check(err)
	defer stop()
	isManaged := func(one *cache.Resource) bool { return one.Info.(bool) }
	results, err := argo.Sync(context.Background(), objects, isManaged, "1", "default", sync.WithPrune(true))
	check(err)
	for _, one := range results {
		fmt.Printf("%s: %s\n", one.Status, one.Message)
	}
}
