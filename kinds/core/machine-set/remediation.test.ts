import { describe, expect, it } from 'vitest';
import type { Action } from '../../../machinery/api/reconcile.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineDeployment } from '../machine-deployment/schema.ts';
import type { Observed } from './observe.ts';
import { remediate } from './remediation.ts';
import type { MachineSet } from './schema.ts';

const now = Date.UTC(2026, 0, 2);
const core = 'cluster.x-k8s.io/v1beta2';
const revision = (n: number) => ({ 'machinedeployment.clusters.x-k8s.io/revision': String(n) });

interface Given {
  name: string;
  /** Whether the health check succeeds; absent if there is none. */
  isWell?: boolean;
  /** The reason of a False OwnerRemediated condition; absent if there is no condition. */
  because?: string;
  isMarked?: boolean;
  isGoing?: boolean;
  /** The creation time, in hours since midnight. */
  made?: number;
}
const machineOf = ({ name, isWell, because, isMarked, isGoing, made = 0 }: Given): Machine =>
  ({
    apiVersion: core,
    kind: 'Machine',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '3',
      creationTimestamp: new Date(Date.UTC(2026, 0, 1, made)).toISOString(),
      ...(isMarked && { annotations: { 'cluster.x-k8s.io/remediate-machine': '' } }),
      ...(isGoing && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Ready', message: '' },
        ...(isWell === undefined
          ? []
          : [{ type: 'HealthCheckSucceeded', status: isWell ? 'True' : 'False', reason: 'Checked', message: '' }]),
        ...(because ? [{ type: 'OwnerRemediated', status: 'False', reason: because, message: 'as before' }] : []),
      ],
    },
  }) as unknown as Machine;
const ill = (name: string, more: Partial<Given> = {}): Given => ({
  name,
  isWell: false,
  because: 'WaitingForRemediation',
  ...more,
});
const going = (name: string): Given => ill(name, { isGoing: true, because: 'MachineDeleting' });

interface Setting {
  machines: Given[];
  /** The limit of the MachineDeployment; absent if the set has none. */
  maxInFlight?: number | string;
  isDeployed?: boolean;
  isFormer?: boolean;
  isUpgrading?: boolean;
}
const observedOf = ({ maxInFlight, isDeployed = maxInFlight !== undefined, isFormer, isUpgrading }: Setting) =>
  ({
    machineSet: {
      apiVersion: core,
      kind: 'MachineSet',
      metadata: { name: 'set', namespace: 'default', annotations: revision(isFormer ? 1 : 2) },
      spec: { clusterName: 'c', selector: {}, template: { spec: { version: 'v1.35.0' } } },
    } as unknown as MachineSet,
    machineDeployment: isDeployed
      ? ({
          apiVersion: core,
          kind: 'MachineDeployment',
          metadata: { name: 'd', annotations: revision(2) },
          spec: { replicas: 5, ...(maxInFlight !== undefined && { remediation: { maxInFlight } }) },
        } as unknown as MachineDeployment)
      : undefined,
    templates: undefined,
    controlPlane: {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmControlPlane',
      metadata: { name: 'cp', namespace: 'default' },
      spec: { version: 'v1.35.0' },
      status: { versions: [{ version: isUpgrading ? 'v1.34.0' : 'v1.35.0', replicas: 1 }] },
    },
  }) as unknown as Observed;

/** `a: Reason` for a condition, `a: well` if the condition is removed, and `delete a`. */
const summaryOf = (action: Action): string => {
  if (action.do === 'delete') return `delete ${action.name}`;
  if (action.do !== 'patch') return action.do;
  const { conditions } = action.patch.status as { conditions: { type: string; reason: string }[] };
  return `${action.name}: ${conditions.find(({ type }) => type === 'OwnerRemediated')?.reason ?? 'well'}`;
};
const does = (setting: Setting) =>
  remediate(observedOf(setting), setting.machines.map(machineOf), now).actions.map(summaryOf);

describe('Machines that a health check found unhealthy', () => {
  it.each<Setting & { rule: string; expected: string[] }>([
    {
      rule: 'are all deleted at once without a limit',
      machines: [ill('a'), { name: 'b', isWell: true }, ill('c')],
      expected: ['a: MachineDeleting', 'delete a', 'c: MachineDeleting', 'delete c'],
    },
    {
      rule: 'are deleted after a pass that crashed before the deletion',
      machines: [{ ...going('a'), isGoing: false }],
      expected: ['a: MachineDeleting', 'delete a'],
    },
    { rule: 'are kept without an OwnerRemediated condition', machines: [{ name: 'a', isWell: false }], expected: [] },
    { rule: 'are ignored once they are in deletion', machines: [ill('a', { isGoing: true })], expected: [] },
    {
      rule: 'are deleted in order: annotated, newest, by name',
      machines: [ill('a'), ill('c'), ill('b'), ill('new', { made: 2 }), ill('old', { isMarked: true })],
      maxInFlight: 4,
      expected: [
        'c: RemediationDeferred',
        ...['old', 'new', 'a', 'b'].flatMap((name) => [`${name}: MachineDeleting`, `delete ${name}`]),
      ],
    },
    {
      rule: 'are deleted up to the limit of their deployment',
      machines: [going('a'), ill('b'), ill('c')],
      maxInFlight: 2,
      expected: ['c: RemediationDeferred', 'b: MachineDeleting', 'delete b'],
    },
    {
      rule: 'wait when the limit is reached',
      machines: [going('a'), ill('b')],
      maxInFlight: 1,
      expected: ['b: RemediationDeferred'],
    },
    {
      rule: 'wait when the limit is exceeded',
      machines: [going('a'), going('b'), ill('c')],
      maxInFlight: 1,
      expected: ['c: RemediationDeferred'],
    },
    {
      rule: 'do not wait for machines that are deleted for other reasons',
      machines: [{ name: 'a', isGoing: true }, ill('b')],
      maxInFlight: 1,
      expected: ['b: MachineDeleting', 'delete b'],
    },
    {
      rule: 'may be limited by a percentage, rounded up',
      machines: [ill('a'), ill('b'), ill('c')],
      maxInFlight: '30%',
      expected: ['c: RemediationDeferred', 'a: MachineDeleting', 'delete a', 'b: MachineDeleting', 'delete b'],
    },
    {
      rule: 'are all deleted at once when their deployment has no limit',
      machines: [ill('a'), ill('b')],
      isDeployed: true,
      expected: ['a: MachineDeleting', 'delete a', 'b: MachineDeleting', 'delete b'],
    },
    {
      rule: 'are not replaced by an old set of a rollout',
      machines: [ill('a')],
      isDeployed: true,
      isFormer: true,
      expected: ['a: CannotBeRemediated'],
    },
    {
      rule: 'wait while they could not be replaced',
      machines: [ill('a')],
      isUpgrading: true,
      expected: ['a: RemediationDeferred'],
    },
    {
      rule: 'are no longer replaced once they are healthy again',
      machines: [
        { name: 'a', isWell: true, because: 'RemediationDeferred' },
        { name: 'b', isWell: true },
      ],
      expected: ['a: well'],
    },
  ])('$rule', ({ expected, ...setting }) => expect(does(setting)).toEqual(expected));

  it('report why they wait, once', () => {
    const setting = { machines: [going('a'), ill('b')], maxInFlight: '10%' };
    const [action] = remediate(observedOf(setting), setting.machines.map(machineOf), now).actions;
    const status = action?.do === 'patch' ? (action.patch.status as Machine['status']) : undefined;
    const condition = status?.conditions?.find(({ type }) => type === 'OwnerRemediated');
    expect(condition?.message).toContain('spec.remediation.maxInFlight is 10%');
    const again = { ...machineOf(ill('b')), status } as Machine;
    expect(remediate(observedOf(setting), [machineOf(going('a')), again], now).actions).toEqual([]);
  });

  it('are marked at the observed version, and deleted only afterwards', () => {
    const { actions, events } = remediate(observedOf({ machines: [] }), [machineOf(ill('a'))], now);
    expect(actions).toMatchObject([
      { do: 'patch', resourceVersion: '3', group: 'a' },
      { do: 'delete', uid: 'uid-a', group: 'a' },
    ]);
    expect(events).toMatchObject([{ reason: 'SuccessfulDelete', message: expect.stringContaining('"a"') }]);
  });

  it('leave the set if they are preserved, only once they are in deletion', () => {
    const annotations = { 'capstan.dev/preserve': '1h' };
    const kept = (name: string, isGoing: boolean): Machine => {
      const machine = machineOf(isGoing ? going(name) : ill(name));
      const ownerReferences = ['of-set', 'of-other'].map((uid) => ({ apiVersion: core, kind: 'Any', name: uid, uid }));
      return { ...machine, metadata: { ...machine.metadata, annotations, ownerReferences } };
    };
    const observed = observedOf({ machines: [] });
    observed.machineSet.metadata.uid = 'of-set';
    observed.machineSet.spec!.selector = { matchLabels: { pool: 'a', 'cluster.x-k8s.io/cluster-name': 'c' } };
    const { actions } = remediate(observed, [kept('a', false), kept('b', true)], now);
    expect(actions.map(({ do: what, group }) => `${group}: ${what}`)).toEqual(['b: patch', 'a: patch', 'a: delete']);
    const [{ patch }] = actions as [Extract<Action, { do: 'patch' }>];
    expect(patch.metadata).toMatchObject({
      annotations: { 'capstan.dev/preserved-from': 'set' },
      ownerReferences: [{ uid: 'of-other' }],
      labels: { pool: null, 'cluster.x-k8s.io/set-name': null },
    });
    expect(patch.metadata?.labels).not.toHaveProperty('cluster.x-k8s.io/cluster-name');
  });

  it('report once that remediation is held, and leave it to users', () => {
    const machine = machineOf(ill('a', { made: 30 }));
    const note = { template: '', count: 4, at: new Date(Date.UTC(2026, 0, 1)).toISOString() };
    const held = (one: Machine) => {
      const observed = observedOf({ machines: [] });
      const first = remediate(observed, [machineOf(ill('x'))], now).note!;
      note.template = (JSON.parse(first) as { template: string }).template;
      const { metadata } = observed.machineSet;
      metadata.annotations = { ...metadata.annotations, 'capstan.dev/remediations': JSON.stringify(note) };
      return remediate(observed, [one], now);
    };
    expect(held(machine).actions.map(summaryOf)).toEqual(['a: RemediationHeld']);
    expect(held(machine).events).toMatchObject([{ type: 'Warning', reason: 'RemediationHeld' }]);
    const again = machineOf(ill('a', { made: 30, because: 'RemediationHeld' }));
    expect(held(again).events).toEqual([]);
    const marked = machineOf(ill('a', { made: 30, isMarked: true }));
    expect(held(marked).actions.map(summaryOf)).toEqual(['a: MachineDeleting', 'delete a']);
  });
});
