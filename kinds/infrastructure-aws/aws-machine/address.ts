/**
 * An Elastic IP for a machine: allocated and associated once the instance runs, released after it.
 */
import type { Action } from '../../../machinery/api/reconcile.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import type { Address, Instance } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import { isRecent, pendingOf, type Step, steadyAfter } from '../engine/step.ts';
import { type Owner, tagSpecifications } from '../engine/tags.ts';
import { allocateFrom } from '../network/address-pool.ts';
import { isControlPlane, type Observed } from './observe.ts';
import { machineTags } from './request.ts';
import { machineEvidence } from './secrets.ts';

/**
 * Only a tag identifies the allocated address, and no client token prevents a second allocation.
 */
const allocation = 'address';
/** Announced once the address is visible. */
const association = 'address/association';

export const planAddress = (observed: Observed, owner: Owner, instance: Instance): Step[] => {
  const { awsMachine, withheld } = observed;
  const wanted = !withheld && awsMachine.spec?.elasticIpPool && instance.State.Name === 'running';
  return wanted ? missing(observed, owner, instance) : [];
};

/** Duplicate addresses, which a stalled worker allocated. */
export const duplicateAddresses = (addresses: readonly Address[], instanceId: string | undefined): Address[] =>
  addresses.some(({ InstanceId }) => InstanceId === instanceId)
    ? addresses.filter(({ AssociationId }) => !AssociationId)
    : [];

const release = ({ AllocationId }: Address, { awsMachine, region }: Observed, owner: Owner): Action =>
  callCloud(region, 'ReleaseAddress', { AllocationId }, machineEvidence(owner, awsMachine));

const missing = (observed: Observed, owner: Owner, { InstanceId }: Instance): Step[] => {
  const { awsMachine, machine, region, addresses, poolUsedUp } = observed;
  if (addresses.some((one) => one.InstanceId === InstanceId))
    return duplicateAddresses(addresses, InstanceId).map((one) => ({
      key: `spare-address/${one.AllocationId}`,
      once: true,
      actions: () => [release(one, observed, owner)],
    }));
  const address = addresses.find(({ AssociationId }) => !AssociationId) ?? addresses[0];
  if (!address) {
    const tags = machineTags(owner, awsMachine, isControlPlane(found(machine), awsMachine));
    const allocate = callCloud(region, 'AllocateAddress', {
      Domain: 'vpc',
      ...allocateFrom(awsMachine.spec?.elasticIpPool, poolUsedUp),
      TagSpecifications: tagSpecifications('elastic-ip', tags),
    });
    return [{ key: allocation, once: true, actions: () => [allocate] }];
  }
  const { AllocationId } = address;
  const associate = callCloud(region, 'AssociateAddress', { AllocationId, InstanceId, AllowReassociation: false });
  return [{ key: association, actions: () => [associate] }];
};

export const releaseAddresses = (observed: Observed, owner: Owner): Action[] =>
  observed.addresses.map((one) => ({ ...release(one, observed, owner), group: `${allocation}/release` }));

/** An announced allocation may have created an address that describe calls do not show yet. */
export const mayHideAddress = ({ awsMachine }: Observed, now: number): boolean => {
  const pending = pendingOf(awsMachine.metadata.annotations);
  const allocated = pending[allocation];
  if (!allocated || !isRecent(pending, allocation, now)) return false;
  // An older announcement belongs to another address.
  const seen = (pending[association]?.since ?? 0) >= allocated.since;
  return !seen || now - allocated.tried < steadyAfter;
};

export const isAboutAddress = (group: string | undefined): boolean => group?.split('/')[0] === allocation;
