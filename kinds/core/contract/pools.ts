/** Whether a cluster has MachinePools: clusters without any pay for no reads of them. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import type { MachinePool } from '../machine-pool/schema.ts';

/** On a Cluster: set by its first MachinePool, and never removed. Reserved for controllers. */
export const poolsAnnotation = 'capstan.dev/machine-pools';

export const hasPools = ({ metadata }: KubeObject): boolean => metadata.annotations?.[poolsAnnotation] !== undefined;

/** Undefined while they are unreadable. */
export const poolsOf = (cluster: KubeObject, read: Reader): MachinePool[] | undefined => {
  const { namespace = '', name } = cluster.metadata;
  return found(read.list('MachinePool', { namespace, cluster: name }));
};

const replicasManagedBy = 'cluster.x-k8s.io/replicas-managed-by';
/** Another program decides how many machines there are. */
export const isScaledByOthers = ({ metadata }: MachinePool): boolean =>
  ![undefined, '', 'false'].includes(metadata.annotations?.[replicasManagedBy]);
