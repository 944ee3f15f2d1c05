/**
 * Bootstrap data exists for one boot. The controller deletes it when the machine has not become a
 * node in time.
 */
import type { Context, EventDraft, Plan } from '../../../machinery/api/reconcile.ts';
import { retryAfter } from '../engine/step.ts';
import type { Observed } from './observe.ts';
import type { AWSMachineStatus } from './schema.ts';
import { deleteSecrets, isAboutSecrets } from './secrets.ts';

/** Milliseconds after the launch call. */
export const secretsLast = 15 * 60_000;

type Action = NonNullable<Plan['actions']>[number];

/** A launch creates the secrets that it uses. */
const isLaunch = (action: Action): boolean => action.do === 'call' && action.operation === 'RunInstances';

const minutes = secretsLast / 60_000;
const reason = 'BootstrapDataWithdrawn';

/**
 * A launch without an instance is repeated with new bootstrap data. An instance that was never
 * observed running may be a node by now.
 */
const eventFor = ({ awsMachine, instances }: Observed): EventDraft => {
  const what = instances.length === 0 ? 'instance' : 'node';
  if (what === 'node' && awsMachine.status?.ready)
    return {
      type: 'Warning',
      reason,
      message: `No node came of the launch within ${minutes} minutes: the bootstrap data is deleted, and an instance that has not read it never will; delete the Machine to have another`,
    };
  const message = `No ${what} was seen of the launch within ${minutes} minutes: its bootstrap data is deleted`;
  return { type: 'Normal', reason, message };
};

/** Adds the deletion of expired secrets to the plan, or a requeue for their expiry. */
export const withdrawn = (
  plan: Plan<AWSMachineStatus>,
  observed: Observed,
  context: Context,
): Plan<AWSMachineStatus> => {
  const { now, lastFailure } = context;
  const { awsMachine, cloud, launch, owner, region } = observed;
  const { actions = [], events = [], requeueAfter = Number.POSITIVE_INFINITY } = plan;
  if (!awsMachine.spec?.cloudInit?.secretPrefix || !launch || !owner || cloud !== 'known' || plan.finished) return plan;
  if (actions.some((action) => isAboutSecrets(action) || isLaunch(action))) return plan;
  const left = launch.tried + secretsLast - now;
  if (left > 0) return { ...plan, requeueAfter: Math.min(requeueAfter, Math.ceil(left / 1000)) };
  const isRetry = lastFailure !== undefined && isAboutSecrets(lastFailure);
  return {
    ...plan,
    actions: [...actions, ...deleteSecrets(region, owner, awsMachine)],
    events: isRetry ? events : [...events, eventFor(observed)],
    requeueAfter: Math.min(requeueAfter, isRetry ? retryAfter(context) : 1),
  };
};
