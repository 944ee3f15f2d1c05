/** A cluster as a user writes it down. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { example } from '../../system/manifests.ts';

/** A network that somebody brought. */
export interface Network {
  vpc: string;
  subnets: readonly string[];
}

export interface Wish {
  name: string;
  controlPlanes: number;
  workers: number;
  version: string;
  workerVersion: string;
  /** Of the workers. */
  instanceType: string;
  onFailure: 'TearDown' | 'Hold' | 'Retry';
  paused: boolean;
  /** Absent: the cluster makes its own. */
  network?: Network | undefined;
}

const quickstart = example('quickstart.yaml');

const changed = (object: KubeObject, wish: Wish): KubeObject => {
  const spec = object.spec as Record<string, unknown>;
  switch (object.kind) {
    case 'Cluster': {
      const annotations = { ...object.metadata.annotations, 'capstan.dev/on-create-failure': wish.onFailure };
      return { ...object, metadata: { ...object.metadata, annotations }, spec: { ...spec, paused: wish.paused } };
    }
    case 'AWSCluster': {
      const additionalTags = { 'example.com/paid-by': 'somebody' };
      const own = { vpc: { emptyRoutesDefaultVPCSecurityGroup: true } };
      if (!wish.network) return { ...object, spec: { ...spec, additionalTags, network: own } };
      const { vpc, subnets } = wish.network;
      const network = { vpc: { id: vpc }, subnets: subnets.map((id) => ({ id })) };
      return { ...object, spec: { ...spec, additionalTags, network } };
    }
    case 'KubeadmControlPlane':
      return { ...object, spec: { ...spec, replicas: wish.controlPlanes, version: wish.version } };
    case 'MachineDeployment': {
      const template = spec.template as { spec: Record<string, unknown> & { infrastructureRef: object } };
      const infrastructureRef = { ...template.spec.infrastructureRef, name: `${wish.name}-${wish.instanceType}` };
      const machine = { ...template.spec, version: wish.workerVersion, infrastructureRef };
      return { ...object, spec: { ...spec, replicas: wish.workers, template: { ...template, spec: machine } } };
    }
    case 'AWSMachineTemplate': {
      if (!object.metadata.name.endsWith('-workers')) return object;
      const { template } = spec as { template: { spec: object } };
      const additionalTags = { 'example.com/part': 'workers' };
      const machine = { ...template.spec, instanceType: wish.instanceType, additionalTags };
      const metadata = { ...object.metadata, name: `${wish.name}-${wish.instanceType}` };
      return { ...object, metadata, spec: { ...spec, template: { ...template, spec: machine } } };
    }
    default:
      return object;
  }
};

/** The documents in the order of the file. */
export const manifestOf = (wish: Wish): KubeObject[] =>
  quickstart.map((object) =>
    JSON.parse(JSON.stringify(changed(object, { ...wish, name: 'quickstart' })).replaceAll('quickstart', wish.name)),
  );
