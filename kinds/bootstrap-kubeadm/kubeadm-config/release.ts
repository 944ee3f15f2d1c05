/**
 * How a KubeadmConfig that a user created survives the teardown of its cluster: the objects created
 * from it are deleted, and its spec returns to what the user wrote. A Machine's own config is
 * deleted with the Machine. Pure.
 */
import { type Action, found, type Plan, type Read } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation } from '../../common/filled.ts';
import { controllerOf, deletionOf, isControlledBy, isOwnedBy } from '../../common/owners.ts';
import { releaseSecret, type Secret, secretType } from '../../core/contract/cluster-secrets.ts';
import { isGiven } from '../../core/contract/machine.ts';
import type { Machine } from '../../core/machine/schema.ts';
import type { KubeadmConfig, KubeadmConfigStatus } from './index.ts';
import { lockedBy, releaseLock } from './init-lock.ts';
import type { Observed } from './observe.ts';
import type { Remains } from './remains.ts';
import { available, notAvailable, statusFor } from './status.ts';

/**
 * Whether the config carries nothing from a cluster that was torn down; fields that the user set do
 * not count.
 */
export const isCleared = ({ metadata, status }: KubeadmConfig): boolean =>
  metadata.annotations?.[filledAnnotation] === undefined && status?.initialization?.dataSecretCreated !== true;

const deletions = (
  config: KubeadmConfig,
  machine: Machine,
  dataSecret: Secret | undefined,
  left: Remains,
): Action[] => {
  const { secrets, lock, lockHolder } = left;
  const own = secrets
    .flatMap((read) => found(read) ?? [])
    .filter((secret) => secret.type === secretType && isOwnedBy(secret, config))
    .filter((secret) => (controllerOf(secret)?.uid ?? config.metadata.uid) === config.metadata.uid);
  const holder = lockedBy(found(lock));
  const isOurs = holder === undefined || holder === machine.metadata.name || lockHolder?.state === 'absent';
  return [
    ...(dataSecret && isControlledBy(dataSecret, config) ? [deletionOf(dataSecret)] : []),
    ...own.map((secret) => releaseSecret(secret, config.metadata)),
    ...(lock.state === 'found' && isOurs ? [releaseLock(lock.value)] : []),
  ];
};

const isKnown = ({ state }: Read<unknown>): boolean => state === 'found' || state === 'absent';

export const tearDown = (observed: Observed): Plan<KubeadmConfigStatus> => {
  const { config, dataSecret, remains, withheld } = observed;
  const machine = observed.machine && found(observed.machine);
  if (!machine || !withheld) return {};
  const { message } = withheld;
  const findings = { waiting: message, certificates: notAvailable('CertificatesAvailable', message) };
  if (!isGiven(machine)) {
    const isDone = config.status?.initialization?.dataSecretCreated === true;
    const done = { waiting: undefined, certificates: available('CertificatesAvailable') };
    return { status: statusFor(config, isDone ? done : findings) };
  }
  const status = statusFor(config, findings);
  if (!dataSecret || !remains) return { status };
  if (![dataSecret, remains.lock, ...remains.secrets].every(isKnown)) return { status };
  const actions = deletions(config, machine, found(dataSecret), remains);
  if (actions.length > 0) return { actions, status, again: true };
  return { status, released: { notes: [] } };
};
