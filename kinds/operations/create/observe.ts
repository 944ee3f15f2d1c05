import type { KubeObject } from '../../../machinery/api/object.ts';
import { isOwnedBy } from '../../common/owners.ts';
import { restoreFromOf } from '../../core/contract/origin.ts';
import { controlPlaneQueries } from '../../core/contract/plain-control-plane.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import { observeRemains } from '../shared/leftovers.ts';
import { etcdOf, isAt, type Observations, type Observing } from '../shared/observing.ts';
import { isPaused } from '../shared/scope.ts';
import { copyNameOf, type Origin } from './origin.ts';

/** What the Cluster is to begin with, while its create checks that. */
const originOf = (observing: Observing): Origin | undefined => {
  const { cluster, controlPlane, controlPlanes, read } = observing;
  const name = restoreFromOf(cluster);
  if (name === undefined || !isAt(observing, 'Preflight')) return undefined;
  const { namespace = '' } = cluster.metadata;
  const { managesEtcd, etcdVersion } = etcdOf(observing);
  const queries = controlPlane && controlPlaneQueries(controlPlane, controlPlanes);
  const copy = read.get<KubeObject>('EtcdSnapshot', { namespace, name: copyNameOf(cluster) });
  return {
    original: read.get<KubeObject>('EtcdSnapshot', { namespace, name }),
    copy: copy.state === 'found' && !isOwnedBy(copy.value, cluster) ? { state: 'absent' } : copy,
    encryption: controlPlane && queries?.encryptionConfig?.(controlPlane, read),
    etcd: { isManaged: managesEtcd, version: etcdVersion },
  };
};

const isTornDown = ({ operation, cluster }: Observing): boolean =>
  operation.status?.phase === 'Held' && cluster.metadata.annotations?.[operationAnnotations.target] === 'Nothing';

export const observeCreate = (observing: Observing): Partial<Observations> => ({
  origin: originOf(observing),
  ...((isAt(observing, 'TearDown') || (isTornDown(observing) && !isPaused(observing.cluster))) &&
    observeRemains(observing.former, observing.infrastructures, observing.read)),
});
