/** Reports failed status checks and scheduled events of instances on their Machines. Pure. */

import { conditionOf, withConditions } from '../../../machinery/api/conditions.ts';
import type { Action, ConditionDraft, Context, EventDraft, Plan } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { patchAsObserved } from '../../common/owners.ts';
import { hasHostReport, hostConditions } from '../../core/contract/host-health.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { findNamed } from '../../core/contract/named.ts';
import type { Machine } from '../../core/machine/index.ts';
import { instanceIdOf } from '../aws-machine/instance-id.ts';
import { findingsOf } from './findings.ts';
import type { Observed } from './observe.ts';

/**
 * Seconds between reads. EC2 checks each minute; a failure counts after ten, and the notice of a
 * retirement comes days ahead.
 */
export const period = 300;

const isNews = (machine: Machine, { type, status, reason, message }: ConditionDraft): boolean => {
  const before = conditionOf(machine.status?.conditions, type);
  return before?.status !== status || before.reason !== reason || before.message !== message;
};

/** What to report about a Machine; undefined while EC2 says nothing about its instance. */
const findingsFor = ({ isChecked, awsMachines, statuses }: Observed, { spec }: Machine) => {
  if (!isChecked) return [];
  const awsMachine = findNamed(awsMachines, spec?.infrastructureRef);
  const status = awsMachine && statuses.get(instanceIdOf(awsMachine) ?? '');
  return status && findingsOf(status);
};

const report = (machine: Machine, findings: readonly ConditionDraft[]): Action[] => {
  const before = machine.status?.conditions ?? [];
  const isOver = hostConditions.some(
    (type) => conditionOf(before, type) && !findings.some((finding) => finding.type === type),
  );
  if (!isOver && !findings.some((finding) => isNews(machine, finding))) return [];
  const others = before.filter(({ type }) => !hostConditions.includes(type));
  const conditions = withConditions(others, ...findings);
  return [{ ...patchAsObserved(machine, { status: { conditions } }), group: machine.metadata.name }];
};

const eventsOf = (machine: Machine, findings: readonly ConditionDraft[]): EventDraft[] =>
  findings
    .filter((finding) => conditionOf(machine.status?.conditions, finding.type)?.reason !== finding.reason)
    .map(({ reason, message }) => ({
      type: 'Warning',
      reason: reason ?? '',
      message: `Machine ${machine.metadata.name}: ${message}`,
    }));

export const reconcile = (observed: Observed, { config }: Context): Plan => {
  // A failed read is repeated by the loop.
  if (!observed.isWhole) return {};
  const known = observed.machines
    .filter((machine) => !isDeleting(machine))
    .flatMap((machine) => {
      const findings = findingsFor(observed, machine);
      return findings && (findings.length > 0 || hasHostReport(machine)) ? [{ machine, findings }] : [];
    });
  const speed = speedOf(config);
  return {
    actions: known.flatMap(({ machine, findings }) => report(machine, findings)),
    events: known.flatMap(({ machine, findings }) => eventsOf(machine, findings)),
    ...(observed.isChecked && { requeueAfter: period / speed }),
  };
};
