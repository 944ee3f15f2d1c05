import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../machinery/api/merge.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type ConditionDraft, found, type Plan } from '../../machinery/api/reconcile.ts';
import { letGo, removeStrangers } from './cleanup.ts';
import {
  ago,
  context,
  controlPlaneOf,
  type MachineSituation,
  nodeNameOf,
  now,
  type Situation,
  specOf,
  storyOf,
} from './control-plane.fixture.ts';
import type { ControlPlane } from './control-plane.ts';
import { planDeletion } from './delete.ts';
import { keepsQuorum } from './etcd.ts';
import { domainForNew, machineToTake } from './failure-domains.ts';
import { annotations } from './names.ts';
import { preflight } from './preflight.ts';
import { reconcile } from './reconcile.ts';
import { remediate } from './remediation.ts';
import { rollOut } from './rollout.ts';
import { scale } from './scale.ts';

const three: MachineSituation[] = [
  { name: 'a', age: 30 },
  { name: 'b', age: 20 },
  { name: 'c', age: 10 },
];
const [a, b, c] = three as [MachineSituation, MachineSituation, MachineSituation];
const old = (machine: MachineSituation): MachineSituation => ({ ...machine, version: 'v1.34.0' });
const gone = (machine: MachineSituation): MachineSituation => ({
  ...machine,
  deleting: true,
  stage: 'WaitingForPreTerminateHook',
});
const does = (plan: Plan | undefined) => plan && storyOf(plan.actions);

const creation = (name: string) => [
  `create AWSMachine ${name}`,
  `create KubeadmConfig ${name}`,
  `create Machine ${name}`,
];

describe('scaling', () => {
  it.each<Situation & { rule: string; expected: string[] | undefined }>([
    { rule: 'initialises with the first machine', machines: [], initialized: false, expected: creation('kcp-xxxx0') },
    {
      rule: 'waits for the first machine before it adds a second',
      machines: [{ name: 'a' }],
      initialized: false,
      expected: [],
    },
    { rule: 'adds one machine at a time', machines: [a], expected: creation('kcp-xxxx0') },
    { rule: 'does nothing at the desired number', machines: three, expected: undefined },
    { rule: 'does not add while a machine has no node', machines: [a, { name: 'b', node: false }], expected: [] },
    {
      rule: 'does not add while a component is not healthy',
      machines: [a, { name: 'b', healthy: false }],
      expected: [],
    },
    {
      rule: 'does not add while a machine is being deleted',
      machines: [a, { name: 'b', deleting: true }],
      expected: [],
    },
    { rule: 'does not add without certificates', machines: [a], missing: ['etcd'], expected: [] },
    { rule: 'does not add without a template', machines: [a], template: false, expected: [] },
    { rule: 'takes the oldest machine', machines: three, replicas: 1, expected: ['delete Machine a'] },
    {
      rule: 'moves the leadership away first',
      machines: three,
      replicas: 1,
      leader: 'a',
      expected: [`etcdMoveLeader id-${nodeNameOf('c')}`, 'delete Machine a'],
    },
    {
      rule: 'takes the machine that is marked',
      machines: [a, { ...b, annotations: { 'cluster.x-k8s.io/delete-machine': '' } }, c],
      replicas: 1,
      expected: ['delete Machine b'],
    },
    {
      rule: 'takes an outdated machine before others',
      machines: [a, old(b), c],
      replicas: 1,
      expected: ['delete Machine b'],
    },
    {
      rule: 'takes an ill machine of the outdated first',
      machines: [old(a), { ...old(b), healthy: false }, c],
      replicas: 1,
      expected: ['delete Machine b'],
    },
    {
      rule: 'does not take one while another is ill',
      machines: [a, b, { ...c, healthy: false }],
      replicas: 1,
      expected: [],
    },
    { rule: 'takes one at a time', machines: [{ ...a, deleting: true }, b, c], replicas: 1, expected: [] },
  ])('$rule', ({ expected, ...situation }) =>
    expect(does(scale(controlPlaneOf(situation), context()))).toEqual(expected));

  it('says why it waits', () => {
    const plan = scale(controlPlaneOf({ machines: [a, { name: 'b', node: false }] }), context());
    expect(plan).toMatchObject({ requeueAfter: 15, events: [{ type: 'Warning', reason: 'ControlPlaneUnhealthy' }] });
  });

  it('writes the name down before it creates anything', () => {
    const plan = scale(controlPlaneOf({ machines: [a], domains: ['z2', 'z1'] }), context());
    const note = plan?.intent?.metadata?.annotations?.[annotations.creating];
    expect(JSON.parse(note!)).toEqual({ name: 'kcp-xxxx0', init: false, failureDomain: 'z1' });
  });
});

describe('preflight', () => {
  it.each<Situation & { rule: string; adding?: boolean; expected: RegExp[] }>([
    { rule: 'passes without machines', machines: [], expected: [] },
    { rule: 'passes in good health', machines: three, expected: [] },
    {
      rule: 'names each condition that is not good',
      machines: [{ ...a, healthy: false }],
      expected: [
        /APIServerPodHealthy/,
        /ControllerManagerPodHealthy/,
        /SchedulerPodHealthy/,
        /EtcdPodHealthy/,
        /EtcdMemberHealthy/,
      ],
    },
    {
      rule: 'does not need etcd members of a foreign etcd',
      machines: [{ ...a, member: false }],
      spec: {
        kubeadmConfigSpec: {
          clusterConfiguration: { etcd: { external: { caFile: 'a', certFile: 'b', keyFile: 'c', endpoints: ['d'] } } },
        },
      },
      expected: [],
    },
    {
      rule: 'needs certificates to add',
      machines: [a],
      missing: ['sa'],
      expected: [/Certificates are not available: sa/],
    },
    { rule: 'needs no certificates to take', machines: [a], missing: ['sa'], adding: false, expected: [] },
  ])('$rule', ({ expected, adding = true, ...situation }) => {
    const problems = preflight(controlPlaneOf(situation), { adding });
    expect(problems).toHaveLength(expected.length);
    for (const [i, pattern] of expected.entries()) expect(problems[i]).toMatch(pattern);
  });
});

describe('a quorum', () => {
  const members = (ill: number, all: number): MachineSituation[] =>
    Array.from({ length: all }, (_, i) => ({ name: `m${i}`, healthy: i >= ill }));
  it.each([
    { all: 1, ill: 0, change: {}, kept: true },
    { all: 1, ill: 0, change: { plusOne: true }, kept: true },
    { all: 2, ill: 0, change: { plusOne: true }, kept: true },
    { all: 3, ill: 0, change: { plusOne: true }, kept: true },
    { all: 3, ill: 1, change: { without: 'm0' }, kept: true },
    { all: 3, ill: 1, change: { without: 'm1' }, kept: false },
    { all: 3, ill: 2, change: { without: 'm0' }, kept: false },
    { all: 5, ill: 2, change: { without: 'm0' }, kept: true },
    { all: 5, ill: 3, change: { without: 'm0' }, kept: false },
    { all: 7, ill: 3, change: { without: 'm0' }, kept: true },
    { all: 7, ill: 4, change: { without: 'm0' }, kept: false },
  ])('of $all with $ill ill after $change is kept: $kept', ({ all, ill, change, kept }) => {
    const controlPlane = controlPlaneOf({ machines: members(ill, all) });
    const etcd = found(controlPlane.live.etcd!.status)!;
    const without = 'without' in change ? { without: `id-${nodeNameOf(String(change.without))}` } : change;
    expect(keepsQuorum(etcd, controlPlane.members, without)).toBe(kept);
  });

  it('is not judged while a member has not started', () => {
    const controlPlane = controlPlaneOf({ machines: three, strangers: [''] });
    expect(keepsQuorum(found(controlPlane.live.etcd!.status)!, controlPlane.members, {})).toBe(false);
  });
});

describe('a deleted machine', () => {
  const memberOf = (name: string) => `id-${nodeNameOf(name)}`;
  it.each<Situation & { rule: string; expected: string[] | undefined }>([
    {
      rule: 'is not touched before it waits for us',
      machines: [{ ...a, deleting: true, stage: 'DrainingNode' }, b, c],
      expected: undefined,
    },
    {
      rule: 'leaves etcd and then goes on',
      machines: [gone(a), b, c],
      leader: 'b',
      expected: [`etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'],
    },
    {
      rule: 'gives the leadership away before',
      machines: [gone(a), b, c],
      leader: 'a',
      expected: [`etcdMoveLeader ${memberOf('c')}`, `etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'],
    },
    { rule: 'stays while etcd would lose its quorum', machines: [gone(a), { ...b, healthy: false }, c], expected: [] },
    { rule: 'stays while the members are not known', machines: [gone(a), b, c], etcdReadable: false, expected: [] },
    {
      rule: 'goes on when its member is gone',
      machines: [{ ...gone(a), member: false }, b, c],
      expected: ['patch Machine a'],
    },
    {
      rule: 'goes on when it never had a node',
      machines: [{ ...gone(a), node: false }, b, c],
      expected: ['patch Machine a'],
    },
    { rule: 'goes on when it is the last', machines: [gone(a)], replicas: 1, expected: ['patch Machine a'] },
    {
      rule: 'waits for the one deleted before it',
      machines: [{ ...a, deleting: true, stage: 'DrainingNode' }, gone(b), c],
      expected: undefined,
    },
    {
      rule: 'waits for other hooks, which may need its node',
      machines: [{ ...gone(a), annotations: { 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/mine': '' } }, b, c],
      expected: undefined,
    },
  ])('$rule', ({ expected, ...situation }) => expect(does(letGo(controlPlaneOf(situation)))).toEqual(expected));
});

describe('a member of etcd without a machine', () => {
  it.each<Situation & { rule: string; expected: string[] | undefined }>([
    { rule: 'is taken out', machines: three, strangers: ['ghost'], expected: ['etcdRemoveMember id-ghost'] },
    {
      rule: 'stays while a machine has no node, which may be its own',
      machines: [a, b, { ...c, node: false }],
      strangers: ['ghost'],
      expected: undefined,
    },
    {
      rule: 'stays while etcd would lose its quorum',
      machines: [a, { ...b, healthy: false }, { ...c, healthy: false }],
      strangers: ['ghost'],
      expected: undefined,
    },
    { rule: 'is not looked for when there is none', machines: three, expected: undefined },
  ])('$rule', ({ expected, ...situation }) =>
    expect(does(removeStrangers(controlPlaneOf(situation)))).toEqual(expected));
});

describe('a rollout', () => {
  it.each<Situation & { rule: string; expected: string[] | undefined }>([
    { rule: 'does nothing when all is up to date', machines: three, expected: undefined },
    { rule: 'adds a machine within the surge', machines: [old(a), old(b), old(c)], expected: creation('kcp-xxxx0') },
    {
      rule: 'then takes an old one',
      machines: [old(a), old(b), old(c), { name: 'd' }],
      expected: ['delete Machine a'],
    },
    {
      rule: 'waits until the new one is healthy',
      machines: [old(a), old(b), old(c), { name: 'd', node: false }],
      expected: [],
    },
    {
      rule: 'takes first without a surge',
      machines: [old(a), old(b), old(c)],
      spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } } } },
      expected: ['delete Machine a'],
    },
    {
      rule: 'then adds',
      machines: [old(b), old(c)],
      spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } } } },
      expected: creation('kcp-xxxx0'),
    },
    {
      rule: 'replaces what was cloned from another template',
      machines: [{ ...a, template: 'other' }, b, c],
      expected: creation('kcp-xxxx0'),
    },
    {
      rule: 'replaces what is older than the moment given',
      machines: [a, b, c],
      spec: { rollout: { after: ago(15) } },
      expected: creation('kcp-xxxx0'),
    },
    {
      rule: 'replaces nothing before that moment',
      machines: [a, b, c],
      spec: { rollout: { after: ago(-15) } },
      expected: undefined,
    },
    {
      rule: 'leaves machines alone that are on their way out',
      machines: [{ ...old(a), deleting: true }, b, c],
      expected: undefined,
    },
  ])('$rule', ({ expected, ...situation }) =>
    expect(does(rollOut(controlPlaneOf(situation), context()))).toEqual(expected));

  it('first tells the cluster what joins', () => {
    const controlPlane = controlPlaneOf({ machines: [old(a), old(b), old(c)] });
    const data = { ClusterConfiguration: 'kubernetesVersion: v1.34.0\n' };
    const live = {
      ...controlPlane.live,
      kubeadmConfig: {
        state: 'found',
        value: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kubeadm-config' }, data },
      },
      kubeletClientBinding: { state: 'absent' },
    } as typeof controlPlane.live;
    expect(does(rollOut({ ...controlPlane, live }, context()))).toEqual(['create', 'patch kubeadm-config']);
  });

  it('waits while the workload cluster does not answer', () => {
    const controlPlane = controlPlaneOf({ machines: [old(a), old(b), old(c)] });
    const live = { ...controlPlane.live, kubeadmConfig: { state: 'unreadable', reason: 'timeout' } as const };
    expect(rollOut({ ...controlPlane, live }, context())).toEqual({ requeueAfter: 15 });
  });
});

describe('failure domains', () => {
  const domains = ['z1', 'z2', 'z3'];
  it.each<{ rule: string; machines: MachineSituation[]; expected: string | undefined }>([
    { rule: 'the first by name when all are empty', machines: [], expected: 'z1' },
    {
      rule: 'the emptiest',
      machines: [
        { name: 'a', domain: 'z1' },
        { name: 'b', domain: 'z2' },
      ],
      expected: 'z3',
    },
    {
      rule: 'outdated machines do not count',
      machines: [
        { name: 'a', domain: 'z1' },
        { ...old(b), domain: 'z2' },
        { name: 'c', domain: 'z3' },
      ],
      expected: 'z2',
    },
  ])('$rule gets a new machine', ({ machines, expected }) => {
    const { cluster, members } = controlPlaneOf({ machines, domains });
    expect(domainForNew(cluster, members)).toBe(expected);
  });
  it('none when there are none', () => {
    const { cluster, members } = controlPlaneOf({ machines: three });
    expect(domainForNew(cluster, members)).toBeUndefined();
  });
  it.each<{ rule: string; machines: MachineSituation[]; expected: string }>([
    {
      rule: 'the oldest of the fullest',
      machines: [
        { name: 'a', domain: 'z1', age: 90 },
        { name: 'b', domain: 'z2', age: 20 },
        { name: 'c', domain: 'z2', age: 30 },
      ],
      expected: 'c',
    },
    {
      rule: 'one in no known domain first',
      machines: [
        { name: 'a', domain: 'z1', age: 90 },
        { name: 'b', domain: 'elsewhere', age: 1 },
      ],
      expected: 'b',
    },
  ])('$rule goes', ({ machines, expected }) => {
    const { cluster, members } = controlPlaneOf({ machines, domains });
    expect(machineToTake(cluster, members, members)?.machine.metadata.name).toBe(expected);
  });
});

describe('remediation', () => {
  const ill = (machine: MachineSituation): MachineSituation => ({ ...machine, healthy: false, unhealthy: true });
  const tried = (retryCount: number, minutes: number) => ({
    [annotations.remediationFor]: JSON.stringify({ machine: 'x', timestamp: ago(minutes), retryCount }),
  });
  it.each<Situation & { rule: string; expected: string[] | undefined }>([
    {
      rule: 'replaces the unhealthy machine',
      machines: [ill(a), b, c],
      expected: ['patch Machine a', 'delete Machine a'],
    },
    {
      rule: 'moves the leadership first',
      machines: [ill(a), b, c],
      leader: 'a',
      expected: [`etcdMoveLeader id-${nodeNameOf('c')}`, 'patch Machine a', 'delete Machine a'],
    },
    {
      rule: 'takes one at a time',
      machines: [ill(a), b, c],
      annotations: { [annotations.remediationInProgress]: '{}' },
      expected: undefined,
    },
    { rule: 'leaves the only machine', machines: [ill(a)], replicas: 1, expected: ['patch Machine a'] },
    {
      rule: 'waits while another is being deleted',
      machines: [ill(a), b, { ...c, deleting: true }],
      expected: ['patch Machine a'],
    },
    {
      rule: 'waits while another comes up',
      machines: [ill(a), b, { ...c, node: false }],
      expected: ['patch Machine a'],
    },
    {
      rule: 'does not break the quorum',
      machines: [ill(a), { ...b, healthy: false }, c],
      expected: ['patch Machine a'],
    },
    {
      rule: 'may replace the first machine of all',
      machines: [{ ...ill(a), node: false }],
      initialized: false,
      expected: ['patch Machine a', 'delete Machine a'],
    },
    { rule: 'has nothing to do when nobody is ill', machines: three, expected: undefined },
  ])('$rule', ({ expected, ...situation }) =>
    expect(does(remediate(controlPlaneOf(situation), context()))).toEqual(expected));

  it.each<{ rule: string; notes: Record<string, string>; expected: number | undefined }>([
    { rule: 'counts the first try as none', notes: {}, expected: 0 },
    { rule: 'counts on when the last was a short time ago', notes: tried(1, 10), expected: 2 },
    { rule: 'begins anew after a healthy period', notes: tried(1, 90), expected: 0 },
    { rule: 'gives up after so many', notes: tried(3, 10), expected: undefined },
    { rule: 'waits between tries', notes: tried(1, 1), expected: undefined },
  ])('$rule', ({ notes, expected }) => {
    const spec = { remediation: { maxRetry: 3, retryPeriodSeconds: 300 } };
    const plan = remediate(controlPlaneOf({ machines: [{ ...ill(a), annotations: notes }, b, c], spec }), context());
    const note = plan?.intent?.metadata?.annotations?.[annotations.remediationInProgress];
    expect(note && JSON.parse(note).retryCount).toBe(expected);
  });

  it('replaces even while another is ill, when it is on its way', () => {
    const notes = {
      [annotations.remediationInProgress]: JSON.stringify({ machine: 'x', timestamp: ago(1), retryCount: 0 }),
    };
    const plan = scale(controlPlaneOf({ machines: [a, { ...b, healthy: true }], annotations: notes }), context());
    expect(does(plan)).toEqual(creation('kcp-xxxx0'));
    const machine = plan!.actions!.at(-1) as { object: { metadata: { annotations: Record<string, string> } } };
    expect(machine.object.metadata.annotations[annotations.remediationFor]).toBe(
      notes[annotations.remediationInProgress],
    );
  });
});

describe('deletion', () => {
  it.each<Situation & { rule: string; reason: string; expected: string[] | undefined; finished?: boolean }>([
    { rule: 'waits for the workers', machines: three, workers: 2, reason: 'WaitingForWorkersDeletion', expected: [] },
    {
      rule: 'deletes all at once and lets them go',
      machines: [a, b],
      reason: 'WaitingForMachineDeletion',
      expected: ['patch Machine a', 'delete Machine a', 'patch Machine b', 'delete Machine b'],
    },
    { rule: 'is finished when none is left', machines: [], reason: 'DeletionCompleted', expected: [], finished: true },
  ])('$rule', ({ reason, expected, finished, ...situation }) => {
    const { plan, condition } = planDeletion(controlPlaneOf({ ...situation, deleting: true }), now);
    expect(condition.reason).toBe(reason);
    expect(storyOf(plan.actions)).toEqual(expected);
    expect(plan.finished ?? false).toBe(finished ?? false);
  });

  it('never finishes on a list that could not be read', () => {
    const controlPlane = {
      ...controlPlaneOf({ machines: [], deleting: true }),
      workers: { state: 'unreadable', reason: 'x' } as const,
    };
    expect(planDeletion(controlPlane, now).plan.finished).toBeUndefined();
  });
});

/** Carries out the patches of a plan, as the loop would. */
const patched = (controlPlane: ControlPlane, { actions = [] }: Plan): ControlPlane => {
  const apply = <T extends KubeObject | undefined>(object: T): T =>
    actions.reduce<T>(
      (result, action) =>
        result && action.do === 'patch' && action.kind === result.kind && action.name === result.metadata.name
          ? mergePatch(result, action.patch)
          : result,
      object,
    );
  const template = found(controlPlane.template)!;
  return {
    ...controlPlane,
    template: { state: 'found', value: apply(template) },
    members: controlPlane.members.map((member) => ({
      ...member,
      machine: apply(member.machine),
      infraMachine: apply(member.infraMachine),
      config: apply(member.config),
    })),
  };
};
/** What is left when the first passes have put owners, labels and gates in order. */
const settled = (situation: Situation): ControlPlane => {
  let controlPlane = controlPlaneOf(situation);
  for (let pass = 0; pass < 3; pass++) controlPlane = patched(controlPlane, reconcile({ controlPlane }, context()));
  return controlPlane;
};

describe('a settled control plane', () => {
  it('does nothing but look again after a while', () => {
    const plan = reconcile({ controlPlane: settled({ machines: three }) }, context());
    expect(plan).toMatchObject({ requeueAfter: 24 * 60 * 60 });
    expect(plan.actions).toBeUndefined();
    expect(plan.intent).toBeUndefined();
  });

  it('follows labels, gates and timeouts in place', () => {
    const spec = specOf({ replicas: 3 });
    const { machineTemplate } = spec;
    const metadata = { labels: { tier: 'one' }, annotations: { note: 'n' } };
    const before = settled({ machines: [a], replicas: 1, spec: { machineTemplate: { ...machineTemplate, metadata } } });
    expect(before.members[0]!.machine.metadata.labels).toMatchObject({ tier: 'one' });
    expect(before.members[0]!.infraMachine!.metadata.labels).toMatchObject({ tier: 'one' });
    const changed = { ...machineTemplate, spec: { ...machineTemplate.spec, deletion: { nodeDrainTimeoutSeconds: 5 } } };
    const kcp = { ...before.kcp, spec: { ...before.kcp.spec!, machineTemplate: changed } };
    const plan = reconcile({ controlPlane: { ...before, kcp } }, context());
    const after = patched({ ...before, kcp }, plan).members[0]!.machine;
    expect(after.metadata.labels).not.toHaveProperty('tier');
    expect(after.metadata.annotations).not.toHaveProperty('note');
    expect(after.spec!.deletion).toEqual({ nodeDeletionTimeoutSeconds: 10, nodeDrainTimeoutSeconds: 5 });
  });

  it('counts and judges what there is', () => {
    const controlPlane = controlPlaneOf({ machines: [a, old(b), { ...c, healthy: false }] });
    const { status } = reconcile({ controlPlane }, context());
    expect(status).toMatchObject({ replicas: 3, upToDateReplicas: 2, version: 'v1.34.0' });
    const conditions = status!.conditions as unknown as ConditionDraft[];
    expect(Object.fromEntries(conditions.map(({ type, status }) => [type, status]))).toMatchObject({
      Available: 'True',
      CertificatesAvailable: 'True',
      EtcdClusterHealthy: 'Unknown',
      ControlPlaneComponentsHealthy: 'False',
      RollingOut: 'True',
      ScalingUp: 'False',
      Deleting: 'False',
    });
  });

  it.each<Situation & { rule: string; expected: string }>([
    { rule: 'is available while a minority is ill', machines: [a, b, { ...c, healthy: false }], expected: 'True' },
    {
      rule: 'is not available without a quorum',
      machines: [a, { ...b, healthy: false }, { ...c, healthy: false }],
      expected: 'False',
    },
    { rule: 'is available with fewer machines than wanted', machines: [a], expected: 'True' },
    {
      rule: 'is not available before it is initialised',
      machines: [{ name: 'a', node: false }],
      initialized: false,
      expected: 'False',
    },
    { rule: 'is not available without its certificates', machines: three, missing: ['ca'], expected: 'False' },
  ])('$rule', ({ expected, ...situation }) => {
    const { status } = reconcile({ controlPlane: controlPlaneOf(situation) }, context());
    const conditions = status!.conditions as unknown as ConditionDraft[];
    expect(conditions.find(({ type }) => type === 'Available')?.status).toBe(expected);
  });

  it('is not touched when it asks for what is not acted on, and says so', () => {
    const external = { caFile: 'a', certFile: 'b', keyFile: 'c', endpoints: ['https://d'] };
    const spec = { kubeadmConfigSpec: { clusterConfiguration: { etcd: { external } } } };
    const plan = reconcile({ controlPlane: controlPlaneOf({ machines: [], initialized: false, spec }) }, context());
    expect(plan.actions).toBeUndefined();
    const conditions = plan.status!.conditions as unknown as ConditionDraft[];
    expect(conditions.find(({ type }) => type === 'Available')?.message).toMatch(
      /External etcd: accepted and stored, but not acted on/,
    );
  });
});

describe('what was left behind', () => {
  it('is waited for: Secrets of a control plane of the same name will be collected', () => {
    const controlPlane = settled({ machines: [], initialized: false });
    const ca = found(controlPlane.certificates.secrets.ca)!;
    const owners = [{ ...ca.metadata.ownerReferences![0]!, uid: 'another' }];
    const secrets = {
      ...controlPlane.certificates.secrets,
      ca: { state: 'found', value: { ...ca, metadata: { ...ca.metadata, ownerReferences: owners } } } as const,
    };
    const plan = reconcile({ controlPlane: { ...controlPlane, certificates: { secrets, generated: {} } } }, context());
    expect(plan.actions).toBeUndefined();
    expect(plan.requeueAfter).toBe(5);
  });
});
