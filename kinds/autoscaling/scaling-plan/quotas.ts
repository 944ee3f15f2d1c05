/** Limits that clusters share: of their namespace, and of the installation. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader, type Where } from '../../../machinery/api/reconcile.ts';
import { annotatedLimit, limitAnnotations } from '../../common/autoscale/limits.ts';
import { installationName } from '../../common/installation.ts';
import { isControlledBy } from '../../common/owners.ts';
import { limitsFor, theInstallation, usedOf } from '../../core/contract/machine-quota.ts';
import type { Quota } from '../plan/types.ts';
import type { PoolObjects } from './pools.ts';
import type { ScalingPlan } from './schema.ts';

type Limit = { most: number; source: string; where: Where };

/** Of the sizes that clusters report in their ScalingPlans, and the Installation's setting for each. */
const settings = { vCPU: 'maxVCPU', dollarsPerHour: 'maxDollarsPerHour' } as const;
const reported = ['vCPU', 'dollarsPerHour'] as const;
type Reported = (typeof reported)[number];

const reportedLimits = (
  of: Reported,
  namespace: KubeObject | undefined,
  installation: KubeObject | undefined,
): Limit[] => {
  const { name = '' } = namespace?.metadata ?? {};
  const own = annotatedLimit(namespace, of);
  const all = (installation?.spec as Record<string, number | string | undefined> | undefined)?.[settings[of]];
  return [
    ...(own === undefined
      ? []
      : [
          {
            most: own,
            source: `annotation ${limitAnnotations[of]} of namespace ${name}`,
            where: { namespace: name },
          },
        ]),
    ...(all === undefined
      ? []
      : [{ most: Number(all), source: `spec.${settings[of]} of installation ${installationName}`, where: {} }]),
  ];
};

const quotaOf = (limit: Quota['limit'], { source, most }: Limit, used: number): Quota => ({
  limit,
  source: `exceeded quota: ${source}`,
  most,
  used,
});

/** Names that the pools' own MachineSets noted are replicas without a Machine, which the plan counts. */
const machineQuota = (
  limit: Limit,
  pools: readonly PoolObjects[],
  list: (kind: Parameters<Reader['list']>[0]) => readonly KubeObject[],
): Quota => {
  const isOwn = (owner: KubeObject) => pools.some(({ deployment }) => isControlledBy(owner, deployment));
  const owners = [...list('MachineSet'), ...list({ role: 'ControlPlane' })].filter((owner) => !isOwn(owner));
  return quotaOf('machines', limit, usedOf(list('Machine'), owners));
};

/** What the other clusters had after their last decision. */
const reportedQuota = (of: Reported, limit: Limit, { metadata }: ScalingPlan, plans: readonly KubeObject[]): Quota => {
  const others = (plans as ScalingPlan[]).filter((one) => one.metadata.uid !== metadata.uid);
  return quotaOf(
    of,
    limit,
    others.reduce((sum, { status }) => sum + Number(status?.usage?.[of] ?? 0), 0),
  );
};

export type QuotaSources = {
  plan: ScalingPlan;
  pools: readonly PoolObjects[];
  namespace: KubeObject | undefined;
  installation: KubeObject | undefined;
};

export const quotasOf = (
  { plan, pools, namespace, installation }: QuotaSources,
  list: (kind: Parameters<Reader['list']>[0], where: Where) => readonly KubeObject[],
): Quota[] => [
  ...limitsFor(namespace, installation).map((limit) => machineQuota(limit, pools, (kind) => list(kind, limit.where))),
  ...reported.flatMap((of) =>
    reportedLimits(of, namespace, installation).map((limit) =>
      reportedQuota(of, limit, plan, list('ScalingPlan', limit.where)),
    ),
  ),
];

export const observeQuotas = (plan: ScalingPlan, pools: readonly PoolObjects[], read: Reader): Quota[] => {
  const { namespace = '' } = plan.metadata;
  const sources = {
    plan,
    pools,
    namespace: found(read.get('Namespace', { namespace: '', name: namespace })),
    installation: found(read.get('Installation', theInstallation)),
  };
  return quotasOf(sources, (kind, where) => found(read.list(kind, where) as Read<KubeObject[]>) ?? []);
};
