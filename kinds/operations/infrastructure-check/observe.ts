import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { isOwnedBy } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { pausedAnnotation } from '../../core/contract/hold.ts';
import type { InfrastructureProvider, Preflight } from '../../core/contract/infrastructure.ts';
import { infrastructureOf } from '../../core/contract/plain-infrastructure.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import { textOf, versionOf } from '../upgrade-check/checks/versions.ts';
import { type Need, needOf } from '../upgrade-check/need.ts';
import type { InfrastructureCheck } from './index.ts';

export interface Observed {
  cluster: Cluster;
  /** The request that is open. */
  request?: string;
  before?: Read<InfrastructureCheck>;
  preflight?: Preflight | undefined;
}

/** The control plane, and the MachineDeployments that get another version. */
const ownersOf = (cluster: Cluster, target: string, read: Reader): string[] => {
  const { namespace = '', name } = cluster.metadata;
  const { controlPlaneRef } = cluster.spec ?? {};
  const deployments = found(read.list('MachineDeployment', { namespace, cluster: name })) ?? [];
  const outdated = deployments.filter(({ metadata, spec }) => {
    const version = versionOf(spec?.template.spec);
    const isPaused = spec?.paused === true || metadata.annotations?.[pausedAnnotation] !== undefined;
    return !isPaused && (version === undefined || textOf(version) !== target);
  });
  return [
    ...(controlPlaneRef ? [`${controlPlaneRef.kind} ${namespace}/${controlPlaneRef.name}`] : []),
    ...outdated.map(({ kind, metadata }) => `${kind} ${namespace}/${metadata.name}`),
  ];
};

const requestOf = (cluster: Cluster, read: Reader, context: Context): Need | undefined => {
  const { namespace = '', name, annotations = {} } = cluster.metadata;
  const named = annotations[operationAnnotations.operation];
  const operation =
    named !== undefined && context.config.workflows === true
      ? found(read.get('ClusterOperation', { namespace, name: named }))
      : undefined;
  return needOf(cluster, operation, found(read.get('UpgradeCheck', { namespace, name })));
};

export const isAnswered = (last: InfrastructureCheck | undefined, cluster: Cluster, request: string): boolean =>
  last !== undefined && isOwnedBy(last, cluster) && last.spec?.request === request;

export const observe = (
  cluster: Cluster,
  read: Reader,
  context: Context,
  infrastructures: readonly InfrastructureProvider[],
): Observed => {
  const { namespace = '', name } = cluster.metadata;
  const need = requestOf(cluster, read, context);
  if (need?.for !== 'request') return { cluster };
  const before = read.get('InfrastructureCheck', { namespace, name });
  const { request } = need;
  if (before.state === 'unread' || isAnswered(found(before), cluster, request)) return { cluster, request, before };
  const provider = infrastructureOf(cluster, infrastructures);
  const target = textOf(need.target);
  const owners = ownersOf(cluster, target, read);
  return {
    cluster,
    request,
    before,
    preflight: provider.replacementPreflight(cluster, owners, read, context, target),
  };
};
