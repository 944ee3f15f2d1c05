/** The market that a Machine's host is bought in. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { type ConditionDraft, found } from '../../../machinery/api/reconcile.ts';
import { conditionsOf } from '../contract/machine.ts';
import { machineIs } from '../contract/machines.ts';
import { spotFallback } from '../contract/spot-fallback.ts';
import type { Observed } from './observe.ts';

/** SpotFallback as the provider reports it; undefined for a host that never fell back. */
export const fallbackCondition = ({
  machine,
  infraMachine,
}: Pick<Observed, 'machine' | 'infraMachine'>): ConditionDraft | undefined => {
  const infra = found(infraMachine);
  if (!infra) return undefined;
  const reported = conditionOf(conditionsOf(infra), spotFallback);
  if (reported?.status === 'True')
    return { type: spotFallback, status: 'True', reason: reported.reason ?? '', message: reported.message ?? '' };
  // The provider went back to the spot market before it had a host.
  return machineIs(machine, spotFallback)
    ? { type: spotFallback, status: 'False', reason: 'SpotMarket', message: '' }
    : undefined;
};
