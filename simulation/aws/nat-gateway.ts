/** NAT gateways. Their state follows from times recorded at creation and deletion. */
import type { NatGateway } from '../../kinds/ports/cloud/index.ts';
import { addressErrors, holderOf } from './address.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { missingParameter, refuse, tokenMismatch } from './errors.ts';
import type { Fields } from './filters.ts';
import { fingerprint } from './fingerprint.ts';
import { idErrorsOf, named, newId, newRecord } from './naming.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';
import { subnetErrors } from './subnet.ts';
import { tagList } from './tags.ts';

export interface NatGatewayRecord extends Stored {
  vpcId: string;
  subnetId: string;
  zone: string;
  allocationId: string;
  associationId: string;
  publicIp: string;
  interfaceId: string;
  privateIp: string;
  token: string;
  parameters: string;
  /** When `pending` ends. */
  settles: number;
  /** The failure it ends in instead of `available`. */
  failure?: { code: string; message: string };
  deleted?: { requested: number; done: number };
  /** Its private address is released. */
  released?: boolean;
}

export const natGateways: CollectionOf<NatGatewayRecord> = {
  name: 'nat-gateways',
  errors: idErrorsOf('nat', 'InvalidNatGatewayID', 'natGateway ID'),
  indexes: {
    'vpc-id': ({ vpcId }) => [vpcId],
    'subnet-id': ({ subnetId }) => [subnetId],
    'allocation-id': ({ allocationId }) => [allocationId],
    'client-token': ({ token }) => [token],
  },
};

export const natGatewayErrors = {
  ...idErrorsOf('nat', 'NatGateway', 'NAT gateway'),
  notFound: 'NatGatewayNotFound',
  malformed: 'NatGatewayMalformed',
  message: (ids: string) => `NAT gateway ${ids} was not found`,
};

export const natGatewayState = (gateway: NatGatewayRecord, now: number): NatGateway['State'] => {
  if (gateway.deleted) return now < gateway.deleted.done ? 'deleting' : 'deleted';
  if (now < gateway.settles) return 'pending';
  return gateway.failure ? 'failed' : 'available';
};

/** Whether its network interface and its elastic address are in use. */
export const holdsAddress = (gateway: NatGatewayRecord, now: number): boolean =>
  !gateway.failure && natGatewayState(gateway, now) !== 'deleted';

const view = (gateway: NatGatewayRecord, now: number): NatGateway => ({
  NatGatewayId: gateway.id,
  VpcId: gateway.vpcId,
  SubnetId: gateway.subnetId,
  State: natGatewayState(gateway, now),
  ...(gateway.failure &&
    now >= gateway.settles && { FailureCode: gateway.failure.code, FailureMessage: gateway.failure.message }),
  NatGatewayAddresses: [
    {
      AllocationId: gateway.allocationId,
      ...(!gateway.failure && {
        PublicIp: gateway.publicIp,
        PrivateIp: gateway.privateIp,
        NetworkInterfaceId: gateway.interfaceId,
      }),
    },
  ],
  Tags: tagList(gateway.tags),
});

const fieldsAt = ({ now }: Call): Fields<NatGatewayRecord> => ({
  'nat-gateway-id': ({ id }) => [id],
  'vpc-id': ({ vpcId }) => [vpcId],
  'subnet-id': ({ subnetId }) => [subnetId],
  state: (gateway) => [natGatewayState(gateway, now)],
});

/** The failure of a gateway that cannot work; the call that creates it succeeds anyway. */
const failureOf = (account: AccountState, vpcId: string, allocationId: string, now: number) => {
  if (account.internetGateways.count('attachment.vpc-id', vpcId) === 0)
    return { code: 'Gateway.NotAttached', message: `Network ${vpcId} has no Internet gateway attached` };
  if (holderOf(account, allocationId, now))
    return {
      code: 'Resource.AlreadyAssociated',
      message: `Elastic IP address [${allocationId}] is already associated`,
    };
  return undefined;
};

/**
 * Releases its address and, an hour later, deletes its record. Armed at every change and after a
 * restart.
 */
export const watchNatGateway = (account: AccountState, gateway: NatGatewayRecord): void => {
  const { id, deleted, failure, settles } = gateway;
  const ended = deleted?.done ?? (failure ? settles : undefined);
  if (ended === undefined) return;
  account.timers.at(id, ended, () => {
    if (!gateway.released) {
      account.subnetAddresses.release(gateway.subnetId, gateway.privateIp);
      account.natGateways.put(Object.assign(gateway, { released: true }));
    }
    account.timers.at(id, ended + scaled(account, account.behaviour.delays.remembered), () =>
      account.natGateways.delete(id),
    );
  });
};

export const natGatewayActions = {
  DescribeNatGateways: (call, { NatGatewayIds, Filter, MaxResults, NextToken }) => {
    const question = { ids: NatGatewayIds, filters: Filter, MaxResults, NextToken };
    const found = describe(call, call.account.natGateways, natGatewayErrors, fieldsAt(call), question);
    return {
      NatGateways: found.items.map((gateway) => view(gateway, call.now)),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },

  CreateNatGateway: (call, input) => {
    const { account, region, now } = call;
    const { delays, quotas } = account.behaviour;
    const { SubnetId, AllocationId, ClientToken, TagSpecifications } = input;
    if (!ClientToken) missingParameter('ClientToken');
    const parameters = fingerprint({ ...input, ClientToken: undefined });
    const earlier = account.natGateways.by('client-token', ClientToken).find((gateway) => gateway.region === region);
    if (earlier) return earlier.parameters === parameters ? { NatGateway: view(earlier, now) } : tokenMismatch();

    const subnet = named(call, account.subnets, SubnetId, subnetErrors);
    const address = named(call, account.addresses, AllocationId, addressErrors);
    const base = newRecord(call, 'nat', 'natgateway', TagSpecifications);
    const inZone = account.natGateways
      .by('region', region)
      .filter((gateway) => gateway.zone === subnet.zone && holdsAddress(gateway, now));
    if (inZone.length >= quotas.natGatewaysPerZone)
      refuse(
        'NatGatewayLimitExceeded',
        `Performing this operation would exceed the limit of ${quotas.natGatewaysPerZone} NAT gateways`,
      );
    const failure = failureOf(account, subnet.vpcId, AllocationId, now);
    const gateway: NatGatewayRecord = {
      ...base,
      vpcId: subnet.vpcId,
      subnetId: SubnetId,
      zone: subnet.zone,
      allocationId: AllocationId,
      associationId: newId(account.random, 'eipassoc'),
      publicIp: address.publicIp,
      interfaceId: newId(account.random, 'eni'),
      privateIp:
        account.subnetAddresses.take(subnet, account.random) ??
        refuse('InsufficientFreeAddressesInSubnet', `There are not enough free addresses in subnet '${SubnetId}'.`),
      token: ClientToken,
      parameters,
      settles: now + scaled(account, failure ? delays.natGatewayFailed : delays.natGatewayAvailable),
      ...(failure && { failure }),
    };
    account.natGateways.put(gateway);
    watchNatGateway(account, gateway);
    return { NatGateway: view(gateway, now) };
  },

  DeleteNatGateway: (call, { NatGatewayId }) => {
    const { account, now } = call;
    const gateway = named(call, account.natGateways, NatGatewayId, natGatewayErrors);
    if (!gateway.deleted) {
      gateway.deleted = { requested: now, done: now + scaled(account, account.behaviour.delays.natGatewayDeleted) };
      account.natGateways.put(gateway);
      watchNatGateway(account, gateway);
    }
    return { NatGatewayId };
  },
} satisfies Handlers;
