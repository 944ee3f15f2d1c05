/**
 * How many Machines a namespace and the whole installation may have. Existing Machines count, and
 * so do the names that a controller has noted in order to create them. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found, type Reader, type Where } from '../../../machinery/api/reconcile.ts';
import { limitsIn, type ResourceQuota } from '../../../machinery/api/resource-quota.ts';
import { installationName } from '../../common/installation.ts';
import { annotations } from '../../common/labels.ts';
import { limitOf, maxMachines } from '../../common/machine-limit.ts';
import { patchAsObserved } from '../../common/owners.ts';

/** Annotation of a Namespace: the last Machine for which a controller claimed quota. */
export const lastClaim = 'capstan.dev/last-machine';

/** Its Namespace orders the claims on the installation's quota. */
const systemNamespace = 'kube-system';
/**
 * Seconds until a controller retries after a quota stopped it: no event reports that another
 * Machine is gone.
 */
export const quotaRetry = 60;

const machineType = 'machines.cluster.x-k8s.io';

export interface Quota {
  most: number;
  /** Excludes names that the observing controller has noted itself. */
  used: number;
  /** Names the setting in messages. */
  source: string;
  /**
   * The Namespace whose resourceVersion orders all claims: of two concurrent ones the second is a
   * conflict.
   */
  lock: KubeObject;
}

export interface Limit {
  most: number;
  source: string;
  where: Where;
  lock: string;
}

/** The limits that apply to a namespace. */
export const limitsFor = (namespace: KubeObject | undefined, installation: KubeObject | undefined): Limit[] => {
  const { name = '' } = namespace?.metadata ?? {};
  const own = limitOf(namespace);
  const all = (installation?.spec as { maxMachines?: number } | undefined)?.maxMachines;
  return [
    ...(own === undefined
      ? []
      : [
          {
            most: own,
            source: `annotation ${maxMachines} of namespace ${name}`,
            where: { namespace: name },
            lock: name,
          },
        ]),
    ...(all === undefined
      ? []
      : [
          {
            most: all,
            source: `spec.maxMachines of installation ${installationName}`,
            where: {},
            lock: systemNamespace,
          },
        ]),
  ];
};

/** The limits of ResourceQuotas, which admission charges for what clients create. */
const limitsOfQuotas = (quotas: readonly KubeObject[], namespace: string): Limit[] =>
  (quotas as readonly ResourceQuota[]).flatMap((quota) =>
    limitsIn(quota)
      .filter(({ type }) => type === machineType)
      .map(({ name, most }) => ({
        most,
        source: `${name} of ResourceQuota ${quota.metadata.name}`,
        where: { namespace },
        lock: namespace,
      })),
  );

/**
 * The note of a MachineSet is a list of names; the note of a control plane describes one Machine.
 */
const notedNames = ({ metadata }: KubeObject): string[] => {
  try {
    const note: unknown = JSON.parse(metadata.annotations?.[annotations.creating] ?? '[]');
    const names = Array.isArray(note) ? note : [(note as { name?: unknown } | null)?.name];
    return names.filter((name) => typeof name === 'string');
  } catch {
    return [];
  }
};

/**
 * How many Machines exist or are being created. `except`: uid of the controller's own object, whose
 * note does not count.
 */
export const usedOf = (machines: readonly KubeObject[], owners: readonly KubeObject[], except?: string): number =>
  new Set([
    ...machines.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    ...owners
      .filter(({ metadata }) => metadata.uid !== except)
      .flatMap((owner) => notedNames(owner).map((name) => `${owner.metadata.namespace}/${name}`)),
  ]).size;

const namespaceNamed = (name: string) => ({ namespace: '', name });
export const theInstallation = { namespace: '', name: installationName };

/** The quotas that apply to an object's Machines; read only if the object may create some. */
export const observeQuotas = (read: Reader, { metadata: { namespace = '', uid } }: KubeObject): Quota[] => {
  const space = found(read.get('Namespace', namespaceNamed(namespace)));
  const installation = found(read.get('Installation', theInstallation));
  const quotas = found(read.list('ResourceQuota', { namespace })) ?? [];
  return [...limitsFor(space, installation), ...limitsOfQuotas(quotas, namespace)].flatMap(
    ({ most, source, where, lock }) => {
      // Read the lock before the lists that it guards: a claim missing from the lists then makes this
      // one a conflict.
      const locked = found(read.get('Namespace', namespaceNamed(lock)));
      if (!locked) return [];
      const machines = found(read.list('Machine', where));
      const owners = ['MachineSet', { role: 'ControlPlane' }].map((kind) => found(read.list(kind, where)));
      if (!machines || owners.some((one) => one === undefined)) return [];
      const makers = owners.flatMap((one) => one ?? []);
      return [{ most, used: usedOf(machines, makers, uid), source, lock: locked }];
    },
  );
};

/** How many of `wanted` new Machines the quotas allow. */
export const allowedBy = (quotas: readonly Quota[], wanted: number): number =>
  Math.max(0, Math.min(wanted, ...quotas.map(({ most, used }) => most - used)));

/** Why fewer than `wanted` new Machines may be created; empty if the quotas allow all. */
export const quotaMessages = (quotas: readonly Quota[], wanted: number): string[] =>
  quotas
    .filter(({ most, used }) => most - used < wanted)
    .map(
      ({ most, used, source }) => `exceeded quota: ${source} is ${most}, ${used} Machines exist or are being created`,
    );

/**
 * Prepends a claim of quota to the actions; `name` is one of their Machines. A concurrent claim
 * makes this one a conflict, which ends the pass before any of the actions is performed.
 */
export const claimed = (quotas: readonly Quota[], name: string, actions: Action[]): Action[] => {
  if (quotas.length === 0) return actions;
  const locks = new Map(quotas.map(({ lock }) => [lock.metadata.name, lock]));
  const claims = [...locks.values()].map((lock) =>
    patchAsObserved(lock, { metadata: { annotations: { [lastClaim]: name } } }),
  );
  return [...claims, ...actions].map((action) => ({ ...action, group: 'machines' }));
};
