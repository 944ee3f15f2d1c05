/** The objects of a pool, as its user writes them. */
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { Mirror } from '../../mirror.ts';
import { type DesiredCluster, manifestOf } from '../manifest.ts';

export interface DesiredPool {
  name: string;
  instanceType: string;
  min: number;
  max: number;
  /** The bootstrap of its machines fails before kubeadm runs. */
  neverJoins: boolean;
  /** Its pods may move to cheaper nodes. */
  consolidates: boolean;
  /** It declares a label that its nodes never get. */
  declares?: Record<string, string>;
  /** When a user asked for new machines. */
  rolledAt?: string;
}

type Spec = Record<string, unknown>;

/** A document of the cluster's workers, under the name of the pool. */
const asWorkers = (desired: DesiredCluster, kind: string): KubeObject<Spec> => {
  const all = manifestOf(desired) as KubeObject<Spec>[];
  return all.find(
    (one) => one.kind === kind && one.metadata.name.startsWith(`${desired.name}-`) && !isControlPlane(one),
  )!;
};
const isControlPlane = ({ metadata }: KubeObject): boolean => metadata.name.includes('control-plane');

const labelText = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

export const poolDocuments = (mirror: Mirror, desired: DesiredCluster, pool: DesiredPool): KubeObject[] => {
  const { name, instanceType, min, max, neverJoins, consolidates, declares, rolledAt } = pool;
  const own = { ...desired, instanceType, neverJoins: neverJoins ? ('workers' as const) : undefined };
  const machine = asWorkers(own, 'AWSMachineTemplate');
  const bootstrap = asWorkers(own, 'KubeadmConfigTemplate');
  const deployment = asWorkers(own, 'MachineDeployment') as MachineDeployment;
  const boots = neverJoins ? `${name}-never-joins` : name;
  const { template, replicas: _, ...spec } = deployment.spec!;
  const infrastructureRef = { ...template.spec.infrastructureRef, name };
  const configRef = { ...template.spec.bootstrap.configRef!, name: boots };
  // The workers may have been upgraded since.
  const workers = mirror.get<MachineDeployment>('MachineDeployment', 'default', `${desired.name}-workers`);
  const version = workers?.spec?.template.spec.version ?? template.spec.version;
  return [
    { ...machine, metadata: { ...machine.metadata, name } },
    { ...bootstrap, metadata: { ...bootstrap.metadata, name: boots } },
    {
      ...deployment,
      metadata: {
        ...deployment.metadata,
        name,
        annotations: {
          'capstan.dev/autoscale-min': String(min),
          'capstan.dev/autoscale-max': String(max),
          'cluster.x-k8s.io/autoscaling-options-scaledownunneededtime': '3m',
          ...(declares && { 'capacity.cluster-autoscaler.kubernetes.io/labels': labelText(declares) }),
          ...(consolidates && { 'capstan.dev/autoscale-consolidate': 'evictions=100%' }),
        },
      },
      spec: {
        ...spec,
        ...(rolledAt && { rollout: { after: rolledAt } }),
        template: { ...template, spec: { ...template.spec, version, infrastructureRef, bootstrap: { configRef } } },
      },
    } as KubeObject,
  ];
};
