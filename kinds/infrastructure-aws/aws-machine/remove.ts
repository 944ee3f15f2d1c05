/**
 * Removes a machine: deregisters it from the load balancers, deletes its secrets, terminates its
 * instance.
 */
import { legacyFalse } from '../../../machinery/api/conditions.ts';
import { type Action, type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import type { Instance } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import { pollDelay, retryAfter, steadyAfter } from '../engine/step.ts';
import { carries, evidence, type Owner } from '../engine/tags.ts';
import { mayHideAddress, releaseAddresses } from './address.ts';
import { registrations } from './balancing.ts';
import { isCombined, leaveBatch } from './batch.ts';
import { conditionsWith, describeFailure, elbAttached, instanceReady, sinceOf } from './conditions.ts';
import { isHeld } from './deletion-hooks.ts';
import { addressesOf, adoption } from './instance.ts';
import { instanceIdOf } from './instance-id.ts';
import { mayHideInstance } from './launch.ts';
import { untilMoved } from './moving.ts';
import { isControlPlane, isLive, type Observed } from './observe.ts';
import { batchTag, machineUidTag } from './request.ts';
import type { AWSMachine, AWSMachineStatus } from './schema.ts';
import { deleteSecrets, deleteSecretValues, machineEvidence } from './secrets.ts';
import { whyNotOwn } from './unmanaged.ts';

/**
 * Seconds until the controller checks whether the remaining hooks still hold the Machine. The
 * removal of a hook triggers a reconcile.
 */
const heldFor = 20;

/** `end`: the plan when nothing is left. */
export const planRemoval = (
  observed: Observed,
  context: Context,
  end: Plan<AWSMachineStatus>,
): Plan<AWSMachineStatus> => {
  const { owner, region, launch, cloud, awsMachine } = observed;
  const { now } = context;
  // Without a launch or a named instance nothing needs to be read. An object that is not being
  // deleted is checked anyway, for leftovers of an earlier launch.
  const hasNone = !launch && !instanceIdOf(awsMachine);
  if (!owner || !region || (hasNone && awsMachine.metadata.deletionTimestamp)) return end;
  if (isHeld(observed)) return { requeueAfter: heldFor };
  if (cloud === 'unread') return {};
  if (cloud !== 'known') return { ...reportDeletion(observed, 'Warning', cloud.unreadable), requeueAfter: 15 };
  const leaving = leaveBatch(observed, now);
  if (leaving) return leaving;
  const live = observed.instances.filter(isLive);
  const others = found(observed.others) ?? [];
  // An instance that this AWSMachine did not launch belongs to another owner unless its tags say
  // otherwise.
  const isOwn = (instance: Instance) => launch !== undefined || whyNotOwn(instance, owner, others) === undefined;
  const left = live.filter(isOwn);
  if (left.length === 0) {
    const secrets = removeSecrets(observed, owner, now);
    const actions = secrets.length > 0 ? secrets : releaseAddresses(observed, owner);
    if (actions.length > 0) return { actions, ...withFailure(observed, context), ...pace(context) };
    const isHidden =
      launch !== undefined &&
      !launch.cameToNothing &&
      mayHideInstance(launch, observed.instances, context.lastFailure, now);
    if (isHidden || mayHideAddress(observed, now)) return { requeueAfter: pollDelay(launch?.tried ?? now, now) };
    const strange = live.find((instance) => !isOwn(instance));
    const events = strange ? [stays(strange, owner, others)] : observed.instances.length === 0 ? [noInstance] : [];
    return { ...end, events: [...(end.events ?? []), ...events] };
  }
  return terminate(observed, owner, left, context);
};

/** Keep the secrets' names until reads show their ownership tags reliably. */
const removeSecrets = ({ awsMachine, region, launch }: Observed, owner: Owner, now: number): Action[] =>
  launch && now - launch.tried < steadyAfter
    ? deleteSecretValues(region, owner, awsMachine)
    : deleteSecrets(region, owner, awsMachine);

const failedNow = ({ lastFailure, now }: Context) => (lastFailure?.at === now ? lastFailure : undefined);

const sinceWhen = ({ awsMachine }: Observed, now: number): number =>
  Date.parse(awsMachine.metadata.deletionTimestamp ?? '') || sinceOf(awsMachine, instanceReady, now);

/** A failure that lasts this long will not pass with the next retry. */
const lasting = 60_000;

/** Reports a failure of this pass's calls; nothing without one. */
const withFailure = (observed: Observed, context: Context): Plan<AWSMachineStatus> => {
  const failure = failedNow(context);
  if (!failure) return {};
  const severity = context.now - sinceWhen(observed, context.now) < lasting ? 'Warning' : 'Error';
  return reportDeletion(observed, severity, describeFailure(failure));
};

const pace = (context: Context): Plan => ({ requeueAfter: context.lastFailure ? retryAfter(context) : 1 });

const noInstance = {
  type: 'Normal' as const,
  reason: 'NoInstanceFound',
  message: 'Unable to find matching EC2 instance',
};

const stays = (instance: Instance, owner: Owner, others: readonly string[]) => ({
  type: 'Warning' as const,
  reason: 'InstanceStays',
  message: `Instance ${instance.InstanceId} ${whyNotOwn(instance, owner, others)}: it stays`,
});

/**
 * An instance that was never observed before its deletion may be a Node by now. The Machine
 * controller deletes the Node, so record its name, also if an earlier pass recorded the instance
 * and ended before it wrote the status.
 */
const noting = (awsMachine: AWSMachine, instance: Instance, plan: Plan<AWSMachineStatus>): Plan<AWSMachineStatus> => {
  if (!awsMachine.metadata.deletionTimestamp) return plan;
  const intent = awsMachine.spec?.instanceID ? undefined : adoption(awsMachine, instance);
  const addresses = awsMachine.status?.addresses ?? addressesOf(instance);
  return { ...plan, ...(intent && { intent }), status: { ...plan.status, addresses } };
};

const terminate = (observed: Observed, owner: Owner, left: Instance[], context: Context): Plan<AWSMachineStatus> => {
  const { awsMachine, region, balancing, launch } = observed;
  const { now } = context;
  const ownedBy = ({ Tags }: Instance): Record<string, string> => {
    if (!launch) return evidence(owner);
    const isTagged = Tags.some(({ Key }) => Key === machineUidTag);
    // The call for several machines tags their instances alike; each is tagged for its own later.
    return isCombined(launch) && !isTagged
      ? { ...evidence(owner), [batchTag]: launch.batch.firstUid }
      : machineEvidence(owner, awsMachine);
  };
  const strange = left.find((one) => !carries(one.Tags, ownedBy(one)));
  if (strange)
    return {
      ...reportDeletion(
        observed,
        'Error',
        `Instance ${strange.InstanceId} no longer carries the tags that prove it is this machine's: put them back, or terminate it`,
      ),
      requeueAfter: 15,
    };
  const alive = left.filter(({ State }) => State.Name !== 'shutting-down');
  const deregister = left.flatMap(({ InstanceId }) =>
    registrations(region, balancing, InstanceId, false, evidence(owner)).map((action) => ({
      ...action,
      group: 'load-balancer',
    })),
  );
  const actions: Action[] = [
    ...removeSecrets(observed, owner, now),
    ...deregister,
    ...alive.map((one) => ({
      ...callCloud(region, 'TerminateInstances', { InstanceIds: [one.InstanceId] }, ownedBy(one)),
      group: 'terminate',
    })),
  ];
  const failure = failedNow(context);
  const going = {
    ...reportDeletion(observed, 'Info', '', alive.length > 0 ? 'shutting-down' : left[0]!.State.Name),
    ...withFailure(observed, context),
  };
  return {
    actions,
    ...noting(awsMachine, left[0]!, going),
    events:
      failure?.operation === 'TerminateInstances'
        ? [{ type: 'Warning', reason: 'FailedTerminate', message: describeFailure(failure) }]
        : alive.length > 0
          ? [{ type: 'Normal', reason: 'SuccessfulTerminate', message: `Terminated instance ${alive[0]!.InstanceId}` }]
          : [],
    requeueAfter: failure
      ? retryAfter(context)
      : actions.length > 0
        ? pollDelay(sinceWhen(observed, now), now)
        : untilMoved(sinceWhen(observed, now), awsMachine.status?.instanceState !== left[0]!.State.Name, context),
  };
};

const reportDeletion = (
  { awsMachine, machine }: Observed,
  severity: 'Info' | 'Warning' | 'Error',
  message: string,
  state?: string,
): Plan<AWSMachineStatus> => {
  const controlPlane = isControlPlane(found(machine), awsMachine);
  return {
    status: {
      ...awsMachine.status,
      ready: false,
      ...(state && { instanceState: state }),
      conditions: conditionsWith(
        awsMachine,
        controlPlane,
        legacyFalse(instanceReady, 'Deleting', severity, message),
        ...(controlPlane ? [legacyFalse(elbAttached, 'Deleting', 'Info')] : []),
      ),
    },
  };
};
