/** Elastic IP addresses. The user of an address records it, so the two cannot disagree. */
import type { Address } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { refuse } from './errors.ts';
import type { Fields } from './filters.ts';
import { instanceErrors, instanceState, isGone } from './instance.ts';
import { idErrorsOf, named, newId, newRecord } from './naming.ts';
import { holdsAddress } from './nat-gateway.ts';
import type { AccountState, Call, Handlers } from './state.ts';
import { tagList } from './tags.ts';

export interface AddressRecord extends Stored {
  publicIp: string;
  /** From a pool of the account; absent = Amazon's. */
  pool?: string;
}

export const addressErrors = idErrorsOf('eipalloc', 'InvalidAllocationID', 'allocation ID');

export const addresses: CollectionOf<AddressRecord> = {
  name: 'addresses',
  errors: addressErrors,
  indexes: { pool: ({ pool }) => (pool ? [pool] : []) },
};

interface Holder {
  associationId: string;
  interfaceId: string;
  instanceId?: string;
}

/** The gateway or instance that holds the address. */
export const holderOf = (account: AccountState, allocationId: string, now: number): Holder | undefined => {
  const gateway = account.natGateways.by('allocation-id', allocationId).find((one) => holdsAddress(one, now));
  if (gateway) return gateway;
  const instance = account.instances.by('allocation-id', allocationId).find((one) => !isGone(one, now));
  const part = instance?.interfaces.find(({ elastic }) => elastic?.allocationId === allocationId);
  return instance && part?.elastic
    ? { associationId: part.elastic.associationId, interfaceId: part.id, instanceId: instance.id }
    : undefined;
};

const view = ({ account, now }: Call, address: AddressRecord): Address => {
  const holder = holderOf(account, address.id, now);
  return {
    AllocationId: address.id,
    PublicIp: address.publicIp,
    ...(holder && { AssociationId: holder.associationId, NetworkInterfaceId: holder.interfaceId }),
    ...(holder?.instanceId && { InstanceId: holder.instanceId }),
    Tags: tagList(address.tags),
  };
};

const fieldsAt = ({ account, now }: Call): Fields<AddressRecord> => ({
  'allocation-id': ({ id }) => [id],
  'public-ip': ({ publicIp }) => [publicIp],
  domain: () => ['vpc'],
  'association-id': ({ id }) => [holderOf(account, id, now)?.associationId ?? []].flat(),
  'network-interface-id': ({ id }) => [holderOf(account, id, now)?.interfaceId ?? []].flat(),
  'instance-id': ({ id }) => [holderOf(account, id, now)?.instanceId ?? []].flat(),
});

/** A public address that is not in use. */
export const newPublicIp = (account: AccountState): string => {
  const octet = (low: number, high: number) => low + Math.floor(account.random.next() * (high - low));
  const taken = (candidate: string) => account.addresses.all().some(({ publicIp }) => publicIp === candidate);
  for (;;) {
    const candidate = `${[3, 18, 34, 44, 52, 54][octet(0, 6)]}.${octet(64, 250)}.${octet(0, 256)}.${octet(1, 255)}`;
    if (!taken(candidate)) return candidate;
  }
};

const defaultPoolSize = 16;

const poolNamed = ({ account }: Call, id: string) => {
  if (!/^ipv4pool-ec2-[0-9a-z]+$/.test(id))
    refuse('InvalidPublicIpv4PoolID.NotFound', `The IPv4 pool ID '${id}' does not exist`);
  const total = account.behaviour.addressPools[id] ?? defaultPoolSize;
  const free = Math.max(0, total - account.addresses.count('pool', id));
  return { PoolId: id, TotalAddressCount: total, TotalAvailableAddressCount: free };
};

export const addressActions = {
  DescribeAddresses: (call, { AllocationIds, Filters }) => {
    const question = { ids: AllocationIds, filters: Filters };
    const found = describe(call, call.account.addresses, addressErrors, fieldsAt(call), question);
    return { Addresses: found.items.map((address) => view(call, address)) };
  },

  AllocateAddress: (call, { PublicIpv4Pool, TagSpecifications }) => {
    const { account } = call;
    const pool = PublicIpv4Pool === 'amazon' ? undefined : PublicIpv4Pool;
    if (pool && poolNamed(call, pool).TotalAvailableAddressCount === 0)
      refuse('InsufficientAddressCapacity', `There are no addresses left in the pool '${pool}'.`);
    const base = newRecord(call, 'eipalloc', 'elastic-ip', TagSpecifications);
    if (account.addresses.count('region', call.region) >= account.behaviour.quotas.addresses)
      refuse('AddressLimitExceeded', 'The maximum number of addresses has been reached.');
    const address = { ...base, publicIp: newPublicIp(account), ...(pool && { pool }) };
    account.addresses.put(address);
    return { AllocationId: address.id, PublicIp: address.publicIp };
  },

  DescribePublicIpv4Pools: (call, { PoolIds }) => ({ PublicIpv4Pools: PoolIds.map((id) => poolNamed(call, id)) }),

  AssociateAddress: (call, { AllocationId, InstanceId }) => {
    const { account, now } = call;
    const address = named(call, account.addresses, AllocationId, addressErrors);
    const instance = named(call, account.instances, InstanceId, instanceErrors);
    if (instanceState(instance, now) !== 'running')
      refuse('IncorrectInstanceState', `The instance '${InstanceId}' is not in a valid state for this operation.`);
    if (account.internetGateways.count('attachment.vpc-id', instance.vpcId) === 0)
      refuse('Gateway.NotAttached', `Network ${instance.vpcId} is not attached to any internet gateway`);
    const holder = holderOf(account, AllocationId, now);
    if (holder && holder.instanceId !== InstanceId)
      refuse('Resource.AlreadyAssociated', `resource ${AllocationId} is already associated with ${holder.interfaceId}`);
    const primary = instance.interfaces[0]!;
    if (!holder) {
      primary.elastic = { allocationId: AllocationId, associationId: newId(account.random, 'eipassoc') };
      primary.publicIp = address.publicIp;
      account.instances.put(instance);
    }
    return { AssociationId: primary.elastic!.associationId };
  },

  ReleaseAddress: (call, { AllocationId }) => {
    const address = named(call, call.account.addresses, AllocationId, addressErrors);
    if (holderOf(call.account, address.id, call.now))
      refuse('InvalidIPAddress.InUse', `Address ${address.publicIp} is in use.`);
    call.account.addresses.delete(address.id);
    return {};
  },
} satisfies Handlers;
