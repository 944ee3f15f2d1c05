/**
 * Settings of pools in a ScalingPlan, beside those in annotations of their MachineDeployments. An entry
 * is read as the annotations that say the same, so that both places have one language. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { autoscale, boundsOf, sizeAnnotations } from './annotations.ts';

export type Setting = keyof typeof autoscale;

/** The settings of the MachineDeployment of this name. */
export type PoolEntry = { name: string } & Partial<Record<Exclude<Setting, keyof Typed>, string> & Typed>;
type Typed = { enabled: boolean; min: number; max: number; removedPercent: number };

/** As the autoscaling kinds define it. */
export type PlanWithPools = KubeObject<{ clusterName?: string; pools?: readonly PoolEntry[] }>;

const settings = Object.keys(autoscale) as Setting[];

export const annotationsOf = (entry: PoolEntry): Record<string, string> =>
  Object.fromEntries(
    settings.flatMap((name) => (entry[name] === undefined ? [] : [[autoscale[name], String(entry[name])]])),
  );

const clusterOf = ({ metadata, spec }: KubeObject): string =>
  `${metadata.namespace}/${(spec as { clusterName?: string } | undefined)?.clusterName}`;
const isOfCluster = (plan: PlanWithPools, deployment: KubeObject): boolean => clusterOf(plan) === clusterOf(deployment);

export const entryFor = (plan: PlanWithPools | undefined, deployment: KubeObject): PoolEntry | undefined =>
  plan && isOfCluster(plan, deployment)
    ? plan.spec?.pools?.find(({ name }) => name === deployment.metadata.name)
    : undefined;

/** The MachineDeployment as if all its settings were annotations; its own count where both say something. */
export const withEntry = <D extends KubeObject>(deployment: D, entry: PoolEntry | undefined): D => {
  if (!entry) return deployment;
  const annotations = { ...annotationsOf(entry), ...deployment.metadata.annotations };
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
};

export const declaredBy = <D extends KubeObject>(plan: PlanWithPools | undefined, deployment: D): D =>
  withEntry(deployment, entryFor(plan, deployment));

/** The plan of a MachineDeployment's cluster, among what the API server read for its admission. */
export const planIn = (related: readonly KubeObject[] = []): PlanWithPools | undefined =>
  related.find(({ kind }) => kind === 'ScalingPlan') as PlanWithPools | undefined;

/** A setting to which the plan and an annotation give different values. */
export type Contradiction = { setting: Setting; planned: unknown; annotation: string; annotated: string };

/** Without what no parser minds: spaces, and newlines in place of semicolons. */
const essence = (text: string): string =>
  text
    .split(/[\n;]/)
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter(Boolean)
    .join(';');

/** Sizes of cluster-autoscaler count where the annotations hand them over. */
export const contradictionsOf = (entry: PoolEntry, deployment: KubeObject): Contradiction[] => {
  const { annotations: given = {} } = deployment.metadata;
  const names: Record<Setting, string> = { ...autoscale, ...sizeAnnotations(deployment) };
  return settings.flatMap((setting) => {
    const [planned, annotation] = [entry[setting], names[setting]];
    const annotated = given[annotation];
    if (planned === undefined || annotated === undefined || essence(String(planned)) === essence(annotated)) return [];
    return [{ setting, planned, annotation, annotated }];
  });
};

const nameOf = ({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): string =>
  `${kind} ${metadata.namespace}/${metadata.name}`;

export const messageOfPlan = (plan: PlanWithPools, name: string, { setting, planned }: Contradiction): string =>
  `${nameOf(plan)} says ${JSON.stringify(planned)} in spec.pools[${name}].${setting}`;
export const messageOfAnnotation = (deployment: KubeObject, { annotation, annotated }: Contradiction): string =>
  `${nameOf(deployment)} says ${JSON.stringify(annotated)} in the annotation ${annotation}`;

/** Why an entry of a plan has no effect. */
export type Unapplied = { reason: 'Contradiction' | 'NoSizes' | 'NoMachineDeployment'; message: string };

const unappliedBecause = (
  plan: PlanWithPools,
  entry: PoolEntry,
  deployments: readonly KubeObject[],
): Unapplied | undefined => {
  const at = `spec.pools[${entry.name}]`;
  const deployment = deployments.find((one) => one.metadata.name === entry.name && isOfCluster(plan, one));
  if (!deployment)
    return { reason: 'NoMachineDeployment', message: `${at} names no MachineDeployment of this cluster` };
  const [first] = contradictionsOf(entry, deployment);
  if (first) {
    const planned = `${at}.${first.setting} is ${JSON.stringify(first.planned)}`;
    const message = `${planned}, but ${messageOfAnnotation(deployment, first)}: the pool is left alone until one is removed`;
    return { reason: 'Contradiction', message };
  }
  const whole = withEntry(deployment, entry);
  if (boundsOf(whole) || whole.metadata.annotations?.[autoscale.enabled] === 'false') return undefined;
  return { reason: 'NoSizes', message: `${at} is not scaled without sizes: set min and max` };
};

/** `deployments`: those of the cluster, as they are stored. */
export const unappliedIn = (plan: PlanWithPools, deployments: readonly KubeObject[]): Unapplied[] =>
  (plan.spec?.pools ?? []).flatMap((entry) => unappliedBecause(plan, entry, deployments) ?? []);
