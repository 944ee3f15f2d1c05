/** Stock clusterctl describes clusters, rolls them out, backs them up and moves them. */
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clusterctlWith, findClusterctl } from './support/clusterctl.ts';
import { type ControlPlane, quickstart, startControlPlane } from './support/control-plane.ts';
import { findKubectls, type Kubectl, kubectlWith } from './support/kubectl.ts';

let here: ControlPlane;
let kubectl: Kubectl;
let clusterctl: ReturnType<typeof clusterctlWith>;

const ok = (...args: string[]): string => {
  const { code, stdout, stderr } = clusterctl(...args);
  expect({ code, args, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, args, stderr: '' });
  return stdout;
};
const available = () => kubectl('wait', 'cluster/quickstart', '--for=condition=Available', '--timeout=240s').code === 0;
const machines = (): string[] =>
  kubectl
    .json<{ items: { metadata: { name: string } }[] }>('get', 'machines')
    .items.map(({ metadata }) => metadata.name);

beforeAll(async () => {
  here = await startControlPlane();
  kubectl = kubectlWith(findKubectls().at(-1)!, here.kubeconfig, here.directory);
  clusterctl = clusterctlWith(findClusterctl(), here.kubeconfig, here.directory);
  expect(kubectl('apply', '-f', quickstart).code).toBe(0);
  expect(available()).toBe(true);
});
afterAll(() => here.end());

it('describes a cluster with all its objects', () => {
  const tree = ok('describe', 'cluster', 'quickstart', '--echo', '--grouping=false', '--show-machinesets');
  for (const name of ['Cluster/quickstart', 'AWSCluster/quickstart', 'KubeadmControlPlane/quickstart-control-plane'])
    expect(tree).toContain(name);
  for (const name of machines())
    for (const kind of ['Machine', 'AWSMachine', 'KubeadmConfig']) expect(tree).toContain(`${kind}/${name}`);
  expect(tree).toMatch(/MachineDeployment\/quickstart-workers +2\/2 +2 +2 +2 +True/);
  expect(ok('describe', 'cluster', 'quickstart', '--show-conditions', 'all')).toMatch(/LoadBalancerReady +True/);
  expect(clusterctl('describe', 'cluster', 'nobody').stderr).toContain('not found');
});

it('prints the same kubeconfig as capstan', () => {
  expect(ok('get', 'kubeconfig', 'quickstart').trim()).toBe(
    here.capstan('get', 'kubeconfig', 'quickstart').stdout.trim(),
  );
});

it('restarts a deployment', () => {
  const before = machines().filter((name) => name.startsWith('quickstart-workers'));
  ok('alpha', 'rollout', 'restart', 'machinedeployment/quickstart-workers');
  const gone = before.map((name) => `machine/${name}`);
  expect(kubectl('wait', ...gone, '--for=delete', '--timeout=240s').stderr).toBe('');
  expect(available()).toBe(true);
});

it('pauses and resumes a deployment', () => {
  const isPaused = () =>
    kubectl('get', 'machinedeployment', 'quickstart-workers', '-o', 'jsonpath={.spec.paused}').stdout === 'true';
  ok('alpha', 'rollout', 'pause', 'machinedeployment/quickstart-workers');
  expect(isPaused()).toBe(true);
  ok('alpha', 'rollout', 'resume', 'machinedeployment/quickstart-workers');
  expect(isPaused()).toBe(false);
});

it('lists the providers in its inventory, which is read-only', () => {
  const providers = kubectl('get', 'providers.clusterctl.cluster.x-k8s.io', '-A').stdout;
  expect(providers.match(/(Core|Bootstrap|ControlPlane|Infrastructure|IPAM)Provider/g)).toHaveLength(5);
  expect(kubectl('delete', 'provider', '-n', 'kube-system', 'infrastructure-aws').stderr).toContain('MethodNotAllowed');
});

it('finds no machine pools', () => {
  expect(kubectl('get', 'machinepools').stderr).toContain('No resources found');
});

it('backs up a cluster, which continues', () => {
  const directory = mkdtempSync(join(here.directory, 'backup-'));
  ok('move', '--to-directory', directory);
  const files = readdirSync(directory);
  for (const kind of ['Cluster', 'AWSCluster', 'KubeadmControlPlane', 'MachineDeployment', 'MachineSet'])
    expect(files.filter((file) => file.startsWith(`${kind}_`))).toHaveLength(1);
  for (const kind of ['Machine', 'AWSMachine', 'KubeadmConfig'])
    expect(files.filter((file) => file.startsWith(`${kind}_`))).toHaveLength(3);
  for (const of of ['ca', 'etcd', 'proxy', 'sa', 'kubeconfig'])
    expect(files).toContain(`Secret_default_quickstart-${of}.yaml`);
  expect(kubectl('get', 'cluster', 'quickstart', '-o', 'jsonpath={.spec.paused}').stdout).not.toBe('true');
});

it('moves a cluster with all its objects, and changes nothing in the account that it leaves', async () => {
  const there = await startControlPlane();
  try {
    const before = here.account();
    const moved = machines();
    ok('move', '--to-kubeconfig', there.kubeconfig);
    const kinds = 'clusters,machines,machinesets,awsclusters,awsmachines,kubeadmconfigs,secrets,clusteroperations';
    await expect.poll(() => kubectl('get', kinds, '-o', 'name').stdout, { timeout: 240_000 }).toBe('');
    expect(here.account()).toEqual(before);
    kubectl = kubectlWith(findKubectls().at(-1)!, there.kubeconfig, there.directory);
    expect(machines()).toEqual(moved);
    // Its network is in another account.
    const says = () => kubectl('get', 'clop', '-o', 'jsonpath={.items[*].status.message}').stdout;
    await expect
      .poll(says, { timeout: 240_000 })
      .toMatch(/spec.network.vpc.id: VPC vpc-\w+ does not exist in eu-central-1/);
    expect(there.account()).toEqual([]);
  } finally {
    await there.end();
  }
});
