/** What every process knows of a type of operation; workers know its definition besides. */

import type { KindFacts } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { AnnotationChecks } from '../../common/annotation-checks.ts';
import type { ControlPlaneProvider } from '../../core/contract/control-plane.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';

export interface OperationStore {
  get(type: string, key: { namespace: string; name: string }): Promise<KubeObject | undefined>;
  list(type: string, options?: { namespace?: string }): Promise<{ objects: KubeObject[] }>;
}

export interface AdmissionScope {
  store: OperationStore;
  kinds: readonly KindFacts[];
  controlPlanes: readonly ControlPlaneProvider[];
  /** Whether the installation runs operations. */
  workflows: boolean;
}

/** What stays of a cancelled operation, and what that forbids: one sentence each. */
export type Left = (operation: ClusterOperation, cluster: KubeObject, machines: readonly Machine[]) => string[];

export interface OperationFacts {
  /** The order in which a cluster has operations: one of a later place supersedes one of an earlier. */
  place: number;
  /** The policies after a failure that a Cluster may name. */
  failurePolicies?: readonly string[];
  /** What users set on a Cluster for it. */
  annotations?: AnnotationChecks;
  /** Users create it, and this completes it or refuses it; Capstan begins all others. */
  admission?: () => Promise<(scope: AdmissionScope, object: ClusterOperation) => Promise<ClusterOperation>>;
  /** Lists in its spec to which users may add, and why no other type takes them. */
  userLists?: Readonly<Partial<Record<'continued', string>>>;
  /** Why a user cannot cancel it now; undefined if nothing speaks against it. */
  refusalToCancel?: (operation: ClusterOperation) => string | undefined;
  /** A cancelled one is undone as far as that is possible. */
  isUndone?: true;
  /** For the command that cancels it. */
  left?: () => Promise<Left>;
}
