/** The spot market: prices by instance type and zone, and interruptions with their warning. */
import { refuse } from './errors.ts';
import { sendEvent } from './events.ts';
import type { InstanceRecord } from './instance.ts';
import { type InstanceType, instanceType, isOffered } from './instance-type.ts';
import { endInstance } from './lifecycle.ts';
import { page } from './paging.ts';
import { zonesOf } from './regions.ts';
import { type AccountState, type Handlers, type InstanceNotice, scaled } from './state.ts';

/** Dollars an hour, as cheap as EC2's usual spot capacity. */
const pricePerVcpu = 0.015;

export const spotPrice = ({ behaviour }: AccountState, { name, vcpus }: InstanceType, zone: string): number =>
  behaviour.spotPrices[`${name}/${zone}`] ?? vcpus * pricePerVcpu;

/** The current prices, which have been the same since this time. */
const unchangedSince = '2026-01-01T00:00:00.000Z';

export const spotActions = {
  /** An unknown type has no prices. */
  DescribeSpotPriceHistory: (call, { InstanceTypes, MaxResults, NextToken }) => {
    const { account, region } = call;
    const prices = InstanceTypes.flatMap((name) => instanceType(account, name) ?? []).flatMap((type) =>
      zonesOf(region)
        .filter((zone) => isOffered(type.name, zone))
        .map((zone) => ({ type, zone })),
    );
    const found = page(
      call,
      prices.map((one, index) => ({ seq: index + 1, ...one })),
      { MaxResults, NextToken },
      { least: 1, most: 1000 },
    );
    return {
      SpotPriceHistory: found.items.map(({ type, zone }) => ({
        InstanceType: type.name,
        AvailabilityZone: zone,
        SpotPrice: spotPrice(account, type, zone).toFixed(6),
        Timestamp: unchangedSince,
      })),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },
} satisfies Handlers;

export const checkMaxPrice = (
  account: AccountState,
  type: InstanceType,
  zone: string,
  maxPrice: string | undefined,
): void => {
  const price = spotPrice(account, type, zone);
  if (maxPrice !== undefined && Number(maxPrice) < price)
    refuse(
      'SpotMaxPriceTooLow',
      `Your Spot request price of ${maxPrice} is lower than the minimum required Spot request fulfillment price of ${price}.`,
    );
};

const deliver = (account: AccountState, { region, id: instanceId }: InstanceRecord, notice: InstanceNotice): void => {
  sendEvent(account, `${instanceId}/${notice.reason}`, () => account.onInstanceChange({ region, instanceId, notice }));
  account.afterNotice(instanceId);
};

const reclaimed = {
  code: 'Server.SpotInstanceTermination',
  message: 'Server.SpotInstanceTermination: Spot instance termination',
};

/** Ends the instance when its notice is over. A restart of the account follows it again. */
export const followInterruption = (account: AccountState, { id, interrupted }: InstanceRecord): void => {
  if (!interrupted) return;
  account.timers.at(`interruption/${id}`, interrupted.ends, () => {
    const instance = account.instances.get(id);
    if (instance) endInstance(account, instance, reclaimed);
  });
};

/** EC2 warns two minutes ahead, as well as it can, and then terminates the instance. */
export const interruptInstance = (account: AccountState, instance: InstanceRecord): void => {
  if (instance.interrupted) return;
  const at = account.clock.now();
  instance.interrupted = { ends: at + scaled(account, account.behaviour.delays.interruption) };
  account.instances.put(instance);
  deliver(account, instance, { reason: 'SpotInterruption', at, deadline: instance.interrupted.ends });
  followInterruption(account, instance);
};

/** EC2 says that an interruption has become likely; one need not follow. */
export const recommendRebalance = (account: AccountState, instance: InstanceRecord): void =>
  deliver(account, instance, { reason: 'RebalanceRecommendation', at: account.clock.now() });
