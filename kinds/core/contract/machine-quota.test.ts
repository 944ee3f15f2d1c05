import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Reader } from '../../../machinery/api/reconcile.ts';
import { maxMachines } from '../../common/machine-limit.ts';
import { createWorld } from '../../controlplane-kubeadm/kubeadm-control-plane/world.fixture.ts';
import { namespace } from '../../kubernetes/namespace/index.ts';
import { allowedBy, claimed, limitsFor, observeQuotas, type Quota, quotaMessages, usedOf } from './machine-quota.ts';
import { admitWithinQuota } from './machine-quota-admission.ts';

const object = (kind: string, name: string, more: { annotations?: object; spec?: object; owned?: boolean } = {}) =>
  ({
    apiVersion: 'v1',
    kind,
    metadata: {
      name,
      namespace: kind === 'Namespace' ? undefined : 'default',
      uid: `uid-${name}`,
      resourceVersion: '7',
      annotations: more.annotations ?? {},
      ...(more.owned && { ownerReferences: [{ kind: 'MachineDeployment', controller: true }] }),
    },
    ...(more.spec && { spec: more.spec }),
  }) as unknown as KubeObject;
const noting = (names: unknown) => ({ annotations: { 'capstan.dev/creating': JSON.stringify(names) } });
const limited = (most: string) => object('Namespace', 'default', { annotations: { [maxMachines]: most } });
const installation = object('Installation', 'capstan', { spec: { maxMachines: 5 } });

describe('the Machine quota counts', () => {
  const set = object('MachineSet', 'set', noting(['a', 'b']));
  const plane = object('KubeadmControlPlane', 'plane', noting({ name: 'c', init: true }));
  it.each([
    { rule: 'Machines and names recorded for creation', machines: ['m'], owners: [set, plane], is: 4 },
    { rule: 'a recorded name once when its Machine exists', machines: ['a'], owners: [set], is: 2 },
    { rule: 'no invalid record', machines: [], owners: [object('MachineSet', 'x', noting('text'))], is: 0 },
    { rule: 'no record of the claiming object', machines: [], owners: [set], except: 'uid-set', is: 0 },
  ])('$rule', ({ machines, owners, except, is }) =>
    expect(
      usedOf(
        machines.map((name) => object('Machine', name)),
        owners,
        except,
      ),
    ).toBe(is));
  it('is set for the namespace, for the installation, or not at all', () => {
    const most = (...of: Parameters<typeof limitsFor>) => limitsFor(...of).map((limit) => [limit.most, limit.where]);
    expect(most(limited('3'), installation)).toEqual([
      [3, { namespace: 'default' }],
      [5, {}],
    ]);
    expect(most(limited('many'), undefined)).toEqual([]);
    expect(most(undefined, object('Installation', 'capstan', { spec: {} }))).toEqual([]);
  });
});

it('reads the Namespace, which orders claims, before the claimed objects', () => {
  const asked: string[] = [];
  const reader = {
    get: (kind: string, { name }: { name: string }) => {
      asked.push(name);
      if (kind === 'Installation') return { state: 'found', value: installation };
      return name === 'default' ? { state: 'found', value: object('Namespace', name) } : { state: 'unread' };
    },
    list: (kind: string) => {
      asked.push(kind);
      return { state: 'unread' };
    },
  } as unknown as Reader;
  expect(observeQuotas(reader, object('MachineSet', 'set'))).toEqual([]);
  expect(asked).toEqual(['default', 'capstan', 'ResourceQuota', 'kube-system']);
});

it('obeys ResourceQuotas of the namespace that count Machines', () => {
  const hard = { 'count/machines.cluster.x-k8s.io': '2', secrets: '1' };
  const found = (value: unknown) => ({ state: 'found', value });
  const lists: Record<string, KubeObject[]> = {
    ResourceQuota: [object('ResourceQuota', 'team', { spec: { hard } })],
    Machine: [object('Machine', 'm')],
  };
  const reader = {
    get: (kind: string, { name }: { name: string }) =>
      kind === 'Namespace' ? found(object('Namespace', name)) : { state: 'absent' },
    list: (kind: string | { role: string }) => found(typeof kind === 'string' ? (lists[kind] ?? []) : []),
  } as unknown as Reader;
  const quotas = observeQuotas(reader, object('MachineSet', 'set'));
  expect(quotas).toMatchObject([{ most: 2, used: 1, lock: { metadata: { name: 'default' } } }]);
  expect(quotaMessages(quotas, 5)).toEqual([
    'exceeded quota: count/machines.cluster.x-k8s.io of ResourceQuota team is 2, 1 Machines exist or are being created',
  ]);
});

describe('the remaining quota', () => {
  const quota = (most: number, used: number): Quota => ({ most, used, source: 'it', lock: limited('3') });
  it.each([
    { quotas: [], wanted: 9, is: 9 },
    { quotas: [quota(5, 3)], wanted: 9, is: 2 },
    { quotas: [quota(5, 3), quota(4, 3)], wanted: 9, is: 1 },
    { quotas: [quota(5, 7)], wanted: 9, is: 0 },
  ])('is $is of $wanted', ({ quotas, wanted, is }) => {
    expect(allowedBy(quotas, wanted)).toBe(is);
    expect(quotaMessages(quotas, wanted).length > 0).toBe(is < wanted);
  });
  it('is claimed at the observed version, and a failed claim skips all later actions', () => {
    const creation = { do: 'create' as const, object: object('Machine', 'm'), group: 'm' };
    const [claim, ...others] = claimed([quota(5, 3), quota(4, 3)], 'm', [creation]);
    expect(claim).toMatchObject({ do: 'patch', kind: 'Namespace', resourceVersion: '7', group: 'machines' });
    expect(others).toEqual([{ ...creation, group: 'machines' }]);
    expect(claimed([], 'm', [creation])).toEqual([creation]);
  });
});

describe('a control plane', () => {
  it.each([
    { most: '0', machines: 0 },
    { most: '1', machines: 1 },
  ])('creates $machines of one machine within a quota of $most', async ({ most, machines }) => {
    const world = createWorld();
    world.add(limited(most));
    for (let i = 0; i < 8; i++) await world.pass(Number.POSITIVE_INFINITY);
    expect(world.all('Machine')).toHaveLength(machines);
    const conditions = world.current().status?.conditions as { type: string; message: string }[];
    const { message } = conditions.find(({ type }) => type === 'ScalingUp')!;
    expect(message.includes('exceeded quota')).toBe(machines === 0);
  });
});

describe('API clients', () => {
  const user = { username: 'user', groups: [] };
  const answer = async (
    asked: KubeObject,
    old?: KubeObject,
    { space = limited('3'), subresource = '', related = [] as KubeObject[] } = {},
  ) => {
    const admission: Admission = { operation: old ? 'update' : 'create', user, dryRun: false, subresource, related };
    const store = {
      get: async (type: string) => (type === 'namespaces' ? space : installation),
      list: async (type: string) => ({
        objects: type === 'machines.cluster.x-k8s.io' ? [object('Machine', 'a'), object('Machine', 'b')] : [],
      }),
    };
    const whole = { ...admission, ...(old && { old }) };
    const resource = `${asked.kind.toLowerCase()}s.cluster.x-k8s.io`;
    return admitWithinQuota({ store, controlPlanes: [] }, resource, asked, whole).then(
      () => 'admitted',
      (error: Error) => error.message,
    );
  };
  const deployment = (replicas?: number) => object('MachineDeployment', 'w', { spec: { replicas } });
  const sizes = (min: string, max: string) => ({
    annotations: { 'capstan.dev/autoscale-min': min, 'capstan.dev/autoscale-max': max },
  });
  const refusal = (requested: number, most = 3) =>
    `machinedeployments.cluster.x-k8s.io "w" is forbidden: exceeded quota: annotation ${maxMachines} of namespace default, requested: ${requested} Machines, used: 2, limited: ${most}`;
  it.each([
    { rule: 'may request what fits', asked: deployment(1), is: 'admitted' },
    { rule: 'may not request more', asked: deployment(2), is: refusal(2) },
    { rule: 'request one Machine by default', asked: deployment(), is: 'admitted' },
    {
      rule: 'request the minimum of an autoscaled pool by default',
      asked: object('MachineDeployment', 'w', { ...sizes('0', '5'), spec: {} }),
      options: { space: limited('2') },
      is: 'admitted',
    },
    {
      rule: 'may not request a minimum beyond the quota',
      asked: object('MachineDeployment', 'w', { ...sizes('2', '5'), spec: {} }),
      is: refusal(2),
    },
    {
      rule: 'may not request a minimum in the ScalingPlan beyond the quota',
      asked: deployment(),
      options: { related: [object('ScalingPlan', 'c', { spec: { pools: [{ name: 'w', min: 2, max: 5 }] } })] },
      is: refusal(2),
    },
    {
      rule: 'may not leave out replicas beyond the quota',
      asked: deployment(),
      old: deployment(0),
      options: { space: limited('2') },
      is: refusal(1, 2),
    },
    { rule: 'may keep what they have', asked: deployment(9), old: deployment(9), is: 'admitted' },
    { rule: 'may scale down', asked: deployment(8), old: deployment(9), is: 'admitted' },
    { rule: 'may not scale up beyond the quota', asked: deployment(9), old: deployment(2), is: refusal(7) },
    { rule: 'may create a Machine within the quota', asked: object('Machine', 'c'), is: 'admitted' },
    {
      rule: 'may not create a Machine beyond the quota',
      asked: object('Machine', 'c'),
      options: { space: limited('2') },
      is: `machines.cluster.x-k8s.io "c" is forbidden: exceeded quota: annotation ${maxMachines} of namespace default, requested: 1 Machines, used: 2, limited: 2`,
    },
    {
      rule: 'may create the MachineSet of a MachineDeployment, which counts instead',
      asked: object('MachineSet', 's', { spec: { replicas: 9 }, owned: true }),
      is: 'admitted',
    },
    {
      rule: 'may not exceed the quota of the installation',
      asked: deployment(4),
      options: { space: object('Namespace', 'default') },
      is: 'machinedeployments.cluster.x-k8s.io "w" is forbidden: exceeded quota: spec.maxMachines of installation capstan, requested: 4 Machines, used: 2, limited: 5',
    },
    { rule: 'may update a status', asked: deployment(9), options: { subresource: 'status' }, is: 'admitted' },
  ])('$rule', async ({ asked, old, options, is }) => expect(await answer(asked, old, options)).toBe(is));

  it.each([
    ['5', []],
    ['five', ['metadata.annotations[capstan.dev/max-machines]']],
    ['-1', ['metadata.annotations[capstan.dev/max-machines]']],
  ])('may limit a namespace to a number of Machines: %s', (text, fields) => {
    const admission: Admission = { operation: 'create', user, dryRun: false };
    expect(namespace.validate!(limited(text), admission).map(({ field }) => field)).toEqual(fields);
  });
});
