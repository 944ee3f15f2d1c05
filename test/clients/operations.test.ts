/** Operations as users see them with kubectl and capstan, on a real control plane at a thousandfold speed. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControlPlane, quickstart, startControlPlane } from './support/control-plane.ts';
import { findKubectls, type Kubectl, kubectlWith } from './support/kubectl.ts';

let controlPlane: ControlPlane;
let kubectl: Kubectl;

const capstan: ControlPlane['capstan'] = (...args) => controlPlane.capstan(...args);
const ok = (...args: string[]): string => {
  const { code, stdout, stderr } = kubectl(...args);
  expect({ code, args, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, args, stderr: '' });
  return stdout;
};
/** Retries without a limit, as users would. */
const reached = (operation: string, phase: string) => {
  const args = ['wait', `clop/${operation}`, `--for=jsonpath={.status.phase}=${phase}`, '--timeout=20s'];
  for (let turn = 0; turn < 20; turn++) {
    if (kubectl(...args).code === 0) return;
    execFileSync('sleep', ['0.5']);
  }
  throw new Error(`${operation} is not ${phase}: ${kubectl('get', 'clop', operation, '-o', 'yaml').stdout}`);
};
const account = () => controlPlane.account();

beforeAll(async () => {
  controlPlane = await startControlPlane();
  kubectl = kubectlWith(findKubectls().at(-1)!, controlPlane.kubeconfig, controlPlane.directory);
});
afterAll(() => controlPlane.end());

it('tears down a cluster without capacity, and completes the next attempt', () => {
  expect(
    capstan('cloud', 'fault', 'add', '--action', 'RunInstances', '--code', 'InsufficientInstanceCapacity').status,
  ).toBe(0);
  const text = readFileSync(quickstart, 'utf8').replace(
    'kind: Cluster\nmetadata:\n',
    'kind: Cluster\nmetadata:\n  annotations:\n    capstan.dev/create-deadline: 30s\n',
  );
  expect(text).toContain('create-deadline');
  expect(kubectl.withInput(text, 'apply', '-f', '-').code).toBe(0);
  reached('quickstart-create-1', 'TornDown');
  const message = '{.status.conditions[?(@.type=="Available")].message}';
  const read = () => ok('get', 'cluster', 'quickstart', '-o', `jsonpath=${message}`);
  // A condition message may lag its state by half a minute.
  for (let turn = 0; turn < 80 && !read().includes('capstan retry'); turn++) execFileSync('sleep', ['0.5']);
  const available = read();
  expect(available).toMatch(/FirstControlPlaneMachine.*RunInstances: InsufficientInstanceCapacity/s);
  expect(available).toContain('capstan retry cluster quickstart');
  expect(account()).toEqual([]);
  expect(ok('get', 'machines,machinesets,kubeadmconfigs,awsmachines,secrets', '-o', 'name')).toBe('');
  expect(kubectl.withInput(text, 'diff', '-f', '-').code).toBe(0);

  expect(capstan('cloud', 'fault', 'clear').status).toBe(0);
  ok('annotate', '--overwrite', 'cluster', 'quickstart', 'capstan.dev/create-deadline=30m');
  expect(capstan('retry', 'cluster', 'quickstart').stdout).toContain('the next attempt takes its place');
  reached('quickstart-create-2', 'Succeeded');
  ok('wait', 'cluster/quickstart', '--for=condition=Available', '--timeout=240s');
});

it('lists operations with the columns that users need', () => {
  const [header, first, second] = ok('get', 'clusteroperations').trim().split('\n');
  expect(header).toMatch(/^NAME\s+CLUSTER\s+TYPE\s+PHASE\s+STEP\s+ATTEMPT\s+AGE$/);
  expect(first).toMatch(/^quickstart-create-1\s+quickstart\s+create\s+TornDown\s+TearDown\s+1\s+\S+$/);
  expect(second).toMatch(/^quickstart-create-2\s+quickstart\s+create\s+Succeeded\s+Available\s+2\s+\S+$/);
  expect(ok('describe', 'clop', 'quickstart-create-2')).toMatch(/Verdict:\s+Succeeded/);
  const events = ok('get', 'events', '--field-selector', 'involvedObject.kind=ClusterOperation');
  expect(events).toMatch(/Warning\s+\S+\s+clusteroperation\/quickstart-create-1/);
  expect(ok('explain', 'clop.spec.cancel')).toMatch(/an upgrade undoes what can be undone/);
  expect(capstan('describe', 'cluster', 'quickstart').stdout).toMatch(/ClusterOperation\/quickstart-create-2/);
});

it('refuses what no user may do, with helpful messages', () => {
  const policy = kubectl('annotate', '--overwrite', 'cluster', 'quickstart', 'capstan.dev/on-create-failure=Explode');
  expect(policy.stderr).toMatch(/capstan\.dev\/on-create-failure.*supported values: .*TearDown/);
  const spec = kubectl('patch', 'clop', 'quickstart-create-2', '--type=merge', '-p', '{"spec":{"attempt":9}}');
  expect(spec.stderr).toMatch(/immutable/);
  ok('annotate', '--overwrite', 'cluster', 'quickstart', 'capstan.dev/target=Nothing');
  expect(ok('get', 'cluster', 'quickstart', '-o', 'jsonpath={.metadata.annotations.capstan\\.dev/target}')).toBe(
    'Build',
  );
  ok('annotate', 'cluster', 'quickstart', 'capstan.dev/protected=true');
  expect(kubectl('delete', 'cluster', 'quickstart').stderr).toContain(
    'kubectl annotate cluster/quickstart capstan.dev/protected-',
  );
  ok('annotate', 'cluster', 'quickstart', 'capstan.dev/protected-');
});

it('leaves nothing after a deletion, in the account or in the store', () => {
  ok('delete', 'cluster', 'quickstart', '--timeout=240s');
  expect(account()).toEqual([]);
  expect(ok('get', 'clop,machines,awsclusters,secrets', '-o', 'name')).toBe('');
});
