/** A stock cluster-autoscaler adds machines that pods need and removes those that no pod needs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, quickstart, startControlPlane } from './support/control-plane.ts';
import { findKubectls, type Kubectl, kubectlWith } from './support/kubectl.ts';
import { onPath } from './support/on-path.ts';

// A release branch of its repository builds with the tag `clusterapi`.
const binary = process.env.CLUSTER_AUTOSCALER ?? onPath('cluster-autoscaler');

const deployment = 'quickstart-workers';
const limits = {
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '1',
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '4',
};
/** Pods that never share a node. */
const apart = (replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'apart' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'apart' } },
    template: {
      metadata: { labels: { app: 'apart' } },
      spec: {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: { matchLabels: { app: 'apart' } }, topologyKey: 'kubernetes.io/hostname' },
            ],
          },
        },
        containers: [{ name: 'main', image: 'busybox', resources: { requests: { cpu: '100m' } } }],
      },
    },
  },
});

describe.skipIf(!binary)('cluster-autoscaler', () => {
  let controlPlane: ControlPlane | undefined;
  let kubectl: Kubectl;
  let workload: Kubectl;
  let end: (() => Promise<unknown>) | undefined;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const { directory, kubeconfig, capstan } = controlPlane;
    const latest = findKubectls().at(-1)!;
    kubectl = kubectlWith(latest, kubeconfig, directory);
    expect(kubectl('apply', '-f', quickstart).code).toBe(0);
    const annotations = Object.entries(limits).map(([name, value]) => `${name}=${value}`);
    expect(kubectl('annotate', 'machinedeployment', deployment, ...annotations).code).toBe(0);
    expect(kubectl('wait', 'cluster/quickstart', '--for=condition=Available', '--timeout=240s').code).toBe(0);
    const ofWorkload = join(directory, 'quickstart.kubeconfig');
    writeFileSync(ofWorkload, capstan('get', 'kubeconfig', 'quickstart').stdout);
    workload = kubectlWith(latest, ofWorkload, directory);
    const child = spawn(
      binary!,
      [
        '--cloud-provider=clusterapi',
        '--clusterapi-cloud-config-authoritative',
        `--cloud-config=${kubeconfig}`,
        `--kubeconfig=${ofWorkload}`,
        '--node-group-auto-discovery=clusterapi:clusterName=quickstart',
        '--leader-elect=false',
        '--scan-interval=2s',
        '--scale-down-delay-after-add=5s',
        '--scale-down-unneeded-time=5s',
        '--address=127.0.0.1:0',
      ],
      { stdio: 'ignore' },
    );
    const exit = once(child, 'exit');
    end = () => {
      child.kill();
      return exit;
    };
  });
  afterAll(async () => {
    await end?.();
    await controlPlane?.end();
  });

  const replicas = () => {
    const path = '{.spec.replicas}/{.status.availableReplicas}';
    return kubectl('get', 'machinedeployment', deployment, '-o', `jsonpath=${path}`).stdout;
  };
  const soon = { timeout: 240_000, interval: 1000 };
  const conflict = () => {
    const path = '{.status.conditions[?(@.type=="AutoscalerConflict")]';
    return kubectl('get', 'scalingplan', 'quickstart', '-o', `jsonpath=${path}.status}${path}.message}`).stdout;
  };

  it('removes machines that no pod needs, down to the minimum', async () => {
    await expect.poll(replicas, soon).toBe('1/1');
    await expect.poll(() => kubectl('get', 'machines', '--no-headers').stdout.trim().split('\n'), soon).toHaveLength(2);
  });

  it('adds as many machines as pods need', async () => {
    expect(workload.withInput(JSON.stringify(apart(3)), 'apply', '-f', '-').code).toBe(0);
    await expect
      .poll(() => workload('get', 'pods', '--field-selector=status.phase=Running', '--no-headers').stdout, soon)
      .toMatch(/^(apart.*\n){3}$/);
    await expect.poll(replicas, soon).toMatch(/^([34])\/\1$/);
  });

  it('acts alone on a pool that opts in to Capstan, which takes over when it left', async () => {
    expect(kubectl('annotate', 'machinedeployment', deployment, 'capstan.dev/autoscale=true').code).toBe(0);
    await expect
      .poll(conflict, soon)
      .toBe('Truecluster-autoscaler writes the ConfigMap kube-system/cluster-autoscaler-status');
    // It goes on scaling the pool, within the same sizes.
    expect(workload.withInput(JSON.stringify(apart(4)), 'apply', '-f', '-').code).toBe(0);
    await expect.poll(replicas, soon).toBe('4/4');
    const decisions = () =>
      kubectl('get', 'scalingplan', 'quickstart', '-o', 'jsonpath={.status.lastDecision.time}').stdout;
    expect([conflict().slice(0, 4), decisions()]).toEqual(['True', '']);
    await end?.();
    end = undefined;
    await expect.poll(conflict, { timeout: 600_000, interval: 5000 }).toBe('False');
    expect(workload.withInput(JSON.stringify(apart(0)), 'apply', '-f', '-').code).toBe(0);
    await expect.poll(replicas, soon).toBe('1/1');
    expect(decisions()).not.toBe('');
  });
});
