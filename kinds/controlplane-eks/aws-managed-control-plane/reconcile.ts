import {
  type LegacyDraft,
  legacyFalse,
  legacyTrue,
  summarizeLegacy,
  withLegacy,
} from '../../../machinery/api/conditions.ts';
import type { Action, Context, EventDraft, Failure, MergePatch, Plan } from '../../../machinery/api/reconcile.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation, filledNote } from '../../common/filled.ts';
import { endpointOf } from '../../core/contract/cluster.ts';
import {
  carries,
  clientToken,
  cloudProviderTag,
  clusterUidTag,
  evidence,
  type Owner,
  tagList,
  tagsOf,
} from '../../infrastructure-aws/engine/tags.ts';
import type { EksCluster } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import { isBegun, noteOf } from '../owner.ts';
import {
  controlPlaneCreating,
  controlPlaneReady,
  controlPlaneUpdating,
  reconciliationFailed,
  rolesFailed,
  rolesReady,
} from './conditions.ts';
import { defaultRole } from './defaults.ts';
import { creationOf, nextUpdate } from './desired.ts';
import { createUserKubeconfig, dueAfter, saveToken } from './kubeconfig.ts';
import type { Observed } from './observe.ts';
import type { AWSManagedControlPlane, AWSManagedControlPlaneStatus } from './schema.ts';

type Status = AWSManagedControlPlaneStatus;
type Planned = Plan<Status>;

/** Seconds. EKS sends no event when a cluster is there or gone. */
const soon = 15;
const later = 30;
/** Seconds until what only a user can mend is looked at again. */
const recheck = 60;

const describeFailure = ({ code, message }: Failure): string => `${code}: ${message}`;

const report = ({ controlPlane }: Observed, changes: LegacyDraft[], more: Partial<Status> = {}): Status => {
  const { status } = controlPlane;
  const before = (status?.conditions ?? []) as LegacyDraft[];
  const conditions = withLegacy(
    before.filter(({ type }) => type !== 'Ready'),
    ...changes,
  );
  // Creating and updating are True only while they last.
  const summary = summarizeLegacy(conditions.filter(({ type }) => type === controlPlaneReady || type === rolesReady));
  return {
    ...status,
    ready: false,
    externalManagedControlPlane: true,
    ...more,
    conditions: withLegacy(conditions, ...(summary ? [summary] : [])) as Status['conditions'],
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

export const isOurs = ({ tags }: EksCluster, owner: Owner): boolean => carries(tagList(tags), evidence(owner));

const begin = (controlPlane: AWSManagedControlPlane, { clusterUid }: Owner): MergePatch => ({
  metadata: { annotations: { [clusterUidTag]: noteOf(controlPlane, clusterUid) } },
});

const serviceCidrOf = (observed: Observed): string | undefined =>
  found(observed.cluster)?.spec?.clusterNetwork?.services?.cidrBlocks?.find((block) => !block.includes(':'));

const create = (observed: Observed, owner: Owner, { lastFailure }: Context): Planned => {
  const { controlPlane, role, region } = observed;
  const spec = controlPlane.spec ?? {};
  const name = spec.eksClusterName ?? '';
  const roleName = spec.roleName || defaultRole;
  if (role.state === 'unread') return {};
  if (role.state === 'unreadable') return failing(observed, rolesReady, rolesFailed, role.reason);
  if (role.state === 'absent')
    return failing(
      observed,
      rolesReady,
      rolesFailed,
      `Role ${roleName} does not exist: create it with the policy AmazonEKSClusterPolicy and a trust in eks.amazonaws.com, or name another one in spec.roleName`,
    );
  const { Arn: roleArn } = role.value.Role;
  const tags = tagsOf(owner, { name, role: 'common', more: { [cloudProviderTag(name)]: 'owned' } });
  const token = clientToken(owner, 'eks-cluster', 0);
  const input = creationOf(spec, { roleArn, tags, token, serviceCidr: serviceCidrOf(observed) });
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

/** The zones of the subnets, where machines can be. */
const failureDomainsOf = ({ spec }: AWSManagedControlPlane): Status['failureDomains'] => {
  const zones = (spec?.network?.subnets ?? []).flatMap(({ availabilityZone, isPublic }) =>
    availabilityZone && !isPublic ? [availabilityZone] : [],
  );
  return zones.length > 0 ? Object.fromEntries(zones.map((zone) => [zone, { controlPlane: false }])) : undefined;
};

/** EKS gives an address, and a port where it is not 443. */
const endpointIn = ({ endpoint = '' }: EksCluster): { host: string; port: number } | undefined => {
  const url = URL.parse(endpoint);
  return url ? { host: url.hostname, port: Number(url.port || 443) } : undefined;
};

const intentOf = (controlPlane: AWSManagedControlPlane, eksCluster: EksCluster): MergePatch | undefined => {
  const endpoint = endpointOf(controlPlane) ? undefined : endpointIn(eksCluster);
  if (!endpoint) return undefined;
  const spec = { controlPlaneEndpoint: endpoint };
  const note = filledNote(controlPlane, { ...controlPlane.spec, ...spec } as never);
  return { metadata: { annotations: { [filledAnnotation]: note } }, spec };
};

const serve = (observed: Observed, owner: Owner, eksCluster: EksCluster, { now, lastFailure }: Context): Planned => {
  const { controlPlane, region, token } = observed;
  const of = { controlPlane, clusterName: owner.clusterName, eksCluster, now };
  const kubeconfig = found(observed.kubeconfig);
  const isFirst = !controlPlane.status?.initialized;
  const isActive = eksCluster.status === 'ACTIVE';
  const update = isActive ? nextUpdate(controlPlane.spec ?? {}, eksCluster) : undefined;
  const failure = update && lastFailure?.operation === update.action ? describeFailure(lastFailure) : undefined;
  const actions: Action[] = [
    ...(token ? [saveToken(of, token, kubeconfig)] : []),
    ...(observed.userKubeconfig.state === 'absent' ? [createUserKubeconfig(of)] : []),
    ...(update ? [callCloud(region, update.action, update.input, evidence(owner))] : []),
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
  const isUpdating = !isActive || update !== undefined;
  const intent = intentOf(controlPlane, eksCluster);
  const failureDomains = failureDomainsOf(controlPlane);
  return {
    ...(intent && { intent }),
    actions,
    events,
    status: report(
      observed,
      [
        legacyTrue(rolesReady),
        failure
          ? legacyFalse(controlPlaneReady, reconciliationFailed, 'Error', failure)
          : issues
            ? legacyFalse(controlPlaneReady, reconciliationFailed, 'Warning', issues)
            : legacyTrue(controlPlaneReady),
        legacyFalse(controlPlaneCreating, 'created', 'Info'),
        isUpdating ? legacyTrue(controlPlaneUpdating) : legacyFalse(controlPlaneUpdating, 'updated', 'Info'),
      ],
      {
        ready: true,
        initialized,
        version: `v${eksCluster.version}`,
        ...(failureDomains && { failureDomains }),
      },
    ),
    requeueAfter: failure
      ? recheck
      : isUpdating
        ? update
          ? soon
          : later
        : dueAfter(token ? undefined : kubeconfig, now),
  };
};

const build = (observed: Observed, context: Context): Planned => {
  const { owner, eksCluster, controlPlane } = observed;
  if (!owner || eksCluster.state === 'unread') return {};
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

/** `end`: the plan when nothing is left. Workers go first. */
const tearDown = (observed: Observed, { lastFailure }: Context, end: Planned): Planned => {
  const { controlPlane, owner, eksCluster, region, machines } = observed;
  if (!owner || !isBegun(controlPlane)) return end;
  const deleting = (message: string, requeueAfter: number, actions: Action[] = []): Planned => ({
    actions,
    status: report(observed, [legacyFalse(controlPlaneReady, 'Deleting', 'Info', message)]),
    requeueAfter,
  });
  if (machines.state !== 'found') return machines.state === 'unread' ? {} : { requeueAfter: soon };
  if (machines.value.length > 0) return deleting(`Waiting for ${machines.value.length} Machines to be gone`, soon);
  if (eksCluster.state === 'unread') return {};
  if (eksCluster.state === 'unreadable') return deleting(eksCluster.reason, soon);
  if (eksCluster.state === 'absent' || !isOurs(eksCluster.value, owner)) return end;
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

export const release = (observed: Observed, context: Context): Planned =>
  tearDown(observed, context, { released: { notes: [clusterUidTag] } });
