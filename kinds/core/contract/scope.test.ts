import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { clusterScope } from './scope.ts';
import { operationAnnotations } from './target.ts';

const { operation, target, objectTargets, wasAvailable } = operationAnnotations;
const cluster = (annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'demo', uid: 'uid', annotations: { [operation]: 'demo-create-1', ...annotations } },
});
const member = (kind: string, name: string): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind,
  metadata: { name },
});
const workers = member('MachineDeployment', 'workers');
const workflows = { workflows: true };
const reasonFor = (of: KubeObject | undefined, object = workers, uid?: string, config: object = workflows) =>
  clusterScope.withheldFrom(of, { object, uid }, config as Record<string, boolean>)?.reason;

describe('a member of a cluster', () => {
  it.each<{ rule: string; annotations: Record<string, string>; reason: string | undefined; releases?: boolean }>([
    { rule: 'waits before an operation admits the cluster', annotations: {}, reason: 'WaitingForOperation' },
    { rule: 'follows its spec once the cluster is admitted', annotations: { [target]: 'Build' }, reason: undefined },
    { rule: 'is held with the cluster', annotations: { [target]: 'Hold' }, reason: 'OnHold' },
    { rule: 'is released with the cluster', annotations: { [target]: 'Nothing' }, reason: 'TornDown', releases: true },
    {
      rule: 'is held if the cluster was Available',
      annotations: { [target]: 'Nothing', [wasAvailable]: 'true' },
      reason: undefined,
    },
  ])('$rule', ({ annotations, reason, releases = false }) => {
    const withheld = clusterScope.withheldFrom(cluster(annotations), { object: workers, uid: undefined }, workflows);
    expect(withheld?.reason).toBe(reason);
    expect(withheld?.releases ?? false).toBe(releases);
  });

  it('follows its spec without workflows, whatever the target is', () =>
    expect(reasonFor(cluster({ [target]: 'Hold' }), workers, 'other', {})).toBeUndefined());

  it.each([
    { rule: 'without the Cluster that its resources were created for', of: undefined, uid: 'uid', reason: 'OnHold' },
    {
      rule: 'under a namesake of its Cluster',
      of: cluster({ [target]: 'Nothing' }),
      uid: 'other',
      reason: 'OnHold',
    },
    { rule: 'under its own Cluster', of: cluster({ [target]: 'Build' }), uid: 'uid', reason: undefined },
    { rule: 'without a Cluster and without a recorded UID', of: undefined, uid: undefined, reason: undefined },
  ])('$rule: $reason', ({ of, uid, reason }) => expect(reasonFor(of, workers, uid)).toBe(reason));
});

describe('the target of one object', () => {
  const targets = (text: string, more: Record<string, string> = {}) =>
    cluster({ [target]: 'Build', [wasAvailable]: 'true', [objectTargets]: text, ...more });
  const holding = JSON.stringify({ 'MachineDeployment/workers': { target: 'Hold' } });
  it.each([
    { rule: 'holds this object', of: targets(holding), object: workers, reason: 'OnHold' },
    { rule: 'holds no other object of its kind', of: targets(holding), object: member('MachineDeployment', 'gpu') },
    { rule: 'holds no namesake of another kind', of: targets(holding), object: member('MachineSet', 'workers') },
    { rule: 'yields to a hold of the whole cluster', of: targets(holding, { [target]: 'Hold' }), reason: 'OnHold' },
    {
      rule: 'admits nothing that the cluster does not admit',
      of: targets('{"MachineDeployment/workers":{"target":"Build"}}', { [target]: 'Hold' }),
      reason: 'OnHold',
    },
    { rule: 'is ignored in another format', of: targets('MachineDeployment/workers=Hold') },
    { rule: 'is ignored as a list', of: targets('[null]') },
  ])('$rule', ({ of, object = workers, reason }) => expect(reasonFor(of, object)).toBe(reason));
});
