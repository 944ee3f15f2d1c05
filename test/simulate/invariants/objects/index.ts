import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import { isMutating } from '../../../../kinds/ports/cloud/index.ts';
import type { KubeObject, OwnerReference } from '../../../../machinery/api/object.ts';
import { underWay } from '../grace.ts';
import { isControlPlane } from '../relations.ts';
import type { Rule, Rules } from '../rule.ts';
import { adoption } from './adoption.ts';
import { finalState } from './final-state.ts';

const owned = new Set(['MachineSet', 'Machine', 'AWSMachine', 'KubeadmConfig', 'ClusterOperation', 'Secret']);

const validOwners: Rule = ({ world }, broken) => {
  const { mirror } = world;
  /** The kind and name of each uid, past and present. */
  const identities = new Map<string, string>();
  const note = ({ kind, metadata }: KubeObject) => identities.set(metadata.uid!, `${kind} ${metadata.name}`);
  for (const object of mirror.everything()) note(object);
  return {
    onCommit: ({ event, type, object, before, writer }) => {
      if (!object) return;
      note(object);
      if (!writer) return;
      const { name, ownerReferences = [] } = object.metadata;
      if (event === 'ADDED' && ownerReferences.length === 0 && owned.has(object.kind))
        throw broken(`${writer} creates ${type} ${name} without an owner`);
      // An owner reference that a client wrote stays as it is.
      const isNews = (owner: OwnerReference) =>
        !before?.metadata.ownerReferences?.some((one) => isDeepStrictEqual(one, owner));
      for (const owner of ownerReferences.filter(isNews))
        if (identities.get(owner.uid) !== `${owner.kind} ${owner.name}`)
          throw broken(
            `${type} ${name} is owned by ${owner.kind} ${owner.name}, but uid ${owner.uid} belongs to ${identities.get(owner.uid) ?? 'no object'}`,
          );
      if (ownerReferences.filter(({ controller }) => controller).length > 1)
        throw broken(`${type} ${name} has two controllers`);
    },
  };
};

const notes: Readonly<Record<string, readonly string[]>> = {
  Cluster: ['operation', 'target', 'was-available', 'filled'],
  AWSCluster: ['filled', 'pending', 'cluster-uid'],
  AWSMachine: ['launch', 'pending'],
  Machine: ['filled'],
  KubeadmConfig: ['filled'],
};

const reservedAnnotations: Rule = (_, broken) => ({
  onCommit: ({ type, namespace, name, object, before, writer }) => {
    if (writer || !object || (before && object.metadata.uid !== before.metadata.uid)) return;
    for (const note of notes[object.kind] ?? []) {
      const [was, is] = [before, object].map((one) => one?.metadata.annotations?.[`capstan.dev/${note}`]);
      if (was !== is)
        throw broken(
          `capstan.dev/${note} of ${type} ${namespace}/${name} was ${was}, but a client changed it to ${is}`,
        );
    }
  },
});

const deletionSequence: Rule = ({ world }, broken) => {
  const { mirror } = world;
  /** The controllers of a Cluster need the other objects of its namespace. */
  const expectNoCluster = ({ kind, metadata: { namespace = '', name } }: KubeObject) => {
    const since = Date.parse(mirror.get('Namespace', '', namespace)?.metadata.deletionTimestamp ?? '');
    // A Cluster created just as its namespace was deleted may arrive late.
    const isLeft = ({ metadata }: KubeObject) =>
      metadata.namespace === namespace && Date.parse(metadata.creationTimestamp!) < since;
    const left = mirror.all<Cluster>('Cluster').find(isLeft);
    if (left) throw broken(`${kind} ${name} is deleted with its namespace before Cluster ${left.metadata.name}`);
  };
  return {
    onCommit: ({ object, before, writer }) => {
      const isBegun = before && !before.metadata.deletionTimestamp && (!object || object.metadata.deletionTimestamp);
      if (writer === 'namespace' && isBegun && before.kind !== 'Cluster' && before.kind !== 'Namespace')
        expectNoCluster(before);
      if (writer !== 'cluster' || !object?.metadata.deletionTimestamp || before?.metadata.deletionTimestamp) return;
      const { kind, metadata } = object;
      if (kind !== 'KubeadmControlPlane' && kind !== 'AWSCluster') return;
      const cluster = metadata.labels?.['cluster.x-k8s.io/cluster-name'];
      const left = world.mirror
        .all<Machine>('Machine')
        .filter((machine) => machine.metadata.namespace === metadata.namespace && machine.spec?.clusterName === cluster)
        .filter((machine) => kind === 'AWSCluster' || !isControlPlane(machine));
      if (left.length > 0)
        throw broken(`${kind} ${metadata.name} is deleted before ${left.map((one) => one.metadata.name).join()}`);
    },
  };
};

const acting = new Set(['kubeadm-control-plane', 'machine-deployment', 'machine-set', 'machine']);
const parts = /^(Machine|MachineSet|AWSMachine|KubeadmConfig)$/;

const pause: Rule = ({ world, has }, broken) => {
  const { clock, mirror } = world;
  const since = new Map<string, number>();
  const expectStill = ({ kind, metadata }: KubeObject, isNew: boolean, before: KubeObject | undefined) => {
    const isDeletion = metadata.deletionTimestamp !== undefined && !before?.metadata.deletionTimestamp;
    if (!parts.test(kind) || (!isNew && !isDeletion) || has('worker.late')) return;
    const at = since.get(`${metadata.namespace}/${metadata.labels?.['cluster.x-k8s.io/cluster-name']}`);
    if (at !== undefined && clock.now() - at > underWay(has))
      throw broken(`${kind} ${metadata.name} ${isNew ? 'is created' : 'is deleted'} while its cluster is paused`);
  };
  return {
    onCommit: ({ type, namespace, name, event, object, before, writer }) => {
      if (object && acting.has(writer ?? '')) expectStill(object, event === 'ADDED', before);
      if (type !== 'clusters.cluster.x-k8s.io') return;
      const isPaused = (object as Cluster | undefined)?.spec?.paused === true;
      const id = `${namespace}/${name}`;
      if (!isPaused) since.delete(id);
      else if (!since.has(id)) since.set(id, clock.now());
    },
    onCall: ({ action, happened }) => {
      if (!happened || !isMutating(action) || has('worker.late')) return;
      const clusters = mirror.all('Cluster');
      // A call does not name its Cluster, so all Clusters must be paused.
      if (clusters.length === 0 || since.size < clusters.length) return;
      const last = Math.max(...since.values());
      // A pass in progress completes.
      if (clock.now() - last > underWay(has))
        throw broken(`${action}, ${Math.round((clock.now() - last) / 1000)} s after all Clusters were paused`);
    },
  };
};

/** A worker that read the namespace just before its deletion may create an object just after. */
const justAfter = 30_000;
/** Frozen workers still write what they had decided. */
const most = 3;

const terminatingNamespace: Rule = ({ world }, broken) => {
  const { clock, mirror } = world;
  /** The objects created too late, by the uid of the namespace. */
  const created = new Map<string, string[]>();
  return {
    onCommit: ({ event, type, namespace, name, writer }) => {
      if (event !== 'ADDED') return;
      const { uid = '', deletionTimestamp } = mirror.get('Namespace', '', namespace)?.metadata ?? {};
      if (deletionTimestamp === undefined || clock.now() - Date.parse(deletionTimestamp) < justAfter) return;
      const made = [...(created.get(uid) ?? []), `${type} ${name} by ${writer ?? 'a client'}`];
      created.set(uid, made);
      if (made.length > most) throw broken(`created in the terminating namespace ${namespace}: ${made.join(', ')}`);
    },
  };
};

export const objectsRules: Rules = {
  'owner references are valid': validOwners,
  'clients cannot write reserved annotations': reservedAnnotations,
  'parts of a cluster are deleted in order': deletionSequence,
  'a paused cluster is left alone': pause,
  'nothing is created in a terminating namespace': terminatingNamespace,
  'the Cluster and the control plane adopt their objects': adoption,
  'the account and the clusters hold what users want in the end': finalState,
};
