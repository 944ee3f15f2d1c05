/** Replicas of a pool, which the autoscaler and manifests that are applied server-side both set. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControlPlane, quickstart, startControlPlane } from './support/control-plane.ts';
import { findKubectls, type Kubectl, kubectlWith } from './support/kubectl.ts';

const pool = 'quickstart-workers';
/** The manifests that a GitOps engine applies. */
const manifests = (replicas?: number) =>
  readFileSync(quickstart, 'utf8').replace(
    '  replicas: 2\n',
    replicas === undefined ? '' : `  replicas: ${replicas}\n`,
  );
const plan = (min: number) =>
  JSON.stringify({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ScalingPlan',
    metadata: { name: 'quickstart' },
    spec: { clusterName: 'quickstart', pools: [{ name: pool, min, max: 6 }] },
  });

let controlPlane: ControlPlane;
let kubectl: Kubectl;

const apply = (document: string, ...args: string[]) =>
  kubectl.withInput(document, 'apply', '--server-side', '--field-manager=gitops', '-f', '-', ...args);
const applied = (document: string, ...args: string[]): string => {
  const { code, stderr } = apply(document, ...args);
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  return stderr;
};
const forced = (replicas: number) => applied(manifests(replicas), '--force-conflicts');

type Entry = { manager: string; operation: string; fieldsV1: { 'f:spec'?: Record<string, unknown> } };
type Deployment = { metadata: { managedFields: Entry[] }; spec: { replicas: number } };
const deployment = () => kubectl.json<Deployment>('get', 'machinedeployment', pool, '--show-managed-fields');
const replicas = () => deployment().spec.replicas;
const owners = () =>
  deployment()
    .metadata.managedFields.filter(({ fieldsV1 }) => fieldsV1['f:spec']?.['f:replicas'])
    .map(({ manager, operation }) => `${manager} ${operation}`);
const soon = { timeout: 60_000, interval: 250 };
const conflict = () => {
  const path = '{.status.conditions[?(@.type=="AutoscalerConflict")]';
  return kubectl('get', 'scalingplan', 'quickstart', '-o', `jsonpath=${path}.status} ${path}.message}`).stdout;
};

beforeAll(async () => {
  // No node is unneeded, and no conflict over, while a client applies twice.
  controlPlane = await startControlPlane(20);
  kubectl = kubectlWith(findKubectls().at(-1)!, controlPlane.kubeconfig, controlPlane.directory);
  applied(plan(2));
  applied(manifests());
  expect(kubectl('wait', 'cluster/quickstart', '--for=condition=Available', '--timeout=240s').code).toBe(0);
});
afterAll(() => controlPlane.end());

it('explains the settings of pools', () => {
  const { stdout } = kubectl('explain', 'scalingplan.spec.pools');
  const fields = [...stdout.matchAll(/^ {2}(\w+)\t<(\w+)>(?: -required-)?\n {4}(\S.*)/gm)];
  const described = fields.map(([, name, type, text]) => `${name} ${type}: ${text}`);
  expect(described.join('\n')).toMatch(/^min integer: The least replicas\.$/m);
  expect(described.join('\n')).toMatch(/^schedule string: Sizes for a while, an entry a line/m);
  expect(fields.map(([, name]) => name)).toEqual([
    ...['alarms', 'consolidate', 'enabled', 'headroom', 'max', 'min', 'name', 'removedPercent', 'schedule'],
    'startupTaints',
  ]);
  expect(kubectl('explain', 'scalingplan.spec.pools.headroom').stdout).toContain('pods=3 cpu=2 memory=4Gi');
});

it('leaves the replicas of a manifest without them to the autoscaler', async () => {
  expect([replicas(), owners()]).toEqual([2, []]);
  applied(plan(3));
  await expect.poll(replicas, soon).toBe(3);
  expect(owners()).toEqual(['capstan Update']);
  applied(manifests());
  expect([replicas(), owners()]).toEqual([3, ['capstan Update']]);
});

it('refuses other replicas in the words of Kubernetes, and warns when they are forced', async () => {
  const { code, stderr } = apply(manifests(1));
  expect([code, replicas()]).toEqual([1, 3]);
  expect(stderr).toContain(
    'Apply failed with 1 conflict: conflict with "capstan" using cluster.x-k8s.io/v1beta2: .spec.replicas',
  );
  expect(apply(manifests(1), '--force-conflicts').stderr).toMatch(
    /Warning: spec\.replicas: the autoscaler sets the replicas of this MachineDeployment, 3 before this change/,
  );
  await expect.poll(replicas, soon).toBe(3);
  expect(owners()).toEqual(['capstan Update']);
});

it('keeps the replicas that a manifest owned and gives up', async () => {
  forced(4);
  expect([replicas(), owners()]).toEqual([4, ['gitops Apply']]);
  applied(manifests());
  expect([replicas(), owners()]).toEqual([4, []]);
});

it('names a client that forces its replicas again and again, with the remedy', async () => {
  const isNamed = () => conflict().startsWith('True');
  for (let turn = 0; turn < 3 && !isNamed(); turn++) {
    expect(apply(manifests(1), '--force-conflicts').code).toBe(0);
    await expect.poll(() => isNamed() || replicas() >= 3, soon).toBe(true);
  }
  expect(conflict()).toMatch(
    /^True \S+ sets the replicas of quickstart-workers, which is left alone until \S+: leave spec\.replicas out of the manifest/,
  );
});
