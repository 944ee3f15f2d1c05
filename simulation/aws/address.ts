/** Elastic IP addresses. Who uses one is written with the user, so the two can never disagree. */
import type { Address } from '../../kinds/ports/cloud.ts';
import type { Stored } from './collection.ts';
import { describe } from './describe.ts';
import { refuse } from './errors.ts';
import type { Fields } from './filters.ts';
import { named, newRecord, words } from './naming.ts';
import { holdsAddress, type NatGatewayRecord } from './nat-gateway.ts';
import type { AccountState, Call, Handlers } from './state.ts';
import { tagList } from './tags.ts';

export interface AddressRecord extends Stored {
  publicIp: string;
}

export const addressWords = words('eipalloc', 'InvalidAllocationID', 'allocation ID');

/** The gateway that holds the address, if any does. */
export const holderOf = (account: AccountState, allocationId: string, now: number): NatGatewayRecord | undefined =>
  account.natGateways.by('allocation-id', allocationId).find((gateway) => holdsAddress(gateway, now));

const view = ({ account, now }: Call, address: AddressRecord): Address => {
  const holder = holderOf(account, address.id, now);
  return {
    AllocationId: address.id,
    PublicIp: address.publicIp,
    ...(holder && { AssociationId: holder.associationId, NetworkInterfaceId: holder.interfaceId }),
    Tags: tagList(address.tags),
  };
};

const fieldsAt = ({ account, now }: Call): Fields<AddressRecord> => ({
  'allocation-id': ({ id }) => [id],
  'public-ip': ({ publicIp }) => [publicIp],
  domain: () => ['vpc'],
  'association-id': ({ id }) => [holderOf(account, id, now)?.associationId ?? []].flat(),
  'network-interface-id': ({ id }) => [holderOf(account, id, now)?.interfaceId ?? []].flat(),
  'instance-id': () => [],
});

/** A public address that nobody in the account has. */
export const newPublicIp = (account: AccountState): string => {
  const octet = (low: number, high: number) => low + Math.floor(account.random.next() * (high - low));
  const taken = (candidate: string) => account.addresses.all().some(({ publicIp }) => publicIp === candidate);
  for (;;) {
    const candidate = `${[3, 18, 34, 44, 52, 54][octet(0, 6)]}.${octet(64, 250)}.${octet(0, 256)}.${octet(1, 255)}`;
    if (!taken(candidate)) return candidate;
  }
};

export const addressActions = {
  DescribeAddresses: (call, { AllocationIds, Filters }) => {
    const question = { ids: AllocationIds, filters: Filters };
    const found = describe(call, call.account.addresses, addressWords, fieldsAt(call), question);
    return { Addresses: found.items.map((address) => view(call, address)) };
  },

  AllocateAddress: (call, { PublicIpv4Pool, TagSpecifications }) => {
    const { account } = call;
    if (PublicIpv4Pool && PublicIpv4Pool !== 'amazon')
      refuse('InvalidPublicIpv4PoolID.NotFound', `The IPv4 pool ID '${PublicIpv4Pool}' does not exist`);
    const base = newRecord(call, 'eipalloc', 'elastic-ip', TagSpecifications);
    if (account.addresses.count('region', call.region) >= account.behaviour.quotas.addresses)
      refuse('AddressLimitExceeded', 'The maximum number of addresses has been reached.');
    const address = { ...base, publicIp: newPublicIp(account) };
    account.addresses.put(address);
    return { AllocationId: address.id, PublicIp: address.publicIp };
  },

  ReleaseAddress: (call, { AllocationId }) => {
    const address = named(call, call.account.addresses, AllocationId, addressWords);
    if (holderOf(call.account, address.id, call.now))
      refuse('InvalidIPAddress.InUse', `Address ${address.publicIp} is in use.`);
    call.account.addresses.delete(address.id);
    return {};
  },
} satisfies Handlers;
