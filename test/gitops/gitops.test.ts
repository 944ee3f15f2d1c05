/** What Flux's, Argo CD's and Helm's own clients do with a cluster's manifest, again and again. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, quickstart, startControlPlane } from '../clients/support/control-plane.ts';
import { findKubectls, type Kubectl, kubectlWith } from '../clients/support/kubectl.ts';
import { programOf } from '../go.ts';

interface Client {
  name: string;
  program: () => string;
  /** Applies the file, deletes what only the former one has, and prints what it did. */
  apply: (file: string, former: string) => string[];
  /** Waits until what was applied is healthy, where `apply` does not. */
  wait?: (file: string) => string[];
  /** What a second application prints, with nothing to change. */
  unchanged: RegExp;
}

const source = (file: string): string => join(import.meta.dirname, file);
const argoEngine = 'github.com/argoproj/gitops-engine';
const clients: Client[] = [
  {
    name: 'Flux',
    program: () =>
      programOf(source('flux.go'), {
        'github.com/fluxcd/pkg/ssa': 'v0.72.0',
        'github.com/fluxcd/cli-utils': 'v0.37.2-flux.1',
      }),
    apply: (file, former) => ['apply', file, former],
    wait: (file) => ['wait', file],
    unchanged: /^(unchanged \S+\n)+$/,
  },
  {
    name: 'Argo CD',
    program: () => programOf(source('argo.go'), { [argoEngine]: 'v0.7.3' }, argoEngine),
    apply: (file) => ['sync', file],
    unchanged: /^(Synced: \S+ unchanged\n)+$/,
  },
  {
    name: 'Helm',
    program: () => programOf(source('helm.go'), { 'helm.sh/helm/v4': 'v4.3.2' }),
    apply: (file) => ['apply', file],
    unchanged: /^revision \d+ deployed\n$/,
  },
];

const kinds = [
  'awsclusters.infrastructure.cluster.x-k8s.io',
  'awsmachinetemplates.infrastructure.cluster.x-k8s.io',
  'clusterresourcesets.addons.cluster.x-k8s.io',
  'clusters.cluster.x-k8s.io',
  'configmaps',
  'kubeadmconfigtemplates.bootstrap.cluster.x-k8s.io',
  'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io',
  'machinedeployments.cluster.x-k8s.io',
].join();

describe.each(clients)('$name', ({ program, apply, wait, unchanged }) => {
  let plane: ControlPlane;
  let kubectl: Kubectl;
  let file: string;
  const run = (args: string[]) =>
    execFileSync(program(), [plane.kubeconfig, ...args], {
      encoding: 'utf8',
      // Argo CD's engine logs each step to the standard error.
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME: plane.directory },
    });
  const workers = () =>
    kubectl.json<{ spec: { replicas: number } }>('get', 'machinedeployment', 'quickstart-workers').spec.replicas;
  /** Of every object, what no controller writes while nothing changes. */
  const written = () =>
    kubectl('get', kinds, '-o', 'custom-columns=K:.kind,N:.metadata.name,G:.metadata.generation,L:.metadata.labels')
      .stdout;

  beforeAll(async () => {
    program();
    plane = await startControlPlane();
    kubectl = kubectlWith(findKubectls().at(-1)!, plane.kubeconfig, plane.directory);
    file = join(plane.directory, 'manifest.yaml');
    const text = readFileSync(quickstart, 'utf8');
    writeFileSync(file, `${text}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\ndata: {a: "1"}\n`);
    run(apply(file, file));
  });
  afterAll(() => plane?.end());

  it('finds what it applied healthy', () => {
    if (wait) run(wait(file));
    const available = kubectl('wait', 'cluster/quickstart', '--for=condition=Available', '--timeout=120s');
    expect(available.code, available.stderr).toBe(0);
  });

  it('changes nothing the second time', () => {
    const before = written();
    expect(run(apply(file, file))).toMatch(unchanged);
    expect(written()).toBe(before);
  });

  it('corrects a field that another client changed, and nothing else', () => {
    expect(kubectl('scale', 'machinedeployment', 'quickstart-workers', '--replicas=3').code).toBe(0);
    expect(kubectl('label', 'machinedeployment', 'quickstart-workers', 'of=another').code).toBe(0);
    run(apply(file, file));
    expect(workers()).toBe(2);
    expect(kubectl('get', 'machinedeployment', '-l', 'of=another', '-o', 'name').stdout).not.toBe('');
  });

  it('deletes what the manifest no longer has', () => {
    const former = join(plane.directory, 'former.yaml');
    writeFileSync(former, readFileSync(file));
    run(apply(quickstart, former));
    expect(kubectl('get', 'configmap', 'extra').stderr).toContain('NotFound');
    expect(kubectl('get', 'cluster', 'quickstart').code).toBe(0);
  });
});
