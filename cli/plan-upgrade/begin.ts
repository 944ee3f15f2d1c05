/** The commands that begin an upgrade, and the templates whose image stays the same. Pure. */
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import type { MachineDeployment } from '../../kinds/core/machine-deployment/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { shellWord } from '../output.ts';

export interface Beginning {
  cluster: Cluster;
  controlPlane: KubeObject | undefined;
  machineDeployments: readonly MachineDeployment[];
  templates: readonly KubeObject[];
}

const patched = (kind: string, { metadata }: KubeObject, spec: object): string =>
  `kubectl patch ${kind} ${metadata.name} -n ${metadata.namespace ?? ''} --type merge -p ${shellWord(JSON.stringify({ spec }))}`;

/** Of a cluster of a ClusterClass the topology sets all versions. */
export const commandsOf = ({ cluster, controlPlane, machineDeployments }: Beginning, version: string): string[] => {
  if (cluster.spec?.topology) return [patched('cluster', cluster, { topology: { version } })];
  const kind = controlPlane?.kind.toLowerCase() ?? '';
  return [
    ...(controlPlane ? [patched(kind, controlPlane, { version })] : []),
    ...machineDeployments.map((one) => patched('machinedeployment', one, { template: { spec: { version } } })),
  ];
};

const imageOf = ({ spec }: KubeObject): string | undefined =>
  (spec as { template?: { spec?: { ami?: { id?: string } } } } | undefined)?.template?.spec?.ami?.id;

type Referring = { machineTemplate?: { spec?: { infrastructureRef?: { name: string } } } };

/** The names of the templates by which new machines are launched. */
export const templateOfControlPlane = ({ controlPlane }: Pick<Beginning, 'controlPlane'>): string | undefined =>
  (controlPlane?.spec as Referring | undefined)?.machineTemplate?.spec?.infrastructureRef?.name;
export const templateOfPool = ({ spec }: MachineDeployment): string | undefined =>
  spec?.template.spec.infrastructureRef.name;

/** Their machines would get the kubelet of that image, whatever the version says. */
export const pinnedIn = (beginning: Beginning): string[] => {
  const used = new Set([templateOfControlPlane(beginning), ...beginning.machineDeployments.map(templateOfPool)]);
  return beginning.templates.flatMap((template) => {
    const image = used.has(template.metadata.name) ? imageOf(template) : undefined;
    return image === undefined ? [] : [`AWSMachineTemplate ${template.metadata.name} is pinned to image ${image}`];
  });
};
