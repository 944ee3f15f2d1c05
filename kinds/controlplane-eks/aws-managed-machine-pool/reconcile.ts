import { type LegacyDraft, legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { JsonObject } from '../../../machinery/api/object.ts';
import type { Action, Context, EventDraft, MergePatch, Plan } from '../../../machinery/api/reconcile.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation, filledNote } from '../../common/filled.ts';
import { patchAsObserved } from '../../common/owners.ts';
import { isScaledByOthers } from '../../core/contract/pools.ts';
import type { MachinePool } from '../../core/machine-pool/schema.ts';
import { clientToken, cloudProviderTag, digest, type Owner, tagsOf } from '../../infrastructure-aws/engine/tags.ts';
import type { EksNodegroup } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import { conditionsAfter, describeFailure } from '../report.ts';
import { planRole, removeRole } from '../roles.ts';
import {
  nodegroupReady,
  reconciliationFailed,
  rolesCreating,
  rolesFailed,
  rolesReady,
  waitingForControlPlane,
} from './conditions.ts';
import { creationOf, nextUpdate, sizeFault, unlike, type Wanted } from './desired.ts';
import { adviceOn } from './health.ts';
import { type Note, nodegroupAnnotation, noteOf } from './note.ts';
import type { Observed } from './observe.ts';
import { isOurs, proofOf, purposeOf, wantedRole } from './ownership.ts';
import type { AWSManagedMachinePoolStatus } from './schema.ts';
import { subnetsFor } from './subnets.ts';

type Status = AWSManagedMachinePoolStatus;
type Planned = Plan<Status>;

/** Seconds. EKS sends no event when a node group is there or gone. */
const soon = 15;
const later = 30;
/** Seconds until what only a user can mend is looked at again. */
const recheck = 60;
/** Seconds between two looks at what is as it should be. */
const idle = 300;
const hour = 3_600_000;

const report = ({ pool }: Observed, changes: LegacyDraft[], more: Partial<Status> = {}): Status => {
  const { status } = pool;
  return {
    ...status,
    ready: status?.ready ?? false,
    ...more,
    conditions: conditionsAfter((status?.conditions ?? []) as LegacyDraft[], changes) as Status['conditions'],
  };
};

const failing = (
  observed: Observed,
  type: string,
  reason: string,
  message: string,
  requeueAfter = recheck,
): Planned => ({ status: report(observed, [legacyFalse(type, reason, 'Error', message)]), requeueAfter });

const wantedOf = ({ pool, machinePool, controlPlane }: Observed): Wanted => {
  const of = found(machinePool);
  return {
    spec: pool.spec ?? {},
    replicas: of && isScaledByOthers(of) ? undefined : (of?.spec?.replicas ?? 1),
    version: of?.spec?.template.spec.version,
    controlPlaneVersion: found(controlPlane)?.status?.version,
  };
};

const waiting = (observed: Observed, message: string): Planned => ({
  status: report(observed, [legacyFalse(nodegroupReady, waitingForControlPlane, 'Info', message)]),
});

const noteIntent = (note: Note): MergePatch => ({
  metadata: { annotations: { [nodegroupAnnotation]: JSON.stringify(note) } },
});

const create = (observed: Observed, note: Note, owner: Owner, { lastFailure, now }: Context): Planned => {
  const { pool, role, subnets, securityGroup, machinePool } = observed;
  const spec = pool.spec ?? {};
  const plane = found(observed.controlPlane);
  if (!plane || [role, subnets, securityGroup].some(({ state }) => state === 'unread')) return {};
  const roleOf = { owner, region: note.region, wanted: wantedRole(pool) };
  const rolePlan = planRole(roleOf, role, lastFailure);
  if (!rolePlan) return {};
  if (rolePlan.state === 'failed') return failing(observed, rolesReady, rolesFailed, rolePlan.message);
  if (rolePlan.state === 'made') {
    const { actions, events, message, isRefused } = rolePlan;
    const condition = isRefused
      ? legacyFalse(rolesReady, rolesFailed, 'Error', message)
      : legacyFalse(rolesReady, rolesCreating, 'Info', message);
    return {
      intent: noteIntent(note),
      actions,
      events,
      status: report(observed, [condition]),
      requeueAfter: isRefused ? recheck : soon,
    };
  }
  for (const read of [subnets, securityGroup])
    if (read.state === 'unreadable') return failing(observed, nodegroupReady, reconciliationFailed, read.reason, soon);
  const wanted = wantedOf(observed);
  const domains = found(machinePool)?.spec?.failureDomains ?? [];
  const places = subnetsFor(spec, plane, domains, found(subnets) ?? []);
  const fault = sizeFault(wanted) ?? (typeof places === 'string' ? places : undefined);
  if (fault || typeof places === 'string') return failing(observed, nodegroupReady, reconciliationFailed, fault ?? '');
  const name = spec.eksNodegroupName ?? '';
  const tags = tagsOf(owner, {
    name,
    role: 'node',
    purpose: purposeOf(pool),
    more: { [cloudProviderTag(note.eksCluster)]: 'owned' },
  });
  const given = {
    eksCluster: note.eksCluster,
    subnets: places,
    roleArn: rolePlan.arn,
    clusterSecurityGroup: found(securityGroup) || undefined,
    sshKeyName: plane.spec?.sshKeyName,
    tags,
  };
  // Another input is another request, and so is the same one after an hour, when the first has failed.
  const key = `node-group/${pool.metadata.uid}/${digest(16, JSON.stringify(creationOf(wanted, { ...given, token: '' })))}`;
  const input = creationOf(wanted, { ...given, token: clientToken(owner, key, Math.floor(now / hour)) });
  const refusal = lastFailure?.operation === 'CreateNodegroup' ? describeFailure(lastFailure) : undefined;
  return {
    intent: noteIntent(note),
    actions: [callCloud(note.region, 'CreateNodegroup', input)],
    status: report(observed, [
      legacyTrue(rolesReady),
      refusal
        ? legacyFalse(nodegroupReady, reconciliationFailed, 'Error', refusal)
        : legacyFalse(nodegroupReady, 'EKSNodegroupCreating', 'Info', `EKS creates node group ${name}`),
    ]),
    requeueAfter: refusal ? recheck : soon,
  };
};

const providerIds = ({ instances = [] }: Observed): string[] =>
  instances.map(({ InstanceId, Placement }) => `aws:///${Placement.AvailabilityZone}/${InstanceId}`).toSorted();

const intentOf = (observed: Observed): MergePatch | undefined => {
  const { pool, instances } = observed;
  const providerIDList = providerIds(observed);
  if (!instances || equal(pool.spec?.providerIDList ?? [], providerIDList)) return undefined;
  const note = filledNote(pool, { ...pool.spec, providerIDList } as JsonObject);
  return { metadata: { annotations: { [filledAnnotation]: note } }, spec: { providerIDList } };
};

/** The size that another program chose, where everybody reads it. */
const copySize = (machinePool: MachinePool | undefined, { scalingConfig: { desiredSize } }: EksNodegroup): Action[] =>
  machinePool && isScaledByOthers(machinePool) && machinePool.spec?.replicas !== desiredSize
    ? [{ ...patchAsObserved(machinePool, { spec: { replicas: desiredSize } }), group: 'size' }]
    : [];

const issuesOf = ({ health }: EksNodegroup): string =>
  health.issues.map(({ code, message }) => `${code}: ${message}${adviceOn(code)}`).join('; ');

/** What keeps a node group that is there from being as its spec says. */
const troubleOf = (observed: Observed, group: EksNodegroup, failure: string | undefined): LegacyDraft | undefined => {
  const wanted = wantedOf(observed);
  const wrong = (severity: 'Error' | 'Warning', message: string) =>
    legacyFalse(nodegroupReady, reconciliationFailed, severity, message);
  if (failure) return wrong('Error', failure);
  const issues = issuesOf(group);
  if (issues) return wrong('Warning', issues);
  const size = sizeFault(wanted);
  if (size) return wrong('Error', size);
  const fields = unlike(wanted.spec, group);
  return fields.length > 0
    ? wrong(
        'Error',
        `EKS takes ${fields.join(', ')} at the creation alone, and node group ${group.nodegroupName} has another: set it back, or make another pool`,
      )
    : undefined;
};

const serve = (observed: Observed, note: Note, owner: Owner, group: EksNodegroup, context: Context): Planned => {
  const { pool, instances, machinePool } = observed;
  const { lastFailure } = context;
  const isSettled = group.status === 'ACTIVE' || group.status === 'DEGRADED';
  const wanted = wantedOf(observed);
  const update = isSettled && !sizeFault(wanted) ? nextUpdate(wanted, group) : undefined;
  const failure = update && lastFailure?.operation === update.action ? describeFailure(lastFailure) : undefined;
  const trouble = troubleOf(observed, group, failure);
  const intent = intentOf(observed);
  const events: EventDraft[] = update
    ? [
        {
          type: 'Normal',
          reason: 'SuccessfulUpdateEKSNodegroup',
          message: `Initiated update of ${update.what} of node group ${group.nodegroupName}`,
        },
      ]
    : [];
  const isShort = instances !== undefined && instances.length !== group.scalingConfig.desiredSize;
  return {
    ...(intent && { intent }),
    actions: [
      ...copySize(found(machinePool), group),
      ...(update ? [callCloud(note.region, update.action, update.input as never, proofOf(pool, owner))] : []),
    ],
    events,
    status: report(observed, [legacyTrue(rolesReady), trouble ?? legacyTrue(nodegroupReady)], {
      ready: true,
      ...(instances && { replicas: instances.length }),
    }),
    requeueAfter: failure ? recheck : update ? soon : !isSettled || isShort || trouble ? later : idle,
  };
};

const createdOtherwise = ({ pool }: Observed, group: EksNodegroup): boolean =>
  unlike(pool.spec ?? {}, group).length > 0 ||
  Object.entries(pool.spec?.additionalTags ?? {}).some(([key, value]) => group.tags[key] !== value);

/** It never had nodes that serve, and EKS changes nothing of it: what the user mends is made anew. */
const replace = (observed: Observed, note: Note, owner: Owner, group: EksNodegroup): Planned => {
  const { pool } = observed;
  const issues = issuesOf(group) || 'EKS does not say why';
  const { nodegroupName, clusterName } = group;
  if (!createdOtherwise(observed, group))
    return failing(
      observed,
      nodegroupReady,
      reconciliationFailed,
      `EKS failed to create node group ${nodegroupName}: ${issues}. After a change of the spec, such as of spec.additionalTags, Capstan deletes it and creates it anew`,
    );
  return {
    actions: [callCloud(note.region, 'DeleteNodegroup', { clusterName, nodegroupName }, proofOf(pool, owner))],
    status: report(observed, [
      legacyFalse(
        nodegroupReady,
        reconciliationFailed,
        'Warning',
        `Creating node group ${nodegroupName} anew: ${issues}`,
      ),
    ]),
    requeueAfter: soon,
  };
};

const build = (observed: Observed, context: Context): Planned => {
  const { pool, note, owner, nodegroup, controlPlane, machinePool } = observed;
  if (machinePool.state === 'absent') return waiting(observed, 'Waiting for a MachinePool to own it');
  if (controlPlane.state === 'absent')
    return waiting(observed, 'The Cluster names no AWSManagedControlPlane that exists');
  const plane = found(controlPlane);
  if (!plane || !note || !owner) return {};
  if (nodegroup.state === 'unread')
    return plane.status?.ready ? {} : waiting(observed, 'Waiting for the control plane to be ready');
  if (nodegroup.state === 'unreadable')
    return failing(observed, nodegroupReady, reconciliationFailed, nodegroup.reason, soon);
  if (nodegroup.state === 'absent') {
    if (!plane.status?.ready) return waiting(observed, 'Waiting for the control plane to be ready');
    return create(observed, note, owner, context);
  }
  const group = nodegroup.value;
  if (!isOurs(group, pool, owner))
    return failing(
      observed,
      nodegroupReady,
      reconciliationFailed,
      `Node group ${group.nodegroupName} of ${group.clusterName} exists and was not made for this object: choose another spec.eksNodegroupName; it is neither changed nor deleted`,
    );
  switch (group.status) {
    case 'CREATING':
      return {
        status: report(observed, [
          legacyTrue(rolesReady),
          legacyFalse(
            nodegroupReady,
            'EKSNodegroupCreating',
            issuesOf(group) ? 'Warning' : 'Info',
            issuesOf(group) || `EKS creates node group ${group.nodegroupName}`,
          ),
        ]),
        requeueAfter: later,
      };
    case 'DELETING':
      return failing(
        observed,
        nodegroupReady,
        reconciliationFailed,
        `EKS deletes node group ${group.nodegroupName}`,
        later,
      );
    case 'DELETE_FAILED':
      return failing(observed, nodegroupReady, reconciliationFailed, `EKS could not delete it: ${issuesOf(group)}`);
    case 'CREATE_FAILED':
      return replace(observed, note, owner, group);
    case 'ACTIVE':
    case 'UPDATING':
    case 'DEGRADED':
      return serve(observed, note, owner, group, context);
    default:
      return group.status satisfies never;
  }
};

/** `end`: the plan when nothing is left. EKS drains the nodes. */
const tearDown = (observed: Observed, { lastFailure }: Context, end: Planned): Planned => {
  const { pool, owner, nodegroup } = observed;
  const note = noteOf(pool);
  if (!note || !owner) return end;
  const deleting = (message: string, requeueAfter: number, actions: Action[] = []): Planned => {
    const intent = intentOf(observed);
    return {
      ...(intent && nodegroup.state === 'found' && { intent }),
      actions,
      status: report(observed, [legacyFalse(nodegroupReady, 'Deleting', 'Info', message)], {
        ready: false,
        replicas: observed.instances?.length ?? 0,
      }),
      requeueAfter,
    };
  };
  if (nodegroup.state === 'unread') return {};
  if (nodegroup.state === 'unreadable') return deleting(nodegroup.reason, soon);
  if (nodegroup.state === 'absent' || !isOurs(nodegroup.value, pool, owner)) {
    const role = removeRole({ owner, region: note.region, wanted: wantedRole(pool) }, observed.madeRole, lastFailure);
    if (!role) return {};
    return role.isGone ? end : { ...deleting(role.message, soon, role.actions), events: role.events };
  }
  const { nodegroupName, clusterName, status } = nodegroup.value;
  if (status === 'DELETING') return deleting(`EKS drains and deletes node group ${nodegroupName}`, later);
  if (status === 'CREATING' || status === 'UPDATING')
    return deleting(`Waiting for node group ${nodegroupName}, which is ${status}: EKS deletes it after that`, later);
  const refusal = lastFailure?.operation === 'DeleteNodegroup' ? describeFailure(lastFailure) : undefined;
  const issues = status === 'DELETE_FAILED' ? issuesOf(nodegroup.value) : '';
  return deleting(
    refusal ?? (issues || `EKS drains and deletes node group ${nodegroupName}`),
    refusal || issues ? recheck : soon,
    [callCloud(note.region, 'DeleteNodegroup', { clusterName, nodegroupName }, proofOf(pool, owner))],
  );
};

const gone = (observed: Observed): Status => report(observed, [], { ready: false, replicas: 0 });

export const reconcile = (observed: Observed, context: Context): Planned =>
  observed.pool.metadata.deletionTimestamp
    ? tearDown(observed, context, { finished: true, status: gone(observed) })
    : build(observed, context);

export const release = (observed: Observed, context: Context): Planned =>
  tearDown(observed, context, { released: { notes: [nodegroupAnnotation] } });
