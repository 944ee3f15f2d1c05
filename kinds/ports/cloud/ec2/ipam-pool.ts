/** Pools of IP Address Manager. */
import type { Calls } from '../call.ts';
import type { Filter } from '../shared.ts';

export interface IpamPoolActions {
  DescribeIpamPools: [
    { IpamPoolIds?: string[]; Filters?: Filter[] },
    { IpamPools: { IpamPoolId: string; AddressFamily: 'ipv4' | 'ipv6'; State: string }[] },
  ];
}

export const ipamPoolCalls = {
  DescribeIpamPools: {},
} as const satisfies Calls<IpamPoolActions>;
