/** Policies of users and the controllers of a cluster. */
import { afterEach, describe, expect, it } from 'vitest';
import { isTrue } from '../../machinery/api/conditions.ts';
import {
  bindings,
  mutatingBindings,
  mutatingPolicies,
  mutatingPolicyBindingOf,
  mutatingPolicyOf,
  policies,
  policyBindingOf,
  policyOf,
  ruleOf,
} from '../admission/world.ts';
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

const demand = async (rule: object, message: string) => {
  const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'false', message }] };
  for (const [path, object] of [
    [policies, policyOf('no-hosts.example', spec as never)],
    [bindings, policyBindingOf('no-hosts.example')],
  ] as const)
    expect((await world.request('POST', path, object)).code).toBe(201);
};

const reports = (text: string) => (conditions: unknown) => (JSON.stringify(conditions) ?? '').includes(text);

describe('a policy that refuses what the controllers of a cluster create', () => {
  it('is named in a condition of the cluster; without it, the cluster becomes Available', async () => {
    world = await createWorld();
    const rule = ruleOf('machines', 'cluster.x-k8s.io', { apiVersions: ['*'], operations: ['CREATE'] });
    await demand(rule, 'hosts are bought by others');
    for (const object of example('quickstart.yaml')) await world.apply(object);
    const says = reports("ValidatingAdmissionPolicy 'no-hosts.example' with binding 'no-hosts.example-binding'");
    await world.until(
      'the refusal is reported',
      () => world.all('KubeadmControlPlane').some(({ status }) => says(status?.conditions)),
      20,
    );
    expect(Object.keys(world.calls(true))).not.toContain('RunInstances');
    expect((await world.request('DELETE', `${policies}/no-hosts.example`)).code).toBe(200);
    await world.until('settled', () => isSettled(world), 60);
  });

  it('does not keep the cluster from its deletion', async () => {
    world = await createWorld();
    for (const object of example('quickstart.yaml')) await world.apply(object);
    const isAvailable = () => isTrue(world.find('Cluster', 'quickstart')?.status?.conditions, 'Available');
    await world.until('available', isAvailable, 30);
    await demand(ruleOf('*/*', '*', { apiVersions: ['*'], operations: ['CREATE', 'UPDATE'] }), 'nothing changes');
    await world.remove('Cluster', 'quickstart');
    await world.until('deleted', () => world.find('Cluster', 'quickstart') === undefined, 60);
    expect(world.live()).toEqual([]);
  });
});

describe('a policy that changes what the controllers of a cluster create', () => {
  it('has each Machine and its host carry what it adds', async () => {
    world = await createWorld();
    const rule = ruleOf('*', '*', { apiVersions: ['*'], operations: ['CREATE'] });
    const matchConstraints = {
      resourceRules: [rule],
      objectSelector: { matchExpressions: [{ key: 'cluster.x-k8s.io/cluster-name', operator: 'Exists' }] },
    };
    const expression = "Object{metadata: Object.metadata{annotations: {'cost.example/center': '42'}}}";
    const mutations = [{ patchType: 'ApplyConfiguration' as const, applyConfiguration: { expression } }];
    for (const [path, object] of [
      [mutatingPolicies, mutatingPolicyOf('costs.example', { matchConstraints, mutations } as never)],
      [mutatingBindings, mutatingPolicyBindingOf('costs.example')],
    ] as const)
      expect((await world.request('POST', path, object)).code).toBe(201);
    for (const object of example('quickstart.yaml')) await world.apply(object);
    await world.until('settled', () => isSettled(world), 60);
    for (const kind of ['Machine', 'AWSMachine', 'KubeadmConfig'] as const)
      for (const { metadata } of world.all(kind))
        expect(metadata.annotations, `${kind} ${metadata.name}`).toMatchObject({ 'cost.example/center': '42' });
    expect(world.all('Machine').length).toBeGreaterThan(1);
  });
});

describe('a policy that refuses what a topology applies', () => {
  it('is named by TopologyReconciled; without it, the topology is followed', async () => {
    world = await createWorld({ from: await settledMoment('cluster-class.yaml'), seed: 1, workflows: true });
    const resource = ruleOf('machinedeployments', 'cluster.x-k8s.io', { apiVersions: ['*'], operations: ['UPDATE'] });
    await demand(resource, 'pools stay as they are');
    const scaled = [{ op: 'replace', path: '/spec/topology/workers/machineDeployments/0/replicas', value: 3 }];
    const path = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/cluster-class';
    expect((await world.request('PATCH', path, scaled, 'application/json-patch+json')).code).toBe(200);
    const condition = () =>
      world.find('Cluster', 'cluster-class')?.status?.conditions?.find(({ type }) => type === 'TopologyReconciled');
    const says = reports("ValidatingAdmissionPolicy 'no-hosts.example' with binding 'no-hosts.example-binding'");
    await world.until('the refusal is reported', () => says(condition()?.message), 10);
    expect(condition()?.status).toBe('False');
    expect(world.all('MachineDeployment')[0]?.spec?.replicas).toBe(2);
    expect((await world.request('DELETE', `${policies}/no-hosts.example`)).code).toBe(200);
    await world.until('scaled', () => world.all('MachineDeployment')[0]?.spec?.replicas === 3, 10);
  });
});
