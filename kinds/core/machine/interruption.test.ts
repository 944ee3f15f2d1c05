import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Plan } from '../../../machinery/api/reconcile.ts';
import { type Interruption, interruptionNote, interruptionOf } from '../contract/interruption.ts';
import { isDrainDue, isVolumeWaitDue } from './deletion.ts';
import {
  ago,
  cluster,
  conditionsOf,
  config,
  controlPlaneMachine,
  core,
  host,
  kubeconfig,
  machine,
  now,
  run,
  snapshot,
  summaryOf,
  tidy,
} from './machine.fixture.ts';
import type { Machine, MachineStatus } from './schema.ts';

const providerID = 'aws:///z/i-1';
const minute = 60_000;
const warning = { reason: 'SpotInterruption', providerID, at: now, deadline: now + 2 * minute };
const recommendation = { reason: 'RebalanceRecommendation', providerID, at: now };
const noticed = (notice: object | string, more: object = {}): KubeObject => ({
  ...host,
  metadata: {
    ...host.metadata,
    annotations: { 'capstan.dev/interruption': typeof notice === 'string' ? notice : JSON.stringify(notice) },
    ...more,
  },
});
const interrupted = { type: 'HostInterrupted', status: 'True', reason: 'SpotInterruption', lastTransitionTime: ago(1) };
const atRisk = { ...interrupted, type: 'HostAtRisk', reason: 'RebalanceRecommendation' };
const set = (annotations: object = {}, kind = 'MachineSet'): KubeObject => ({
  apiVersion: core,
  kind,
  metadata: { name: 'set', namespace: 'default', uid: 'set-uid', annotations: { ...annotations } },
});
const replacing = { 'capstan.dev/replace-on-rebalance': 'true' };
const running = (metadata: object = {}, ...conditions: object[]): Machine =>
  machine({
    metadata: metadata as Machine['metadata'],
    spec: { providerID, bootstrap: { dataSecretName: 'm' } },
    status: { nodeRef: { name: 'node-1' }, conditions },
  });
const seen = (one: Machine, infra: KubeObject, ...owners: KubeObject[]): Plan<MachineStatus> =>
  run(one, [cluster(), config, infra, kubeconfig, controlPlaneMachine, snapshot([tidy]), ...owners]);

describe('a notice that the host is taken away', () => {
  it('is reported before anything else, once', () => {
    const plan = seen(running(), noticed(warning), set());
    expect(conditionsOf(plan).HostInterrupted).toEqual([
      'True',
      'SpotInterruption',
      'The provider of the AWSMachine ends the host at 2026-01-01T12:02:00Z',
    ]);
    expect(plan.actions).toEqual([]);
    expect(plan.again).toBe(true);
    expect(plan.events).toEqual([
      {
        type: 'Warning',
        reason: 'HostInterrupted',
        message: 'The provider of the AWSMachine ends the host at 2026-01-01T12:02:00Z: the Machine is replaced',
      },
    ]);
    const next = seen(running({}, interrupted), noticed(warning), set());
    expect([next.events, next.again]).toEqual([[], undefined]);
  });

  const labels = (more: object) => ({ labels: { 'cluster.x-k8s.io/cluster-name': 'c', ...more } });
  const ofControlPlane = {
    ...labels({ 'cluster.x-k8s.io/control-plane': '' }),
    ownerReferences: [{ apiVersion: 'x/v1', kind: 'KubeadmControlPlane', name: 'cp', uid: 'cp', controller: true }],
  };
  const going = { deletionTimestamp: 'x' };
  it.each<{ rule: string; one: Machine; infra?: KubeObject; owners?: KubeObject[]; does: string[] }>([
    { rule: 'has the MachineSet replace the Machine', one: running({}, interrupted), does: ['delete Machine'] },
    { rule: 'leaves a control plane to its own decision', one: running(ofControlPlane, interrupted), does: [] },
    { rule: 'leaves a Machine of a user alone', one: running({ ownerReferences: [] }, interrupted), does: [] },
    {
      rule: 'leaves a Machine alone that its user excludes from remediation',
      one: running({ annotations: { 'cluster.x-k8s.io/skip-remediation': '' } }, interrupted),
      does: [],
    },
    {
      rule: 'leaves the Machine to the deletion of its set',
      one: running({}, interrupted),
      owners: [{ ...set(), metadata: { ...set().metadata, ...going } }],
      does: [],
    },
    {
      rule: 'says nothing about another host',
      one: running({}, interrupted),
      infra: noticed({ ...warning, providerID: 'aws:///z/i-2' }),
      does: [],
    },
    { rule: 'is ignored when it is malformed', one: running({}, interrupted), infra: noticed('{'), does: [] },
    {
      rule: 'is acted on even if a recommendation came before it',
      one: running({}, atRisk, interrupted),
      does: ['delete Machine'],
    },
  ])('$rule', ({ one, infra = noticed(warning), owners = [set()], does }) =>
    expect((seen(one, infra, ...owners).actions ?? []).map(summaryOf)).toEqual(does));
});

describe('a recommendation to rebalance', () => {
  it.each<{ rule: string; owners: KubeObject[]; does: string[] }>([
    { rule: 'is only reported', owners: [set()], does: [] },
    { rule: 'leaves the Machine to a set that replaces it first', owners: [set(replacing)], does: [] },
    {
      rule: 'replaces no Machine of a set that declines it',
      owners: [set({ 'capstan.dev/replace-on-rebalance': 'false' })],
      does: [],
    },
  ])('$rule', ({ owners, does }) => {
    const first = seen(running(), noticed(recommendation), ...owners);
    expect(conditionsOf(first).HostAtRisk).toEqual([
      'True',
      'RebalanceRecommendation',
      'The provider of the AWSMachine is likely to end the host',
    ]);
    expect(first.events).toMatchObject([{ reason: 'HostAtRisk' }]);
    expect((seen(running({}, atRisk), noticed(recommendation), ...owners).actions ?? []).map(summaryOf)).toEqual(does);
  });
});

describe('the drain of a host that its provider takes away', () => {
  const facts = (infra: KubeObject, at: number) => ({
    machine: machine({ spec: { deletion: { nodeDrainTimeoutSeconds: 3600 } } }),
    cluster: { state: 'absent' } as const,
    controlPlane: undefined,
    machines: { state: 'unread' } as const,
    infraMachine: { state: 'found', value: infra } as const,
    bootstrapConfig: undefined,
    snapshot: undefined,
    isTornDown: false,
    now: at,
  });
  it.each([
    { rule: 'goes on until the host ends', infra: noticed(warning), at: warning.deadline - 1, due: true },
    { rule: 'ends with the host', infra: noticed(warning), at: warning.deadline, due: false },
    {
      rule: 'is not shortened while the end is open',
      infra: noticed(recommendation),
      at: now + 60 * minute,
      due: true,
    },
    { rule: 'is not shortened without a notice', infra: host, at: now + 60 * minute, due: true },
  ])('$rule', ({ infra, at, due }) => {
    expect(isDrainDue(facts(infra, at))).toBe(due);
    expect(isVolumeWaitDue(facts(infra, at))).toBe(due);
  });
});

describe('notices of one host', () => {
  it.each<{ rule: string; known?: Interruption; comes: Interruption; isNews: boolean }>([
    { rule: 'count once', known: warning, comes: { ...warning, at: now + 1 }, isNews: false },
    { rule: 'count at first', comes: recommendation, isNews: true },
    { rule: 'grow worse', known: recommendation, comes: warning, isNews: true },
    { rule: 'do not grow better when they come out of order', known: warning, comes: recommendation, isNews: false },
    {
      rule: 'replace those of a former host',
      known: { ...warning, providerID: 'aws:///z/i-0' },
      comes: recommendation,
      isNews: true,
    },
  ])('$rule', ({ known, comes, isNews }) => {
    const object = known ? noticed(known) : host;
    const note = interruptionNote(object, comes);
    expect(note !== undefined).toBe(isNews);
    if (note) expect(interruptionOf(noticed(note))).toEqual(comes);
  });
});
