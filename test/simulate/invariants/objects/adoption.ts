import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { Secret } from '../../../../kinds/kubernetes/secret/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type Claim, eventually } from '../eventually.ts';
import { clusterOf, hostOf, isGoing, isWorkedOn } from '../relations.ts';
import type { Rule } from '../rule.ts';

const machineUid = 'capstan.dev/machine-uid';
/** Secrets that the control plane creates, or adopts when they have this type. */
export const ownSecrets = ['ca', 'etcd', 'proxy', 'sa', 'kubeconfig'] as const;
export const secretType = 'cluster.x-k8s.io/secret';
/** Labels that name the owner of an object without an owner reference. */
const makers = ['deployment-name', 'set-name', 'control-plane-name'].map((name) => `cluster.x-k8s.io/${name}`);
const isOwned = ({ metadata: { labels = {}, ownerReferences = [] } }: KubeObject) =>
  ownerReferences.some(({ controller }) => controller) || makers.some((label) => label in labels);

export const adoption: Rule = (setting, broken) => {
  const { account, mirror } = setting.world;
  const isObserved = (object: KubeObject) => !isGoing(object) && isWorkedOn(mirror, object);

  const isOfCluster = (object: KubeObject): boolean => {
    const { uid } = clusterOf(mirror, object)?.metadata ?? {};
    return object.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
  };

  function* ofKeys(): Generator<Claim> {
    const kept = account.list().filter(({ type }) => type === 'secret' || type === 'parameter');
    if (kept.length === 0) return;
    for (const machine of mirror.all<Machine>('Machine').filter(isObserved)) {
      const { name } = machine.metadata;
      const host = hostOf(mirror, machine);
      if (!machine.status?.nodeRef || !host || isGoing(host)) continue;
      const own = kept.filter(({ tags }) => tags[machineUid] === host.metadata.uid);
      yield { what: `secrets of ${name}, which has joined,`, is: own.length, should: 0 };
    }
  }

  function* ofSecrets(): Generator<Claim> {
    for (const plane of mirror.all<KubeadmControlPlane>('KubeadmControlPlane').filter(isObserved)) {
      const { namespace = '', uid } = plane.metadata;
      const cluster = clusterOf(mirror, plane)?.metadata.name;
      if (plane.status?.initialization?.controlPlaneInitialized !== true) continue;
      for (const purpose of ownSecrets) {
        const secret = mirror.get<Secret>('Secret', namespace, `${cluster}-${purpose}`);
        if (!secret || secret.type !== secretType || isGoing(secret)) continue;
        const controller = secret.metadata.ownerReferences?.find((owner) => owner.controller)?.uid;
        yield { what: `the controller of Secret ${secret.metadata.name}`, is: controller, should: uid };
      }
    }
  }

  return eventually(setting, broken, function* () {
    for (const kind of ['MachineDeployment', 'MachineSet', 'Machine'] as const)
      for (const object of mirror.all(kind))
        if (isObserved(object) && (kind === 'MachineDeployment' || !isOwned(object)))
          yield {
            what: `whether ${kind} ${object.metadata.name} is owned by its Cluster`,
            is: isOfCluster(object),
            should: true,
          };
    yield* ofKeys();
    yield* ofSecrets();
  });
};
