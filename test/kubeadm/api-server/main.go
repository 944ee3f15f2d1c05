// Reads configuration files of an API server as its own code does: pairs of what they are and their paths.
package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/apis/apiserver/load"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	"k8s.io/apiserver/pkg/audit/policy"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/server/options/encryptionconfig"
	"k8s.io/apiserver/pkg/util/webhook"
)

func check(kind, file string) error {
	switch kind {
	case "audit":
		_, err := policy.LoadPolicyFromFile(file)
		return err
	case "encryption":
		_, err := encryptionconfig.LoadEncryptionConfig(context.Background(), file, false, "id")
		return err
	case "authorization":
		c, err := load.LoadFromFile(file)
		if err != nil {
			return err
		}
		return validation.ValidateAuthorizationConfiguration(authorizationcel.NewDefaultCompiler(), nil, c, sets.New("AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"), sets.New("Webhook")).ToAggregate()
	case "admission":
		scheme := runtime.NewScheme()
		install.Install(scheme)
		_, err := admission.ReadAdmissionConfiguration([]string{}, file, scheme)
		return err
	case "kubeconfig":
		_, err := webhook.LoadKubeconfig(file, nil)
		return err
	case "tracing":
		_, err := options.ReadTracingConfiguration(file)
		return err
	case "authentication":
		scheme := runtime.NewScheme()
		install.Install(scheme)
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		c := &apiserver.AuthenticationConfiguration{}
		if err := runtime.DecodeInto(serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder(), data, c); err != nil {
			return err
		}
		return validation.ValidateAuthenticationConfiguration(authenticationcel.NewDefaultCompiler(), c, nil).ToAggregate()
	}
	return fmt.Errorf("unknown kind")
}

func main() {
	for i := 1; i+1 < len(os.Args); i += 2 {
		if err := check(os.Args[i], os.Args[i+1]); err != nil {
			fmt.Printf("%q\n", err.Error())
		} else {
			fmt.Println(`"ok"`)
		}
	}
}
