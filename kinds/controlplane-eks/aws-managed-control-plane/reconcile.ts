import { type LegacyDraft, legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { Action, Context, EventDraft, MergePatch, Plan } from '../../../machinery/api/reconcile.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation, filledNote } from '../../common/filled.ts';
import { endpointOf } from '../../core/contract/cluster.ts';
import {
  clientToken,
  cloudProviderTag,
  clusterUidTag,
  evidence,
  type Owner,
  tagsOf,
} from '../../infrastructure-aws/engine/tags.ts';
import type { EksCluster } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import { isBegun, isOurs, noteOf } from '../owner.ts';
import { conditionsAfter, describeFailure } from '../report.ts';
import { planRole, removeRole } from '../roles.ts';
import { serviceCidrAnnotation } from '../service-cidr.ts';
import { notedEntries, type PartsPlan, planEntries } from './access-entries.ts';
import { addonsCondition, addonsStatus, isAddonBusy, notedAddons, planAddons } from './add-ons.ts';
import {
  addonsConfigured,
  controlPlaneCreating,
  controlPlaneReady,
  controlPlaneUpdating,
  reconciliationFailed,
  rolesCreating,
  rolesFailed,
  rolesReady,
} from './conditions.ts';
import { wantedRole } from './defaults.ts';
import { creationOf, nextUpdate, placesOf } from './desired.ts';
import { partsEvents } from './events.ts';
import { createUserKubeconfig, dueAfter, saveToken } from './kubeconfig.ts';
import { groupsIn, type NetworkPlan, networkParts, planNetwork, removeNetwork } from './network.ts';
import { notes } from './notes.ts';
import type { Observed } from './observe.ts';
import { partsAnnotation, partsNote, partsOf } from './parts.ts';
import type { AWSManagedControlPlane, AWSManagedControlPlaneStatus } from './schema.ts';

type Status = AWSManagedControlPlaneStatus;
type Planned = Plan<Status>;

/** Seconds. EKS sends no event when a cluster is there or gone. */
const soon = 15;
const later = 30;
/** Seconds until what only a user can mend is looked at again. */
const recheck = 60;

/** `over`: a condition that no longer applies. */
const report = (
  { controlPlane }: Observed,
  changes: LegacyDraft[],
  more: Partial<Status> = {},
  over?: string,
): Status => {
  const { status, metadata } = controlPlane;
  const before = ((status?.conditions ?? []) as LegacyDraft[]).filter(({ type }) => type !== over);
  // Creating and updating are True only while they last.
  const counting = [controlPlaneReady, rolesReady, addonsConfigured, ...networkParts];
  return {
    ...status,
    ready: false,
    externalManagedControlPlane: true,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    ...more,
    conditions: conditionsAfter(before, changes, counting) as Status['conditions'],
  };
};

const failing = (
  observed: Observed,
  type: string,
  reason: string,
  message: string,
  requeueAfter = recheck,
): Planned => ({
  status: report(observed, [legacyFalse(type, reason, 'Error', message)], {
    ready: observed.controlPlane.status?.ready ?? false,
  }),
  requeueAfter,
});

const begin = (controlPlane: AWSManagedControlPlane, { clusterUid }: Owner): MergePatch => ({
  metadata: { annotations: { [clusterUidTag]: noteOf(controlPlane, clusterUid) } },
});

const serviceCidrOf = (observed: Observed): string | undefined =>
  found(observed.cluster)?.spec?.clusterNetwork?.services?.cidrBlocks?.find((block) => !block.includes(':'));

const create = (observed: Observed, owner: Owner, { lastFailure }: Context): Planned => {
  const { controlPlane, role, region } = observed;
  const spec = controlPlane.spec ?? {};
  const name = spec.eksClusterName ?? '';
  const plan = planRole({ owner, region, wanted: wantedRole }, role, lastFailure);
  if (!plan) return {};
  if (plan.state === 'failed') return failing(observed, rolesReady, rolesFailed, plan.message);
  if (plan.state === 'made') {
    const { actions, events, message, isRefused } = plan;
    const condition = isRefused
      ? legacyFalse(rolesReady, rolesFailed, 'Error', message)
      : legacyFalse(rolesReady, rolesCreating, 'Info', message);
    return {
      intent: begin(controlPlane, owner),
      actions,
      events,
      status: report(observed, [condition]),
      requeueAfter: isRefused ? recheck : soon,
    };
  }
  const { arn: roleArn } = plan;
  const tags = tagsOf(owner, { name, role: 'common', more: { [cloudProviderTag(name)]: 'owned' } });
  const token = clientToken(owner, 'eks-cluster', 0);
  const securityGroup = groupsIn(controlPlane.status)['node-eks-additional']?.id;
  const input = creationOf(spec, { roleArn, tags, token, serviceCidr: serviceCidrOf(observed), securityGroup });
  const refusal = lastFailure?.operation === 'CreateCluster' ? describeFailure(lastFailure) : undefined;
  return {
    intent: begin(controlPlane, owner),
    actions: [callCloud(region, 'CreateCluster', input)],
    status: report(observed, [
      legacyTrue(rolesReady),
      refusal
        ? legacyFalse(controlPlaneReady, reconciliationFailed, 'Error', refusal)
        : legacyFalse(controlPlaneReady, 'EKSControlPlaneCreating', 'Info', `EKS creates cluster ${name}`),
    ]),
    events: [
      {
        type: 'Normal',
        reason: 'InitiatedCreateEKSControlPlane',
        message: `Initiated creation of a new EKS control plane ${name}`,
      },
    ],
    requeueAfter: refusal ? recheck : soon,
  };
};

/** EKS gives its own group to what belongs to the cluster: the API server admits its members. */
const networkStatusOf = (
  { status }: AWSManagedControlPlane,
  { resourcesVpcConfig: { clusterSecurityGroupId: id } }: EksCluster,
): Partial<Status> => {
  if (!id) return {};
  const group = { id, name: id };
  const securityGroups = { ...groupsIn(status), cluster: group, node: group };
  return { networkStatus: { ...status?.networkStatus, securityGroups } };
};

/** The zones of the subnets, where machines can be. */
const failureDomainsOf = ({ spec }: AWSManagedControlPlane): Status['failureDomains'] => {
  const zones = placesOf(spec ?? {}).flatMap(({ availabilityZone, isPublic }) =>
    availabilityZone && !isPublic ? [availabilityZone] : [],
  );
  return zones.length > 0 ? Object.fromEntries(zones.map((zone) => [zone, { controlPlane: false }])) : undefined;
};

/** EKS gives an address, and a port where it is not 443. */
const endpointIn = ({ endpoint = '' }: EksCluster): { host: string; port: number } | undefined => {
  const url = URL.parse(endpoint);
  return url ? { host: url.hostname, port: Number(url.port || 443) } : undefined;
};

const endpointPatch = (controlPlane: AWSManagedControlPlane, eksCluster: EksCluster): MergePatch | undefined => {
  const endpoint = endpointOf(controlPlane) ? undefined : endpointIn(eksCluster);
  if (!endpoint) return undefined;
  const spec = { controlPlaneEndpoint: endpoint };
  const note = filledNote(controlPlane, { ...controlPlane.spec, ...spec } as never);
  return { metadata: { annotations: { [filledAnnotation]: note } }, spec };
};

/** The endpoint, and what parts exist or are going to. */
const intentOf = (
  { controlPlane, accessEntries, addons }: Observed,
  owner: Owner,
  eksCluster: EksCluster,
): MergePatch | undefined => {
  const endpoint = endpointPatch(controlPlane, eksCluster);
  const note = partsNote({
    // While the mode of the cluster has no entries, nothing was read of them.
    accessEntries:
      eksCluster.accessConfig.authenticationMode === 'CONFIG_MAP'
        ? partsOf(controlPlane).accessEntries
        : notedEntries(accessEntries, owner),
    addons: notedAddons(addons, owner),
  });
  const { annotations: has = {} } = controlPlane.metadata;
  const wanted = {
    [partsAnnotation]: note,
    [serviceCidrAnnotation]: eksCluster.kubernetesNetworkConfig.serviceIpv4Cidr ?? null,
  };
  const changed = Object.entries(wanted).filter(([key, value]) => value !== (has[key] ?? null));
  if (changed.length === 0) return endpoint;
  const annotations = { ...endpoint?.metadata?.annotations, ...Object.fromEntries(changed) };
  return { ...endpoint, metadata: { annotations } };
};

const callsOfAddons = ['CreateAddon', 'UpdateAddon', 'DeleteAddon'];
const callsOfEntries = [
  'CreateAccessEntry',
  'UpdateAccessEntry',
  'DeleteAccessEntry',
  'AssociateAccessPolicy',
  'DisassociateAccessPolicy',
];

/** The calls for access entries and add-ons, and what the conditions say of them. */
const planParts = (observed: Observed, owner: Owner, clusterName: string, { lastFailure }: Context) => {
  const { region, accessEntries, addons } = observed;
  const where = { region, clusterName, owner };
  const entries = planEntries(where, accessEntries);
  const programs = planAddons(where, addons);
  const failureOf = (plan: PartsPlan, calls: readonly string[]): string | undefined =>
    lastFailure && plan.actions.length > 0 && calls.includes(lastFailure.operation)
      ? `${lastFailure.group ? `${lastFailure.group}: ` : ''}${describeFailure(lastFailure)}`
      : undefined;
  const refused = failureOf(programs, callsOfAddons);
  const faults = [failureOf(entries, callsOfEntries), ...entries.faults].filter((fault) => fault !== undefined);
  return {
    actions: [...entries.actions, ...programs.actions],
    isUnread: entries.isUnread || programs.isUnread,
    entriesFault: faults.length > 0 ? faults.join('; ') : undefined,
    isRefused: refused !== undefined || faults.length > 0 || programs.faults.length > 0,
    isBusy: addons.some(isAddonBusy),
    condition: addonsCondition(addons, programs, refused),
    events: partsEvents({ accessEntries: entries.actions.length > 0, addons: programs.actions.length > 0 }),
  };
};

const serve = (observed: Observed, owner: Owner, eksCluster: EksCluster, context: Context): Planned => {
  const { now, lastFailure } = context;
  const { controlPlane, region, token } = observed;
  const of = { controlPlane, clusterName: owner.clusterName, eksCluster, now };
  const kubeconfig = found(observed.kubeconfig);
  const parts = planParts(observed, owner, eksCluster.name, context);
  if (parts.isUnread) return {};
  const isFirst = !controlPlane.status?.initialized;
  const isActive = eksCluster.status === 'ACTIVE';
  const update = isActive ? nextUpdate(controlPlane.spec ?? {}, eksCluster) : undefined;
  const failure = update && lastFailure?.operation === update.action ? describeFailure(lastFailure) : undefined;
  const actions: Action[] = [
    ...(token ? [saveToken(of, token, kubeconfig)] : []),
    ...(observed.userKubeconfig.state === 'absent' ? [createUserKubeconfig(of)] : []),
    ...(update ? [callCloud(region, update.action, update.input, evidence(owner))] : []),
    ...parts.actions,
  ];
  const initialized = !isFirst || kubeconfig !== undefined || token !== undefined;
  const issues = eksCluster.health.issues.map(({ code, message }) => `${code}: ${message}`).join('; ');
  const events: EventDraft[] = [
    ...(isFirst && initialized
      ? [
          {
            type: 'Normal' as const,
            reason: 'SuccessfulCreateEKSControlPlane',
            message: `Created EKS control plane ${eksCluster.name}`,
          },
        ]
      : []),
    ...(update
      ? [
          {
            type: 'Normal' as const,
            reason: 'InitiatedUpdateEKSControlPlane',
            message: `Initiated update of ${update.what}`,
          },
        ]
      : []),
  ];
  events.push(...parts.events);
  const isUpdating = !isActive || update !== undefined;
  const intent = intentOf(observed, owner, eksCluster);
  const waits = parts.actions.length > 0 && !parts.isRefused ? soon : parts.isBusy ? later : undefined;
  const trouble = failure ?? parts.entriesFault;
  const failureDomains = failureDomainsOf(controlPlane);
  return {
    ...(intent && { intent }),
    actions,
    events,
    status: report(
      observed,
      [
        legacyTrue(rolesReady),
        trouble
          ? legacyFalse(controlPlaneReady, reconciliationFailed, 'Error', trouble)
          : issues
            ? legacyFalse(controlPlaneReady, reconciliationFailed, 'Warning', issues)
            : legacyTrue(controlPlaneReady),
        legacyFalse(controlPlaneCreating, 'created', 'Info'),
        isUpdating ? legacyTrue(controlPlaneUpdating) : legacyFalse(controlPlaneUpdating, 'updated', 'Info'),
        ...(parts.condition ? [parts.condition] : []),
      ],
      {
        ready: true,
        addons: addonsStatus(observed.addons),
        ...networkStatusOf(controlPlane, eksCluster),
        initialized,
        version: `v${eksCluster.version}`,
        ...(failureDomains && { failureDomains }),
      },
      parts.condition ? undefined : addonsConfigured,
    ),
    requeueAfter:
      failure || parts.isRefused
        ? recheck
        : (waits ?? (update ? soon : isUpdating ? later : dueAfter(token ? undefined : kubeconfig, now))),
  };
};

/** The network and the cluster in it, in one plan. Without a status, the cluster's plan changes nothing. */
const together = (observed: Observed, network: NetworkPlan, of: (observed: Observed) => Planned): Planned => {
  const { status: ofNetwork, isReady: _, ...plan } = network;
  const { ready = false } = observed.controlPlane.status ?? {};
  const seen = {
    ...observed,
    controlPlane: { ...mergePatch(observed.controlPlane, plan.intent ?? {}), ...(ofNetwork && { status: ofNetwork }) },
  };
  const next = of(seen);
  const status = next.status ?? (ofNetwork && report(seen, [], { ready }));
  const waits = [plan.requeueAfter, next.requeueAfter].filter((wait) => wait !== undefined);
  const intent = plan.intent || next.intent ? mergePatch(plan.intent ?? {}, next.intent ?? {}) : undefined;
  return {
    ...plan,
    ...next,
    ...(intent && { intent }),
    actions: [...(plan.actions ?? []), ...(next.actions ?? [])],
    events: [...(plan.events ?? []), ...(next.events ?? [])],
    ...(status && { status }),
    ...(waits.length > 0 && { requeueAfter: Math.min(...waits) }),
  };
};

const build = (observed: Observed, context: Context): Planned => {
  const { owner, controlPlane, region, network, eksCluster } = observed;
  if (!owner) return {};
  if (network.cloud.state === 'unread') return buildCluster(observed, owner, context);
  const plan = planNetwork({ controlPlane, owner, region }, network, context);
  const isAsked = eksCluster.state !== 'unread';
  return together(observed, plan, (next) => {
    if (!plan.isReady) return {};
    return isAsked ? buildCluster(next, owner, context) : { again: true };
  });
};

const buildCluster = (observed: Observed, owner: Owner, context: Context): Planned => {
  const { eksCluster, controlPlane } = observed;
  if (eksCluster.state === 'unread') return {};
  if (eksCluster.state === 'unreadable')
    return failing(observed, controlPlaneReady, reconciliationFailed, eksCluster.reason, soon);
  if (eksCluster.state === 'absent') {
    if (controlPlane.status?.initialized)
      return failing(
        observed,
        controlPlaneReady,
        reconciliationFailed,
        `EKS cluster ${controlPlane.spec?.eksClusterName} is gone, and its objects with it: delete the Cluster and create it anew`,
      );
    return create(observed, owner, context);
  }
  const it = eksCluster.value;
  if (!isOurs(it, owner))
    return failing(
      observed,
      controlPlaneReady,
      reconciliationFailed,
      `EKS cluster ${it.name} exists and was not made for this Cluster: choose another spec.eksClusterName; it is neither changed nor deleted`,
    );
  switch (it.status) {
    case 'PENDING':
    case 'CREATING':
      return {
        status: report(observed, [
          legacyTrue(rolesReady),
          legacyTrue(controlPlaneCreating),
          legacyFalse(controlPlaneReady, 'EKSControlPlaneCreating', 'Info', `EKS creates cluster ${it.name}`),
        ]),
        requeueAfter: later,
      };
    case 'DELETING':
      return failing(observed, controlPlaneReady, reconciliationFailed, `EKS deletes cluster ${it.name}`, later);
    case 'FAILED': {
      const issues = it.health.issues.map(({ code, message }) => `${code}: ${message}`).join('; ');
      const message = `EKS failed to create cluster ${it.name}${issues && `: ${issues}`}; delete the Cluster and create it anew`;
      return {
        status: report(observed, [legacyFalse(controlPlaneReady, reconciliationFailed, 'Error', message)], {
          failureMessage: message,
        }),
      };
    }
    case 'ACTIVE':
    case 'UPDATING':
      return serve(observed, owner, it, context);
    default:
      return it.status satisfies never;
  }
};

/** The role that Capstan made, and its network, once EKS needs neither. */
const removeRest = (observed: Observed, owner: Owner, context: Context, end: Planned): Planned => {
  const { controlPlane, region, network, madeRole } = observed;
  const role = removeRole({ owner, region, wanted: wantedRole }, madeRole, context.lastFailure);
  if (!role) return {};
  const { isGone, status, ...plan } = removeNetwork({ controlPlane, owner, region }, network, context);
  const events = [...role.events, ...(plan.events ?? [])];
  if (isGone && role.isGone)
    return { ...end, ...(events.length > 0 && { events: [...events, ...(end.events ?? [])] }) };
  const changes = [
    legacyFalse(controlPlaneReady, 'Deleted', 'Info'),
    ...(role.isGone ? [] : [legacyFalse(rolesReady, 'Deleting', 'Info', role.message)]),
  ];
  return {
    ...plan,
    actions: [...role.actions, ...(plan.actions ?? [])],
    events,
    status: report({ ...observed, controlPlane: { ...controlPlane, ...(status && { status }) } }, changes),
    ...(!role.isGone && { requeueAfter: Math.min(soon, plan.requeueAfter ?? soon) }),
  };
};

/** `end`: the plan when nothing is left. Workers go first. */
const tearDown = (observed: Observed, context: Context, end: Planned): Planned => {
  const { lastFailure } = context;
  const { controlPlane, owner, eksCluster, region, workers } = observed;
  if (!owner || !isBegun(controlPlane)) return end;
  const deleting = (message: string, requeueAfter: number, actions: Action[] = []): Planned => ({
    actions,
    status: report(observed, [legacyFalse(controlPlaneReady, 'Deleting', 'Info', message)]),
    requeueAfter,
  });
  if (workers.some(({ read }) => read.state === 'unread')) return {};
  if (workers.some(({ read }) => read.state !== 'found')) return { requeueAfter: soon };
  const left = workers.flatMap(({ kind, read }) => {
    const count = found(read)?.length ?? 0;
    return count > 0 ? [`${count} ${kind}${count > 1 ? 's' : ''}`] : [];
  });
  if (left.length > 0) return deleting(`Waiting for ${left.join(' and ')} to be gone`, soon);
  if (eksCluster.state === 'unread') return {};
  if (eksCluster.state === 'unreadable') return deleting(eksCluster.reason, soon);
  if (eksCluster.state === 'absent' || !isOurs(eksCluster.value, owner)) {
    return removeRest(observed, owner, context, end);
  }
  const { name, status } = eksCluster.value;
  if (status === 'DELETING') return deleting(`EKS deletes cluster ${name}`, later);
  if (status === 'CREATING' || status === 'UPDATING')
    return deleting(`Waiting for EKS cluster ${name}, which is ${status}: EKS deletes it after that`, later);
  const refusal = lastFailure?.operation === 'DeleteCluster' ? describeFailure(lastFailure) : undefined;
  const remedy = refusal?.startsWith('ResourceInUse')
    ? ': delete its node groups and Fargate profiles, which Capstan did not make'
    : '';
  return deleting(refusal ? `${refusal}${remedy}` : `EKS deletes cluster ${name}`, refusal ? recheck : soon, [
    callCloud(region, 'DeleteCluster', { name }, evidence(owner)),
  ]);
};

export const reconcile = (observed: Observed, context: Context): Planned =>
  observed.controlPlane.metadata.deletionTimestamp
    ? tearDown(observed, context, { finished: true })
    : build(observed, context);

/** Nothing was made yet, or nothing is left. */
const asNew = ({ withheld }: Context): Status => {
  const condition = legacyFalse(controlPlaneReady, 'TornDown', 'Info', withheld?.message);
  return {
    ready: false,
    externalManagedControlPlane: true,
    conditions: conditionsAfter([], [condition]) as Status['conditions'],
  };
};

export const release = (observed: Observed, context: Context): Planned =>
  tearDown(observed, context, { released: { notes: [...notes], status: asNew(context) } });
