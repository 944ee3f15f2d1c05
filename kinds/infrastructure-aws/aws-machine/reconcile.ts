import { conditionOf, type LegacyDraft, legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import { type Action, type Context, type EventDraft, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { interruptionAnnotation, interruptionNote } from '../../core/contract/interruption.ts';
import { awaitsOperation } from '../../core/contract/scope.ts';
import type { Instance } from '../../ports/cloud/index.ts';
import { isThrottled } from '../../ports/cloud-limits.ts';
import { isAboutTags, type TagPlan, untilForgotten } from '../engine/additional-tags.ts';
import {
  announce,
  codeOf,
  isPassing,
  type Pending,
  pendingOf,
  pollDelay,
  rereadAfter,
  retryAfter,
  schedule,
} from '../engine/step.ts';
import { evidence, type Owner } from '../engine/tags.ts';
import { isAboutAddress, planAddress } from './address.ts';
import { isIncomplete, registrations } from './balancing.ts';
import {
  conditionsWith,
  describeFailure,
  describeReason,
  elbAttached,
  instanceReady,
  provisionFailed,
  securityGroupsReady,
  sinceOf,
  stateCondition,
  waitingFor,
} from './conditions.ts';
import { consoleConditions, isBootFailed, untilConsole } from './console.ts';
import { releasingAddress } from './fixed-address.ts';
import { idle, tornDown } from './idle.ts';
import { addressesOf, adoption, groupRepairs, metadataRepairs, providerIdOf } from './instance.ts';
import { instanceIdOf } from './instance-id.ts';
import { mayBeHidden } from './launch.ts';
import { marketConditions } from './market.ts';
import { untilMoved } from './moving.ts';
import { isControlPlane, isGenerated, isLive, type Observed } from './observe.ts';
import { planLaunch } from './provision.ts';
import { planRemoval } from './remove.ts';
import { reportConditions } from './report.ts';
import { securityGroupIds } from './request.ts';
import type { AWSMachine, AWSMachineStatus } from './schema.ts';
import { deleteSecrets } from './secrets.ts';
import { planTags } from './tags.ts';
import { staysAsItIs, whyNotOwn } from './unmanaged.ts';
import { withdrawn } from './withdraw.ts';

export const reconcile = (observed: Observed, context: Context): Plan<AWSMachineStatus> =>
  withdrawn(releasingAddress(decide(observed, context), observed.awsMachine, observed.fixed), observed, context);

/** An AWSMachine that was cloned is deleted with its Machine. */
export const release = (observed: Observed, context: Context): Plan<AWSMachineStatus> => {
  const isToGo = observed.withheld?.releases && !isGenerated(observed);
  const plan = isToGo ? planRemoval(observed, context, tornDown(observed)) : {};
  return withdrawn(releasingAddress(plan, observed.awsMachine, observed.fixed), observed, context);
};

const decide = (observed: Observed, context: Context): Plan<AWSMachineStatus> => {
  const { awsMachine, machine, cluster, withheld, awsCluster, owner, region } = observed;
  if (awsMachine.metadata.deletionTimestamp) return planRemoval(observed, context, { finished: true });
  if (awsMachine.status?.failureReason) return owner ? clearSecrets(observed, owner) : {};
  // The Machine controller sets the owner reference, which triggers a reconcile, as do changes of
  // all other prerequisites.
  if (!found(machine) || !found(cluster)) return {};
  const infrastructure = found(awsCluster);
  if (!found(cluster)?.status?.initialization?.infrastructureProvisioned || !infrastructure || !owner || !region)
    return reportConditions(observed, waitingFor('ClusterInfrastructure'));
  if (!awsMachine.spec) return reportConditions(observed, provisionFailed('spec is not set'));
  if (observed.cloud === 'unread') return {};
  if (observed.cloud !== 'known') return unreadable(observed, observed.cloud.unreadable, context);
  const instance = chosenInstance(observed);
  const reason = instance && notOwn(observed, owner, instance);
  if (reason) return foreignInstance(observed, instance, reason, context);
  if (instance) return reconcileInstance(observed, owner, instance, context);
  if (observed.lost && instanceIdOf(awsMachine)) return lostInstance(observed, context);
  if (withheld) return idle(observed, withheld, context);
  return planLaunch(observed, owner, infrastructure, context);
};

const waitOf = ({ awsMachine }: Observed, { now }: Context): number =>
  pollDelay(sinceOf(awsMachine, instanceReady, now), now);

/** What it waited for may be there: while AWS does not answer, its condition must not say otherwise. */
const hidesOutage = ({ awsMachine }: Observed, reason: string): boolean => {
  const { status, reason: before = '' } = conditionOf(awsMachine.status?.conditions, instanceReady) ?? {};
  return !isThrottled(codeOf(reason)) && status === 'False' && before.startsWith('WaitingFor');
};

const unreadable = (observed: Observed, reason: string, context: Context): Plan<AWSMachineStatus> => {
  if (isPassing(reason)) {
    const requeueAfter = rereadAfter(context);
    return hidesOutage(observed, reason)
      ? {
          ...reportConditions(observed, legacyFalse(instanceReady, 'InstanceProvisionFailed', 'Warning', reason)),
          requeueAfter,
        }
      : { requeueAfter };
  }
  // While there is an instance, a failed read says nothing about it.
  const condition = instanceIdOf(observed.awsMachine)
    ? legacyFalse(instanceReady, 'InstanceNotReady', 'Warning', reason)
    : provisionFailed(describeReason(reason));
  return { ...reportConditions(observed, condition), requeueAfter: waitOf(observed, context) };
};

const clearSecrets = ({ awsMachine, region }: Observed, owner: Owner): Plan => ({
  actions: deleteSecrets(region, owner, awsMachine),
});

/** The recorded instance; without a recorded id, a live one. */
const chosenInstance = ({ awsMachine, instances, launch }: Observed): Instance | undefined => {
  const id = instanceIdOf(awsMachine);
  if (id) return instances.find(({ InstanceId }) => InstanceId === id);
  const live = instances.filter(isLive);
  return live.find(({ ClientToken }) => launch && ClientToken === launch.token) ?? live[0];
};

/** Why a named instance does not belong to this AWSMachine; undefined for launched ones. */
const notOwn = (observed: Observed, owner: Owner, instance: Instance): string | undefined =>
  observed.launch ? undefined : whyNotOwn(instance, owner, found(observed.others) ?? []);

const foreignInstance = (
  observed: Observed,
  { InstanceId }: Instance,
  reason: string,
  context: Context,
): Plan<AWSMachineStatus> => ({
  ...reportConditions(
    observed,
    legacyFalse(instanceReady, 'InstanceNotReady', 'Error', `Instance ${InstanceId} ${reason}: ${staysAsItIs}`),
  ),
  requeueAfter: waitOf(observed, context),
});

const lostInstance = (observed: Observed, context: Context): Plan<AWSMachineStatus> => {
  const { awsMachine, launch } = observed;
  if (launch && mayBeHidden(launch, context.now)) return { requeueAfter: 1 };
  const message = `EC2 instance ${instanceIdOf(awsMachine)} is not there`;
  return {
    ...reportConditions(observed, legacyFalse(instanceReady, 'InstanceNotFound', 'Error', message)),
    requeueAfter: waitOf(observed, context),
  };
};

/**
 * The longest time in seconds between checks for a target group that the cluster has not recreated
 * yet.
 */
const registrationPoll = 60;

const reconcileInstance = (
  observed: Observed,
  owner: Owner,
  instance: Instance,
  context: Context,
): Plan<AWSMachineStatus> => {
  const { awsMachine, machine, withheld, awsCluster, region, addresses, balancing, additionalGroups } = observed;
  const { lastFailure, now } = context;
  const controlPlane = isControlPlane(found(machine), awsMachine);
  const state = instance.State.Name;
  const running = state === 'running';
  const leaving = found(machine)?.metadata.deletionTimestamp !== undefined;
  const operational = running || state === 'pending' || state === 'stopping' || state === 'stopped';
  const groups = operational
    ? securityGroupIds(awsMachine, found(awsCluster)!, controlPlane, additionalGroups)
    : undefined;
  const attached = controlPlane
    ? registrations(region, balancing, instance.InstanceId, running && !leaving, evidence(owner))
    : [];
  // The AWSCluster controller recreates what was deleted, and no event reports that.
  const isUnregistered = controlPlane && running && !leaving && isIncomplete(balancing);
  const groupChanges =
    groups && 'ids' in groups && !awsMachine.spec?.networkInterfaces?.length
      ? groupRepairs(region, instance, groups.ids)
      : [];
  // A machine whose Machine is deleted is handled in any case.
  const isAdmitted = !awaitsOperation(withheld) || leaving;
  const tags = operational
    ? planTags({ region, owner, awsMachine, controlPlane }, instance, addresses, now)
    : { steps: [], underway: [], forget: [], note: {} };
  const steps = [...planAddress(observed, owner, instance), ...(isAdmitted ? tags.steps : [])];
  const before = pendingOf(awsMachine.metadata.annotations);
  const announced = schedule(before, steps, tags.underway, now, lastFailure, tags.forget, (_, since) =>
    untilForgotten(since, now),
  );
  const done = found(machine)?.status?.nodeRef !== undefined || !operational;
  const repairs: Action[] = [
    ...attached.map((action) => ({ ...action, group: 'load-balancer' })),
    ...announced.actions.filter(({ optional }) => !optional),
    ...groupChanges.map((action) => ({ ...action, group: 'security-groups' })),
    ...(running ? metadataRepairs(region, awsMachine, instance) : []).map((action) => ({
      ...action,
      group: 'metadata',
    })),
    ...(done ? deleteSecrets(region, owner, awsMachine) : []),
    ...announced.actions.filter(({ optional }) => optional),
  ];
  const actions = isAdmitted ? repairs : [];
  const bootConditions = consoleConditions(awsMachine, found(machine), instance, observed.console);
  // The state to report once all actions are done.
  const isSeenTo = !isUnregistered && (attached.length === 0 || (isAdmitted && !lastFailure));
  const conditions = [
    isAboutAddress(lastFailure?.group) ? provisionFailed(describeFailure(lastFailure!)) : stateCondition(instance),
    ...(groups ? [groupCondition(groups, context)] : []),
    ...(controlPlane ? [attachment(running && !leaving && isSeenTo, context)] : []),
    ...marketConditions(awsMachine, observed.launch),
    ...bootConditions,
  ];
  const failure = state === 'terminated' ? ended(instance) : {};
  const moving = !running && state !== 'stopped' && state !== 'terminated';
  const waits = [
    announced.wait,
    isUnregistered ? pollDelay(sinceOf(awsMachine, elbAttached, now), now, registrationPoll) : undefined,
    moving
      ? untilMoved(sinceOf(awsMachine, instanceReady, now), awsMachine.status?.instanceState !== state, context)
      : undefined,
    running && !leaving ? untilConsole(awsMachine, found(machine), isBootFailed(bootConditions), context) : undefined,
  ].filter((wait) => wait !== undefined);
  return {
    intent: { ...adoption(awsMachine, instance), ...notesOf(awsMachine, instance, announced.pending, tags, now) },
    actions,
    status: {
      ...awsMachine.status,
      ready: running,
      instanceState: state,
      interruptible: instance.InstanceLifecycle === 'spot',
      failureDomain: instance.Placement.AvailabilityZone,
      ...(operational && { addresses: addressesOf(instance) }),
      ...failure,
      conditions: conditionsWith(awsMachine, controlPlane, ...conditions),
    },
    events: [...eventsOf(observed, instance), ...untagged(context)],
    // Describe calls lag: an immediate check would show the repaired setting as still broken.
    ...(actions.length > 0 ? { requeueAfter: lastFailure ? retryAfter(context) : 1 } : {}),
    ...(actions.length === 0 && waits.length > 0 && { requeueAfter: Math.min(...waits) }),
  };
};

const notesOf = (
  awsMachine: AWSMachine,
  instance: Instance,
  pending: Pending,
  { note, forget }: TagPlan,
  now: number,
): Plan['intent'] => {
  const given = awsMachine.metadata.annotations;
  const isNews = forget.length > 0 || Object.keys(note).length > 0;
  const annotations = { ...announce(given, pending, isNews), ...note, ...interruptionOf(awsMachine, instance, now) };
  return Object.keys(annotations).length > 0 ? { metadata: { annotations } } : {};
};

/** EC2 may lose its warning. Then the end of the instance says that EC2 took it away. */
const interruptionOf = (awsMachine: AWSMachine, instance: Instance, now: number): Record<string, string> => {
  if (!instance.StateReason?.Code.startsWith('Server.SpotInstance')) return {};
  const notice = { reason: 'SpotInterruption', providerID: providerIdOf(instance), at: now, deadline: now };
  const note = interruptionNote(awsMachine, notice);
  return note ? { [interruptionAnnotation]: note } : {};
};

const ended = ({ InstanceId, StateReason }: Instance): Partial<AWSMachineStatus> => ({
  failureReason: 'UpdateError',
  failureMessage: `EC2 instance ${InstanceId} was terminated${StateReason ? `: ${StateReason.Message}` : ''}`,
});

const groupCondition = (groups: ReturnType<typeof securityGroupIds>, { lastFailure }: Context): LegacyDraft => {
  if (lastFailure?.group === 'security-groups')
    return legacyFalse(securityGroupsReady, 'SecurityGroupsFailed', 'Error', describeFailure(lastFailure));
  return 'missing' in groups
    ? legacyFalse(securityGroupsReady, 'SecurityGroupsFailed', 'Error', groups.missing)
    : legacyTrue(securityGroupsReady);
};

const attachment = (attached: boolean, { lastFailure }: Context): LegacyDraft => {
  if (lastFailure?.group === 'load-balancer')
    return legacyFalse(
      elbAttached,
      /^Register/.test(lastFailure.operation) ? 'ELBAttachFailed' : 'ELBDetachFailed',
      'Error',
      describeFailure(lastFailure),
    );
  return attached ? legacyTrue(elbAttached) : legacyFalse(elbAttached, 'ELBDetached', 'Info');
};

const untagged = ({ lastFailure, now }: Context): EventDraft[] =>
  lastFailure?.at === now && isAboutTags(lastFailure.group)
    ? [{ type: 'Warning', reason: 'FailedTagInstance', message: describeFailure(lastFailure) }]
    : [];

const eventsOf = ({ awsMachine }: Observed, { State, InstanceId }: Instance): EventDraft[] => {
  if (awsMachine.status?.instanceState === State.Name) return [];
  if (State.Name === 'running' && !awsMachine.status?.ready)
    return [
      { type: 'Normal', reason: 'SuccessfulCreate', message: `Instance ${InstanceId} is running`, isOfStatus: true },
    ];
  if (State.Name === 'shutting-down' || State.Name === 'terminated')
    return [
      { type: 'Warning', reason: 'InstanceUnexpectedTermination', message: `Unexpected termination of ${InstanceId}` },
    ];
  return [];
};
