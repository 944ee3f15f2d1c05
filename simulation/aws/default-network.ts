/** The default VPC of every region. */

import { newRecord } from './naming.ts';
import { zonesOf } from './regions.ts';
import type { AccountState, Call } from './state.ts';
import { addVpc, defaultVpcKey } from './vpc.ts';

const cidr = '172.31.0.0/16';

/** Whether a call has used the region; other regions are empty. */
export const isUsed = (account: AccountState, region: string): boolean =>
  account.vpcs.count('default', region) > 0 || account.removed.get(defaultVpcKey(region)) !== undefined;

/** Created per region on first use. */
export const ensureDefaultNetwork = (account: AccountState, region: string, now: number): void => {
  if (isUsed(account, region)) return;
  const call: Call = { account, region, now, caller: { arn: '', role: '' } };
  const base = newRecord(call, 'vpc', 'vpc', undefined);
  const gateway = { ...newRecord(call, 'igw', 'internet-gateway', undefined), vpcId: base.id, provided: true };
  account.internetGateways.put(gateway);
  for (const [index, zone] of zonesOf(region).entries())
    account.subnets.put({
      ...newRecord(call, 'subnet', 'subnet', undefined),
      vpcId: base.id,
      cidr: `172.31.${index * 16}.0/20`,
      zone,
      mapPublicIp: true,
      provided: true,
    });
  const vpc = addVpc(call, base, cidr, { isDefault: true, dnsHostnames: true, provided: true });
  const table = account.routeTables.get(vpc.mainRouteTable)!;
  table.routes.push({ destination: '0.0.0.0/0', gateway: gateway.id });
  account.routeTables.put(table);
};
