/**
 * The fixed private address of a machine whose annotation names a pool. The AWSMachine owns a claim,
 * whatever provider serves it, and launches when the claim has an address.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found, type Plan, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { controllerReference, deletionOf, isControlledBy, patchAsObserved } from '../../common/owners.ts';
import type { IPAddress } from '../../ipam/ip-address/schema.ts';
import type { IPAddressClaim } from '../../ipam/ip-address-claim/schema.ts';
import { isPool, poolAnnotation, poolAskedIn } from '../../ipam/pool-annotation.ts';
import { type PoolReference, samePool } from '../../ipam/references.ts';
import type { AWSMachine, AWSMachineSpec } from './schema.ts';

/** Keeps the claim, and so the address, until the instance is gone. */
export const claimFinalizer = 'awsmachine.infrastructure.cluster.x-k8s.io/ip-claim-protection';

export interface FixedAddress {
  pool: PoolReference;
  claim: Read<IPAddressClaim>;
  /** Absent until the claim has an address. */
  address: Read<IPAddress>;
}

export const asksForAddress = ({ metadata }: AWSMachine): boolean => poolAskedIn(metadata.annotations) !== undefined;

const nameOfClaim = ({ metadata }: AWSMachine): string => metadata.name;

/** Undefined for a machine that asks for none. */
export const observeFixedAddress = (awsMachine: AWSMachine, read: Reader): FixedAddress | undefined => {
  const pool = poolAskedIn(awsMachine.metadata.annotations);
  if (!pool) return undefined;
  const { namespace = '' } = awsMachine.metadata;
  const claim = read.get('IPAddressClaim', { namespace, name: nameOfClaim(awsMachine) });
  const name = found(claim)?.status?.addressRef?.name;
  const address: Read<IPAddress> = name ? read.get('IPAddress', { namespace, name }) : { state: 'absent' };
  return { pool, claim, address };
};

const claimFor = (awsMachine: AWSMachine, pool: PoolReference): KubeObject => {
  const { namespace } = awsMachine.metadata;
  const cluster = awsMachine.metadata.labels?.[labels.cluster];
  return {
    apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
    kind: 'IPAddressClaim',
    metadata: {
      ...(namespace && { namespace }),
      name: nameOfClaim(awsMachine),
      ...(cluster && { labels: { [labels.cluster]: cluster } }),
      finalizers: [claimFinalizer],
      ownerReferences: [controllerReference(awsMachine)],
    },
    spec: { ...(cluster && { clusterName: cluster }), poolRef: { ...pool } },
  };
};

/** What the machine waits for. */
export interface Awaited {
  message: string;
  actions?: Action[];
  /** A user must do something about it. */
  isFault?: true;
}

/** Undefined when the address is known, or none is asked for. */
export const awaitedAddress = (awsMachine: AWSMachine, fixed: FixedAddress | undefined): Awaited | undefined => {
  if (!fixed || found(fixed.address)) return undefined;
  const { pool, claim } = fixed;
  const name = `IPAddressClaim ${nameOfClaim(awsMachine)}`;
  const there = found(claim);
  if (claim.state === 'absent')
    return { message: `Waiting for ${name}`, actions: [{ do: 'create', object: claimFor(awsMachine, pool) }] };
  if (!there) return { message: `${name} could not be read` };
  if (!isControlledBy(there, awsMachine))
    return { isFault: true, message: `${name} exists and belongs to another owner: delete it` };
  if (there.metadata.deletionTimestamp) return { message: `Waiting until ${name} of an earlier launch is gone` };
  if (!samePool(there.spec?.poolRef, pool))
    return { isFault: true, message: `${name} refers to another pool than ${poolAnnotation}: delete the Machine` };
  const { message, status } = conditionOf(there.status?.conditions, 'Ready') ?? {};
  return { message: `Waiting for ${name}${message && status !== 'True' ? `: ${message}` : ''}` };
};

/** Why the address cannot be an instance's; undefined when it can. */
export const addressFault = (fixed: FixedAddress | undefined): string | undefined => {
  const address = fixed && found(fixed.address);
  if (!address?.spec?.address.includes(':')) return undefined;
  return `IPAddress ${address.metadata.name} is ${address.spec.address}: an instance has a fixed address of IPv4 only`;
};

export const fixedAddressOf = (fixed: FixedAddress | undefined): string | undefined =>
  fixed && found(fixed.address)?.spec?.address;

/** Before the end of a machine whose instance is gone: gives its address back. */
export const releasingAddress = <Status>(
  plan: Plan<Status>,
  awsMachine: AWSMachine,
  fixed: FixedAddress | undefined,
): Plan<Status> => {
  if (!fixed || !(plan.finished || plan.released)) return plan;
  const { claim } = fixed;
  if (claim.state === 'absent') return plan;
  const there = found(claim);
  if (!there) return { requeueAfter: 15 };
  const { finalizers = [] } = there.metadata;
  if (!isControlledBy(there, awsMachine) || !finalizers.includes(claimFinalizer)) return plan;
  const others = finalizers.filter((one) => one !== claimFinalizer);
  return { actions: [patchAsObserved(there, { metadata: { finalizers: others } }), deletionOf(there)], again: true };
};

/** `at`: the path of the annotations. */
export const validateFixedAddress = (
  at: string,
  annotations: Record<string, string> | undefined,
  { networkInterfaces }: AWSMachineSpec,
): FieldError[] => {
  const value = annotations?.[poolAnnotation];
  if (value === undefined) return [];
  const field = `${at}[${poolAnnotation}]`;
  return [
    ...isPool(field, value),
    ...(networkInterfaces?.length
      ? [
          {
            reason: 'FieldValueForbidden' as const,
            field,
            detail: 'a machine with network interfaces of its own has their addresses',
          },
        ]
      : []),
  ];
};

/** The annotation on a template itself would reach no machine. */
export const misplacedAddressPool = (annotations: Record<string, string> | undefined): FieldError[] =>
  annotations?.[poolAnnotation] === undefined
    ? []
    : [
        {
          reason: 'FieldValueForbidden',
          field: `metadata.annotations[${poolAnnotation}]`,
          detail: 'belongs in spec.template.metadata.annotations',
        },
      ];
