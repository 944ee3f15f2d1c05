/**
 * Proves that nothing is left: lists everything that Capstan created for a cluster, in the store
 * and in the account. Objects that a user created have no controller and do not count.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Read, Reader } from '../../../machinery/api/reconcile.ts';
import { controllerOf } from '../../common/owners.ts';
import type { SecretDigest } from '../../common/secret-purpose.ts';
import type { FormerCluster, InfrastructureProvider } from '../../core/contract/infrastructure.ts';
import { withDefaults } from '../../core/contract/plain-infrastructure.ts';

export interface Remains {
  /**
   * What is left, each as a kind and a name, such as `EC2 instance i-0123` or `Secret
   * my-cluster-ca`. The list may be incomplete, but is empty only if nothing is left. Unreadable
   * while that is uncertain.
   */
  remains: Read<string[]>;
  /** Deletes what no controller deletes, and last what must outlive everything else. */
  stranded: Action[];
}

export const observeRemains = (
  of: FormerCluster,
  infrastructures: readonly InfrastructureProvider[],
  read: Reader,
): Remains => {
  const objects = remainingObjects(of, read);
  // Kinds of infrastructure in the same account share a search.
  const searches = new Set(infrastructures.map((infrastructure) => withDefaults(infrastructure).leftovers));
  const outside = [...searches].map((search) => search(of, read));
  const parts = [...outside.map(({ left }) => left), objects];
  const left = parts.flatMap((part) => (part.state === 'found' ? part.value : []));
  const unread = parts.find(({ state }) => state === 'unread');
  const unsure = parts.find(({ state }) => state !== 'found');
  const last = outside.flatMap((one) => one.last.names);
  const isAll = outside.every(({ isWhole }) => isWhole) && !unsure && left.length === last.length;
  return {
    remains: unread ?? (left.length === 0 && unsure ? unsure : { state: 'found', value: left }),
    stranded: [
      ...outside.flatMap(({ stranded }) => stranded),
      ...(isAll ? outside.flatMap((one) => one.last.actions) : []),
    ],
  };
};

/** Kinds that controllers create for a cluster, besides Secrets. */
const generatedKinds = [
  'Machine',
  'MachineSet',
  { role: 'BootstrapConfig' },
  { role: 'InfrastructureMachine' },
  'ClusterResourceSetBinding',
  'WorkloadSnapshot',
];

/** They have no finalizers: garbage collection deletes them once the Cluster is gone. */
const dependentKinds: readonly string[] = ['ClusterResourceSetBinding', 'WorkloadSnapshot'];

const remainingObjects = ({ cluster, namespace, clusterName }: FormerCluster, read: Reader): Read<string[]> => {
  const lists = generatedKinds.map((kind) => read.list(kind, { namespace, cluster: clusterName }));
  // These two belong to the cluster by name.
  const named = (['ClusterResourceSetBinding', 'WorkloadSnapshot'] as const).map((kind) =>
    read.get(kind, { namespace, name: clusterName }),
  );
  // By their index: a process that acts on the account must not decrypt them.
  const secrets = read.facts<SecretDigest>('Secret', { namespace, cluster: clusterName });
  if (secrets.state !== 'found') return secrets.state === 'absent' ? { state: 'unread' } : secrets;
  const left: KubeObject[] = [];
  for (const answer of [...lists, ...named])
    switch (answer.state) {
      case 'found':
        left.push(...(Array.isArray(answer.value) ? answer.value : [answer.value]));
        break;
      case 'absent':
        break;
      case 'unread':
      case 'unreadable':
        return answer;
      default:
        return answer satisfies never;
    }
  const machines = new Map(left.filter(({ kind }) => kind === 'Machine').map((one) => [one.metadata.uid, one]));
  const isGoing = cluster?.metadata.deletionTimestamp !== undefined;
  const names = left
    .filter((object) => isGenerated(object, machines) && !(isGoing && dependentKinds.includes(object.kind)))
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return { state: 'found', value: [...new Set([...names, ...secrets.value.flatMap(generatedSecret)])] };
};

/** What an older version indexed counts until the garbage collector has written it again. */
const generatedSecret = ({ name, controller }: SecretDigest): string[] => {
  if (name === undefined) return ['a Secret that an older version stored'];
  return controller !== undefined && isOfClusterApi(controller) ? [`Secret ${name}`] : [];
};

const isOfClusterApi = (apiVersion: string): boolean => /(^|\.)cluster\.x-k8s\.io\//.test(apiVersion);

const isGenerated = (object: KubeObject, machines: ReadonlyMap<string | undefined, KubeObject>): boolean => {
  if (dependentKinds.includes(object.kind)) return true;
  const controller = controllerOf(object);
  if (!controller || !isOfClusterApi(controller.apiVersion)) return false;
  // A user's Machine controls the objects that the user created for it, so they stay with the user.
  const machine = controller.kind === 'Machine' ? machines.get(controller.uid) : undefined;
  return machine ? controllerOf(machine) !== undefined : true;
};
