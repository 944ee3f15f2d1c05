/** Whether objects of a workload cluster are healthy, by their kind's own status. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';

type Counts = Record<string, number | undefined>;
type Conditions = { type: string; status: string; message?: string }[];

const conditionOf = ({ status }: KubeObject, type: string) =>
  (status as { conditions?: Conditions } | undefined)?.conditions?.find((one) => one.type === type);

/** Undefined when it is healthy. */
type Judge = (object: KubeObject) => string | undefined;

const counted =
  (wanted: (object: KubeObject) => number, ...fields: string[]): Judge =>
  (object) => {
    const status = (object.status ?? {}) as Counts;
    if ((status.observedGeneration ?? 0) < (object.metadata.generation ?? 0)) return 'its controller has not seen it';
    const count = wanted(object);
    const fewest = Math.min(...fields.map((field) => status[field] ?? 0));
    return fewest < count ? `${fewest} of ${count} pods are available` : undefined;
  };
const replicas = ({ spec }: KubeObject): number => (spec as { replicas?: number } | undefined)?.replicas ?? 1;
const desired = ({ status }: KubeObject): number => (status as Counts | undefined)?.desiredNumberScheduled ?? 0;

const isTrue =
  (type: string, otherwise: string): Judge =>
  (object) => {
    const condition = conditionOf(object, type);
    return condition?.status === 'True' ? undefined : (condition?.message ?? otherwise);
  };

const judges: Readonly<Record<string, Judge>> = {
  Deployment: counted(replicas, 'availableReplicas', 'updatedReplicas'),
  StatefulSet: counted(replicas, 'readyReplicas', 'updatedReplicas'),
  DaemonSet: counted(desired, 'numberAvailable', 'updatedNumberScheduled'),
  Job: (job) => conditionOf(job, 'Failed')?.message ?? isTrue('Complete', 'it runs')(job),
  CustomResourceDefinition: isTrue('Established', 'it is not established'),
  APIService: isTrue('Available', 'it is not available'),
};

/** Only these kinds report what may be wrong with them. */
export const hasHealth = ({ kind }: { kind: string }): boolean => Object.hasOwn(judges, kind);

export const unhealthy = (object: KubeObject): string | undefined => judges[object.kind]?.(object);
