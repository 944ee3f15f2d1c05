// Package fixtures replaces the one of apiextensions-apiserver's tests, which starts a server for
// each test: all tests share the server in KUBECONFIG, and each begins without definitions.
package fixtures

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	definitionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	serveroptions "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// The server of these tests has no namespaces, so that any may be used.
var namespaces = []string{
	"another-default-is-possible", "foo", "foo2", "namespace-1", "namespace-2", "not-the-default", "test", "the-cruel-default",
}

// StartDefaultServer returns a client of the running server. Its flags cannot be set.
func StartDefaultServer(t servertesting.Logger, flags ...string) (func(), *rest.Config, *serveroptions.CustomResourceDefinitionsServerOptions, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, nil, nil, err
	}
	config.QPS, config.Burst = 1000, 1000
	if err := clean(config); err != nil {
		return nil, nil, nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, name := range namespaces {
		one := &unstructured.Unstructured{Object: map[string]interface{}{"apiVersion": "v1", "kind": "Namespace"}}
		one.SetName(name)
		resource := objects.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
		if _, err := resource.Create(context.TODO(), one, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return nil, nil, nil, err
		}
	}
	options := serveroptions.NewCustomResourceDefinitionsServerOptions(io.Discard, io.Discard)
	options.RecommendedOptions.Etcd.StorageConfig.Transport.ServerList = []string{"http://127.0.0.1:1"}
	return func() { _ = clean(config) }, config, options, nil
}

func StartDefaultServerWithClients(t servertesting.Logger, flags ...string) (func(), clientset.Interface, dynamic.Interface, error) {
	tearDown, config, _, err := StartDefaultServer(t, flags...)
	if err != nil {
		return nil, nil, nil, err
	}
	definitions, err := clientset.NewForConfig(config)
	if err != nil {
		return nil, nil, nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	return tearDown, definitions, objects, err
}

// StartDefaultServerWithConfigAccess is for tests that write into etcd, as is the next one.
func StartDefaultServerWithConfigAccess(t servertesting.Logger, flags ...string) (func(), *rest.Config, apiserver.CompletedConfig, error) {
	skip(t)
	return nil, nil, apiserver.CompletedConfig{}, errors.New("there is no etcd")
}

func StartDefaultServerWithClientsAndEtcd(t servertesting.Logger, flags ...string) (func(), clientset.Interface, dynamic.Interface, *clientv3.Client, string, error) {
	skip(t)
	return nil, nil, nil, nil, "", errors.New("there is no etcd")
}

func skip(t servertesting.Logger) {
	if test, ok := t.(interface{ Skip(...any) }); ok {
		test.Skip("writes into etcd")
	}
}

// clean deletes all definitions of users with their objects, whatever finalizers these have.
func clean(config *rest.Config) error {
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	for tries := 0; tries < 300; tries++ {
		all, err := definitions.List(context.TODO(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		left := 0
		for _, one := range all.Items {
			// The definitions of the server's own kinds refuse their deletion.
			if definitions.Delete(context.TODO(), one.Name, metav1.DeleteOptions{}) == nil {
				left++
				release(objects, one)
				finish(definitions, one)
			}
		}
		if left == 0 {
			return nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return errors.New("definitions are left")
}

// finish takes the finalizers of tests off a definition that is deleted.
func finish(definitions definitionsclient.CustomResourceDefinitionInterface, one v1.CustomResourceDefinition) {
	own := []string{}
	for _, name := range one.Finalizers {
		if name == v1.CustomResourceCleanupFinalizer {
			own = append(own, name)
		}
	}
	if len(own) < len(one.Finalizers) {
		one.Finalizers = own
		_, _ = definitions.Update(context.TODO(), &one, metav1.UpdateOptions{})
	}
}

// release takes the finalizers off the objects of a definition.
func release(objects dynamic.Interface, definition v1.CustomResourceDefinition) {
	for _, version := range definition.Spec.Versions {
		resource := schema.GroupVersionResource{Group: definition.Spec.Group, Version: version.Name, Resource: definition.Spec.Names.Plural}
		list, err := objects.Resource(resource).List(context.TODO(), metav1.ListOptions{})
		if err != nil {
			continue
		}
		for _, one := range list.Items {
			if len(one.GetFinalizers()) > 0 {
				_, _ = objects.Resource(resource).Namespace(one.GetNamespace()).Patch(context.TODO(), one.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			}
		}
	}
}
