import { expect, it } from 'vitest';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Machine } from '../machine/schema.ts';
import type { Judged } from './observe.ts';
import { restraintsOf } from './restraint.ts';
import type { MachineHealthCheck } from './schema.ts';

const checkWith = (annotations: Record<string, string> = {}, triggerIf?: object) =>
  ({
    kind: 'MachineHealthCheck',
    metadata: { name: 'check', annotations },
    spec: { clusterName: 'demo', selector: {}, ...(triggerIf && { remediation: { triggerIf } }) },
  }) as unknown as MachineHealthCheck;

const now = Date.parse('2026-01-01T12:00:00Z');

interface Given {
  /** Its provider says that its host has ended. */
  isGone?: boolean;
  /** Seconds for which it has been reported as unhealthy. */
  illFor?: number;
  zone?: string;
  /** Whether this check finds it unhealthy. */
  isIll?: boolean;
  /** The reason of a False OwnerRemediated condition. */
  because?: string;
  hasNode?: boolean;
  isRetiring?: boolean;
  isMarked?: boolean;
  isOfControlPlane?: boolean;
  isOrphan?: boolean;
  isGoing?: boolean;
  /** The zone that its Node reports. */
  nodeZone?: string;
}
const machineOf = (name: string, of: Given) =>
  ({
    kind: 'Machine',
    metadata: {
      name,
      uid: name,
      creationTimestamp: `2026-01-01T00:00:${name.padStart(2, '0')}Z`,
      labels: of.isOfControlPlane ? { 'cluster.x-k8s.io/control-plane': '' } : {},
      annotations: of.isMarked ? { 'cluster.x-k8s.io/remediate-machine': '' } : {},
      ownerReferences: of.isOrphan ? [] : [{ kind: 'MachineSet', name: 'set', uid: 's', controller: true }],
      ...(of.isGoing && { deletionTimestamp: '2026-01-02T00:00:00Z' }),
    },
    status: {
      failureDomain: of.zone ?? 'a',
      ...(of.hasNode !== false && { nodeRef: { name } }),
      ...(of.isGone && { deprecated: { v1beta1: { failureReason: 'UpdateError', failureMessage: 'terminated' } } }),
      conditions: [
        ...(of.illFor !== undefined
          ? [
              {
                type: 'HealthCheckSucceeded',
                status: 'False',
                lastTransitionTime: timestamp(now - of.illFor * 1000),
              },
            ]
          : []),
        ...(of.because ? [{ type: 'OwnerRemediated', status: 'False', reason: of.because }] : []),
        ...(of.isRetiring
          ? [
              { type: 'HostRetirementScheduled', status: 'True' },
              { type: 'NodeReady', status: 'True' },
            ]
          : []),
      ],
    },
  }) as unknown as Machine;
const times = (count: number, of: Given = {}): Given[] => Array.from({ length: count }, () => of);
const ill: Given = { isIll: true };
const open = { 'capstan.dev/remediation-budget': '100%' };

it.each<{ rule: string; check?: MachineHealthCheck; machines: Given[]; restrained: string[] }>([
  { rule: 'lets one of a few Machines be remediated', machines: [ill, ...times(2)], restrained: [] },
  {
    rule: 'lets one Machine at once be remediated in a small cluster, the newest first',
    machines: [ill, ill, ...times(3)],
    restrained: ['0: BudgetExhausted'],
  },
  {
    rule: 'lets a fifth of the worker Machines be remediated at once',
    machines: [...times(3, ill), ...times(7)],
    restrained: ['0: BudgetExhausted'],
  },
  {
    rule: 'counts Machines under remediation, also in deletion',
    machines: [ill, { isIll: true, because: 'MachineDeleting', isGoing: true }, ...times(3)],
    restrained: ['0: BudgetExhausted'],
  },
  {
    rule: 'does not count Machines that their owner does not remediate',
    machines: [ill, { isIll: true, because: 'RemediationHeld' }, ...times(3)],
    restrained: [],
  },
  {
    rule: 'does not count Machines without an owner that could remediate them',
    machines: [ill, { isIll: true, because: 'WaitingForRemediation', isOrphan: true }, ...times(3)],
    restrained: [],
  },
  {
    rule: 'leaves control plane Machines to their owner',
    machines: [...times(2, { isIll: true, isOfControlPlane: true }), ...times(3)],
    restrained: [],
  },
  {
    rule: 'has no budget where the user limits remediation by the check',
    check: checkWith({}, { unhealthyLessThanOrEqualTo: '40%' }),
    machines: [ill, ill, ...times(3)],
    restrained: [],
  },
  {
    rule: 'has the budget that the user sets, besides the limits of the check',
    check: checkWith({ 'capstan.dev/remediation-budget': '1' }, { unhealthyLessThanOrEqualTo: '100%' }),
    machines: [ill, ill, ...times(3)],
    restrained: ['0: BudgetExhausted'],
  },
  {
    rule: 'remediates nothing with a budget of zero',
    check: checkWith({ 'capstan.dev/remediation-budget': '0%' }),
    machines: [ill, ...times(4)],
    restrained: ['0: BudgetExhausted'],
  },
  {
    rule: 'remediates a Machine that a user marked, whatever the budget',
    check: checkWith({ 'capstan.dev/remediation-budget': '0' }),
    machines: [{ isIll: true, isMarked: true }, ...times(4)],
    restrained: [],
  },
  {
    rule: 'freezes a zone of which most Machines are unhealthy at once',
    check: checkWith(open),
    machines: [...times(3, ill), ...times(2), { zone: 'b', isIll: true }, { zone: 'b' }],
    restrained: ['0: ZoneUnhealthy', '1: ZoneUnhealthy', '2: ZoneUnhealthy'],
  },
  {
    rule: 'knows the zone from the Node',
    check: checkWith(open),
    machines: [...times(3, { ...ill, nodeZone: 'c' }), ...times(4)],
    restrained: ['0: ZoneUnhealthy', '1: ZoneUnhealthy', '2: ZoneUnhealthy'],
  },
  {
    rule: 'does not freeze a zone of which half is unhealthy',
    check: checkWith(open),
    machines: [...times(3, ill), ...times(3)],
    restrained: [],
  },
  { rule: 'does not freeze a zone for two Machines', check: checkWith(open), machines: times(2, ill), restrained: [] },
  {
    rule: 'does not freeze a zone for Machines that never had a Node',
    check: checkWith(open),
    machines: times(3, { isIll: true, hasNode: false }),
    restrained: [],
  },
  {
    rule: 'does not freeze a zone for retirements',
    check: checkWith(open),
    machines: times(3, { isIll: true, isRetiring: true }),
    restrained: [],
  },
  {
    rule: 'does not freeze the only zone of the workers, but replaces its Machines one after the other',
    check: checkWith({}, { unhealthyLessThanOrEqualTo: '100%' }),
    machines: [...times(4, ill), ...times(1), { zone: 'b', isOfControlPlane: true }],
    restrained: ['0: BudgetExhausted', '1: BudgetExhausted', '2: BudgetExhausted'],
  },
  {
    rule: 'does not freeze hosts that have ended',
    check: checkWith(open),
    machines: [...times(3, { isIll: true, isGone: true }), { zone: 'b' }],
    restrained: [],
  },
  {
    rule: 'replaces hosts that have ended in a zone that is frozen for others',
    check: checkWith(open),
    machines: [{ isIll: true, isGone: true }, ...times(3, ill), { zone: 'b' }],
    restrained: ['1: ZoneUnhealthy', '2: ZoneUnhealthy', '3: ZoneUnhealthy'],
  },
  {
    rule: 'ends a freeze after an hour, and replaces the Machines one after the other',
    check: checkWith({}, { unhealthyLessThanOrEqualTo: '100%' }),
    machines: [...times(3, { ...ill, illFor: 3601 }), { zone: 'b' }],
    restrained: ['0: BudgetExhausted', '1: BudgetExhausted'],
  },
  {
    rule: 'freezes a zone anew when another majority of it becomes unhealthy',
    check: checkWith(open),
    machines: [{ ...ill, illFor: 9999 }, ...times(2, { ...ill, illFor: 60 }), { zone: 'b' }],
    restrained: ['0: ZoneUnhealthy', '1: ZoneUnhealthy', '2: ZoneUnhealthy'],
  },
  {
    rule: 'does not freeze a zone if a user disables that',
    check: checkWith({ ...open, 'capstan.dev/zone-freeze': 'Off' }),
    machines: times(3, ill),
    restrained: [],
  },
])('$rule', ({ check = checkWith(), machines, restrained }) => {
  const zones = new Map(machines.flatMap(({ nodeZone }, n) => (nodeZone ? [[String(n), nodeZone] as const] : [])));
  const all = machines.map((of, n) => machineOf(String(n), of));
  const judged = all.map((machine, n): Judged => {
    const condition = { type: 'HealthCheckSucceeded', status: 'False' as const, reason: 'UnhealthyNode', message: '' };
    return { machine, verdict: machines[n]!.isIll ? { health: 'unhealthy', condition } : { health: 'healthy' } };
  });
  const found = [...restraintsOf(check, judged, all, zones, now)].map(([name, { reason }]) => `${name}: ${reason}`);
  expect(found.sort()).toEqual(restrained);
});
