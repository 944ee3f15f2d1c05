import { type LegacyDraft, legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import { equal } from '../../../machinery/api/merge.ts';
import {
  type Action,
  type Context,
  type EventDraft,
  found,
  type MergePatch,
  type Plan,
} from '../../../machinery/api/reconcile.ts';
import { patchOf } from '../../common/owners.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { isScaledByOthers } from '../../core/contract/pools.ts';
import type { MachinePool } from '../../core/machine-pool/index.ts';
import type { AutoScalingGroup, LaunchTemplateVersion } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import { secretPrefix } from '../aws-machine/user-data.ts';
import { codeOf, isPassing, rereadAfter, retryAfter } from '../engine/step.ts';
import { carries, clientToken, evidence, type Owner, tagSpecifications } from '../engine/tags.ts';
import {
  asgReady,
  describeFailure,
  failedCondition,
  instancesLaunched,
  launchTemplateReady,
  lifecycleHookReady,
  postUpdate,
  preUpdateCheck,
  refreshStarted,
  report,
  waitingForControlPlane,
  withHint,
} from './conditions.ts';
import { type Desired, desired, poolTags, wantedGroup } from './desired.ts';
import { creationOf, emptied, instancesOf, isSameSet, missingTags, sizeOf, updateOf, type Wanted } from './group.ts';
import { drainHook, hookChanges, hooksOf } from './hooks.ts';
import { answerHooks, endedMachines, heartbeatInterval, isDraining, missingHosts, providerIdOf } from './hosts.ts';
import { type Note, type NotedTemplate, poolAnnotation, storedDataOf } from './note.ts';
import type { Observed } from './observe.ts';
import { suspendedOf } from './processes.ts';
import { type Decision, decideRefresh, preferencesOf } from './refresh.ts';
import { remove } from './remove.ts';
import type { AWSMachinePoolStatus } from './schema.ts';
import { type Bootstrap, isAboutData, isStored, partsOf, storeData } from './secrets.ts';
import { rollIn } from './template.ts';

type Planned = Plan<AWSMachinePoolStatus>;

/** Seconds. */
const [atOnce, soon, later, recheck] = [1, 15, 60, 300];

export const reconcile = (observed: Observed, context: Context): Planned =>
  observed.pool.metadata.deletionTimestamp ? remove(observed, context, { finished: true }) : decide(observed, context);

export const release = (observed: Observed, context: Context): Planned =>
  remove(observed, context, {
    intent: { spec: { providerIDList: null } },
    released: { notes: [poolAnnotation], status: { ready: false } },
  });

const waiting = ({ pool }: Observed, type: string, reason: string, message = ''): Planned => ({
  status: report(pool, [legacyFalse(type, reason, 'Info', message)]),
});

const decide = (observed: Observed, context: Context): Planned => {
  const { pool, machinePool, cluster, awsCluster, awaitedVersion, bootstrap, owner, withheld, note, cloud } = observed;
  const of = found(cluster);
  const pools = found(machinePool);
  // The MachinePool controller sets the owner reference, which triggers a reconcile.
  if (!pool.spec || !of || !pools) return {};
  if (withheld && !note) return waiting(observed, asgReady, withheld.reason, withheld.message);
  const infrastructure = found(awsCluster);
  const { kind } = of.spec?.infrastructureRef ?? {};
  if (kind !== undefined && kind !== 'AWSCluster')
    return waiting(observed, asgReady, 'ASGProvisionFailed', `A pool of a ${kind} is not supported: use an AWSCluster`);
  if (!of.status?.initialization?.infrastructureProvisioned || !infrastructure || !owner)
    return waiting(observed, asgReady, 'WaitingForClusterInfrastructure');
  if (typeof bootstrap === 'string')
    return waiting(observed, launchTemplateReady, 'LaunchTemplateCreateFailed', bootstrap);
  if (!bootstrap && !note) return { ...waiting(observed, asgReady, 'WaitingForBootstrapData'), requeueAfter: soon };
  if (cloud === 'unread') return {};
  if (cloud !== 'known') return unreadable(observed, cloud.unreadable, context);
  const unknown = notOwn(observed, owner);
  if (unknown) return { status: report(pool, [unknown]), requeueAfter: recheck };
  // The Secret is about to be there again.
  if (!bootstrap) return keep(observed, owner, pools, context, { recheckAfter: soon });
  if (awaitedVersion !== undefined) {
    const message = `Waiting for the control plane to have ${awaitedVersion}`;
    const changes = [legacyFalse(launchTemplateReady, waitingForControlPlane, 'Info', message)];
    return keep(observed, owner, pools, context, { recheckAfter: later, changes, bootstrap });
  }
  const kept = note ?? firstNote(observed, owner, context);
  const wanted = desired(observed, infrastructure, pools, kept, owner, bootstrap);
  if ('missing' in wanted) {
    const [type, reason] =
      wanted.of === 'group' ? [asgReady, 'ASGProvisionFailed'] : [launchTemplateReady, 'LaunchTemplateReconcileFailed'];
    const failed = legacyFalse(type, reason, 'Error', withHint(wanted.missing));
    const rest = follow(observed, owner, pools, context, [failed]);
    return { ...rest, requeueAfter: Math.min(rest.requeueAfter ?? later, later) };
  }
  return build(observed, owner, pools, kept, wanted, bootstrap, context);
};

const unreadable = ({ pool }: Observed, reason: string, context: Context): Planned =>
  isPassing(reason)
    ? { requeueAfter: rereadAfter(context) }
    : {
        status: report(pool, [legacyFalse(asgReady, 'ASGNotFound', 'Error', withHint(reason))]),
        requeueAfter: codeOf(reason) ? later : soon,
      };

/** What has the pool's name and is not the pool's; it is neither changed nor deleted. */
const notOwn = ({ pool, cloudState, name }: Observed, owner: Owner): LegacyDraft | undefined => {
  const { group, template } = cloudState;
  const stays =
    'exists and was not made for this pool: it is neither changed nor deleted; delete it, or give the MachinePool another name';
  const own = ownTags(owner, pool);
  if (template && !carries(template.Tags, own))
    return legacyFalse(launchTemplateReady, 'LaunchTemplateCreateFailed', 'Error', `Launch template ${name} ${stays}`);
  return group && !carries(group.Tags, own)
    ? legacyFalse(asgReady, 'ASGProvisionFailed', 'Error', `Auto Scaling group ${name} ${stays}`)
    : undefined;
};

const ownTags = (owner: Owner, pool: Observed['pool']): Record<string, string> => {
  const { 'capstan.dev/purpose': purpose = '' } = poolTags(owner, pool);
  return { ...evidence(owner), 'capstan.dev/purpose': purpose };
};

const firstNote = (
  { pool, region, name }: Observed,
  { clusterUid, clusterName }: Owner,
  { random }: Context,
): Note => ({
  pool: pool.metadata.uid ?? '',
  region,
  clusterUid,
  clusterName,
  name,
  secrets: { prefix: secretPrefix(random.token(), 'secrets-manager'), count: 0 },
});

const intentOf = ({ pool, note: before, cloudState }: Observed, note: Note | undefined): MergePatch | undefined => {
  const { group } = cloudState;
  const ids = group ? instancesOf(group).map(providerIdOf).toSorted() : undefined;
  const isNews = note !== undefined && !equal(before as never, note as never);
  const areOthers = ids !== undefined && !isSameSet(pool.spec?.providerIDList ?? [], ids);
  if (!isNews && !areOthers) return undefined;
  return {
    ...(isNews && { metadata: { annotations: { [poolAnnotation]: JSON.stringify(note) } } }),
    ...(areOthers && { spec: { providerIDList: ids } }),
  };
};

/** The instances of the group as they are, whatever becomes of its template. */
const follow = (
  observed: Observed,
  owner: Owner,
  machinePool: MachinePool,
  context: Context,
  changes: readonly LegacyDraft[] = [],
  note: Note | undefined = observed.note,
): Planned => {
  const { pool, cloudState, region } = observed;
  const { group } = cloudState;
  const intent = intentOf(observed, note);
  const hosts = { pool, group, awsMachines: observed.awsMachines, machines: observed.machines };
  const { name } = machinePool.metadata;
  const clusterName = machinePool.spec?.clusterName ?? owner.clusterName;
  const isLeaving = isDeleting(machinePool);
  const waits = [...(isDraining(hosts) ? [heartbeatInterval] : []), ...(group && isConverging(group) ? [later] : [])];
  return {
    ...(intent && { intent }),
    actions: [
      ...(isLeaving ? [] : missingHosts(hosts, { name, clusterName })),
      ...endedMachines(hosts),
      ...answerHooks(hosts, region, evidence(owner)),
      ...copySize(machinePool, group),
    ],
    status: report(pool, [...launches(observed), ...changes], statusOf(observed)),
    ...(waits.length > 0 && { requeueAfter: Math.min(...waits) }),
    ...failureEvents(context),
  };
};

const withParts = (note: Note, parts: number): Note => ({
  ...note,
  secrets: { ...note.secrets, count: Math.max(note.secrets.count, parts) },
});

const dataActions = (
  { pool }: Observed,
  note: Note,
  bootstrap: Bootstrap,
  owner: Owner,
  { lastFailure }: Context,
): Action[] => (isStored(pool, bootstrap) ? [] : storeData(pool, note, bootstrap, poolTags(owner, pool), lastFailure));

/** While there can be no other version of the template: the group gets its size with the one that it has. */
const keep = (
  observed: Observed,
  owner: Owner,
  machinePool: MachinePool,
  context: Context,
  given: { recheckAfter: number; changes?: readonly LegacyDraft[]; bootstrap?: Bootstrap },
): Planned => {
  const { pool, cloudState, note: before } = observed;
  const { recheckAfter, changes = [], bootstrap } = given;
  const { group, template, latest } = cloudState;
  const { lastFailure } = context;
  const isLeaving = isDeleting(machinePool);
  const mayLaunch = latest !== undefined && storedDataOf(pool) !== undefined;
  const subnets = group?.VPCZoneIdentifier.split(',') ?? [];
  const size =
    group && template && (isLeaving || mayLaunch)
      ? wantedGroup(observed, machinePool, owner, subnets, template.LaunchTemplateId)
      : undefined;
  const note = before && bootstrap ? withParts(before, partsOf(bootstrap, before.secrets.prefix)) : before;
  const advancing = [
    ...(template && note && bootstrap ? dataActions(observed, note, bootstrap, owner, context) : []),
    ...(size ? groupActions(observed, size, isLeaving, owner) : []),
  ];
  const failure =
    lastFailure?.port === 'cloud' && advancing.some(isOf(lastFailure.operation)) ? lastFailure : undefined;
  const followed = follow(
    observed,
    owner,
    machinePool,
    context,
    latestOf([
      ...(group && size ? [sized(size, group, machinePool)] : []),
      ...changes,
      ...(failure ? [failedCondition(failure)] : []),
    ]),
    note,
  );
  const wait = waitOf(advancing, { do: 'nothing' }, false, context);
  const requeueAfter = Math.min(recheckAfter, followed.requeueAfter ?? recheckAfter);
  return {
    ...followed,
    requeueAfter,
    advance: { actions: advancing, requeueAfter: Math.min(wait ?? requeueAfter, requeueAfter) },
  };
};

const failureEvents = ({ lastFailure, now }: Context): Pick<Planned, 'events'> => {
  if (!lastFailure || lastFailure.at !== now || lastFailure.port !== 'cloud') return {};
  const reason = lastFailure.operation.startsWith('Create') ? 'FailedCreate' : 'FailedUpdate';
  return { events: [{ type: 'Warning', reason, message: describeFailure(lastFailure) }] };
};

const isConverging = (group: AutoScalingGroup): boolean =>
  group.Instances.some(({ LifecycleState }) => LifecycleState !== 'InService') ||
  group.Instances.length !== group.DesiredCapacity;

/** Another program scales the group: the MachinePool follows. */
const copySize = (machinePool: MachinePool, group: AutoScalingGroup | undefined): Action[] =>
  group &&
  isScaledByOthers(machinePool) &&
  !isDeleting(machinePool) &&
  machinePool.spec?.replicas !== group.DesiredCapacity
    ? [{ ...patchOf(machinePool, { spec: { replicas: group.DesiredCapacity } }), group: 'replicas' }]
    : [];

const statusOf = ({ pool, cloudState }: Observed): Partial<AWSMachinePoolStatus> => {
  const { group, template, latest } = cloudState;
  const instances = instancesOf(group);
  return {
    ready: group !== undefined,
    replicas: instances.length,
    infrastructureMachineKind: 'AWSMachine',
    instances: instances.map(({ InstanceId }) => ({ instanceID: InstanceId })),
    ...(group && { asgStatus: group.Status ?? 'Active' }),
    ...(template && { launchTemplateID: template.LaunchTemplateId }),
    ...(latest && { launchTemplateVersion: String(latest.VersionNumber) }),
    ...(!latest && pool.status?.launchTemplateVersion && { launchTemplateVersion: pool.status.launchTemplateVersion }),
  };
};

/** AWS's message of a launch that fails, while instances are missing. */
const launches = ({ cloudState, pool }: Observed): LegacyDraft[] => {
  const { group, activities } = cloudState;
  if (!group) return [];
  const isMissing = instancesOf(group).length < group.DesiredCapacity;
  const launch = activities.find(({ Description }) => /^Launching/.test(Description));
  if (isMissing && launch?.StatusCode === 'Failed')
    return [
      legacyFalse(instancesLaunched, 'LaunchFailed', 'Error', withHint(launch.StatusMessage ?? launch.Description)),
    ];
  const wasFailing = pool.status?.conditions?.some(({ type }) => type === instancesLaunched);
  return wasFailing && !isMissing ? [legacyTrue(instancesLaunched)] : [];
};

const build = (
  observed: Observed,
  owner: Owner,
  machinePool: MachinePool,
  before: Note,
  wanted: Desired,
  bootstrap: Bootstrap,
  context: Context,
): Planned => {
  const { pool, cloudState, withheld } = observed;
  const { template, group } = cloudState;
  const { lastFailure, now } = context;
  const seen = seenIn(observed, before, wanted);
  const size = template && wantedGroup(observed, machinePool, owner, wanted.places.ids, template.LaunchTemplateId);
  const isLeaving = isDeleting(machinePool);
  const changed = !isCurrent(observed, wanted);
  // What depends on the template is read once it is noted.
  const isNews = seen.template !== before.template;
  const decision: Decision =
    group && !changed && !isLeaving && !isNews
      ? decideRefresh(pool.spec!, seen, group, cloudState.refreshes, now)
      : { do: 'nothing' };
  const hooks = hookChanges(hooksOf(pool.spec!), cloudState.hooks, seen.hooks ?? []);
  const { refresh: last, ...rest } = seen;
  const isPast = decision.do === 'nothing' && !isNews && last?.since !== seen.template?.since;
  const note: Note = {
    ...rest,
    ...(last && !isPast && { refresh: last }),
    ...(decision.do === 'start' && { refresh: { since: decision.since, at: now } }),
    ...(group && { hooks: hooksOf(pool.spec!).map(({ LifecycleHookName }) => LifecycleHookName) }),
  };
  const advancing: Action[] = [
    ...dataActions(observed, note, bootstrap, owner, context),
    ...(isLeaving ? [] : templateActions(observed, owner, wanted, changed)),
    ...(size ? groupActions(observed, size, isLeaving, owner) : []),
    ...(group ? hookActions(observed, hooks, owner) : []),
    ...refreshActions(observed, decision, owner),
    ...(note.pruned === before.pruned ? [] : pruneActions(observed, owner)),
  ];
  const failure =
    lastFailure?.port === 'cloud' && advancing.some(isOf(lastFailure.operation)) ? lastFailure : undefined;
  const changes: LegacyDraft[] = [
    ...(template && !changed ? [legacyTrue(launchTemplateReady), legacyTrue(postUpdate)] : []),
    ...(group ? [sized(size, group, machinePool)] : [legacyFalse(asgReady, 'ASGNotFound', 'Info', 'Making the group')]),
    ...(group && hooks.put.length + hooks.remove.length === 0 ? [legacyTrue(lifecycleHookReady)] : []),
    ...refreshConditions(observed, decision),
    ...(failure ? [failedCondition(failure)] : []),
  ];
  const followed = follow(observed, owner, machinePool, context, latestOf(changes), note);
  const wait = waitOf(advancing, decision, changed || isNews || !group, context);
  const events = withheld ? [] : eventsOf(observed, decision, changed);
  return {
    ...followed,
    advance: {
      actions: advancing,
      ...(wait !== undefined && { requeueAfter: Math.min(wait, followed.requeueAfter ?? wait) }),
      ...(events.length > 0 && { events }),
    },
  };
};

/** One condition a type; the last one counts. */
const latestOf = (changes: readonly LegacyDraft[]): LegacyDraft[] => [
  ...new Map(changes.map((one) => [one.type, one])).values(),
];

const isOf =
  (operation: string) =>
  (action: Action): boolean =>
    action.do === 'call' && action.operation === operation;

/** Whether the newest version of the template is what is asked for. */
const isCurrent = ({ cloudState }: Observed, { description }: Desired): boolean =>
  cloudState.latest?.VersionDescription === description;

/** A change that is taken back makes a new version, and no reason to replace instances of the one before. */
const templateAfter = (
  { group }: Observed['cloudState'],
  before: NotedTemplate | undefined,
  latest: LaunchTemplateVersion,
): NotedTemplate => {
  const version = String(latest.VersionNumber);
  const roll = rollIn(latest) ?? '';
  if (before?.rolls[version] === roll && before.roll === roll) return before;
  const used = instancesOf(group).flatMap(({ LaunchTemplate: of }) => of?.Version ?? []);
  const known = Object.entries(before?.rolls ?? {}).filter(([one]) => used.includes(one));
  return {
    roll,
    since: before?.roll === roll ? before.since : latest.VersionNumber,
    rolls: { ...Object.fromEntries(known), [version]: roll },
  };
};

/** The note after what this pass saw. */
const seenIn = ({ cloudState }: Observed, before: Note, { image, parts }: Desired): Note => {
  const { latest, versions } = cloudState;
  return {
    ...withParts(before, parts),
    image,
    ...(latest && { template: templateAfter(cloudState, before.template, latest) }),
    ...(latest && versions.length > 0 && { pruned: latest.VersionNumber }),
  };
};

const templateActions = (
  { pool, name, region, cloudState, note }: Observed,
  owner: Owner,
  { data, description }: Desired,
  changed: boolean,
): Action[] => {
  const { template, latest } = cloudState;
  if (!changed || (template && !latest)) return [];
  const uid = pool.metadata.uid ?? '';
  const token = clientToken(
    owner,
    `${uid} ${description} ${latest?.VersionNumber ?? 0} ${note?.secrets.prefix ?? ''}`,
    0,
  );
  const made = { VersionDescription: description, LaunchTemplateData: data, ClientToken: token };
  return [
    template
      ? callCloud(
          region,
          'CreateLaunchTemplateVersion',
          { LaunchTemplateId: template.LaunchTemplateId, ...made },
          evidence(owner),
        )
      : callCloud(region, 'CreateLaunchTemplate', {
          LaunchTemplateName: name,
          ...made,
          TagSpecifications: tagSpecifications('launch-template', poolTags(owner, pool)),
        }),
  ];
};

const groupActions = ({ cloudState, region }: Observed, wanted: Wanted, isLeaving: boolean, owner: Owner): Action[] => {
  const { group } = cloudState;
  const owned = evidence(owner);
  const { name: AutoScalingGroupName } = wanted;
  if (!group) return isLeaving ? [] : [callCloud(region, 'CreateAutoScalingGroup', creationOf(wanted))];
  if (isLeaving) return emptied(group, region, owned);
  const update = updateOf(wanted, group);
  const tags = missingTags(wanted, group);
  const [asked, there] = [suspendedOf(wanted.spec), group.SuspendedProcesses.map(({ ProcessName }) => ProcessName)];
  const [more, less] = [asked.filter((one) => !there.includes(one)), there.filter((one) => !asked.includes(one))];
  const processes = (ScalingProcesses: string[]) => ({ AutoScalingGroupName, ScalingProcesses });
  return [
    ...(update ? [{ ...callCloud(region, 'UpdateAutoScalingGroup', update, owned), buys: true as const }] : []),
    ...(more.length > 0 ? [callCloud(region, 'SuspendProcesses', processes(more), owned)] : []),
    ...(less.length > 0 ? [callCloud(region, 'ResumeProcesses', processes(less), owned)] : []),
    ...(tags.length > 0 ? [callCloud(region, 'CreateOrUpdateTags', { Tags: tags }, owned)] : []),
  ];
};

const hookActions = (
  { name, region }: Observed,
  { put, remove: gone }: ReturnType<typeof hookChanges>,
  owner: Owner,
): Action[] => {
  const owned = evidence(owner);
  const AutoScalingGroupName = name;
  return [
    ...put.map((hook) => callCloud(region, 'PutLifecycleHook', { AutoScalingGroupName, ...hook }, owned)),
    ...gone
      .filter((one) => one !== drainHook)
      .map((LifecycleHookName) =>
        callCloud(region, 'DeleteLifecycleHook', { AutoScalingGroupName, LifecycleHookName }, owned),
      ),
  ].map((action) => ({ ...action, group: 'hooks' }));
};

const refreshActions = ({ name, region, pool }: Observed, decision: Decision, owner: Owner): Action[] => {
  const AutoScalingGroupName = name;
  const group = 'refresh';
  if (decision.do === 'cancel')
    return [{ ...callCloud(region, 'CancelInstanceRefresh', { AutoScalingGroupName }, evidence(owner)), group }];
  if (decision.do !== 'start') return [];
  const Preferences = preferencesOf(pool.spec!);
  const input = { AutoScalingGroupName, Strategy: 'Rolling' as const, Preferences };
  return [{ ...callCloud(region, 'StartInstanceRefresh', input, evidence(owner)), buys: true, group }];
};

const pruneActions = ({ cloudState, region }: Observed, owner: Owner): Action[] => {
  const { template, versions, latest, group } = cloudState;
  const used = new Set(instancesOf(group).map(({ LaunchTemplate: of }) => Number(of?.Version)));
  const old = versions.filter(
    ({ VersionNumber, DefaultVersion }) =>
      !DefaultVersion && VersionNumber !== latest?.VersionNumber && !used.has(VersionNumber),
  );
  if (!template || old.length === 0) return [];
  const Versions = old.slice(0, 200).map(({ VersionNumber }) => String(VersionNumber));
  const input = { LaunchTemplateId: template.LaunchTemplateId, Versions };
  const call = callCloud(region, 'DeleteLaunchTemplateVersions', input, evidence(owner));
  return [{ ...call, group: 'prune', optional: true }];
};

const sized = (wanted: Wanted | undefined, group: AutoScalingGroup, machinePool: MachinePool): LegacyDraft => {
  const { replicas = 1 } = machinePool.spec ?? {};
  if (group.Status)
    return legacyFalse(asgReady, 'ASGDeletionInProgress', 'Error', `The group's status is ${group.Status}`);
  if (!wanted || wanted.isScaledByOthers || isDeleting(machinePool) || sizeOf(wanted) === replicas)
    return legacyTrue(asgReady);
  const { minSize, maxSize } = wanted.spec;
  const bound =
    replicas > maxSize ? `above spec.maxSize (${maxSize}): raise it` : `below spec.minSize (${minSize}): lower it`;
  return legacyFalse(
    asgReady,
    'ASGProvisionFailed',
    'Warning',
    `MachinePool ${machinePool.metadata.name} asks for ${replicas} replicas, which is ${bound}, or change the replicas; the group has ${sizeOf(wanted)}`,
  );
};

const refreshConditions = ({ note, cloudState }: Observed, decision: Decision): LegacyDraft[] => {
  switch (decision.do) {
    case 'nothing':
      return note?.refresh ? [legacyTrue(refreshStarted), legacyTrue(preUpdateCheck)] : [legacyTrue(preUpdateCheck)];
    case 'start':
    case 'wait': {
      const { PercentageComplete: percent, Status } =
        (decision.do === 'wait' ? decision.refresh : undefined) ?? cloudState.refreshes[0] ?? {};
      const isLeft = decision.do === 'wait' && Status === 'Cancelling';
      return isLeft
        ? [
            legacyFalse(
              preUpdateCheck,
              'InstanceRefreshNotReady',
              'Info',
              'The instance refresh before is being cancelled',
            ),
          ]
        : [
            legacyTrue(preUpdateCheck),
            {
              ...legacyTrue(refreshStarted),
              ...(percent !== undefined && { message: `${percent}% of the instances are replaced` }),
            },
          ];
    }
    case 'cancel':
      return [
        legacyFalse(
          preUpdateCheck,
          'InstanceRefreshNotReady',
          'Info',
          'The template has changed again: the instance refresh is cancelled, and another one started',
        ),
      ];
    case 'failed': {
      const { Status, StatusReason = '', InstanceRefreshId } = decision.refresh;
      const what = `Instance refresh ${InstanceRefreshId} ${Status === 'Cancelled' ? 'was cancelled' : 'failed'}`;
      return [
        legacyTrue(preUpdateCheck),
        legacyFalse(
          refreshStarted,
          'InstanceRefreshFailed',
          'Error',
          withHint(`${what}${StatusReason && `: ${StatusReason}`}`),
        ),
      ];
    }
    default:
      return decision satisfies never;
  }
};

const eventsOf = ({ cloudState, name }: Observed, decision: Decision, changed: boolean): EventDraft[] => [
  ...(cloudState.template && !cloudState.group
    ? [
        {
          type: 'Normal' as const,
          reason: 'SuccessfulCreate',
          message: `Created launch template ${name}`,
          isOfStatus: true as const,
        },
      ]
    : []),
  ...(changed && cloudState.latest
    ? [{ type: 'Normal' as const, reason: 'LaunchTemplateUpdated', message: `Making another version of ${name}` }]
    : []),
  ...(decision.do === 'start'
    ? [{ type: 'Normal' as const, reason: 'InstanceRefreshStarted', message: `Replacing the instances of ${name}` }]
    : []),
];

const waitOf = (
  actions: readonly Action[],
  decision: Decision,
  isComing: boolean,
  context: Context,
): number | undefined => {
  if (actions.length > 0 && context.lastFailure) return retryAfter(context);
  if (actions.some((action) => !isAboutData(action))) return atOnce;
  if (decision.do === 'failed') return Math.max(atOnce, Math.ceil((decision.until - context.now) / 1000));
  if (decision.do === 'wait' || decision.do === 'cancel') return later;
  return isComing ? atOnce : undefined;
};
