/** Reads the templates of the pools that Capstan scales, and the prices of their instance types. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Reader } from '../../../machinery/api/reconcile.ts';
import { boundsOf } from '../../common/autoscale/annotations.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { AWSMachineTemplate } from '../aws-machine-template/schema.ts';

/** As the autoscaling kinds define it. */
export type ScalingPlan = KubeObject<{ clusterName?: string }>;

export interface Observed {
  /** Absent outside AWS, and while the infrastructure object does not exist. */
  region?: string;
  /** By name; a template that a pool names may be missing. */
  templates: readonly AWSMachineTemplate[];
  /** A template that a pool names does not exist yet. */
  isMissing: boolean;
}

const nothing: Observed = { templates: [], isMissing: false };
const templateKind = 'AWSMachineTemplate';

const templatesOf = (namespace: string, cluster: string, read: Reader): Omit<Observed, 'region'> => {
  const deployments = found(read.list('MachineDeployment', { namespace, cluster })) ?? [];
  const references = deployments
    .filter((deployment) => boundsOf(deployment) !== undefined && !isDeleting(deployment))
    .map(({ spec }) => spec!.template.spec.infrastructureRef);
  const names = new Set(references.flatMap(({ kind, name }) => (kind === templateKind ? [name] : [])));
  const reads = [...names].sort().map((name) => read.get(templateKind, { namespace, name }));
  return {
    templates: reads.flatMap((one) => found(one) ?? []).filter((template) => !isDeleting(template)),
    isMissing: reads.some(({ state }) => state === 'absent'),
  };
};

export const observe = (plan: ScalingPlan, read: Reader, { withheld }: Context): Observed => {
  const { namespace = '' } = plan.metadata;
  const name = plan.spec?.clusterName ?? '';
  const cluster = found(read.get('Cluster', { namespace, name }));
  const ref = cluster?.spec?.infrastructureRef;
  if (!cluster || withheld || isDeleting(cluster) || isDeleting(plan) || ref?.kind !== 'AWSCluster') return nothing;
  const templates = templatesOf(namespace, name, read);
  const region = found(read.get('AWSCluster', { namespace, name: ref.name }))?.spec?.region;
  return { ...templates, ...(region && { region }) };
};
