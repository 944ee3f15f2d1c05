// Installs and upgrades a release whose chart is a manifest, by Helm 4's client:
//
//	helm KUBECONFIG apply FILE
//	helm KUBECONFIG delete
//
// Waits for what it applied, and prints the revision and the status of the release.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/cli"
	"helm.sh/helm/v4/pkg/kube"
	"helm.sh/helm/v4/pkg/release"
	"helm.sh/helm/v4/pkg/storage/driver"
)

const name = "app"

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	settings := cli.New()
	settings.KubeConfig = os.Args[1]
	config := action.NewConfiguration()
	check(config.Init(settings.RESTClientGetter(), "default", "secret"))
	if os.Args[2] == "delete" {
		_, err := action.NewUninstall(config).Run(name)
		check(err)
		return
	}
	manifest, err := os.ReadFile(os.Args[3])
	check(err)
	chart, err := loader.LoadFiles([]*archive.BufferedFile{
		{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: app\nversion: 1.0.0\n")},
		{Name: "manifest.yaml", Data: manifest},
		{Name: "templates/all.yaml", Data: []byte(`{{ .Files.Get "manifest.yaml" }}`)},
	})
	check(err)
	ctx := context.Background()
	var done release.Releaser
	if _, err := config.Releases.Last(name); errors.Is(err, driver.ErrReleaseNotFound) {
		install := action.NewInstall(config)
		install.ReleaseName, install.Namespace = name, "default"
		install.WaitStrategy, install.Timeout = kube.StatusWatcherStrategy, time.Minute
		done, err = install.RunWithContext(ctx, chart, map[string]any{})
		check(err)
	} else {
		check(err)
		upgrade := action.NewUpgrade(config)
		upgrade.Namespace, upgrade.ForceConflicts = "default", true
		upgrade.WaitStrategy, upgrade.Timeout = kube.StatusWatcherStrategy, time.Minute
		done, err = upgrade.RunWithContext(ctx, name, chart, map[string]any{})
		check(err)
	}
	of, err := release.NewAccessor(done)
	check(err)
	fmt.Printf("revision %d %s\n", of.Version(), of.Status())
}
