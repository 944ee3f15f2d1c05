/** Network interfaces. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Page, Tag } from '../shared.ts';

export interface NetworkInterfaceActions {
  DescribeNetworkInterfaces: [
    { NetworkInterfaceIds?: string[]; Filters?: Filter[] } & Page,
    {
      NetworkInterfaces: {
        NetworkInterfaceId: string;
        VpcId: string;
        SubnetId: string;
        Status: string;
        Description?: string;
        Groups: { GroupId: string }[];
        Attachment?: { InstanceId?: string };
        TagSet: Tag[];
      }[];
      NextToken?: string;
    },
  ];
  ModifyNetworkInterfaceAttribute: [{ NetworkInterfaceId: string; Groups?: string[] }, Empty];
}

export const networkInterfaceCalls = {
  DescribeNetworkInterfaces: {},
  ModifyNetworkInterfaceAttribute: { ours: ['instance', 'network-interface'], uses: ['security-group', 'subnet'] },
} as const satisfies Calls<NetworkInterfaceActions>;

export const networkInterfaces = list('DescribeNetworkInterfaces', 'NetworkInterfaceId', {
  type: 'network-interface',
  prefix: 'eni',
});
