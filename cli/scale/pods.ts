/** Pods that do not exist yet, from the manifests of pods and of what creates them. */

import type { Pod } from '../../kinds/autoscaling/plan/index.ts';
import { podsOf } from '../../kinds/autoscaling/snapshot/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { CliError } from '../errors.ts';

type Template = { metadata?: object; spec?: object };
type OwnerSpec = {
  replicas?: number;
  completions?: number;
  parallelism?: number;
  template?: Template;
  jobTemplate?: { spec?: OwnerSpec };
};

const countOf = (kind: string, { replicas = 1, completions, parallelism = 1 }: OwnerSpec): number => {
  if (kind !== 'Job') return replicas;
  return completions === undefined ? parallelism : Math.min(parallelism, completions);
};

/** Admission of the workload cluster would set the priority of a class. */
const podsFrom = (object: KubeObject): KubeObject[] => {
  const { kind, metadata } = object;
  if (kind === 'Pod') return [object];
  const spec = (object.spec ?? {}) as OwnerSpec;
  const owner = kind === 'CronJob' ? (spec.jobTemplate?.spec ?? {}) : spec;
  const known = ['Deployment', 'ReplicaSet', 'StatefulSet', 'Job', 'CronJob'].includes(kind);
  if (!known || !owner.template)
    throw new CliError(`${kind} ${metadata?.name ?? ''} creates no pods that can be simulated`, 2);
  const { template } = owner;
  return Array.from({ length: countOf(kind === 'CronJob' ? 'Job' : kind, owner) }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...template.metadata,
      name: `${metadata.name}-${at}`,
      ...(metadata.namespace && { namespace: metadata.namespace }),
      ownerReferences: [
        { apiVersion: object.apiVersion, kind, name: metadata.name, uid: `${kind}/${metadata.name}`, controller: true },
      ],
    },
    ...(template.spec && { spec: template.spec }),
  }));
};

/** As if the scheduler had found no node for them a while ago. */
export const simulatedPods = (objects: readonly KubeObject[]): Pod[] =>
  podsOf(objects.flatMap(podsFrom)).map(({ node: _, ...pod }) => ({ ...pod, unschedulable: true, createdAt: 0 }));
