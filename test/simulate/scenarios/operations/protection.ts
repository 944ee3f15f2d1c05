/** Users who protect a cluster, and try in vain to delete each of its parts. */
import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import { pathOf } from '../../clients/client.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlane, controlPlanesOf, deployment, type ScenarioContext } from '../context.ts';

const protection = 'capstan.dev/protected';

const annotate = async ({ client, desired }: ScenarioContext, value: string | null): Promise<void> => {
  const { code, body } = await client.patch('Cluster', desired.name, {
    metadata: { annotations: { [protection]: value } },
  });
  if (code >= 300) throw new Violation('protection', `the annotation ${protection} is refused: ${body.message}`);
};

type Part = [kind: string, name: string];

/** What carries the cluster, or has what only the cluster has. */
const partsOf = (context: ScenarioContext): Part[] => {
  const { desired, world } = context;
  const get = <T>(kind: string, name: string) => world.mirror.get(kind, 'default', name) as T | undefined;
  const plane = get<KubeadmControlPlane>('KubeadmControlPlane', controlPlane(context));
  const workers = get<MachineDeployment>('MachineDeployment', deployment(context));
  const template = workers?.spec?.template.spec;
  const used: Part[] =
    workers?.spec?.replicas !== 0 && template
      ? [
          ['AWSMachineTemplate', template.infrastructureRef.name],
          ['KubeadmConfigTemplate', template.bootstrap.configRef?.name ?? ''],
        ]
      : [];
  return [
    ['Cluster', desired.name],
    ['AWSCluster', desired.name],
    ['KubeadmControlPlane', controlPlane(context)],
    ['AWSMachineTemplate', plane?.spec?.machineTemplate.spec.infrastructureRef.name ?? ''],
    ['MachineDeployment', deployment(context)],
    ...used,
    ...['ca', 'etcd', 'sa', 'proxy'].map((authority): Part => ['Secret', `${desired.name}-${authority}`]),
  ];
};

const selector = ({ desired }: ScenarioContext): string =>
  `labelSelector=${encodeURIComponent(`cluster.x-k8s.io/cluster-name=${desired.name},cluster.x-k8s.io/control-plane`)}`;

/** A host goes with its Machine only. */
const hostsOf = (context: ScenarioContext): Part[] =>
  controlPlanesOf(context)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }): Part => ['AWSMachine', spec?.infrastructureRef?.name ?? '']);

const isGoing = ({ world }: ScenarioContext, [kind, name]: Part): boolean =>
  world.mirror.get(kind, 'default', name)?.metadata.deletionTimestamp !== undefined;

/** Each deletion is refused, whatever runs meanwhile; a part that an operation takes away is absent. */
export const tryDeletions = async (context: ScenarioContext): Promise<void> => {
  const { client } = context;
  const ask = async (what: string, path: string, isRefused: () => boolean) => {
    const { code, isRepeated } = await client.request('DELETE', path);
    if (code < 300 && !isRepeated && !isRefused()) throw new Violation('protection', `${what} was deleted`);
  };
  for (const part of [...partsOf(context), ...hostsOf(context)]) {
    const [kind, name] = part;
    if (name === '' || isGoing(context, part)) continue;
    // A host whose Machine leaves meanwhile may be deleted, too.
    const leaves = () => kind === 'AWSMachine' && !hostsOf(context).some(([, host]) => host === name);
    await ask(`${kind} ${name} of a protected cluster`, `${pathOf(kind)}/${name}`, leaves);
  }
  // Accepted when all of them are in deletion; a rule sees to the last one.
  await client.request('DELETE', `${pathOf('Machine')}?${selector(context)}`);
  await ask('the namespace of a protected cluster', '/api/v1/namespaces/default', () => false);
};

/** Resolves to what lifts the protection again. */
export const protect = async (context: ScenarioContext): Promise<() => Promise<void>> => {
  context.tell('protect the cluster');
  await annotate(context, 'true');
  await tryDeletions(context);
  return () => annotate(context, null);
};
