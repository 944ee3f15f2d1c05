/** What the steps of an operation are judged by. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Read } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Infrastructure } from '../../core/contract/infrastructure.ts';

export interface ClusterState {
  cluster: Cluster;
  /** Undefined when the Cluster names none. */
  infrastructure: Read<KubeObject> | undefined;
  controlPlane: Read<KubeObject> | undefined;
  machineDeployments: KubeObject[];
  machineSets: KubeObject[];
  machines: KubeObject[];
  infraMachines: KubeObject[];
  /** The provider of its infrastructure; undefined when none is served. */
  provider: Infrastructure | undefined;
  /** The ClusterResourceSets that select the cluster. */
  resourceSets: KubeObject[];
  binding: Read<KubeObject>;
  /** What Capstan made and is still there; read only where a step needs it. */
  remains: Read<string[]>;
  /** Deletes what no controller deletes any more. */
  stranded: Action[];
}

export type Judgement =
  | { verdict: 'done' }
  /** `waitsFor` says what is missing, and why as far as it is known. */
  | { verdict: 'pending'; waitsFor: string }
  | { verdict: 'refused'; message: string };

export type Judge = (clusterState: ClusterState) => Judgement;

export const done: Judgement = { verdict: 'done' };
export const pending = (waitsFor: string): Judgement => ({ verdict: 'pending', waitsFor });
export const unless = (isDone: boolean, waitsFor: () => string): Judgement => (isDone ? done : pending(waitsFor()));
